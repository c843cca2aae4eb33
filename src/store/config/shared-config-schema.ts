// The shape of a shared config in its sealed record: we read it back exactly, or not at all.

import { z } from "zod"
import { readCondition, readPath } from "../../domain/condition/condition.ts"
import { amountOf } from "../../domain/limit/amount.ts"
import type { RuleLimit } from "../../domain/limit/limit.ts"
import type { Identity } from "../../domain/people/human.ts"
import type { DataClass } from "../../domain/policy/classes.ts"
import type { Approver, Match, Route, Rule } from "../../domain/policy/policy.ts"
import {
  revisionOf,
  type SharedConfig,
  type SharedInstance,
  type SharedResolving,
} from "../../domain/policy/shared-config.ts"
import type { Timing, WorkingHours } from "../../domain/policy/timing.ts"
import { patternProblem } from "../../domain/text/pattern.ts"
import type { OneOf, Shape } from "../shape.ts"

const text = z.string()
const texts = z.array(text)
const number = z.number()
const numberOrNull = number.nullable()
const textOrNull = text.nullable()

const route: z.ZodType<Route> = z.strictObject({
  kind: z.enum(["channel", "person"]),
  id: text,
} satisfies Shape<Route>)

const approver: z.ZodType<Approver> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("user"), id: text, team: text.exactOptional() } satisfies OneOf<Approver, "user">),
  z.strictObject({ kind: z.literal("email"), email: text } satisfies OneOf<Approver, "email">),
  z.strictObject({ kind: z.literal("group"), id: text } satisfies OneOf<Approver, "group">),
])

const match: z.ZodType<Match> = z.strictObject({
  instance: texts.exactOptional(),
  agent: texts.exactOptional(),
  team: texts.exactOptional(),
  workflow: texts.exactOptional(),
  tool: texts.exactOptional(),
  pause: texts.exactOptional(),
  source: texts.exactOptional(),
} satisfies Shape<Match>)

const workingHours: z.ZodType<WorkingHours> = z.strictObject({
  timeZone: text,
  days: z.array(number),
  from: number,
  to: number,
  holidays: texts,
} satisfies Shape<WorkingHours>)

const timing: z.ZodType<Timing> = z.strictObject({
  remindAfter: z.array(number),
  escalateAfter: numberOrNull,
  escalateTo: z.strictObject({
    routes: z.array(route),
    approvers: z.array(approver),
  } satisfies Shape<Timing["escalateTo"]>),
  expireAfter: numberOrNull,
  onExpiry: z.enum(["leave", "reject"]),
  workingHours: workingHours.nullable(),
} satisfies Shape<Timing>)

const dataClass: z.ZodType<DataClass> = z.strictObject({
  name: text,
  find: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("pattern"), pattern: text.refine((source) => patternProblem(source) === null) }),
    z.strictObject({ kind: z.literal("checksum"), checksum: z.enum(["card_number", "iban"]) }),
  ]),
  atLeast: number,
} satisfies Shape<DataClass>)

const path = text.refine((words) => readPath(words).ok)

const limit: z.ZodType<RuleLimit> = z.strictObject({
  sum: path,
  per: path.exactOptional(),
  windowMs: number,
  above: text.refine((words) => amountOf(words) !== null),
  asks: z.strictObject({
    quorum: number,
    approvers: z.array(approver),
    routes: z.array(route),
  } satisfies Shape<RuleLimit["asks"]>),
} satisfies Shape<RuleLimit>)

