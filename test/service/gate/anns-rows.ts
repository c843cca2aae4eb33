// Rows of ann in every family of the service, and how each operation of the description is asked about them.
import { z } from "zod"
import { serviceRoutes } from "../../../src/service/all-routes.ts"
import { type Answer, type Call, call, type TestService } from "../a-service.ts"

/** Whose the rows are: her name stands in everything that says whose a row is. */
export const ann = "ann-of-the-tests"
export const ben = "ben-of-the-tests"

/** The ids of ann's rows, by the segment of a path that names them. */
export type Ids = Readonly<Record<string, string>>

const families = ["agents", "teams", "workflows"] as const
const componentOf = { agents: "support-member", teams: "support-team", workflows: "month-end" } as const
const asked = { agents: "delete it", teams: "own tool", workflows: "close" } as const

/** Makes a row of ann's in each family, with a token that may do everything. */
export async function rowsOfAnn(service: TestService, token: string): Promise<Ids> {
  const made = async (request: string, key: string, options: Call): Promise<string> => {
    const { status, text, body } = await call(service, request, { token, ...options })
    if (status >= 300) throw new Error(`${request}: ${status} ${text}`)
    return z.looseObject({ [key]: z.coerce.string() }).parse(body)[key] ?? ""
  }
  const runOf = async (family: (typeof families)[number]): Promise<[string, string]> => {
    const form = { message: asked[family], stream: "false", session_id: `s-${family}`, user_id: ann }
    return [`${family}/runs`, await made(`POST /${family}/${componentOf[family]}/runs`, "run_id", { form })]
  }
  const runs = Object.fromEntries([await runOf("agents"), await runOf("teams"), await runOf("workflows")])
  const json = { user_id: ann, memory: `of ${ann}`, topics: [ann] }
  const evaluated = { agent_id: "support-member", input: "look", eval_type: "performance", num_iterations: 1 }
  const daily = { name: ann, cron_expr: "@daily", endpoint: "/agents/support-member/runs", method: "POST" }
  const schedules = await made("POST /schedules", "id", { json: { ...daily, payload: { message: "look" } } })
  const content = { name: ann, text_content: `of ${ann}` }
  await call(service, "POST /metrics/refresh", { token })
  return {
    ...runs,
    sessions: "s-agents",
    "sessions/runs": runs["agents/runs"] ?? "",
    approvals: await made("POST /approvals", "id", {
      json: { tool_name: "pay", tool_args: { of: ann }, user_id: ann },
    }),
    memories: await made("POST /memories", "memory_id", { json }),
    learnings: await made("POST /learnings", "learning_id", {
      json: { learning_type: "note", content: { of: ann }, user_id: ann },
    }),
    traces: z
      .object({ data: z.array(z.object({ trace_id: z.string() })) })
      .parse((await call(service, `GET /traces?run_id=${runs["agents/runs"]}`, { token })).body)
      .data.map(({ trace_id: id }) => id)
      .join(),
    "eval-runs": await made("POST /eval-runs", "id", { json: evaluated }),
    schedules,
    "schedules/runs": await made(`POST /schedules/${schedules}/trigger`, "id", {}),
    content: await made("POST /knowledge/content", "id", { form: content }),
    components: await made("POST /components", "component_id", {
      json: { name: "Ann's own", component_type: "agent" },
    }),
    configs: "1",
    "service-accounts": await made("POST /service-accounts", "id", { json: { name: "ann-bot", scopes: [] } }),
    knowledge: "knowledge",
    sources: "none",
    databases: "none",
  }
}

/** A request of an operation, about ann's rows. `names` is true if its path names a row of hers. */
export interface Asked {
  readonly operation: string
  readonly request: string
  readonly names: boolean
  /** `query` and `body`: the description has a `user_id` there. */
  readonly userIn: "query" | "body" | null
  readonly options: Call
}

/** Everybody sees these; who may is another question. */
const everybodys = new Set([...families, "databases", "knowledge", "sources", "components", "configs"])

/** What each operation of the description is asked; the paths are those of the default prefix. */
export function askedOf(document: Description, ids: Ids): readonly Asked[] {
  return Object.entries(document.paths).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, entry]): Asked => {
      const named: string[] = []
      const filled = path.replaceAll(/([^/]+)\/\{[^}]+\}/g, (_all, kind: string) => {
        const key = kind === "runs" ? `${/^\/(\w+)/.exec(path)?.[1]}/runs` : kind
        named.push(key)
        return `${kind}/${isFamily(kind) ? componentOf[kind] : (ids[key] ?? `unknown-${key}`)}`
      })
      const operation = `${method.toUpperCase()} ${path}`
      const content = Object.keys(entry.requestBody?.content ?? {})
      const { form, ...json } = bodyOf(operation, ids)
      const userIn = declaresUser(document, entry)
      return {
        operation,
        request: `${method.toUpperCase()} ${filled}`,
        names: named.some((key) => !everybodys.has(key)),
        userIn,
        options: content.some((type) => type.includes("form")) ? { form: form ?? {} } : content.length > 0 ? json : {},
      }
    }),
  )
}

