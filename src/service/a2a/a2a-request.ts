// A2A requests: JSON-RPC envelopes of protocol version 0.3.0, as AgentOS accepts them on its paths (specification 4.4).
import { z } from "zod"
import { writeExact } from "../wire/exact-json.ts"
import { freeFormObject, openObject } from "../wire/fields.ts"
import { named } from "../wire/named-model.ts"
import { parseJson } from "../wire/read-request.ts"
import { type Checked, check } from "../wire/validation.ts"

/** The methods that a component has. */
const a2aMethods = ["message/send", "message/stream", "tasks/get", "tasks/cancel"] as const

/** A method that a component has. */
export type A2aMethod = (typeof a2aMethods)[number]

const textPart = z.object({ kind: z.literal("text"), text: z.string() })
const dataPart = z.object({ kind: z.literal("data"), data: freeFormObject })
const filePart = z.object({ kind: z.literal("file"), file: freeFormObject })

const messageSchema = z.object({
  kind: z.literal("message").nullish(),
  messageId: z.string(),
  role: z.enum(["user"]),
  parts: z.array(z.discriminatedUnion("kind", [textPart, dataPart, filePart])).min(1),
  contextId: z.string().min(1).nullish(),
  taskId: z.string().min(1).nullish(),
  metadata: freeFormObject.nullish(),
})

/** `params` of `message/send` and `message/stream`. */
const sendParams = z.object({
  message: messageSchema,
  configuration: openObject({ blocking: z.boolean().nullish() }).nullish(),
})

/** `params` of `tasks/get` and `tasks/cancel`. If the context is named, it is checked. */
const taskParams = z.object({ id: z.string().min(1), contextId: z.string().nullish() })

/** The envelope. Without a method it asks for the method of its path. */
const envelope = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.enum(a2aMethods).nullish(),
  params: z.unknown(),
})

/** A whole request, for the interface description. */
export const a2aRequest = named("A2aRequest", envelope.extend({ params: z.union([sendParams, taskParams]) }))

/**
 * A message to a component. `text` is all that it says. `saysKind` is false for AgentOS's own client. That client
 * leaves out `kind`, against the protocol, and takes the first task of a stream for the stream's end.
 */
export interface A2aMessage {
  readonly text: string
  readonly contextId: string | null
  readonly taskId: string | null
  readonly userId: string | null
  readonly blocking: boolean
  readonly saysKind: boolean
}

/** Names a task. */
export interface A2aTaskId {
  readonly taskId: string
  readonly contextId: string | null
}

/** A request: an id for its answer, and what it asks for. */
export type A2aRequest = { readonly id: string | number } & (
  | { readonly method: "message/send" | "message/stream"; readonly message: A2aMessage }
  | { readonly method: "tasks/get" | "tasks/cancel"; readonly task: A2aTaskId }
)

/** Reads a body; `pathMethod` is the method of its path. A body that is wrong gets a 422 (specification 7). */
export function readA2a(text: string, pathMethod: A2aMethod): Checked<A2aRequest> {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const outer = check(envelope, parsed.value, "body")
  if (!outer.ok) return outer
  const id = outer.value.id ?? "unknown"
  const method = outer.value.method ?? pathMethod
  if (method === "tasks/get" || method === "tasks/cancel") {
    const checked = check(z.object({ params: taskParams }), parsed.value, "body")
    if (!checked.ok) return checked
    const { id: taskId, contextId } = checked.value.params
    return { ok: true, value: { id, method, task: { taskId, contextId: contextId ?? null } } }
  }
  const checked = check(z.object({ params: sendParams }), parsed.value, "body")
  return checked.ok ? { ok: true, value: { id, method, message: toMessage(checked.value.params) } } : checked
}

function toMessage({ message, configuration }: z.output<typeof sendParams>): A2aMessage {
  const user = message.metadata?.["userId"]
  return {
    text: message.parts.flatMap(saidIn).join("\n"),
    contextId: message.contextId ?? null,
    taskId: message.taskId ?? null,
    userId: typeof user === "string" ? user : null,
    blocking: configuration?.blocking ?? true,
    saysKind: message.kind === "message",
  }
}

/** The texts of a part. A script reads text and data, but no files. */
function saidIn(part: z.output<typeof messageSchema>["parts"][number]): readonly string[] {
  switch (part.kind) {
    case "text":
      return [part.text]
    case "data":
      return [writeExact(part.data)]
    case "file":
      return []
  }
}
