// The shared config in its sealed record: we know all of it, or nothing of it counts.

import { z } from "zod"
import { configRevisionOf, type Ruled, type SharedConfig } from "../../domain/policy/shared-config.ts"

const text = z.string()
const textOrNull = text.nullable().default(null)

const identity = z.strictObject({ subject: text, team: text, user: text })

const resolving = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["same", "token"]) }),
  z.strictObject({
    kind: z.literal("delegated"),
    algorithm: z.enum(["ES256", "RS256", "HS256"]),
    kid: textOrNull,
    audience: textOrNull,
    issuer: textOrNull,
  }),
])

const instance = z.strictObject({
  name: text,
  url: text,
  resolving,
  resume: z.enum(["off", "approved", "decided"]),
  resumeUrl: text.exactOptional(),
  rejectUserInput: z.enum(["hold", "send"]),
  besideAgnoSlack: z.boolean().default(false),
  receiptLifeMs: z.number(),
})

const approver = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("user"), id: text, team: text.exactOptional() }),
  z.strictObject({ kind: z.literal("email"), email: text }),
  z.strictObject({ kind: z.literal("group"), id: text }),
])

const route = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("channel"), id: text }),
  z.strictObject({ kind: z.literal("person"), id: text }),
])

const stop = z.strictObject({
  by: z.array(approver).default([]),
  liftBy: z.array(approver).default([]),
  routes: z.array(route).default([]),
})

const rulesChange = z.strictObject({
  approvers: z.array(approver),
  quorum: z.number(),
  route,
  expireAfterMs: z.number(),
})

const hold = z.strictObject({ kind: z.enum(["requester", "tool", "case"]), value: text })

/** Reads rules as a file has them, and makes rules of them. */
export type RulesSchema = z.ZodType<Ruled>

/** The schema of a config's sealed part (`sealedOf`). A test compares its output with `SharedConfig`. */
export function sealedSchema(rules: RulesSchema) {
  const parts = {
    written: rules,
    identities: z.array(identity),
    resolvedBy: text,
    slack: z.strictObject({ apiUrl: text, sandbox: z.boolean().default(false) }),
    instances: z.array(instance),
    stop: stop.exactOptional(),
    rulesChange: rulesChange.exactOptional(),
    hold: z.array(hold).exactOptional(),
  }
  return z.strictObject(parts).transform(({ written: ruled, ...others }) => ({ ...ruled, ...others }))
}

/** A shared config as its record holds it. */
export type SharedConfigRead =
  | { readonly shared: SharedConfig; readonly unread?: never }
  /** Why this version of Countersign cannot work under the config, with the keys that are to blame. */
  | { readonly shared: null; readonly unread: string }

/**
 * Reads a shared config. If we do not know all of it, or get another revision from it, nothing of it counts: else a
 * strict part could get lost.
 */
export function readSharedConfig(
  value: unknown,
  { revision, rules }: { readonly revision: string; readonly rules: RulesSchema },
): SharedConfigRead {
  // A config is read seldom, so zod compiles no code for it; the same in config-record.ts.
  const read = sealedSchema(rules).safeParse(value, { jitless: true })
  if (!read.success) return { shared: null, unread: `it does not know ${unknownKeys(read.error, value).join(", ")}` }
  if (configRevisionOf(read.data) === revision) return { shared: read.data }
  return { shared: null, unread: "it makes another revision of it" }
}

/** Each key that was not understood, once, with the rule or instance that has it. */
function unknownKeys({ issues }: z.ZodError, value: unknown): readonly string[] {
  const keys = issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [null]
    return names.map((name) => keyWords(name === null ? issue.path : [...issue.path, name], value))
  })
  return [...new Set(keys)]
}

const named = z.looseObject({ name: text })

/** The lists whose members have names, and the word for one member. */
const kinds: ReadonlyMap<PropertyKey, string> = new Map([
  ["rules", "rule"],
  ["classes", "class"],
  ["instances", "instance"],
])

/** `limit.above of rule payments` for `written.rules.0.limit.above`. */
function keyWords(path: readonly PropertyKey[], value: unknown): string {
  const end = path.findIndex((part) => kinds.has(part)) + 1
  const [index, ...below] = path.slice(end)
  const kind = end === 0 ? undefined : kinds.get(path[end - 1] ?? "")
  if (kind === undefined || typeof index !== "number" || below.length === 0)
    return path.filter((part) => part !== "written").join(".") || "its form"
  const member = [...path.slice(0, end), index].reduce(
    (part: unknown, key) => (typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined),
    value,
  )
  return `${below.join(".")} of ${kind} ${named.safeParse(member).data?.name ?? index + 1}`
}
