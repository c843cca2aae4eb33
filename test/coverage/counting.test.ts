// A project of three files, run by vitest as `npm run coverage` runs ours: which lines it says were reached.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { z } from "zod"
import { run } from "../../src/setup/processes.mjs"
import { aFolder } from "../support/opened.ts"

const root = new URL("../..", import.meta.url).pathname

const script = `interface Named { readonly name: string }
export type Known = Named & { readonly since: number }

/** Only the test calls it. */
export function inWorker({ name, since }: Known): string {
  return name + since
}

/** Only the program calls it. */
function inProgram({ name }: Named): string {
  return name
}

/** Nobody calls it. */
export function nowhere({ since }: Known): number {
  return since
}

if (import.meta.filename === process.argv[1]) console.log(inProgram({ name: "Ann" }))
`

const tests = `import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { inWorker } from "./script.ts"

test("both", () => {
  expect(inWorker({ name: "Ann", since: 3 })).toBe("Ann3")
  expect(execFileSync(process.execPath, ["script.ts"], { env: {} }).toString()).toBe("Ann\\n")
})
`

const config = `import { counting } from ${JSON.stringify(join(root, "test/coverage/counting.ts"))}
const coverage = { ...counting.test.coverage, include: ["script.ts"], reporter: [["json"]] }
export default { ...counting, test: { ...counting.test, include: ["both.test.ts"], coverage } }
`

const reportSchema = z.record(
  z.string(),
  z.object({
    statementMap: z.record(z.string(), z.object({ start: z.object({ line: z.number() }) })),
    s: z.record(z.string(), z.number()),
  }),
)

function aProject(): string {
  const project = aFolder("counted")
  mkdirSync(join(project, "node_modules"))
  symlinkSync(join(root, "node_modules/vitest"), join(project, "node_modules/vitest"))
  const files = {
    "package.json": `{ "type": "module" }`,
    "script.ts": script,
    "both.test.ts": tests,
    "vitest.config.ts": config,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content)
  return project
}

/** The lines of the script on which a statement begins, and whether it was reached. */
function linesOf(project: string): Record<string, boolean> {
  const report = reportSchema.parse(JSON.parse(readFileSync(join(project, "coverage/coverage-final.json"), "utf8")))
  const { statementMap, s } = report[join(project, "script.ts")] ?? { statementMap: {}, s: {} }
  const source = script.split("\n")
  return Object.fromEntries(
    Object.entries(statementMap).map(([id, { start }]) => [(source[start.line - 1] ?? "").trim(), s[id] !== 0]),
  )
}

test("a line counts that a worker reached, or a program that a test started, and no other", async () => {
  const project = aProject()

  const ended = await run([process.execPath, join(root, "node_modules/vitest/vitest.mjs"), "run"], {
    env: process.env,
    cwd: project,
  })

  expect(ended).toMatchObject({ code: 0 })
  expect(linesOf(project)).toEqual({
    "return name + since": true,
    "return name": true,
    "return since": false,
    'if (import.meta.filename === process.argv[1]) console.log(inProgram({ name: "Ann" }))': true,
  })
})
