// Decide: a click, a form or a command. Who is it? May they? Is the content still what they saw? Are they the first, or
// does the rule need more votes? One commit has the vote and, if votes reach a verdict, the frozen verdict.
import { lastingMs } from "../../domain/again/lasting.ts"
import { isRejectable } from "../../domain/case/card-steps.ts"
import { type Case, demandNow } from "../../domain/case/case.ts"
import { isUsed, revisionNeeded } from "../../domain/case/steps.ts"
import type { Vote } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isReported, overReport } from "../../domain/content/run-report.ts"
import { reviewSum } from "../../domain/glass/glass.ts"
import type { SumId } from "../../domain/limit/sum.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { askAgain } from "../again/ask-again.ts"
import { sameCallOf } from "../again/same-call.ts"
import { redraw } from "../card/check.ts"
import { advance } from "../case/commit.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import type { Judged } from "../people/eligibility.ts"
import { sumsAddedTo } from "../people/limits-now.ts"
import { withNames } from "../people/names.ts"
import { judgeVoter } from "../people/voters.ts"
import type { VoteForm } from "../ports/inbound.ts"
import type { Interaction, Press } from "../ports/interaction.ts"
import type { HeldJobs } from "../ports/queue.ts"
import type { Decided } from "../ports/reply.ts"
import { FlowError, type Ports, platformOf, type TakenBefore } from "../ports.ts"
import { reconcileWith } from "../resolve/reconcile.ts"
import { sendVerdict } from "../resolve/send.ts"
import { isToBeHeld } from "../resume/withhold.ts"
import { answerQuestion } from "./answer-question.ts"
import { askQuestion } from "./ask-question.ts"
import { type Ballot, voteStep, withdraw } from "./ballot.ts"
import { answerAfter, type PlacedVote, placeOf, standing } from "./checks.ts"
import { askedForm } from "./forms.ts"
import { reviewGlass } from "./glass-review.ts"
import { answered, caseOf, duplicate, isOnExposed, judgeVote, type Or, placedVote, weigh } from "./weigh.ts"

export interface DecidePorts extends Ports {
  readonly jobs: HeldJobs
}

/** Carries out one interaction. If it is cut off anywhere, a second run ends in the same state and answer. */
export async function decideInteraction(
  ports: DecidePorts,
  interaction: Interaction,
  before: TakenBefore = {},
): Promise<Decided> {
  const seen = await caseOf(ports, interaction, before)
  if (seen.kind === "answered") return seen.decided
  if (interaction.verb === "withdraw") return withdraw(ports, seen.case, interaction)
  if (interaction.verb === "review") return reviewGlass(ports, seen.case, interaction)
  if (interaction.verb === "ask") return askQuestion(ports, seen.case, interaction)
  if (interaction.verb === "answer") return answerQuestion(ports, seen.case, interaction)
  if (interaction.verb === "ask-again") {
    const placed = await placeOf(ports, seen.case, interaction)
    return placed.ok ? askAgain(ports, seen.case, interaction) : { answer: placed.answer, case: seen.case }
  }
  return castPress(ports, seen.case, interaction)
}

/** Carries out a vote that was pressed beside all surfaces of its case, such as one of many rejections. */
export async function decidePress(ports: DecidePorts, press: Press): Promise<Decided> {
  const seen = await caseOf(ports, press, {})
  return seen.kind === "answered" ? seen.decided : castPress(ports, seen.case, press)
}

async function castPress(ports: DecidePorts, current: Case, press: Press): Promise<Decided> {
  const placed = await placedVote(ports, current, press)
  return placed.kind === "answered" ? placed.decided : decideOpen(ports, current, placed.vote)
}

/**
 * What a press for a form gets: the form, if the same vote could count now; else the answer that its vote would get. We
 * judge again when somebody sends the form (R4), and read the platform's record only then.
 */
