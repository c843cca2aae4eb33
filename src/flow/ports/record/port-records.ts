// What ports keep in Redis beside the cases, declared once. The types of the ports follow from these schemas.
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
  /** How many entries the case's chain had when the surface was drawn, and in which era. */
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
    /** The summary (route) and the case (id) of a review. With it the answer leads on to the next case. */
    walk: z.object({ route: text, at: text }).exactOptional(),
  }),
  /** By direct message, if Slack gives no nearer place. `about`: what the act was about, in a line, or "". */
  z.object({ kind: z.literal("direct"), user: text, about: text }),
])

const anyInteraction = z.object({
  /** SHA-256 of Slack's `trigger_id`, hex. */
  interaction: text,
  person,
  name: text,
  /** When the person acted, by Slack's clock (`action_ts`), else when the act arrived; epoch ms. */
  at: number,
  target: targetSchema,
  on: interactionPlaceSchema,
  surface: surfaceSchema,
  replyTo: replyToSchema,
})

/** The schema of `VoteInteraction`. */
export const voteInteractionSchema = anyInteraction.extend({
  verb,
  /** Set if a requester calls the request back: a rejection (R1). */
  calledBack: z.literal(true).exactOptional(),
  /** Set for an approval by breaking glass (R1). */
  glass: z.literal(true).exactOptional(),
  /** Set for a rejection that sends the case back, with a counterproposal in `values`. */
  sendBack: z.literal(true).exactOptional(),
  /** Set for a rejection that also counts for the same call for a while (R22). */
  lasting: z.literal(true).exactOptional(),
  reason: textOrNull,
  /** What was filled in (`{values?, result?, proposal?}`), or null. */
  values: object.nullable(),
})

/** The schema of `WithdrawInteraction`. */
export const withdrawInteractionSchema = anyInteraction.extend({ verb: z.literal("withdraw") })

/** The schema of `ReviewInteraction`. */
export const reviewInteractionSchema = anyInteraction.extend({
  verb: z.literal("review"),
  /** Whether breaking the glass was right. */
  right: z.boolean(),
  reason: textOrNull,
})

/** The schema of `AskInteraction`. */
export const askInteractionSchema = anyInteraction.extend({ verb: z.literal("ask"), text })

/** The schema of `AnswerInteraction`. */
export const answerInteractionSchema = anyInteraction.extend({ verb: z.literal("answer"), text })

/** The schema of `AskAgainInteraction`. */
export const askAgainInteractionSchema = anyInteraction.extend({ verb: z.literal("ask-again") })

/** The schema of `OpenedView`. */
export const openedViewSchema = z.object({
  viewId: text,
  person,
  caseId: text,
  route: text,
  revision: number,
  digest: text,
  purpose: z.enum(["details", "form", "glass-review", "ask", "answer"]),
  verb: verb.nullable(),
  /** Set for a form that calls a request back. */
  calledBack: z.literal(true).exactOptional(),
  /** Set for a form that breaks the glass. */
  glass: z.literal(true).exactOptional(),
  /** Set for a form that sends the case back. */
  sendBack: z.literal(true).exactOptional(),
  /** True if the person opened Details while they reviewed a summary. */
  reviewed: z.boolean(),
  /** True once a person saw unmasked what is masked, in this view or in the view below it. */
  revealed: z.boolean(),
  /**
   * How many pages of Details the person opened, from the first: in this view or, for a form, in the view below it;
   * null for a form above a card. We keep it here, where nobody else can write it (R4).
   */
  pagesOpened: z.int().min(0).nullable(),
  /** The size of these pages. A page of one size never counts as a page of the other. */
  pageSize: z.enum(["large", "small"]),
  /** The card from which the person opened the view; null if they used a command. */
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
  /** The ids of the calls that the run waits for. If they differ, it is another pause. */
  calls: z.array(text),
  tools: z.array(text),
  /** When its session last changed. */
  since: number,
  /** When we told the operator; null: not yet. */
  toldAt: numberOrNull,
})

/** A session that we still have to read, and when it last changed. */
const unreadSession = z.object({ sessionId: text, changedAt: number })

/** The schema of `Pauses`. */
export const pausesSchema = z.object({
  /** When the last session that we listed had changed, by the platform's clock. */
  listedTo: number,
  /** The session that changed last comes first. */
  unread: z.array(unreadSession),
  /** The run that we read longest ago comes first. */
  paused: z.array(pausedRunSchema),
})

/** The schema of `Summary`. */
export const summaryRecordSchema = z.object({
  /** Counts up with each change; 0 before the first. */
  version: number,
  /** A fresh random id; the message's metadata carries it. */
  id: text,
  route: text,
  /** When we began the summary, epoch ms. */
  begunAt: number,
  /** The message; null before it is posted. */
  place: placeSchema.nullable(),
  /** The ids of all cases that the summary names or named, oldest first. */
  cases: z.array(text),
  /** The hash of what the message shows; null before it is posted. */
  modelHash: textOrNull,
  /** Who is at work on it, until when (epoch ms). Expired: a process died before it remembered what it posted. */
  lease: z.object({ by: text, until: number }).nullable(),
})

/** The schema of `Outbox`. It holds numbers of entries, and no word of any. */
export const outboxSchema = z.object({
  /** Each entry up to this one was accepted or left out, waits below, or is a dead letter. */
  cursor: number,
  /**
   * What was taken up and not accepted yet, by chain, each in the ledger's order. `since`: when we took it up;
   * `triedAt`: when its first attempt failed, absent before.
   */
  waiting: z.array(
    z.object({
      chain: text,
      entries: z.array(z.object({ number, since: number, triedAt: number.exactOptional() })),
      failures: number,
      dueAt: number,
    }),
  ),
  /** Nothing is sent before. */
  restUntil: number,
  /** Runs in a row in which nothing was accepted. */
  failedRuns: number,
  lastFailure: z.object({ at: number, why: text }).nullable(),
  /** The receiver said that it is gone (410): until this address is another one, or an operator says so. */
  off: z.object({ at: number, address: text }).nullable(),
})

/** The schema of `DeadLetter`. */
export const deadLetterSchema = z.object({ number, chain: text, at: number, why: text })
