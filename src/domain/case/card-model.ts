// The card model: everything that a card shows of a case. If the model changes, we update the card, and only then.
import type { Approval } from "../content/approval.ts"
import { hashOf } from "../content/canonical.ts"
import { type ContentChange, changeSince } from "../content/changes.ts"
import { type JsonObject, parseJson } from "../content/json.ts"
import { type RunOrigin } from "../content/run.ts"
import { type EndedRun, overReport } from "../content/run-report.ts"
import { type Surroundings, type WorkflowPlace, workflowOf } from "../content/surroundings.ts"
import type { News } from "../fingerprint/news.ts"
import type { Verb } from "../policy/judge.ts"
import type { LimitReading } from "../policy/limit-reading.ts"
import type { Look } from "../policy/look.ts"
import type { WhenReading } from "../policy/when.ts"
import { answerOn, type CardAnswer } from "../send-back/proposals.ts"
import { againOn, type CardAgain, type CardGlass, glassOn, isThread, linesDue } from "./card-steps.ts"
import { type Card, type Case, cardOn, type Outcome, type StandInNote, type StopNote, waitsSettled } from "./case.ts"
import { cardTimeOf } from "./deadline-steps.ts"
import { settlesFailure } from "./event.ts"
import type { RelatedApproval } from "./related-approval.ts"
import { type CardRun, cardRunOf } from "./resumption.ts"
import { heldBy } from "./steps.ts"
import { isBarred, isFirstPost } from "./verdict.ts"
import { forWhom, type Progress, type Quota, tally } from "./vote.ts"

/** One person's vote, as the card tells it. */
export interface CardVote {
  readonly user: string
  readonly name: string
  readonly verb: Verb
  /** For whom the voter stood in (`team:user`); absent for most votes. */
  readonly for?: readonly string[]
  /** Set if the voter is the requester, and called the request back. */
  readonly calledBack?: true
  /** Set for a rejection that sends the case back. */
  readonly sentBack?: true
  readonly reason: string | null
  /** What the voter filled in, `{values?, result?, proposal?}`, or null. The next voter must see it (R3). */
  readonly values: JsonObject | null
  readonly at: number
}

/** How the case stands, in the words of cards. */
export type CardStatus =
  | { readonly kind: "open"; readonly progress: readonly Progress[] }
  | { readonly kind: "uncovered" }
  | { readonly kind: "unapprovable" }
  /** A stop covers it: nobody may approve until the stop ends (R21). */
  | ({ readonly kind: "stopped" } & StopNote)
  /** The run ended before anybody decided, so nothing is left to approve. `ran`: a sentence for each call that ran. */
  | { readonly kind: "run-over"; readonly status: EndedRun; readonly ran: readonly string[] }
  /** Nobody may vote any more (R13). `rejecting`: we still have to reject at the platform. */
  | { readonly kind: "expired"; readonly at: number; readonly rejecting: boolean }
  /** The verdict went out a moment ago, and the platform has not answered yet. */
  | { readonly kind: "deciding"; readonly verb: Verb }
  /** Nobody knows yet whether the verdict was carried out (R9). `barred`: the platform refused our own credential. */
  | { readonly kind: "sending"; readonly verb: Verb; readonly barred?: true }
  /** A rejection that nobody would enforce: we send nothing, and the pending record keeps the run stopped (R12). */
  | { readonly kind: "held" }
  | { readonly kind: "settled"; readonly outcome: Outcome; readonly run?: CardRun }
  | { readonly kind: "frozen" }
  /** An orphan: a message that is not the card on record. It has a link to the card, and no buttons. */
  | { readonly kind: "replaced"; readonly link: string | null }

/** What a card says about time, in epoch ms; null where it says nothing. */
export interface CardTime {
  /** By when somebody has to decide the case; null once nobody can any more. */
  readonly decideBy: number | null
  /** True: if nobody decides by `decideBy`, the case is rejected. */
  readonly thenReject: boolean
  /** Since when we also ask further approvers. */
  readonly escalatedAt: number | null
  /** True if the case was rejected because nobody decided in time. */
  readonly ranOut: boolean
  /** Until when a gate at the tool lets the calls run. Set only if they are approved and have not run. */
  readonly runBy?: number
}

/** The time of a card model that says nothing about time. */
export const untimed: CardTime = { decideBy: null, thenReject: false, escalatedAt: null, ranOut: false }

/** A rule that the case has to satisfy. `approvers`: the people that the rule lists; absent if nobody knows. */
export interface CardRule {
  readonly name: string
  readonly quorum: number
  readonly approvers?: readonly string[]
  /** Who may vote for which of them who is away; absent if nobody may. */
  readonly standIns?: readonly StandInNote[]
  /** How we read the rule's condition; absent for a rule without one. */
  readonly when?: WhenReading
}