export async function askForForm(ports: Ports, pressed: Press): Promise<Or<{ readonly form: VoteForm }>> {
  const press = { ...pressed, forForm: true } as const
  const seen = await caseOf(ports, press, {})
  if (seen.kind === "answered") return seen
  const placed = await placedVote(ports, seen.case, press)
  if (placed.kind === "answered") return placed
  const weighed = await weighPress(ports, seen.case, placed.vote)
  if (weighed.kind === "answered") return weighed
  const form = askedForm(ports, seen.case, press, press.target.route)
  const [model, held, back] = await Promise.all([
    withNames(ports, form.model),
    heldIf(ports, seen.case, form),
    sentBackInstead(ports, seen.case, press, form),
  ])
  return { kind: "on", form: { ...form, ...held, ...back, model } }
}

/** The part of a rejection's form that says that its person may send the case back instead: whoever asked may not. */
async function sentBackInstead(
  ports: Ports,
  current: Case,
  { verb, person, calledBack, sendBack }: Press,
  { model }: VoteForm,
): Promise<Pick<VoteForm, "maySendBack">> {
  const isPlain = verb === "reject" && calledBack === undefined && sendBack === undefined
  if (!isPlain || !isRejectable(model.status)) return {}
  const asRequester = await judgeVoter(ports, current, person, { verb, calledBack: true })
  return asRequester.ok ? {} : { maySendBack: true }
}

/** The part of a form that sends a case back, if the rejection would be held: then no agent hears of it (R12). */
async function heldIf(ports: Ports, current: Case, { sendBack }: VoteForm): Promise<Pick<VoteForm, "sendBack">> {
  const mayBeHeld = sendBack !== undefined && sendBack.unheard === null
  return mayBeHeld && (await isToBeHeld(ports, current, [])) ? { sendBack: { ...sendBack, unheard: "held" } } : {}
}

async function weighPress(ports: Ports, current: Case, vote: PlacedVote): Promise<Or<object>> {
  const [exposed, judged] = await Promise.all([
    isOnExposed(ports, vote),
    judgeVote(ports, current, vote, limitedBy(ports, current, vote)),
  ])
  if (exposed) return shared(ports, current, vote)
  return judged === null ? answered({ kind: "changed", change: null }, current) : weigh(ports, current, vote, judged)
}

async function shared(ports: Ports, current: Case, { target }: PlacedVote) {
  return answered({ kind: "shared-channel" }, await redraw(ports, current, target.route))
}

/** The sums to which an approval would add. Limits on them decide who must agree. */
function limitedBy({ policy }: Ports, current: Case, { verb }: PlacedVote): readonly SumId[] {
  return verb === "approve" ? sumsAddedTo(current, policy, {}) : []
}

/** The sums that count open reviews, if the vote breaks the glass of their rules. */
function reviewsOpenedBy({ policy }: Ports, current: Case, { glass }: PlacedVote): readonly SumId[] {
  return glass === true ? demandNow(current, policy).rules.map(({ name }) => reviewSum(name)) : []
}

async function decideOpen(ports: DecidePorts, current: Case, interaction: PlacedVote): Promise<Decided> {
  const limited = limitedBy(ports, current, interaction)
  const changed = [...limited, ...reviewsOpenedBy(ports, current, interaction)]
  const [exposed, record, judged] = await Promise.all([
    isOnExposed(ports, interaction),
    platformOf(ports, current).get(current.approvalId),
    changed.length > 0 ? null : judgeVote(ports, current, interaction, []),
  ])
  if (exposed) return (await shared(ports, current, interaction)).decided
  const moved = await contentProblem(ports, current, interaction, record)
  if (moved !== null) return moved
  const vote = async (by: Judged | null) =>
    by === null ? ({ kind: "again", case: current } as const) : castWeighed(ports, current, interaction, by)
  // No other vote of this process changes these sums meanwhile.
  const inTurn = async () => vote(await judgeVote(ports, current, interaction, limited))
  const made = changed.length > 0 ? await ports.store.inTurn(changed, inTurn) : await vote(judged)
  switch (made.kind) {
    case "answered":
      return made.decided
    case "again":
      return decideOpen(ports, made.case, interaction)
    case "committed":
      return sendReached(ports, made.case, interaction)
  }
}

