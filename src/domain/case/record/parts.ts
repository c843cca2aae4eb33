// The parts of a case's record whose types stand elsewhere in `domain`, as schemas. A test compares each with its type.
import { z } from "zod"
import { number, numberOrNull, object, text, textOrNull } from "../../content/record/values.ts"

/** The content of a revision (`Approval`). */
export const approvalSchema = z.object({
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
})

const risk = z.enum(["low", "medium", "high"]).nullable()

/** How the rules want a case shown (`Look`). */
export const lookSchema = z.object({
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
})

/** How limits were read (`LimitReading`). */
export const limitsSchema = z.array(
  z.object({
    rule: text,
    limit: z.object({ sum: text, per: text.exactOptional(), windowMs: number, above: text }),
    passed: z.boolean(),
    doubt: z.enum(["amount", "open", "unknown"]).exactOptional(),
    sums: z.array(z.object({ call: number, before: text, adds: text, at: number })).exactOptional(),
  }),
)

/** What was new about the calls (`News`). */
export const newsSchema = z.object({
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
  rejected: z
    .object({ at: number, times: number, routes: z.array(text), by: textOrNull, reason: textOrNull })
    .exactOptional(),
  unread: z.literal(true).exactOptional(),
})
const deadline = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("remind"), at: number }),
  z.object({ kind: z.literal("escalate"), at: number, rule: text }),
  z.object({ kind: z.literal("expire"), at: number, reject: z.boolean() }),
])

/** Deadlines (`CaseTime`). */
export const timeSchema = z.object({
  deadlines: z.array(deadline),
  remindedTo: number,
  escalated: z.array(z.object({ rule: text, at: number })),
  expired: z.object({ at: number, rejectAt: numberOrNull }).nullable(),
  blankAt: number.exactOptional(),
})

/** What a decision added to sums (`Reservation`). */
export const reservedSchema = z.object({
  decision: text,
  sums: z.array(
    z.object({
      id: z.object({ instance: text, sum: text, per: textOrNull }),
      windowMs: number,
      added: z.array(z.object({ whose: text, amount: text, slot: number })),
    }),
  ),
})
