// Decide: a click, a form or a command. Who is it? May they? Is the content still what they saw? Are they the first, or
// does the rule need more votes? One commit has the vote and, if it is reached, the frozen verdict.
import { type Case, isCounted } from "../../domain/case/case.ts"
import { heldBy, isUsed, noteRefusal, revisionNeeded } from "../../domain/case/steps.ts"
import type { Vote } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isReported, overReport } from "../../domain/content/run-report.ts"
import type { SumId } from "../../domain/limit/sum.ts"
import { personKey } from "../../domain/people/person.ts"
import type { Refusal } from "../../domain/policy/judge.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { redraw } from "../card/check.ts"
import { advance, freezeTampered, readCase, renewed } from "../case/commit.ts"
import { freshMs, type Judged, judgePerson, type Rejudged, rejudge } from "../people/eligibility.ts"
import { readingsOf, readSums, sumsAddedTo } from "../people/limits-now.ts"
import type { Interaction, VoteInteraction } from "../ports/interaction.ts"
import type { HeldJobs } from "../ports/queue.ts"
import type { Decided } from "../ports/reply.ts"
import { FlowError, isPortError, type Ports, platformOf, type TakenBefore } from "../ports.ts"
import { reconcileWith } from "../resolve/reconcile.ts"
import { sendVerdict } from "../resolve/send.ts"
import { isToBeHeld } from "../resume/withhold.ts"
import { type Ballot, countedBefore, type Subject, sealVote, subjectFor, voteStep, withdraw } from "./ballot.ts"
import { answerAfter, type PlacedVote, placeOf, problemOf, rejectedBy, standing, surfaceOf } from "./checks.ts"

export interface DecidePorts extends Ports {
  readonly jobs: HeldJobs
}

/** An interaction that is older than this, in ms, approves nothing: the person may have changed their mind (R11). */
export const lateMs = 120_000

/** Carries out one interaction. If it is cut off anywhere, a second run ends in the same state and answer. */
export async function decideInteraction(
  ports: DecidePorts,
  interaction: Interaction,
  before: TakenBefore = {},
): Promise<Decided> {
  if (interaction.target.installation !== ports.installation) return { answer: { kind: "unknown-case" }, case: null }
  const seen = await ports.store.readFor(interaction, before)
  switch (seen.kind) {
    case "unknown-case":
    case "frozen":
      return { answer: seen, case: null }
    case "tampered":
      return { answer: { kind: await freezeTampered(ports, seen) }, case: null }
    case "case":
      return decideSeen(ports, seen.case, interaction)
    case "asked-anew": {
      const current = await renewed(ports, seen.case)
      return current.state === "open"
        ? { answer: { kind: "asked-anew" }, case: current }
        : decideSeen(ports, current, interaction)
    }
  }
}

async function decideSeen(ports: DecidePorts, current: Case, interaction: Interaction): Promise<Decided> {
  if (interaction.verb === "withdraw") return withdraw(ports, current, interaction)
  if (isCounted(current, interaction.interaction))
    return { answer: standing(current, interaction), case: await goOn(ports, current) }
  // Nobody judged the place where it was pressed, so we draw nothing there.
  if (ports.clock() - interaction.at > lateMs) return { answer: { kind: "late" }, case: null }
  if (isUsed(current, interaction.interaction)) return duplicate(ports, current, interaction)
  const placed = await placeOf(ports, current, interaction)
  if (!placed.ok) return { answer: placed.answer, case: current }
  if (current.state !== "open") return { answer: standing(current, interaction), case: current }
  if (interaction.verb === "approve" && ports.freshness.standing().kind === "rolled-back")
    return { answer: { kind: "rolled-back" }, case: current }
  if (isOver(current.time, ports.clock())) return { answer: { kind: "expired", rejected: false }, case: current }
  const { view } = placed
  const surface = surfaceOf(interaction, view)
  return decideOpen(ports, current, { ...interaction, surface, view, revealed: view?.revealed ?? false })
}

