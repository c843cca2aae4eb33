// What AgentOS's own document takes and our service does not: each parameter stands in the table of docs/service.md.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { z } from "zod"
import { aService } from "../service/a-service.ts"
import { startAgentOs } from "./agentos.ts"

const schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional(), $ref: z.string().optional() })
const operation = z.looseObject({
  parameters: z.array(z.looseObject({ in: z.string(), name: z.string() })).default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema: schema.optional() })) })
    .optional(),
})
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), schema) }),
})

/** Each parameter that a document's routes take, as `GET /approvals limit`, whatever their ids are called. */
async function parametersOf(url: string): Promise<ReadonlySet<string>> {
  const { paths, components } = document.parse(await (await fetch(`${url}/openapi.json`)).json())
  const namesIn = (body: z.output<typeof schema> = {}): readonly string[] => {
    const named = components.schemas[body.$ref?.split("/").at(-1) ?? ""]
    return Object.keys((named ?? body).properties ?? {})
  }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters, requestBody }]) => {
      const bodies = Object.values(requestBody?.content ?? {}).flatMap((one) => namesIn(one.schema))
      const names = [...parameters.filter((one) => one.in !== "path").map(({ name }) => name), ...bodies]
      return ["", ...names].map((name) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, "*")} ${name}`)
    }),
  )
  return new Set(all)
}

/** The names in the first column of the table. */
function listedNames(): readonly string[] {
  const page = readFileSync(new URL("../../docs/service.md", import.meta.url), "utf8")
  const [, table = ""] = page.split("These parameters of AgentOS are taken and change nothing:\n\n")
  const [rows = ""] = table.split("\n\n")
  return rows
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => `${name}`))
}

test("each parameter of AgentOS is one of ours, or the page says that it changes nothing", async () => {
  const service = await aService()
  const os = await startAgentOs("3.1.10", { auth: "open", knowledge: true })
  try {
    const [theirs, ours] = [await parametersOf(os.url), await parametersOf(service.url)]
    const served = [...theirs].filter((one) => ours.has(`${one.split(" ").slice(0, 2).join(" ")} `))
    const missing = new Set(served.filter((one) => !ours.has(one)).map((one) => `${one.split(" ")[2]}`))
    const listed = listedNames()

    expect([...missing].filter((name) => !listed.includes(name))).toEqual([])
    expect(listed.filter((name) => !missing.has(name))).toEqual([])
  } finally {
    await Promise.all([os.close(), service.close()])
  }
})
