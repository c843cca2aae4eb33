// The parts of a case's record that other folders of `domain` name, declared once: their types follow from it.
import { z } from "zod"
import { number, numberOrNull, object, text, textOrNull } from "./values.ts"

/** The schema of `Oversize`. */
export const oversizeSchema = z.object({
  characters: number,
  values: number,
  /** SHA-256 over the text of the omitted arguments and requirements, as 64 hex characters. */
  sha256: text,
})

/** The schema of `Approval`, the content of a revision. */
export const approvalSchema = z.object({
  instance: text,
  id: text,
  runId: text,
  sessionId: text,
  /** pending, approved, rejected, expired, cancelled; other words are kept as they are. */
  status: text,
  sourceType: text,
  /** required or audit; null if the platform does not say. */
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
  /** Who started the run, as they claimed it (R6). */
  userId: textOrNull,
  /** The schedule that started the run, and which of its runs that was; absent if no schedule did. */
  scheduleId: text.exactOptional(),
  scheduleRunId: text.exactOptional(),
  resolvedBy: textOrNull,
  resolutionData: object.nullable(),
  resolvedAt: numberOrNull,
  createdAt: numberOrNull,
  updatedAt: numberOrNull,
  expiresAt: numberOrNull,
  runStatus: textOrNull,
  /** True: programs may read the row differently, because it names a member twice. Else absent, so old digests stay. */
  ambiguous: z.literal(true).exactOptional(),
  /** How large the row is, if it is too large to be shown. Then its arguments and requirements are left out. */
  oversize: oversizeSchema.exactOptional(),
})

/** The schema of `Look`: how the rules want a case shown. */
export const lookSchema = z.object({
  /** Names of keys (`*` and `?` stand for anything) and `/patterns/` whose values are masked. */
  mask: z.array(text),
  /** The highest risk of the rules; null if none has one. */
  risk: z.enum(["low", "medium", "high"]).nullable(),
  /** True: what is approved cannot be undone, so the button says so and asks once more. */
  danger: z.boolean(),
  /** Reasons to choose from; a person may write another one. */
  reasons: z.array(text),
  /** Names of arguments that come first, in this order. Absent: all come in the order of the wire. */
  showFirst: z.array(text).exactOptional(),
  /** For each open gated call what its rule says about it (`sentence.ts`), or null. Absent: no rule says anything. */
  say: z.array(textOrNull).exactOptional(),
  /** True: no argument stands on a card, in a thread or a notification. Absent if they may. */
  argumentsInDetails: z.literal(true).exactOptional(),
  /** True: Details quotes what started the run. Absent if not. */
  requestInDetails: z.literal(true).exactOptional(),
  /** True: the requester gets the answer of the resumed run. Absent if not. */
  resultToRequester: z.literal(true).exactOptional(),
  /** True: we do not say what is new, and remember nothing of the calls. Absent if not. */
  withoutNews: z.literal(true).exactOptional(),
})

/** The schema of `LimitSum`. */
export const limitSumSchema = z.object({
  /** The first call of this owner, among `ruledCalls`. */
  call: number,
  before: text,
  adds: text,
  /** When the sum was read, epoch ms. */
  at: number,
})

/** The schema of `LimitReading`. */
export const limitReadingSchema = z.object({
  /** The rule that has the limit. */
  rule: text,
  /** The limit itself, as we tell it to people. */
  limit: z.object({ sum: text, per: text.exactOptional(), windowMs: number, above: text }),
  passed: z.boolean(),
  /** `amount`: a call has none, or one below 0. `open`: a form will give it. `unknown`: nobody knows all of the sum. */
  doubt: z.enum(["amount", "open", "unknown"]).exactOptional(),
  /** For each owner, in the order of the calls: what the sum came to before, and what the calls add. */
  sums: z.array(limitSumSchema).exactOptional(),
})

/** The schema of `NewsItem`. */
export const newsItemSchema = z.object({
  /** The number of the call, from 0, among the calls that are to be decided. */
  call: number,
  path: text,
  kind: z.enum(["new", "more", "less", "field", "changed", "gone", "back"]),
  /** Where the value stands in the arguments; absent if we show no place. */
  place: z.array(z.union([text, number])).exactOptional(),
  /** True if we cannot be sure: the value may be older than what we keep. */
  perhaps: z.literal(true).exactOptional(),
})

/** The schema of `RejectedBefore`. */
export const rejectedBeforeSchema = z.object({
  /** The last time, epoch ms. */
  at: number,
  /** How many of these rejections fell in the hour before that. We remember few rejections of a tool and caller. */
  times: number,
  /** The routes of the rejected case. Only on these do we say who rejected it, and why. */
  routes: z.array(text),
  by: textOrNull,
  reason: textOrNull,
})

/** The schema of `News`. */
export const newsSchema = z.object({
  /** The news, in the order of their weight. */
  items: z.array(newsItemSchema),
  /** How many more there are. */
  more: number,
  rejected: rejectedBeforeSchema.exactOptional(),
  /** True if we could not read what was approved before, or not for all calls. */
  unread: z.literal(true).exactOptional(),
})

/** The schema of `Deadline`. */
export const deadlineSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("remind"), at: number }),
  z.object({ kind: z.literal("escalate"), at: number, rule: text, step: number }),
  /** `reject`: we then reject at the platform; else the record there stays as it is. */
  z.object({ kind: z.literal("expire"), at: number, reject: z.boolean() }),
])

/** The schema of `CaseTime`. */
export const timeSchema = z.object({
  /** All deadlines that the demanded rules make, earliest first. */
  deadlines: z.array(deadlineSchema),
  /** Reminders up to this moment have been told; 0 before the first. */
  remindedTo: number,
  /** The steps of rules that were taken, each from 1, and since when. Their further approvers count now. */
  escalated: z.array(z.object({ rule: text, step: number, at: number })),
  /** Since when nobody may vote any more. `rejectAt`: when we owe the platform a rejection; null if we owe none. */
  expired: z.object({ at: number, rejectAt: numberOrNull }).nullable(),
  /** When the cards of the closed case lose arguments and names; absent if never, or if they have lost them. */
  blankAt: number.exactOptional(),
})

/** The schema of `Circumstances`. */
export const circumstancesSchema = z.object({
  requester: z
    .object({
      /** True if the claim means somebody whom Slack or `identities` knows. */
      known: z.boolean(),
      /** Null: nobody knows. */
      guest: z.boolean().nullable(),
      /** Those groups of the requester that conditions name. Null: nobody knows. */
      groups: z.array(text).nullable(),
    })
    .nullable(),
  /** Epoch ms. */
  at: numberOrNull,
})

/** The schema of `ReservedSum`. */
export const reservedSumSchema = z.object({
  id: z.object({ instance: text, sum: text, per: textOrNull }),
  windowMs: number,
  /** What we added, and to which slot: enough to take it away again. */
  added: z.array(z.object({ whose: text, amount: text, slot: number })),
})

/** The schema of `Reservation`. */
export const reservedSchema = z.object({
  /** The id of the decision; if the case was approved elsewhere, the id of the case. */
  decision: text,
  sums: z.array(reservedSumSchema),
})