/** If a crash left a verdict unsent, a job goes on with it. Here we only tell how things stand. */
async function goOn(ports: DecidePorts, current: Case): Promise<Case> {
  if (current.state === "sending") await ports.jobs.resolve(current.id, 0)
  return current
}

async function decideOpen(ports: DecidePorts, current: Case, interaction: PlacedVote): Promise<Decided> {
  const limited = interaction.verb === "approve" ? sumsAddedTo(current, ports.policy, {}) : []
  const [exposed, record, judged] = await Promise.all([
    isOnExposed(ports, interaction),
    platformOf(ports, current).get(current.approvalId),
    limited.length > 0 ? null : judgePerson(ports, current, interaction.person, interaction),
  ])
  if (exposed)
    return { answer: { kind: "shared-channel" }, case: await redraw(ports, current, interaction.target.route) }
  const moved = await contentProblem(ports, current, interaction, record)
  if (moved !== null) return moved
  const made =
    judged === null
      ? await ports.store.inTurn(limited, () => voteWithin(ports, current, interaction, limited))
      : await vote(ports, current, interaction, judged)
  switch (made.kind) {
    case "answered":
      return made.decided
    case "again":
      return decideOpen(ports, made.case, interaction)
    case "committed":
      return sendReached(ports, made.case, interaction)
  }
}

/** What became of a vote: it is answered, it was committed, or it has to be judged again because the case changed. */
type Made =
  | { readonly kind: "answered"; readonly decided: Decided }
  | { readonly kind: "committed" | "again"; readonly case: Case }

/** Reads the limits first: they decide who must agree. No other vote of this process changes these sums meanwhile. */
async function voteWithin(
  ports: DecidePorts,
  current: Case,
  interaction: PlacedVote,
  limited: readonly SumId[],
): Promise<Made> {
  const { approval, revision } = current
  if (approval === null) return { kind: "again", case: current }
  const sums = await readSums(ports, limited)
  const read = { at: ports.clock(), sums }
  const reading = (filled: VoteInteraction["values"]) =>
    readingsOf(approval, ports.policy, { ...revision, filled }, read)
  const limits = { ...read, all: reading(null), valued: reading(interaction.values) }
  const judged = await judgePerson(ports, current, interaction.person, { ...interaction, limits })
  return vote(ports, current, interaction, judged)
}

async function sendReached(ports: DecidePorts, committed: Case, interaction: PlacedVote): Promise<Decided> {
  const after = await sendVerdict(ports, committed)
  if (after.state === "open" && after.votes.length > 0) await ports.jobs.present(after.id)
  return { answer: answerAfter(committed, after, interaction), case: after }
}

/**
 * True for an interaction on a card that another company may have seen. If Slack does not say so, the interaction
 * counts: the person is judged in any case.
 */
async function isOnExposed({ chat, log }: DecidePorts, { on, target }: Interaction): Promise<boolean> {
  if (on.kind !== "card") return false
  try {
    return await chat.exposed(target.route, freshMs)
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("not-known-whether-exposed", { route: target.route, error })
    return false
  }
}

/**
 * R2, R5, R17: the record must be what the case shows, under the rules in force. The case must have been compared since
 * the last start of Redis.
 */
