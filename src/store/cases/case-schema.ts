// The shape of a case in Redis. We parse it, since another version of Countersign may have written it.
import { z } from "zod"
import type { Card, Case, Revision } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import type { Continue, Resumption, RunEnd } from "../../domain/case/resumption.ts"
import { type Decision, type Vote } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import type { RunReport } from "../../domain/content/run-report.ts"
import type { News } from "../../domain/fingerprint/news.ts"
import type { Reservation } from "../../domain/limit/sum.ts"
import type { LimitReading } from "../../domain/policy/limit-reading.ts"
import type { Look } from "../../domain/policy/look.ts"
import type { CaseTime } from "../../domain/policy/timing.ts"

/** A schema for each key of a type, those that may be absent too: one that is left out would be lost. */
type Shape<Value> = Readonly<Record<keyof Value, z.ZodType>>

const text = z.string()
const textOrNull = text.nullable()
const number = z.number()
const numberOrNull = number.nullable()
const verb = z.enum(["approve", "reject"])
/** Kept as it is, exact numbers included. */
const object = z.custom<JsonObject>(isJsonObject, "must be a JSON object")

const approval: z.ZodType<Approval> = z.object({
  instance: text,
  id: text,
  runId: text,
  sessionId: text,
  status: text,
  sourceType: text,
  approvalType: textOrNull,
  pauseType: textOrNull,
  toolName: textOrNull,
  toolArgs: object.nullable(),
  requirements: z.array(object).nullable(),
  context: object.nullable(),
  agentId: textOrNull,
  teamId: textOrNull,
  workflowId: textOrNull,
  sourceName: textOrNull,
  userId: textOrNull,
  scheduleId: text.exactOptional(),
  scheduleRunId: text.exactOptional(),
  resolvedBy: textOrNull,
  resolutionData: object.nullable(),
  resolvedAt: numberOrNull,
  createdAt: numberOrNull,
  updatedAt: numberOrNull,
  expiresAt: numberOrNull,
  runStatus: textOrNull,
  ambiguous: z.literal(true).exactOptional(),
  oversize: z.object({ characters: number, values: number, sha256: text }).exactOptional(),
} satisfies Shape<Approval>)

const vote: z.ZodType<Vote> = z.object({
  installation: text,
  caseId: text,
  revision: number,
  digest: text,
  rules: z.array(z.object({ name: text, hash: text, escalated: z.literal(true).exactOptional() })),
  person: z.object({ team: text, user: text }),
  name: text,
  subject: text,
  verb,
  reason: textOrNull,
  values: object.nullable(),
  revealed: z.boolean(),
  surface: z.enum(["card", "details", "form", "command", "home", "summary"]),
  interaction: text,
  at: number,
  mac: text,
} satisfies Shape<Vote>)

const risk = z.enum(["low", "medium", "high"]).nullable()
const look = z.object({
  mask: z.array(text),
  risk,
  danger: z.boolean(),
  reasons: z.array(text),
  showFirst: z.array(text).exactOptional(),
  say: z.array(textOrNull).exactOptional(),
  argumentsInDetails: z.literal(true).exactOptional(),
  requestInDetails: z.literal(true).exactOptional(),
  resultToRequester: z.literal(true).exactOptional(),
  withoutNews: z.literal(true).exactOptional(),
} satisfies Shape<Look>)
const when = z.object({ text, truth: z.enum(["true", "false", "unknown"]), doubts: z.array(text) })
const quotas = z.array(z.object({ name: text, hash: text, quorum: number, when: when.exactOptional() }))
const requester = z.object({ known: z.boolean(), guest: z.boolean().nullable(), groups: z.array(text).nullable() })
const circumstances = z.object({ requester: requester.nullable(), at: numberOrNull })
const limits: z.ZodType<readonly LimitReading[]> = z.array(
  z.object({
    rule: text,
    limit: z.object({ sum: text, per: text.exactOptional(), windowMs: number, above: text }),
    passed: z.boolean(),
    doubt: z.enum(["amount", "open", "unknown"]).exactOptional(),
    sums: z.array(z.object({ call: number, before: text, adds: text })).exactOptional(),
  }),
)
const news: z.ZodType<News> = z.object({
  items: z.array(
    z.object({
      call: number,
      path: text,
      kind: z.enum(["new", "more", "less", "field", "changed", "gone", "back"]),
      place: z.array(z.union([text, number])).exactOptional(),
      perhaps: z.literal(true).exactOptional(),
    }),
  ),
  more: number,
  rejected: z.object({ at: number, routes: z.array(text), by: textOrNull, reason: textOrNull }).exactOptional(),
  unread: z.literal(true).exactOptional(),
} satisfies Shape<News>)
const revision = z.object({
  number,
  digest: text,
  demand: text,
  policy: text,
  quotas,
  byValues: z.array(z.object({ values: text, quotas })).exactOptional(),
  circumstances: circumstances.exactOptional(),
  limits: limits.exactOptional(),
  news: news.exactOptional(),
  covered: z.boolean(),
  approvable: z.boolean(),
  look,
} satisfies Shape<Revision>)

const card = z.object({
  route: text,
  place: z.object({ channel: text, ts: text }).nullable(),
  summary: z.boolean(),
  revision: number,
  modelHash: textOrNull,
  told: number,
  from: z.number().exactOptional(),
  lease: z.object({ by: text, until: number }).nullable(),
  lookedIn: text.exactOptional(),
  reposts: number,
  trouble: z.object({ why: text, retryAt: number, edit: z.literal(true).exactOptional() }).nullable(),
} satisfies Shape<Card>)

