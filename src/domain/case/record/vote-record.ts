// Votes, what they count towards, and the decision that they reach, as a case's record keeps them.
import { z } from "zod"
import { circumstancesSchema, limitReadingSchema, lookSchema, newsSchema } from "../../content/record/case-parts.ts"
import { number, object, text, textOrNull, verb } from "../../content/record/values.ts"

/** The schema of `Surface`. */
export const surfaceSchema = z.enum(["card", "details", "form", "command", "home", "summary"])

/** The schema of `VotedRule`. */
export const votedRuleSchema = z.object({
  name: text,
  hash: text,
  escalated: number.exactOptional(),
  /** Under this rule the voter stands in for this approver (`team:user`), who is away. */
  for: text.exactOptional(),
})

/** The schema of `Vote`. */
export const voteSchema = z.object({
  installation: text,
  caseId: text,
  revision: number,
  digest: text,
  /** The rules that list the voter, as they were when we judged the vote. */
  rules: z.array(votedRuleSchema),
  person: z.object({ team: text, user: text }),
  name: text,
  /** Is `resolved_by` if this vote completes the decision. A quorum counts each subject once, in any spelling (R7). */
  subject: text,
  verb,
  /** Set for a rejection by the requester, who called the request back (R1). It counts under no rule. */
  calledBack: z.literal(true).exactOptional(),
  /** Set for an approval by breaking glass: it meets all demanded rules by itself (R1). */
  glass: z.literal(true).exactOptional(),
  /** Set for a rejection that sends the case back, with a counterproposal in its values. */
  sentBack: z.literal(true).exactOptional(),
  /** Set for a rejection that also counts for the same call for a while (R22). */
  lasting: z.literal(true).exactOptional(),
  reason: textOrNull,
  /** What the person filled in, `{values?, result?, proposal?}`, or null. Encrypted at rest. */
  values: object.nullable(),
  /** True if we showed the person the masked values before they voted (R4). */
  revealed: z.boolean(),
  surface: surfaceSchema,
  /** SHA-256 of Slack's `trigger_id`: the delivery that carried the vote (R11). */
  interaction: text,
  /** Epoch milliseconds. */
  at: number,
  /** HMAC over everything above (R14). */
  mac: text,
})

/** The schema of `GlassReview`. */
export const glassReviewSchema = z.object({
  /** The rules, by name, whose reviewer this person is. */
  rules: z.array(text),
  person: z.object({ team: text, user: text }),
  name: text,
  right: z.boolean(),
  /** Null if it was right. */
  reason: textOrNull,
  at: number,
})

/** The schema of `Glass`. */
export const glassSchema = z.object({
  /** The rules, by name, whose glass was broken. Each owes a review. */
  rules: z.array(text),
  /** Who broke it. */
  by: z.object({ team: text, user: text }),
  at: number,
  /** The routes (`routeKey`) on which reviewers are asked. */
  routes: z.array(text),
  /** When the alarm is next raised while a rule has no review, epoch ms. */
  alarmAt: number,
  /** Until when the case waits for reviews, epoch ms. */
  until: number,
  reviews: z.array(glassReviewSchema),
  /** Who stood in for whoever broke it, or the other way round (`team:user`): they review nothing. Absent: nobody. */
  linked: z.array(text).exactOptional(),
  /** True once nobody looked at it in time. */
  left: z.literal(true).exactOptional(),
})

/** The schema of `VotedDecision`. */
export const votedDecisionSchema = z.object({
  id: text,
  verb,
  votes: z.array(voteSchema),
  at: number,
  by: z.never().exactOptional(),
  /** Until when a gate at the tool lets approved calls begin, epoch ms. Absent once the case is closed. */
  expiresAt: number.exactOptional(),
})

/** The schema of `ExpiredDecision`. */
export const expiredDecisionSchema = z.object({
  id: text,
  verb: z.literal("reject"),
  votes: z.array(z.never()),
  at: number,
  by: z.literal("expiry"),
})

/** The schema of `Quota`. */
export const quotaSchema = z.object({
  name: text,
  hash: text,
  quorum: number,
  /** The rule's condition, and how we read it for the case's calls. Absent for a rule without one. */
  when: z.object({ text, truth: z.enum(["true", "false", "unknown"]), doubts: z.array(text) }).exactOptional(),
})

/** The schema of `ValuedQuotas`. */
export const valuedQuotasSchema = z.object({ values: text, quotas: z.array(quotaSchema) })

/** The schema of `Revision`. */
export const revisionSchema = z.object({
  number,
  digest: text,
  demand: text,
  /** The revision of the policy under which we last worked out the demand (R16). */
  policy: text,
  quotas: z.array(quotaSchema),
  /** The quotas for votes with certain values, if they differ from `quotas`; else absent. */
  byValues: z.array(valuedQuotasSchema).exactOptional(),
  /** Who asked, and when, as we knew it when the revision was made; absent if no rule looks at that. */
  circumstances: circumstancesSchema.exactOptional(),
  /** How we last read the limits of its rules; absent if no rule has one. Votes may change it in the same revision. */
  limits: z.array(limitReadingSchema).exactOptional(),
  /** What was new about its calls when the revision was made; absent if nothing was. */
  news: newsSchema.exactOptional(),
  /** False if a call has no rule for certain: nobody may decide. */
  covered: z.boolean(),
  /** False if programs may read the content in different ways, or if it is too large to be shown. */
  approvable: z.boolean(),
  /** What the rules say about how the case is shown. */
  look: lookSchema,
})
