// A case as Redis keeps it. What it holds is declared here, once; the types of `case.ts` follow from it. We parse it,
// because another version of Countersign may have written it.
import { z } from "zod"
import { isJsonObject } from "../../content/json.ts"
import { approvalSchema, reservedSchema, timeSchema } from "../../content/record/case-parts.ts"
import { originSchema, reportedSchema, surroundingsSchema } from "../../content/record/run-parts.ts"
import { number, numberOrNull, object, text, textOrNull, verb } from "../../content/record/values.ts"
import { proposalOvers } from "../../rule/proposal.ts"
import {
  counterproposalAnswerSchema,
  earlierProposalSchema,
  sentBackSchema,
} from "../../send-back/record/answer-record.ts"
import type { CaseEvent } from "../event.ts"
import { lastingSchema, loopedSchema, repeatDecisionSchema } from "./again-record.ts"
import { resumptionSchema } from "./run-record.ts"
import { stopNoteSchema } from "./stop-note.ts"
import { expiredDecisionSchema, glassSchema, revisionSchema, votedDecisionSchema, voteSchema } from "./vote-record.ts"

/** The schema of `Place`. */
export const placeSchema = z.object({ channel: text, ts: text })

/** The schema of `Card`. */
export const cardSchema = z.object({
  /** `routeKey` of the route. */
  route: text,
  /** The message that shows the case: a card of its own or, while `summary` is true, a summary. */
  place: placeSchema.nullable(),
  /** True while a summary names the case and it has no card of its own. */
  summary: z.boolean(),
  /** The revision that the card shows; 0 before it is posted. */
  revision: number,
  /** `cardModelHash` of what the card shows; null before it is posted. */
  modelHash: textOrNull,
  /** How many of the case's lines the card's thread has, including those left out at its beginning. */
  told: number,
  /** How many lines the thread leaves out, because they are older than the card. Default 0. */
  from: number.exactOptional(),
  /** The lease: who posts now, until when (epoch ms). Expired: a process died before it remembered what it posted. */
  lease: z.object({ by: text, until: number }).nullable(),
  /** The epoch of Redis in which we asked Slack which messages the route has. Default: none. */
  lookedIn: text.exactOptional(),
  /** How often we posted the message again, because it was gone, or because we could not see whether it is there. */
  reposts: number,
  /**
   * Why we can post nothing on the route, and when to try again (epoch ms); null if nothing is wrong. `edit`: the
   * thread takes lines, but the card cannot be edited.
   */
  trouble: z.object({ why: text, retryAt: number, edit: z.literal(true).exactOptional() }).nullable(),
})

/** The schema of `Attempt`. */
export const attemptSchema = z.object({
  at: number,
  result: z.enum(["unaccounted", "unheard", "refused"]),
  /** The platform refused our own credential, or could not check it: for now we can tell the platform nothing. */
  barred: z.literal(true).exactOptional(),
})

/** The schema of `Sending`. */
export const sendingSchema = z.object({
  /** The exact JSON text of every POST. */
  body: text,
  /** The decision's signed receipt, which is also part of `body`. */
  receipt: text.exactOptional(),
  attempts: z.array(attemptSchema),
  /**
   * The moment (epoch ms) from which we may have lost how the sending went. If it is set, we never send again, and the
   * verdict ends if the record stays pending for long (R17).
   */
  doubtfulAt: number.exactOptional(),
  /** True if it is doubtful because a stop covers it (R21), and not because anything is lost. */
  stopped: z.literal(true).exactOptional(),
})

/** The schema of `StandInNote`. */
export const standInNoteSchema = z.object({
  rule: text,
  /** Who is away, as `team:user`. */
  person: text,
  /** Who may vote for them under this rule, as `team:user`. */
  standIn: text,
})

const slackId = z.object({ team: text, user: text })

/** The schema of `Question`. Its texts are masked as the rules said when they were written. */
export const questionSchema = z.object({
  /** The id of the interaction that asked it. */
  id: text,
  by: slackId,
  at: number,
  text,
  /** Whom it asks: the requester, or those whom rules list for that (`ask`). */
  to: z.enum(["requester", "listed"]),
  /** The messages that ask it, one on each of these routes (`routeKey`); null before it is posted. */
  messages: z.array(z.object({ route: text, place: placeSchema.nullable() })),
  /** The first answer, which closes it; absent while there is none. */
  answer: z.object({ interaction: text, by: slackId, at: number, text }).exactOptional(),
})

/** The schema of `Outcome`. */
export const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ours"), verb, decisionId: text, resolvedBy: textOrNull, at: number }),
  z.object({
    kind: z.literal("elsewhere"),
    status: text,
    resolvedBy: textOrNull,
    at: number,
    /** See `ProposalOutcome`. Absent for all but proposals. */
    proposal: z.object({ how: z.enum(proposalOvers), newer: text.exactOptional() }).exactOptional(),
  }),
  z.object({ kind: z.literal("vanished"), at: number }),
])

/** The schema of `RelatedApproval`. */
export const relatedSchema = z.object({
  caseId: text,
  /** Whose row the other approval is. */
  of: z.enum(["team", "member"]),
  /** A link to the other case's card in a channel; null while it has none. */
  link: textOrNull,
})

