// Streams (specification 6): the events of a run from start to end, in the form of AgentOS and in that of A2A.
import { z } from "zod"
import type { AskedPlatform } from "./asking.ts"
import { onlyReads, type PlatformCheck, type WireReply } from "./check.ts"
import { checksOf } from "./claims.ts"
import { jsonOf, outcomeOf } from "./judge-reply.ts"

const text = z.string()

/** The form that starts a run in the session of the checks. */
export const form = { message: "{message}", session_id: "{own}", user_id: "{own}" }

/** A run with a stream of events. Deleting its session removes everything that it made. */
export const streamed: PlatformCheck = checksOf("agents", "4.3").open({
  section: "6",
  says: "a run is told as server-sent events",
  request: "POST /agents/{agent}/runs",
  form: { ...form, stream: "true" },
  header: "content-type",
  undo: "DELETE /sessions/{own}",
})

const events = z.enum([
  "RunStarted",
  "RunContinued",
  "ModelRequestStarted",
  "ModelRequestCompleted",
  "ToolCallStarted",
  "ToolCallCompleted",
  "RunContent",
  "RunContentCompleted",
  "RunPaused",
  "RunCompleted",
  "RunError",
  "RunCancelled",
])
const lastEvents = ["RunPaused", "RunCompleted", "RunError", "RunCancelled"]

/** What is wrong with a stream, in words; null if nothing is. */
function faultInStream({ headers, text: body }: Pick<WireReply, "headers" | "text">): string | null {
  if (!(headers["content-type"] ?? "").startsWith("text/event-stream")) return "content-type text/event-stream"
  const blocks = body
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .filter((block) => block.trim() !== "")
  const names = blocks.map((block) => /^event: ?(\S+)$/m.exec(block)?.[1] ?? "")
  const datas = blocks.map((block) => jsonOf({ text: /^data: ?(.*)$/m.exec(block)?.[1] ?? "" }))
  const strange = names.find((name) => !events.safeParse(name).success)
  if (strange !== undefined) return `an event of the table, not ${JSON.stringify(strange)}`
  if (!datas.every((data) => z.looseObject({ run_id: text }).safeParse(data).success))
    return "one line of JSON with a run_id in each event"
  if (names[0] !== "RunStarted") return "RunStarted as the first event"
  return lastEvents.includes(names.at(-1) ?? "") ? null : `one of ${lastEvents.join(", ")} as the last event`
}

/** Judges a stream of events. */
export async function judgeStream(asking: AskedPlatform, reply: WireReply): Promise<void> {
  const says = "its events are those of the table, from the first to the last"
  asking.tell({ ...streamed, says, outcome: outcomeOf(faultInStream(reply), reply) })
  const runId = /"run_id": ?"([^"]+)"/.exec(reply.text)?.[1]
  if (runId !== undefined && reply.text.includes("RunPaused")) await oweRun(asking, runId)
}

const rows = z.looseObject({ data: z.array(z.looseObject({ id: text })) })

/** Notes that a run that paused must be cancelled, and its approvals deleted. Returns the ids of these approvals. */
export async function oweRun(asking: AskedPlatform, runId: string): Promise<readonly string[]> {
  asking.keep("run", runId)
  asking.owe("POST /agents/{agent}/runs/{run}/cancel")
  const listed = await asking.ask({ request: "GET /approvals?run_id={run}" }).catch(() => null)
  const read = rows.safeParse(listed === null ? null : jsonOf(listed))
  const ids = read.success ? read.data.data.map(({ id }) => id) : []
  for (const id of ids.toReversed()) asking.owe(`DELETE /approvals/${encodeURIComponent(id)}`)
  return ids
}

const parts = [{ kind: "text", text: "{message}" }]
const message = { kind: "message", messageId: "{own}", role: "user", contextId: "{own}", parts }

const told = checksOf("a2a", "6").open({
  says: "a message of A2A is told as a stream",
  request: "POST /a2a/agents/{agent}/v1/message:stream",
  json: { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } },
  header: "content-type",
  undo: "DELETE /sessions/{own}",
})

/** Sends `{agent}` a message, if the options name an agent. Cancels a task that waits, and deletes its approvals. */
export async function checkA2a(asking: AskedPlatform): Promise<void> {
  if (asking.wordOf("message") === undefined) {
    const why = asking.writes ? "it starts an agent; --agent names the one to start" : onlyReads
    return asking.tell({ ...told, outcome: { kind: "untested", why } })
  }
  const reply = await asking.check(told)
  if (reply?.status !== 200) return
  const says = "a stream of A2A begins with the task, and ends with the final status"
  asking.tell({ ...told, says, outcome: outcomeOf(faultInA2a(reply.text), reply) })
  const [, id] = /"taskId": ?"([^"]+)"/.exec(reply.text) ?? []
  if (id !== undefined) await oweRun(asking, id)
}

const event = z.looseObject({
  jsonrpc: z.literal("2.0"),
  result: z.looseObject({ kind: z.string(), final: z.boolean().optional() }),
})

/** What A2A's own clients could not read, in words; null if nothing. */
function faultInA2a(body: string): string | null {
  const datas = [...body.matchAll(/^data: ?(.*)$/gm)].map(([, text = ""]) => event.safeParse(jsonOf({ text })).data)
  const [first, ...rest] = datas.map((data) => data?.result)
  if (first?.kind !== "task") return "a task as the first event"
  if (!rest.every((one) => one !== undefined && updates.has(one.kind))) return "updates alone after the task"
  const isEnd = rest.map((one) => one?.kind === "status-update" && one.final === true)
  return isEnd.indexOf(true) === rest.length - 1 ? null : "a status with final: true as the last event, and no other"
}

const updates: ReadonlySet<string> = new Set(["status-update", "artifact-update"])