async function contentProblem(
  ports: DecidePorts,
  current: Case,
  interaction: Interaction,
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

async function refuseVote(
  ports: DecidePorts,
  current: Case,
  interaction: PlacedVote,
  refusal: Refusal,
): Promise<Decided> {
  return { answer: { kind: "refused", refusal }, case: await remembered(ports, current, interaction, refusal.code) }
}

/** This interaction never counts, even if its view shows everything after the answer (R4, R11). */
async function unseen(ports: DecidePorts, current: Case, interaction: PlacedVote): Promise<Decided> {
  return { answer: { kind: "unseen" }, case: await remembered(ports, current, interaction, "unseen") }
}

/** The case remembers an interaction that does not count, and the ledger tells it. */
async function remembered(ports: DecidePorts, current: Case, interaction: PlacedVote, why: string): Promise<Case> {
  const { verb, interaction: id } = interaction
  const note = { at: ports.clock(), person: personKey(interaction.person), verb, why, interaction: id }
  const done = await advance(ports, current, (now) => noteRefusal(now, note), id)
  return done.kind === "duplicate" ? current : done.case
}

async function vote(ports: DecidePorts, current: Case, interaction: PlacedVote, judged: Judged): Promise<Made> {
  if (!judged.ok) return answered(await refuseVote(ports, current, interaction, judged.refusal))
  const problem = problemOf(ports, current, interaction, judged.demand)
  if (problem?.kind === "unseen") return answered(await unseen(ports, current, interaction))
  if (problem !== null) return answered({ answer: problem, case: current })
  const named = await subjectFor(ports, current.instance, judged.person)
  if (!named.ok) return answered(await unnamed(ports, current, interaction, named))
  const sealed = sealVote(ports, current, interaction, { ...judged, subject: named.subject })
  const again = countedBefore(current, sealed, judged)
  if (again !== null) return answered({ answer: again, case: current })
  const others = await rejudge(ports, current, sealed)
  const rejection = heldBy(current)
  if (rejection !== null && !mayReplace(rejection, sealed, others))
    return answered({ answer: rejectedBy(rejection), case: current })
  const held = interaction.verb === "reject" && (await isToBeHeld(ports, current, [sealed]))
  const ballot = { sealed, judged, held, voided: { at: ports.clock(), unfit: others.unfit } }
  return cast(ports, current, interaction, ballot)
}

function answered(decided: Decided): Made {
  return { kind: "answered", decided }
}

/** Commits a ballot. After a lost race, a ballot that rests on sums is judged anew: the sums may have changed. */
async function cast(ports: DecidePorts, current: Case, interaction: PlacedVote, ballot: Ballot): Promise<Made> {
  let tries = 0
  const done = await advance(
    ports,
    current,
    (now) => {
      tries += 1
      return ballot.judged.limits !== null && tries > 1 ? null : voteStep(ports, now, ballot)
    },
    interaction.interaction,
  )
  if (done.kind === "duplicate") return answered(await duplicate(ports, current, interaction))
  if (done.kind === "unchanged") return afterRace(ports, done.case, ballot.sealed, interaction)
  return { kind: "committed", case: done.case }
}

/** Nobody decides under a name that the platform could take for somebody else's. */
async function unnamed(
  ports: DecidePorts,
  current: Case,
  interaction: PlacedVote,
  named: Extract<Subject, { ok: false }>,
): Promise<Decided> {
  if ("refusal" in named) return refuseVote(ports, current, interaction, named.refusal)
  return { answer: { kind: "subject-too-long", length: named.length }, case: current }
}

/** A held rejection stands until its voter votes again, takes it back, or may no longer decide (R12). */
function mayReplace(rejection: Vote, fresh: Vote, { unfit }: Rejudged): boolean {
  return (
    personKey(rejection.person) === personKey(fresh.person) || unfit.some(({ vote: one }) => one.mac === rejection.mac)
  )
}

/** This delivery was counted before: the case says how it ended. */
async function duplicate(ports: DecidePorts, current: Case, interaction: Interaction): Promise<Decided> {
  const now = (await readCase(ports, current.id)) ?? current
  if (now === "frozen") return { answer: { kind: "frozen" }, case: null }
  return {
    answer:
      now.state === "open" && !isCounted(now, interaction.interaction)
        ? { kind: "changed", change: null }
        : standing(now, interaction),
    case: now,
  }
}

/** Somebody was faster. If only another vote came in between, we judge this vote again beside it. */
async function afterRace(ports: DecidePorts, current: Case, sealed: Vote, interaction: PlacedVote): Promise<Made> {
  if (current.state !== "open") return answered({ answer: standing(current, interaction), case: current })
  if (isUsed(current, interaction.interaction)) return answered(await duplicate(ports, current, interaction))
  if (isOver(current.time, ports.clock()))
    return answered({ answer: { kind: "expired", rejected: false }, case: current })
  return current.revision.number === sealed.revision
    ? { kind: "again", case: current }
    : answered({ answer: { kind: "changed", change: null }, case: current })
}
