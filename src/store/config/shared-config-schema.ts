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

const text = z.string()
const texts = z.array(text)
const number = z.number()
const numberOrNull = number.nullable()
const textOrNull = text.nullable()

const route: z.ZodType<Route> = z.strictObject({ kind: z.enum(["channel", "person"]), id: text })

const approver: z.ZodType<Approver> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("user"), id: text, team: text.exactOptional() }),
  z.strictObject({ kind: z.literal("email"), email: text }),
  z.strictObject({ kind: z.literal("group"), id: text }),
])

const match: z.ZodType<Match> = z.strictObject({
  instance: texts.exactOptional(),
  agent: texts.exactOptional(),
  team: texts.exactOptional(),
  workflow: texts.exactOptional(),
  tool: texts.exactOptional(),
  pause: texts.exactOptional(),
  source: texts.exactOptional(),
})

const workingHours: z.ZodType<WorkingHours> = z.strictObject({
  timeZone: text,
  days: z.array(number),
  from: number,
  to: number,
  holidays: texts,
})

const timing: z.ZodType<Timing> = z.strictObject({
  remindAfter: z.array(number),
  escalateAfter: numberOrNull,
  escalateTo: z.strictObject({ routes: z.array(route), approvers: z.array(approver) }),
  expireAfter: numberOrNull,
  onExpiry: z.enum(["leave", "reject"]),
  workingHours: workingHours.nullable(),
})

const dataClass: z.ZodType<DataClass> = z.strictObject({
  name: text,
  find: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("pattern"), pattern: text.refine((source) => patternProblem(source) === null) }),
    z.strictObject({ kind: z.literal("checksum"), checksum: z.enum(["card_number", "iban"]) }),
  ]),
  atLeast: number,
})

const path = text.refine((words) => readPath(words).ok)

const limit: z.ZodType<RuleLimit> = z.strictObject({
  sum: path,
  per: path.exactOptional(),
  windowMs: number,
  above: text.refine((words) => amountOf(words) !== null),
  asks: z.strictObject({ quorum: number, approvers: z.array(approver), routes: z.array(route) }),
})

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
  allowGuests: z.boolean(),
  allowExternal: z.boolean(),
  allowSharedChannel: z.literal(true).exactOptional(),
  timing: timing.exactOptional(),
  when: text.refine((words) => readCondition(words).ok).exactOptional(),
  timeZone: text.exactOptional(),
  classes: z.array(dataClass).exactOptional(),
  reviewBy: text.exactOptional(),
  limit: limit.exactOptional(),
})

const identity: z.ZodType<Identity> = z.strictObject({ subject: text, team: text, user: text })

const resolving: z.ZodType<SharedResolving> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["same", "token"]) }),
  z.strictObject({
    kind: z.literal("delegated"),
    algorithm: z.enum(["ES256", "RS256", "HS256"]),
    kid: textOrNull,
    audience: textOrNull,
    issuer: textOrNull,
  }),
])

const instance: z.ZodType<SharedInstance> = z.strictObject({
  name: text,
  url: text,
  resolving,
  resume: z.enum(["off", "approved", "decided"]),
  rejectUserInput: z.enum(["hold", "send"]),
  besideAgnoSlack: z.literal(true).exactOptional(),
  receiptLifeMs: z.number().exactOptional(),
})

const sharedConfig: z.ZodType<SharedConfig> = z.strictObject({
  rules: z.array(rule),
  identities: z.array(identity),
  resolvedBy: text,
  slack: z.strictObject({ apiUrl: text, sandbox: z.boolean() }),
  instances: z.array(instance),
})

/**
 * A shared config as its record holds it. Null if there is none. Null too if we do not know all of it, or make another
 * revision of it: else a strict part could get lost.
 */
export function parseSharedConfig(value: unknown, revision: string): SharedConfig | null {
  // It is read seldom, so zod compiles no code for it; the same in config-record.ts.
  const read = sharedConfig.safeParse(value, { jitless: true })
  return read.success && revisionOf(read.data) === revision ? read.data : null
}