/** What the card of one route shows. */
export interface CardModel {
  readonly installation: string
  readonly instance: string
  readonly caseId: string
  readonly approvalId: string
  readonly route: string
  readonly revision: number
  readonly digest: string
  /** Null once the content of a closed case is gone: then we draw no card any more, but lists still name the case. */
  readonly approval: Approval | null
  /** True if `approval` is the part that we kept of a closed case: it is masked already. */
  readonly kept?: true
  /** Set if a hold covers the case (R15). Only who looks at the case is told so: cards never have it. */
  readonly onHold?: true
  readonly summary: Case["summary"]
  /** How Slack names the requester; absent if it does not know them. */
  readonly requesterName?: string
  readonly rules: readonly CardRule[]
  readonly look: Look
  /** How we read the limits of the rules; absent if no rule has one. */
  readonly limits?: readonly LimitReading[]
  /** What is new about the case's calls; absent if nothing is. */
  readonly news?: News
  /** The counterproposal that the case answers; absent if it answers none. */
  readonly answers?: CardAnswer
  /** Set if nobody can read who proposed what the case may answer (R6). */
  readonly proposerUnread?: true
  readonly around: Surroundings
  /** The step of a workflow that the case belongs to; absent if there is none, or once the content is gone. */
  readonly workflow?: WorkflowPlace
  readonly votes: readonly CardVote[]
  readonly status: CardStatus
  /** What changed since the case first asked. Absent if nothing did, and once the case is decided. */
  readonly changed?: ContentChange
  /** Why the platform did not accept the last verdict, until somebody votes again; else null. */
  readonly failure: string | null
  /** Other cases about a call of this case. */
  readonly related: readonly RelatedApproval[]
  /** How the glass was broken for its decision; absent if it was not. */
  readonly glass?: CardGlass
  /** What is said of the same call asked again (R22); absent if nothing is. */
  readonly again?: CardAgain
  /** The Slack thread in which the run began, as its session says; absent if there is none. */
  readonly origin?: RunOrigin
  /** The routes on which we cannot show the case, and why. Lists and Home say this, a card does not. */
  readonly troubles: readonly { readonly route: string; readonly why: string }[]
  readonly openedAt: number
  readonly time: CardTime
  /** True if an earlier message of this card may still be in the channel: votes count only on this message. */
  readonly replaces: boolean
  /** True if the card may say only how the case ended: no arguments, no names of people. */
  readonly blank?: true
  /** How new a record must at least be to count (R14): the length of the case's chain, and the era. */
  readonly bound: { readonly era: number; readonly count: number }
}

/** The card model of a case on a route. */
export function cardModelOf(current: Case, route: string): CardModel {
  const { installation, instance, id: caseId, approvalId, summary, around, related, openedAt, chain } = current
  const { number: revision, digest, quotas, look } = current.revision
  const subject = { installation, instance, caseId, approvalId, route, revision, digest }
  const content = { ...modelContent(current), summary, look, around, related, openedAt }
  const workflow = workflowOf(content.approval, around)
  const changed = current.state === "open" ? changeSince(current.before?.approval, current) : null
  return {
    ...subject,
    ...content,
    ...(workflow && { workflow }),
    ...(changed && { changed }),
    rules: quotas.map((quota) => ruleOf(current, quota)),
    votes: votesShown(current),
    status: cardStatusOf(current),
    failure: failureOf(current),
    troubles: current.cards.flatMap((card) =>
      card.trouble === null ? [] : [{ route: card.route, why: card.trouble.why }],
    ),
    time: cardTimeOf(current),
    replaces: (cardOn(current, route)?.reposts ?? 0) > 0,
    ...glassOn(current, route),
    ...answerOn(current),
    ...againOn(current, route),
    bound: { era: chain.era, count: chain.count },
  }
}

function modelContent({ approval, kept, origin, revision: { limits, news } }: Case) {
  const shown =
    approval === null && kept !== undefined ? { approval: kept.approval, kept: true as const } : { approval }
  return { ...shown, ...(origin && { origin }), ...(limits && { limits }), ...(news && { news }) }
}

/** A rule with the people that it asks, as the case's last line about the rule names them. */
function ruleOf({ lines, standIns = [] }: Case, { name, quorum, when }: Quota): CardRule {
  // Whoever broke the glass is asked, too, but was not passed over.
  const asked = lines.flatMap((line) => ("asked" in line && line.kind !== "glass-broken" ? line.asked : []))
  const under = asked.findLast(({ rule }) => rule === name)
  const away = standIns.filter(({ rule }) => rule === name)
  const who = { ...(under && { approvers: under.approvers }), ...(away.length > 0 && { standIns: away }) }
  return { name, quorum, ...(when && { when }), ...who }
}

