// A service with agents, teams and workflows, and what tests do with their runs.
import { readFileSync } from "node:fs"
import { z } from "zod"
import { readScript } from "../../src/service/components/script.ts"
import type { ServiceOptions } from "../../src/service/service-options.ts"
import { type Answer, aService, aToken, call, resolve, type TestService } from "./a-service.ts"

export const components = readScript(readFileSync(new URL("../fixtures/service/teams.yaml", import.meta.url), "utf8"))

export function aFullService(overrides: Partial<ServiceOptions> = {}): Promise<TestService> {
  return aService({ script: components, ...overrides })
}

const everything = [
  ...["agents", "teams", "workflows"].flatMap((family) => [`${family}:read`, `${family}:run`]),
  "sessions:read",
  "approvals:read",
]

/** A token of a person who may do everything but decide. */
export function asAlice(): Promise<string> {
  return aToken(everything, { sub: "alice@example.com" })
}

const runSchema = z.looseObject({ run_id: z.string(), session_id: z.string(), status: z.string() })

export type SeenRun = z.output<typeof runSchema>

/** Starts a run of `agents/x`, `teams/x` or `workflows/x` in session s-1. */
export async function started(service: TestService, component: string, message: string): Promise<SeenRun> {
  const form = { message, stream: "false", session_id: "s-1" }
  const answer = await call(service, `POST /${component}/runs`, { token: await asAlice(), form })
  if (answer.status !== 200) throw new Error(answer.text)
  return runSchema.parse(answer.body)
}

/** Continues a run. */
export async function wentOn(
  service: TestService,
  component: string,
  runId: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const form = { stream: "false", session_id: "s-1", ...more }
  return call(service, `POST /${component}/runs/${runId}/continue`, { token: await asAlice(), form })
}

const rowSchema = z.looseObject({
  id: z.string(),
  run_id: z.string(),
  source_type: z.string(),
  tool_name: z.string().nullable(),
})

export type SeenRow = z.output<typeof rowSchema>

/** The pending approvals, oldest first. */
export async function pending(service: TestService): Promise<readonly SeenRow[]> {
  const { body } = await call(service, "GET /approvals?status=pending", { token: await asAlice() })
  return z
    .object({ data: z.array(rowSchema) })
    .parse(body)
    .data.toReversed()
}

/** Decides everything that is pending in the same way. */
export async function decideAll(service: TestService, json: Record<string, unknown>): Promise<void> {
  for (const { id } of await pending(service)) {
    const answer = await resolve(service, id, json)
    if (answer.status !== 200) throw new Error(answer.text)
  }
}

/** What really ran. */
export function ran(service: TestService): readonly string[] {
  return service.executions().map(({ toolName, toolArgs }) => `${toolName} ${toolArgs}`)
}

const eventSchema = z.looseObject({ event: z.string().optional() })

/** The events of a stream: their names, and their data. */
export function eventsIn(text: string): readonly { readonly name: string; readonly data: Record<string, unknown> }[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const [, name = "", data = ""] = /^event: (\S+)\ndata: (.+)$/s.exec(block) ?? []
      return { name, data: eventSchema.parse(JSON.parse(data)) }
    })
}