const decision: z.ZodType<Decision> = z.union([
  z.object({
    id: text,
    verb,
    votes: z.array(vote),
    at: number,
    by: z.never().exactOptional(),
    expiresAt: number.exactOptional(),
  }),
  z.object({ id: text, verb: z.literal("reject"), votes: z.array(z.never()), at: number, by: z.literal("expiry") }),
])

const deadline = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("remind"), at: number }),
  z.object({ kind: z.literal("escalate"), at: number, rule: text }),
  z.object({ kind: z.literal("expire"), at: number, reject: z.boolean() }),
])

const time: z.ZodType<CaseTime> = z.object({
  deadlines: z.array(deadline),
  remindedTo: number,
  escalated: z.array(z.object({ rule: text, at: number })),
  expired: z.object({ at: number, rejectAt: numberOrNull }).nullable(),
  blankAt: number.exactOptional(),
} satisfies Shape<CaseTime>)

const result = z.enum(["unaccounted", "unheard", "refused"])
const attempts = z.array(z.object({ at: number, result, barred: z.literal(true).exactOptional() }))
const receipt = text.exactOptional()
const sending = z.object({ body: text, receipt, attempts, doubtfulAt: number.exactOptional() })

const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ours"), verb, decisionId: text, resolvedBy: textOrNull, at: number }),
  z.object({ kind: z.literal("elsewhere"), status: text, resolvedBy: textOrNull, at: number }),
  z.object({ kind: z.literal("vanished"), at: number }),
])

const reserved: z.ZodType<Reservation> = z.object({
  decision: text,
  sums: z.array(
    z.object({
      id: z.object({ instance: text, sum: text, per: textOrNull }),
      windowMs: number,
      added: z.array(z.object({ whose: text, amount: text, slot: number })),
    }),
  ),
} satisfies Shape<Reservation>)

const address = z.object({
  runner: z.enum(["agents", "teams", "workflows"]),
  component: text,
  sessionId: text,
  runId: text,
})

const end = z.object({
  kind: z.enum(["completed", "failed", "cancelled", "paused", "unasked", "forked", "refused", "unknown"]),
  by: z.enum(["us", "others"]),
  detail: textOrNull,
  deviations: z.array(text),
  ran: z.array(text).exactOptional(),
} satisfies Shape<RunEnd>)

const sent = z.object({
  at: number,
  address,
  calls: z.array(text),
  background: z.boolean(),
  said: textOrNull,
  broken: z.literal(true).exactOptional(),
  answerMask: z.array(text).exactOptional(),
  refusing: z.literal(true).exactOptional(),
} satisfies Shape<Continue>)
const answer = z.object({ address, mask: z.array(text) })

const resumption: z.ZodType<Resumption> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("waiting"),
    since: number,
    misses: number,
    beside: number,
    links: z.array(text).exactOptional(),
    refusing: z.literal(true).exactOptional(),
    doubtful: z.literal(true).exactOptional(),
  }),
  z.object({ kind: z.literal("continuing"), sent }),
  z.object({ kind: z.literal("ended"), at: number, end, answer: answer.exactOptional() }),
  z.object({ kind: z.literal("withheld"), at: number, why: text, nobody: z.literal(true).exactOptional() }),
])

const reported = z.object({
  status: z.enum(["COMPLETED", "CANCELLED", "ERROR"]),
  over: z.boolean(),
  ran: z.array(text).exactOptional(),
} satisfies Shape<RunReport>)

const related = z.object({ caseId: text, of: z.enum(["team", "member"]), link: textOrNull })

/** Events are ours, sealed, and only shown: we check their head and keep their fields. */
const line = z.custom<CaseEvent>(isEvent, "must be an event")

function isEvent(value: unknown): boolean {
  return isJsonObject(value) && typeof value["kind"] === "string" && typeof value["at"] === "number"
}

const names = { tool: textOrNull, agent: textOrNull, requester: textOrNull }
const teams = { team: text.exactOptional(), workflow: text.exactOptional() }
const summary = z.object({ ...names, ...teams, calls: number, createdAt: numberOrNull })

const storedCase: z.ZodType<Case> = z.object({
  id: text,
  version: number,
  installation: text,
  instance: text,
  approvalId: text,
  openedAt: number,
  time,
  state: z.enum(["open", "sending", "settled", "closed", "frozen"]),
  revision,
  approval: approval.nullable(),
  kept: z.object({ approval, until: number }).exactOptional(),
  before: z.object({ revision: number, approval }).nullable(),
  summary,
  votes: z.array(vote),
  decision: decision.nullable(),
  reserved: reserved.exactOptional(),
  sending: sending.nullable(),
  outcome: outcome.nullable(),
  resumption: resumption.nullable(),
  cards: z.array(card),
  admission: z.object({ agent: text, given: z.boolean() }),
  lines: z.array(line),
  noticed: z.array(text),
  around: z.object({
    seen: z.boolean(),
    team: textOrNull,
    workflow: z.object({ id: text, name: textOrNull, step: textOrNull }).exactOptional(),
    unenforced: z.boolean(),
  }),
  reported: reported.exactOptional(),
  calls: z.array(text),
  related: z.array(related),
  origin: z.object({ place: z.object({ channel: text, ts: text }), link: textOrNull }).exactOptional(),
  informed: z.boolean(),
  missing: z.object({ times: number, since: number, alone: z.boolean().exactOptional() }).nullable(),
  epoch: text,
  ended: z.array(text),
  used: z.array(z.object({ interaction: text, person: text, at: number })),
  chain: z.object({ count: number, mac: text, era: number }),
} satisfies Shape<Case>)

/** Reads a case; null for a value of another shape. */
export function parseCase(value: Json): Case | null {
  return storedCase.safeParse(value).data ?? null
}