function isFamily(kind: string): kind is (typeof families)[number] {
  return families.some((family) => family === kind)
}

/** As much of the description as is read here. */
export type Description = z.output<typeof description>
const schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() })
const entry = z.looseObject({
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).optional(),
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.looseObject({ $ref: z.string().optional() }) })) })
    .optional(),
})
const description = z.object({
  paths: z.record(z.string(), z.record(z.string(), entry)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
})

export async function descriptionOf(service: TestService): Promise<Description> {
  return description.parse((await call(service, "GET /openapi.json")).body)
}

function declaresUser({ components }: Description, { parameters = [], requestBody }: z.output<typeof entry>) {
  if (parameters.some((one) => one.name === "user_id" && one.in === "query")) return "query"
  const models = Object.values(requestBody?.content ?? {}).map((one) => one.schema.$ref?.split("/").at(-1) ?? "")
  return models.some((name) => "user_id" in (components.schemas[name]?.properties ?? {})) ? "body" : null
}

/** A body that the operation takes, about ann's rows. */
function bodyOf(operation: string, ids: Ids): Pick<Call, "json" | "form"> {
  const [, path = ""] = operation.split(" ")
  const family = families.find((one) => path.startsWith(`/${one}/`) || path.startsWith(`/a2a/${one}/`)) ?? "agents"
  const stream = { stream: "false" }
  if (path.endsWith("/runs")) return { form: { message: "look", session_id: `s-${family}`, ...stream } }
  if (path.endsWith("/continue")) return { form: { session_id: `s-${family}`, ...stream } }
  if (path.includes("/message")) {
    const said = { messageId: "m", role: "user", agentId: "support-member", parts: [{ kind: "text", text: "look" }] }
    return rpc({ message: { ...said, contextId: `s-${family}`, taskId: ids[`${family}/runs`] } })
  }
  if (path.includes("/tasks:")) return rpc({ id: ids[`${family}/runs`] })
  return bodies(ids)[operation] ?? { json: {} }
}

function rpc(params: unknown): Pick<Call, "json"> {
  return { json: { jsonrpc: "2.0", id: 1, params } }
}

function bodies(ids: Ids): Readonly<Record<string, Pick<Call, "json" | "form">>> {
  const learning = { learning_type: "note", content: {} }
  return {
    "POST /approvals": { json: { tool_name: "pay", tool_args: {} } },
    "POST /approvals/{approval_id}/resolve": { json: { status: "approved" } },
    "POST /sessions": { json: {} },
    "DELETE /sessions": { json: { session_ids: [ids["sessions"]], session_types: ["agent"] } },
    "PATCH /sessions/{session_id}": { json: { session_name: "changed" } },
    "POST /sessions/{session_id}/rename": { json: { session_name: "changed" } },
    "POST /memories": { json: { memory: "another" } },
    "DELETE /memories": { json: { memory_ids: [ids["memories"]] } },
    "PATCH /memories/{memory_id}": { json: { memory: "changed" } },
    "POST /optimize-memories": { json: {} },
    "POST /learnings": { json: learning },
    "PATCH /learnings/{learning_id}": { json: { content: { changed: true } } },
    "PATCH /eval-runs/{eval_run_id}": { json: { name: "changed" } },
    "DELETE /eval-runs": { json: { eval_run_ids: [ids["eval-runs"]] } },
    "PATCH /schedules/{schedule_id}": { json: { name: "changed" } },
    "POST /traces/search": { json: { filter: null } },
    "PATCH /knowledge/content/{content_id}": { form: { name: "changed" } },
    "POST /knowledge/search": { json: { query: ann } },
    "PATCH /components/{component_id}": { json: { name: "changed" } },
    "PATCH /components/{component_id}/configs/{config_id}": { json: { config: { changed: true } } },
    "POST /components/{component_id}/configs": { json: { config: { changed: true } } },
  }
}

/** All that an admin sees of ann's rows, as one text. */
export async function seenOfAnn(service: TestService, token: string, ids: Ids): Promise<string> {
  const paths = serviceRoutes.flatMap(({ pattern }) => {
    const [method, path = ""] = pattern.split(" ")
    const [, kind = ""] = /^\/([\w-]+)\/\*$/.exec(path) ?? []
    return method === "GET" && kind in ids ? [`GET /${kind}/${ids[kind]}`] : []
  })
  const runs = families.map((family) => `GET /${family}/${componentOf[family]}/runs/${ids[`${family}/runs`]}`)
  const others = [
    `GET /knowledge/content/${ids["content"]}`,
    `GET /service-accounts`,
    `GET /approvals?status=pending&user_id=${ann}`,
  ]
  const answers = await Promise.all([...paths, ...runs, ...others].map((request) => call(service, request, { token })))
  return answers.map(timeless).join("\n")
}

/** Without what is another at each look. */
function timeless({ status, text }: Answer): string {
  return `${status} ${text.replaceAll(/"(?:last_used_at|search_time_ms)":[^,}]*/g, "")}`
}
