// 9.1: requests that schemathesis makes from the interface description, right ones and wrong ones, over the embedded
// service. All it reports is listed with a reason; each answer is held against the description besides.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { aToken, type TestService } from "../service/a-service.ts"
import { aFullService } from "../service/components.ts"
import { listed } from "./listed-reports.ts"
import { aFolder, runTool } from "./tools.ts"

const { folder, remove } = aFolder()
const failures: string[] = []
let service: TestService

beforeAll(async () => {
  service = await aFullService({ onFailure: (error, request) => void failures.push(`${request}: ${String(error)}`) })
})
afterAll(async () => {
  await service.close()
  remove()
})

interface Report {
  readonly code: string
  readonly operation: string
  readonly text: string
}

/** How many requests each operation gets in each phase; more by COUNTERSIGN_RUNS. */
const requests = process.env["COUNTERSIGN_RUNS"] ?? "5"

const chosen = [
  `--phases coverage,fuzzing --max-examples ${requests} --generation-deterministic --continue-on-failure`,
  "--output-truncate false --report junit --report-dir reports",
].flatMap((line) => line.split(" "))

/** The reports of a run: one for each kind that a request brought up. */
function reportsIn(file: string): readonly Report[] {
  const cases = [...readFileSync(file, "utf8").matchAll(/<testcase name="([^"]*)"(?: [^>]*[^/])?>(.*?)<\/testcase>/gs)]
  return cases.flatMap(([, operation = "", body = ""]) =>
    unescaped(body)
      .split(/^(?=\d+\. Test Case ID|<error)/m)
      .flatMap((text) => {
        const codes = [...text.matchAll(/^- (ST\d+) /gm)].map(([, code = ""]) => code)
        const strange = codes.length === 0 && text.includes("<error") ? ["error"] : []
        return [...codes, ...strange].map((code) => ({ code, operation: unescaped(operation), text }))
      }),
  )
}

function unescaped(text: string): string {
  const signs = [
    ["&lt;", "<"],
    ["&gt;", ">"],
    ["&quot;", '"'],
    ["&amp;", "&"],
  ] as const
  return signs.reduce((rest, [name, sign]) => rest.replaceAll(name, sign), text)
}

test("what schemathesis reports is listed with a reason, and nothing fails inside", {
  timeout: 1_800_000,
}, async () => {
  const token = await aToken(["service:admin"], { sub: "ann" })
  const header = ["--header", `Authorization: Bearer ${token}`]

  const { said } = await runTool("schemathesis", ["run", `${service.url}/openapi.json`, ...header, ...chosen], folder)

  expect(said).toMatch(/Tested: (\d+)\n/)
  expect(Number(/(\d+) generated/.exec(said)?.[1])).toBeGreaterThan(1000)
  const [report = ""] = readdirSync(join(folder, "reports"))
  const strange = reportsIn(join(folder, "reports", report)).filter(
    ({ code, operation, text }) =>
      !listed.some((one) => one.code === code && one.operation.test(operation) && one.says.test(text)),
  )
  expect(strange).toEqual([])
  expect(failures).toEqual([])
})