/** What became of a vote: we answered it, or committed it, or have to judge it again because the case changed. */
type Made =
  | { readonly kind: "answered"; readonly decided: Decided }
  | { readonly kind: "committed" | "again"; readonly case: Case }

async function castWeighed(ports: DecidePorts, current: Case, interaction: PlacedVote, by: Judged): Promise<Made> {
  const weighed = await weigh(ports, current, interaction, by)
  if (weighed.kind === "answered") return weighed
  const { sealed, judged, others } = weighed
  const held = interaction.verb === "reject" && (await isToBeHeld(ports, current, [sealed]))
  const lasts = await lastingBy(ports, current, sealed)
  const voided = { at: ports.clock(), unfit: others.unfit }
  return cast(ports, current, interaction, { sealed, judged, held, lasts, voided })
}

/** For which call and how long a rejection lasts; null for most votes. */
async function lastingBy(ports: DecidePorts, current: Case, { lasting }: Vote): Promise<Ballot["lasts"]> {
  const ms = lasting === true ? lastingMs(demandNow(current, ports.policy).rules) : null
  if (ms === null || current.approval === null) return null
  const key = await sameCallOf(ports, current.approval)
  return key === null ? null : { key, ms }
}

async function sendReached(ports: DecidePorts, committed: Case, interaction: PlacedVote): Promise<Decided> {
  const after = await sendVerdict(ports, committed)
  if (after.state === "open" && after.votes.length > 0) await ports.jobs.present(after.id)
  if (after.lasting !== undefined) await scheduleDeadline(ports, after)
  return { answer: answerAfter(committed, after, interaction), case: after }
}

/**
 * What is wrong with the content (R2, R5, R17). The record must be what the case shows, under the rules in force. We
 * must have compared the case since the last start of Redis.
 */
async function contentProblem(
  ports: DecidePorts,
  current: Case,
  interaction: PlacedVote,
  record: Approval | null,
): Promise<Decided | null> {
  if (record !== null && record.status === "pending" && revisionNeeded(current, record, ports.policy) === null) {
    const moved = current.epoch !== (await ports.store.epoch()) || !isReported(current, record)
    const now = moved ? await reconcileWith(ports, current, record) : current
    const over = interaction.verb === "approve" ? overReport(now) : null
    return over === null ? null : { answer: { kind: "run-over", status: over.status }, case: now }
  }
  const next = await reconcileWith(ports, current, record)
  if (next.outcome !== null) return { answer: standing(next, interaction), case: next }
  // While its database is away, a platform knows no approval, so this failure may pass.
  if (record === null) throw new FlowError("approval-missing", next.id)
  return { answer: { kind: "changed", change: null }, case: next }
}

/** Commits a ballot. After a lost race, judges the ballot anew if it rests on sums, because these may have changed. */
async function cast(ports: DecidePorts, current: Case, interaction: PlacedVote, ballot: Ballot): Promise<Made> {
  let tries = 0
  const done = await advance(
    ports,
    current,
    (now) => {
      tries += 1
      return restsOnSums(ballot.judged) && tries > 1 ? null : voteStep(ports, now, ballot)
    },
    interaction.interaction,
  )
  if (done.kind === "duplicate") return { kind: "answered", decided: await duplicate(ports, current, interaction) }
  if (done.kind === "unchanged") return afterRace(ports, done.case, ballot.sealed, interaction)
  return { kind: "committed", case: done.case }
}

function restsOnSums({ limits, reviews }: Ballot["judged"]): boolean {
  return limits !== null || reviews !== null
}

/** What to do after somebody was faster. If only another vote came in between, we judge this vote again beside it. */
async function afterRace(ports: DecidePorts, current: Case, sealed: Vote, interaction: PlacedVote): Promise<Made> {
  if (current.state !== "open") return answered(standing(current, interaction), current)
  if (isUsed(current, interaction.interaction))
    return { kind: "answered", decided: await duplicate(ports, current, interaction) }
  if (isOver(current.time, ports.clock())) return answered({ kind: "expired", rejected: false }, current)
  return current.revision.number === sealed.revision
    ? { kind: "again", case: current }
    : answered({ kind: "changed", change: null }, current)
}