const rule: z.ZodType<Rule> = z.strictObject({
  name: text,
  match,
  matchUnknown: z.boolean(),
  routes: z.array(route),
  approvers: z.array(approver),
  quorum: number,
  forbidSelfApproval: z.boolean(),
  unknownRequester: z.enum(["refuse", "two", "allow"]),
  requireReason: z.enum(["never", "reject", "approve", "always"]),
  reasons: texts,
  mask: texts,
  risk: z.enum(["low", "medium", "high"]).nullable(),
  danger: z.boolean(),
  showFirst: texts.exactOptional(),
  say: text.exactOptional(),
  argumentsInDetails: z.literal(true).exactOptional(),
  requestInDetails: z.literal(true).exactOptional(),
  resultToRequester: z.literal(true).exactOptional(),
  withoutNews: z.literal(true).exactOptional(),
  allowGuests: z.boolean(),
  allowExternal: z.boolean(),
  allowSharedChannel: z.literal(true).exactOptional(),
  timing: timing.exactOptional(),
  when: text.refine((words) => readCondition(words).ok).exactOptional(),
  timeZone: text.exactOptional(),
  classes: z.array(dataClass).exactOptional(),
  reviewBy: text.exactOptional(),
  limit: limit.exactOptional(),
} satisfies Shape<Rule>)

const identity: z.ZodType<Identity> = z.strictObject({
  subject: text,
  team: text,
  user: text,
} satisfies Shape<Identity>)

const resolving: z.ZodType<SharedResolving> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["same", "token"]) } satisfies OneOf<SharedResolving, "same" | "token">),
  z.strictObject({
    kind: z.literal("delegated"),
    algorithm: z.enum(["ES256", "RS256", "HS256"]),
    kid: textOrNull,
    audience: textOrNull,
    issuer: textOrNull,
  } satisfies OneOf<SharedResolving, "delegated">),
])

const instance: z.ZodType<SharedInstance> = z.strictObject({
  name: text,
  url: text,
  resolving,
  resume: z.enum(["off", "approved", "decided"]),
  rejectUserInput: z.enum(["hold", "send"]),
  besideAgnoSlack: z.literal(true).exactOptional(),
  receiptLifeMs: z.number().exactOptional(),
} satisfies Shape<SharedInstance>)

const sharedConfig: z.ZodType<SharedConfig> = z.strictObject({
  rules: z.array(rule),
  identities: z.array(identity),
  resolvedBy: text,
  slack: z.strictObject({ apiUrl: text, sandbox: z.boolean() } satisfies Shape<SharedConfig["slack"]>),
  instances: z.array(instance),
} satisfies Shape<SharedConfig>)

/** A shared config as its record holds it, or why this version of Countersign cannot read it, with the keys. */
export type SharedConfigRead =
  | { readonly shared: SharedConfig; readonly unread?: never }
  | { readonly shared: null; readonly unread: string }

/**
 * Reads a shared config. If we do not know all of it, or make another revision of it, nothing of it counts: else a
 * strict part could get lost.
 */
export function readSharedConfig(value: unknown, revision: string): SharedConfigRead {
  // It is read seldom, so zod compiles no code for it; the same in config-record.ts.
  const read = sharedConfig.safeParse(value, { jitless: true })
  if (!read.success) return { shared: null, unread: `it does not know ${unknownKeys(read.error, value).join(", ")}` }
  if (revisionOf(read.data) === revision) return { shared: read.data }
  return { shared: null, unread: "it makes another revision of it" }
}

/** The keys that were not understood, each once, with the rule or instance that has it. */
function unknownKeys({ issues }: z.ZodError, value: unknown): readonly string[] {
  const keys = issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [null]
    return names.map((name) => keyWords(name === null ? issue.path : [...issue.path, name], value))
  })
  return [...new Set(keys)]
}

const named = z.looseObject({ name: text })

/** `limit.above of rule payments` for `rules.0.limit.above`. */
function keyWords(path: readonly PropertyKey[], value: unknown): string {
  const [list, at, ...below] = path
  if ((list !== "rules" && list !== "instances") || typeof at !== "number" || below.length === 0) return path.join(".")
  const member = z.looseObject({ [list]: z.array(z.unknown()) }).safeParse(value).data?.[list]?.[at]
  const kind = list === "rules" ? "rule" : "instance"
  return `${below.join(".")} of ${kind} ${named.safeParse(member).data?.name ?? at + 1}`
}
