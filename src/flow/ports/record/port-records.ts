// What ports keep in Redis beside the cases, declared once: the types of the ports follow from it.
import { z } from "zod"
import { placeSchema } from "../../../domain/case/record/case-record.ts"
import { surfaceSchema } from "../../../domain/case/record/vote-record.ts"
import { number, numberOrNull, object, text, textOrNull, verb } from "../../../domain/content/record/values.ts"

const person = z.object({ team: text, user: text })

/** The schema of `Target`. */
export const targetSchema = z.object({
  installation: text,
  caseId: text,
  route: text,
  revision: number,
  /** The first 16 characters of the digest that the surface showed. */
  digest: text,
  /** How long the case's chain was when the surface was drawn, and in which era. */
  bound: z.object({ era: number, count: number }),
})

/** The schema of `InteractionPlace`. */
export const interactionPlaceSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("card"), place: placeSchema }),
  z.object({ kind: z.literal("view"), viewId: text }),
])

/** The schema of `ReplyTo`. */
export const replyToSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("response"), responseUrl: text, channel: text, user: text }),
  z.object({
    kind: z.literal("view"),
    viewId: text,
    user: text,
    /** The summary (route) and case (id) of a review, so the answer leads on to the next case. */
    walk: z.object({ route: text, at: text }).exactOptional(),
  }),
  /** By direct message, where Slack gives no nearer place; `about`: what the act was about, in a line, or "". */
  z.object({ kind: z.literal("direct"), user: text, about: text }),
])

const anyInteraction = z.object({
  /** SHA-256 of Slack's `trigger_id`, hex. */
  interaction: text,
  person,
  name: text,
  /** When it was made by Slack's clock (`action_ts`), else when it arrived; epoch milliseconds. */
  at: number,
  target: targetSchema,
  on: interactionPlaceSchema,
  surface: surfaceSchema,
  replyTo: replyToSchema,
})

/** The schema of `VoteInteraction`. */
export const voteInteractionSchema = anyInteraction.extend({
  verb,
  reason: textOrNull,
  /** What was filled in, `{values?, result?}`, or null. */
  values: object.nullable(),
})

/** The schema of `WithdrawInteraction`. */
export const withdrawInteractionSchema = anyInteraction.extend({ verb: z.literal("withdraw") })

/** The schema of `OpenedView`. */
export const openedViewSchema = z.object({
  viewId: text,
  person,
  caseId: text,
  route: text,
  revision: number,
  digest: text,
  purpose: z.enum(["details", "form"]),
  verb: verb.nullable(),
  /** True for Details in the review of a summary. */
  reviewed: z.boolean(),
  /** True once what is masked was shown in it, or in the view below it. */
  revealed: z.boolean(),
  /**
   * How many pages of Details, from the first, were opened in it, or in the view below a form; null for a form above a
   * card. Kept here, where nobody else can write it (R4).
   */
  pagesOpened: z.int().min(0).nullable(),
  /** The size of these pages. Pages of one size never count as pages of the other. */
  pageSize: z.enum(["large", "small"]),
  /** The card it was opened from, or null when from a command. */
  place: placeSchema.nullable(),
})

/** The schema of `PollFailure`. */
export const pollFailureSchema = z.object({ at: number, why: text, refused: z.boolean() })

/** The schema of `Sighting`. */
export const sightingSchema = z.object({ at: number, named: z.array(text).nullable() })

/** The schema of `PausedRun`. */
export const pausedRunSchema = z.object({
  runId: text,
  sessionId: text,
  runner: z.enum(["agents", "teams", "workflows"]),
  /** The id of agent, team or workflow; null if the platform names none. */
  component: textOrNull,
  /** The ids of the calls that it waits for. If they differ, it is another pause. */
  calls: z.array(text),
  tools: z.array(text),
  /** Since when its session has not changed. */
  since: number,
  /** When the operator was told; null: not yet. */
  toldAt: numberOrNull,
})

/** The schema of `UnreadSession`. */
export const unreadSessionSchema = z.object({ sessionId: text, changedAt: number })

/** The schema of `Pauses`. */
export const pausesSchema = z.object({
  /** When the last listed session changed, by the platform's clock. */
  listedTo: number,
  /** The one that changed last comes first. */
  unread: z.array(unreadSessionSchema),
  /** The one that was read longest ago comes first. */
  paused: z.array(pausedRunSchema),
})

/** The schema of `Summary`. */
export const summaryRecordSchema = z.object({
  /** Counts up with each change; 0 before the first. */
  version: number,
  /** A fresh random id; stands in the message's metadata. */
  id: text,
  route: text,
  /** When it was begun, epoch ms. */
  begunAt: number,
  /** Where it hangs; null before it is posted. */
  place: placeSchema.nullable(),
  /** The ids of all cases that it names or named, oldest first. */
  cases: z.array(text),
  /** What it shows, by its hash; null before it is posted. */
  modelHash: textOrNull,
  /** Who is at work on it, until when (epoch ms). If it has expired, a process died between posting and remembering. */
  lease: z.object({ by: text, until: number }).nullable(),
})