/** The votes to show: those of the decision or, if nobody decided in time, those that were not enough. */
function votesShown({ decision, votes }: Case): readonly CardVote[] {
  const shown = decision === null || decision.by === "expiry" ? votes : decision.votes
  return shown.map((vote) => {
    const { person, name, verb, calledBack, sentBack, reason, values, at } = vote
    const kind = { ...(calledBack && { calledBack }), ...(sentBack && { sentBack }) }
    return { user: person.user, name, verb, ...forWhom(vote), ...kind, reason, values, at }
  })
}

function failureOf(current: Case): string | null {
  const last = current.lines.findLast(({ kind }) => settlesFailure(kind))
  return current.state === "open" && last?.kind === "reopened" ? last.why : null
}

/** How a case stands, in the words of cards. */
export function cardStatusOf(current: Case): CardStatus {
  if (current.outcome !== null) {
    const run = cardRunOf(current)
    return { kind: "settled", outcome: current.outcome, ...(run === null ? {} : { run }) }
  }
  if (current.state === "frozen") return { kind: "frozen" }
  if (current.state === "sending" && current.decision !== null) {
    const { verb } = current.decision
    if (isFirstPost(current.sending)) return { kind: "deciding", verb }
    return { kind: "sending", verb, ...(isBarred(current) ? { barred: true } : {}) }
  }
  const { expired } = current.time
  if (expired !== null) return { kind: "expired", at: expired.at, rejecting: expired.rejectAt !== null }
  if (!current.revision.covered) return { kind: "uncovered" }
  const over = overReport(current)
  if (over !== null) return { kind: "run-over", status: over.status, ran: over.ran ?? [] }
  if (heldBy(current) !== null) return { kind: "held" }
  if (!current.revision.approvable) return { kind: "unapprovable" }
  if (current.stopped !== undefined) return { kind: "stopped", ...current.stopped }
  const counted = tally(current.votes, current.revision)
  return { kind: "open", progress: counted.verdict === null ? counted.progress : [] }
}

/** The model of a message that is not the card on record of its route. */
export function orphanModel(current: Case, route: string, link: string | null): CardModel {
  return { ...cardModelOf(current, route), status: { kind: "replaced", link } }
}

/** A name for what a model shows: 16 hex characters, the hash of all but the content, for which the digest stands. */
export function cardModelHash(model: CardModel): string {
  const { route, revision, digest, status, failure, votes, rules, around, time, related } = model
  const { origin, replaces, limits, glass, again } = model
  const begun = { route, revision, digest, failure }
  const shown = {
    ...begun,
    around: parseJson(JSON.stringify(around)),
    ...(related.length === 0 ? {} : { related: related.map((one) => ({ ...one })) }),
    ...(origin === undefined ? {} : { origin: origin.link }),
    ...(limits === undefined ? {} : { limits: JSON.stringify(limits) }),
    ...(glass === undefined ? {} : { glass: JSON.stringify(glass) }),
    ...(again === undefined ? {} : { again: JSON.stringify(again) }),
    // The case's revision already covers whom a rule lists.
    rules: rules.map(({ name, quorum, standIns }) => ({ name, quorum, ...(standIns && { standIns: [...standIns] }) })),
    votes: votes.map((vote) => ({ ...vote })),
    time: { ...time },
    ...(replaces ? { replaces } : {}),
  }
  return hashOf({ ...shown, status: JSON.stringify(status) }).slice(0, 16)
}

/** True while we still have work: a verdict is on its way, or a card or thread lags. */
export function isUnfinished(current: Case): boolean {
  if (current.state === "sending" || (current.state === "settled" && !waitsSettled(current))) return true
  return current.state !== "closed" && current.cards.some((card) => lags(current, card))
}

/**
 * True if a card does not show the case as it is, if its thread lacks a line, or if a process posted it and did not
 * finish. A case without admission has no cards that could lag (R20). An open case on a summary wants a card of its
 * own. Once such a case has ended, its lines go to the summary's thread.
 */
export function lags(current: Case, card: Card): boolean {
  if (isThread(card)) return card.lease !== null || (current.admission.given && card.told < linesDue(current))
  if (!current.admission.given && card.lease === null && card.place === null) return false
  if (card.summary && current.state === "open") return true
  const tellsLater = card.summary && current.state === "sending"
  if (card.place === null || card.lease !== null || (card.told < current.lines.length && !tellsLater)) return true
  return card.modelHash !== cardModelHash(cardModelOf(current, card.route))
}