/** The schema of `CaseSummary`. */
export const summarySchema = z.object({
  tool: textOrNull,
  agent: textOrNull,
  /** Absent if there is none. */
  team: text.exactOptional(),
  workflow: text.exactOptional(),
  requester: textOrNull,
  calls: number,
  createdAt: numberOrNull,
})

/** A line of a thread: a sealed event of ours, only to be shown. So we check kind and time, and keep all its fields. */
const line = z.custom<CaseEvent>(isEvent, "must be an event")

function isEvent(value: unknown): boolean {
  return isJsonObject(value) && typeof value["kind"] === "string" && typeof value["at"] === "number"
}

/** The schema of `Case`. */
export const caseSchema = z.object({
  id: text,
  /** The version that the store holds; 0 before the first commit. */
  version: number,
  installation: text,
  instance: text,
  approvalId: text,
  /** Deadlines count from this moment. If a closed case turns out to be pending, we set the moment anew. */
  openedAt: number,
  time: timeSchema,
  /** `closed`: settled, the run needs nothing more, and every card and thread says how it ended. */
  state: z.enum(["open", "sending", "settled", "closed", "frozen"]),
  revision: revisionSchema,
  /** The content of the current revision; null once closed (R15). */
  approval: approvalSchema.nullable(),
  /** Once closed: the masked content, and until when (epoch ms) we may show it. */
  kept: z
    .object({
      approval: approvalSchema,
      until: number,
      /** What was proposed instead (`{proposal}`), if the case was sent back. */
      filled: object.exactOptional(),
      /** What was proposed for its own calls before. */
      earlier: z.array(earlierProposalSchema).exactOptional(),
    })
    .exactOptional(),
  /** Set once the case is settled because somebody sent it back: its counterproposal may be answered. */
  sentBack: sentBackSchema.exactOptional(),
  /** The counterproposal that the case answers; absent if it answers none. */
  answers: counterproposalAnswerSchema.exactOptional(),
  /** True if somebody sent back an earlier call of its run, and we cannot read what they proposed (R6). */
  proposerUnread: z.literal(true).exactOptional(),
  /** The content before its last change, to show people what changed. Null if it never changed, and once closed. */
  before: z.object({ revision: number, approval: approvalSchema }).nullable(),
  /** What remains after the content was erased. */
  summary: summarySchema,
  /** The valid votes on the current revision, one for each person. */
  votes: z.array(voteSchema),
  decision: z.union([votedDecisionSchema, expiredDecisionSchema, repeatDecisionSchema]).nullable(),
  /** Its rejection also counts for the same call (R22); absent once that is over. A case that has it does not close. */
  lasting: lastingSchema.exactOptional(),
  /** Set while a lasting rejection leaves it undecided, and nobody is asked (R22). */
  looped: loopedSchema.exactOptional(),
  /** How the glass was broken for its decision, and who looked at that; absent if it was not. */
  glass: glassSchema.exactOptional(),
  /** The sums to which we added the approved calls, while we can still undo that; absent if no limit counts them. */
  reserved: reservedSchema.exactOptional(),
  sending: sendingSchema.nullable(),
  /** What people asked about the case, oldest first. Nobody judges by it. Absent if nobody asked anything. */
  questions: z.array(questionSchema).exactOptional(),
  /** The stop that covers the open case, as its cards say (R21). Nobody judges by it. Absent if none does. */
  stopped: stopNoteSchema.exactOptional(),
  /** Who may stand in for whom on the open case, as its cards say. Nobody judges by it. Absent if nobody is away. */
  standIns: z.array(standInNoteSchema).exactOptional(),
  outcome: outcomeSchema.nullable(),
  /** How far we are with the run that we continue; null if we continue none. */
  resumption: resumptionSchema.nullable(),
  cards: z.array(cardSchema),
  /** Admission (R20): the agent that the case counts for (a hash), and whether the case may have cards yet. */
  admission: z.object({ agent: text, given: z.boolean() }),
  /** The events that people read in the thread, in order. A card's `told` says how many of these its thread has. */
  lines: z.array(line),
  /** Kinds of notices that the threads have told (`notice.ts`): each is told once. */
  noticed: z.array(text),
  /** What we found out about the approval that its record does not say. */
  around: surroundingsSchema,
  /** What the platform's record says about the run while the approval is pending; absent while the run waits. */
  reported: reportedSchema.exactOptional(),
  /** The calls that the case is or was about, by `callKeysOf`. Related approvals find each other by them. */
  calls: z.array(text),
  related: z.array(relatedSchema),
  /** The Slack thread in which its run began; absent if there is none, or if nobody has looked yet. */
  origin: originSchema.exactOptional(),
  /** True once we know whom to tell the end: the requester's card is among the cards, or there is nobody to tell. */
  informed: z.boolean(),
  /** How often in a row, and since when, the platform did not know the approval. `alone`: we knew only this one. */
  missing: z.object({ times: number, since: number, alone: z.boolean().exactOptional() }).nullable(),
  /** The epoch of Redis in which the case was last compared with the platform (R17). */
  epoch: text,
  /** The ids of its decisions without effect. If the platform later has such a decision, somebody else sent it (R9). */
  ended: z.array(text),
  /** Interactions of the last day that counted or were refused; `person` is `team:user`. None counts again (R11). */
  used: z.array(z.object({ interaction: text, person: text, at: number })),
  /** The case's chain in the ledger: how many entries, the last one's MAC, the last era. Kept by the store. */
  chain: z.object({ count: number, mac: text, era: number }),
})
