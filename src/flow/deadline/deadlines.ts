// What time alone makes us do: remind, escalate, expire, and never approve (R13). Later also erase and blank.
import { type Case, demandNow, rulesToReview, type Step } from "../../domain/case/case.ts"
import {
  dueNow,
  escalate,
  escalating,
  expire,
  leavePending,
  putOffRejection,
  remind as remindStep,
  withEscalated,
} from "../../domain/case/deadline-steps.ts"
import type { Eligible } from "../../domain/case/event.ts"
import { decide } from "../../domain/case/verdict.ts"
import { type Decision, idOf, tally } from "../../domain/case/vote.ts"
import { leaveGlass, putOffGlassAlarm } from "../../domain/glass/glass.ts"
import { humanKey } from "../../domain/people/human.ts"
import { personKey, slackIdOf } from "../../domain/people/person.ts"
import { askInTime, lapse } from "../again/ask-again.ts"
import { advance, advanceCase, readCase } from "../case/commit.ts"
import { forgottenUnlessHeld } from "../case/holds.ts"
import { standInFor } from "../case/orders.ts"
import { approversOf, type JudgePorts, judgePerson } from "../people/eligibility.ts"
import { isPortError, type Ports } from "../ports.ts"
import { freezeVerdict, type SigningPorts } from "../resolve/freeze.ts"
import { reconcileWith } from "../resolve/reconcile.ts"
import { type RecordReading, readRecord } from "../resolve/record.ts"
import { sendVerdict } from "../resolve/send.ts"
import { settleByEnd } from "../resolve/settle.ts"
import { isToBeHeld } from "../resume/withhold.ts"
import { blankCards } from "./retain.ts"

/** How many cases one run takes up; the next run follows at once. */
const maxAtOnce = 100
/** When we look again at a case that failed, or that is still due after its step, in ms. */
const againMs = 5_000

/** Carries out every deadline that is due. Returns in how many ms the next deadline is, or null if there is none. */
export async function carryOutDeadlines(ports: Ports): Promise<number | null> {
  const now = ports.clock()
  const due = (await ports.store.deadlines(maxAtOnce)).filter(({ at }) => at <= now)
  await Promise.all(due.map(({ caseId }) => keepTimeSafely(ports, caseId)))
  const [next] = await ports.store.deadlines(1)
  if (next === undefined) return null
  const stuck = due.some(({ caseId, at }) => caseId === next.caseId && at === next.at)
  return stuck ? againMs : Math.max(0, next.at - ports.clock())
}

/** Does what is due on a case. A failure on one case does not stop the others. */
async function keepTimeSafely(ports: Ports, caseId: string): Promise<void> {
  try {
    await keepTime(ports, caseId)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("deadline-failed", { caseId, error })
  }
}

/**
 * Does what is due on a case: in one commit, or in two for an expiry and its rejection. If cut off, the rest stays due.
 */
async function keepTime(ports: Ports, caseId: string): Promise<void> {
  const known = await readCase(ports, caseId)
  if (known === null || known === "frozen" || dueNow(known, ports.clock()) === null) return
  if (known.state === "closed") return keepTimeOfClosed(ports, known)
  if (known.state !== "open") return keepTimeOfSettled(ports, known)
  const { current, compared } = await compareRecord(ports, known)
  switch (dueNow(current, ports.clock())) {
    case "remind":
      return remindEligible(ports, current)
    case "escalate":
      return askOthers(ports, current)
    case "expire":
      return rejectIfOwed(ports, await endVoting(ports, current), compared)
    case "reject":
      return rejectIfOwed(ports, current, compared)
    case "ask":
      return askInTime(ports, current)
    case "lapse":
    case "blank":
    case "forget":
    case "unreviewed":
    case "leave":
    case null:
  }
}

/** Does what is due on a case whose verdict is on its way or settled. */
function keepTimeOfSettled(ports: Ports, known: Case): Promise<void> {
  return dueNow(known, ports.clock()) === "lapse" ? lapse(ports, known) : alarmUnreviewed(ports, known)
}

/** Raises the alarm about broken glass that nobody has looked at; after 30 days lets the case close all the same. */
async function alarmUnreviewed(ports: Ports, known: Case): Promise<void> {
  const { glass } = known
  const [due, rules] = [dueNow(known, ports.clock()), rulesToReview(known)]
  if (glass === undefined || (due !== "unreviewed" && due !== "leave")) return
  const hint = "one of its reviewers has to say on the card whether it was right (docs/approving.md)"
  ports.alarm({ code: "glass-unreviewed", caseId: known.id, rules, by: personKey(glass.by), since: glass.at, hint })
  const done = await advanceCase(ports, known, (now) => {
    const at = ports.clock()
    if (dueNow(now, at) !== due) return null
    return due === "leave" ? leaveGlass(now, at) : putOffGlassAlarm(now, at)
  })
  if (done.glass?.left === true) await ports.jobs.present(known.id)
}

/** Does what is due on a closed case. Forgets first: that is one commit, while Slack may keep us waiting. */
async function keepTimeOfClosed(ports: Ports, known: Case): Promise<void> {
  const due = (now: Case) => (now.state === "closed" ? dueNow(now, ports.clock()) : null)
  const current =
    due(known) === "forget"
      ? await advanceCase(ports, known, (now) => (due(now) === "forget" ? forgottenUnlessHeld(ports, now) : null))
      : known
  if (due(current) === "blank") await blankCards(ports, current)
}

/**
 * Brings the case into line with its record, so we remind nobody of something that is decided. If the platform does not
 * give the record now, deadlines still pass, but we send nothing.
 */
async function compareRecord(
  ports: Ports,
  current: Case,
): Promise<{ readonly current: Case; readonly compared: boolean }> {
  const read = await readRecordSafely(ports, current)
  if (read === null) return { current, compared: false }
  if (read.kind === "ended") return { current: await settleByEnd(ports, current, read), compared: true }
  const record = read.kind === "record" ? read.record : null
  return { current: await reconcileWith(ports, current, record), compared: record !== null }
}

async function readRecordSafely(ports: Ports, current: Case): Promise<RecordReading | null> {
  const platform = ports.platforms.get(current.instance)
  if (platform === undefined) return null
  try {
    return await readRecord(platform, current.approvalId)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("deadline-unread", { caseId: current.id, error })
    return null
  }
}

async function remindEligible(ports: Ports, current: Case): Promise<void> {
  const eligible = await eligibleOn(ports, current)
  await advanceCase(ports, current, (now) => {
    const at = ports.clock()
    return dueNow(now, at) === "remind" ? remindStep(now, eligible, at) : null
  })
  await ports.jobs.present(current.id)
}

async function askOthers(ports: Ports, current: Case): Promise<void> {
  const at = ports.clock()
  const steps = escalating(current, at)
  const eligible = await eligibleOn(ports, withEscalated(current, steps, at))
  await advanceCase(ports, current, (now) => {
    // We looked up these people for these steps. If others are due meanwhile, the next run looks up everybody.
    const same = JSON.stringify(escalating(now, at)) === JSON.stringify(steps)
    if (!same || dueNow(now, ports.clock()) !== "escalate") return null
    return escalate(now, { steps, demand: demandNow(withEscalated(now, steps, at), ports.policy), able: eligible }, at)
  })
  await ports.jobs.present(current.id)
}

async function endVoting(ports: Ports, current: Case): Promise<Case> {
  const ended = await advanceCase(ports, current, (now) => {
    const at = ports.clock()
    return dueNow(now, at) === "expire" ? expire(now, at) : null
  })
  await ports.jobs.present(current.id)
  return ended
}

/** Carries out an owed rejection if the case fits its record: freezes the verdict, then sends or holds it (R9, R12). */
async function rejectIfOwed(ports: Ports, current: Case, compared: boolean): Promise<void> {
  if (dueNow(current, ports.clock()) !== "reject") return
  const { number, digest } = current.revision
  // While Redis is rolled back, we send nothing unless somebody pressed a button.
  const known = compared && ports.freshness.standing().kind !== "rolled-back"
  const held = known && (await isToBeHeld(ports, current, []))
  const done = await advance(ports, current, (now) => {
    const at = ports.clock()
    if (dueNow(now, at) !== "reject" || now.revision.number !== number || now.revision.digest !== digest) return null
    if (held) return leavePending(now, at)
    return known ? runOut(ports, now, at) : putOffRejection(now, at)
  })
  if (done.kind !== "committed") return
  if (held) await ports.jobs.present(current.id)
  else await sendVerdict(ports, done.case)
}

/** A line names this many people, … */
const maxNamed = 10
/** … and we look up this many for it. We only count the others. */
const maxLooked = 30

/** Who could vote now, has not voted, and stands in a rule that lacks votes. Throws if Slack does not say. */
export async function eligibleOn(ports: JudgePorts, current: Case): Promise<Eligible> {
  const { byRule } = await approversOf(ports, demandNow(current, ports.policy))
  const { identities } = ports.policy
  const voted = new Set(current.votes.map((vote) => humanKey(vote.person, identities)))
  const listed = lacking(current).flatMap((rule) => [...(byRule.get(rule) ?? [])])
  const keys = new Set(listed.flatMap((key) => [key, standInFor(ports, key) ?? key]))
  const waited = [...keys].filter((key) => !voted.has(humanKey(slackIdOf(key), identities)))
  const judged = await Promise.all(waited.slice(0, maxLooked).map((key) => isEligible(ports, current, key)))
  const eligible = waited.filter((_, index) => judged[index] === true)
  const uncounted = Math.max(0, waited.length - maxLooked)
  return { people: eligible.slice(0, maxNamed), more: Math.max(0, eligible.length - maxNamed) + uncounted }
}

function lacking({ votes, revision }: Case): readonly string[] {
  const counted = tally(votes, revision)
  if (counted.verdict !== null) return revision.quotas.map(({ name }) => name)
  return counted.progress.filter(({ have, need }) => have < need).map(({ rule }) => rule)
}

/** True if this person may approve or, if nobody can, reject. False for somebody whom Slack does not know. */
async function isEligible(ports: JudgePorts, current: Case, key: string): Promise<boolean> {
  const verb = current.revision.approvable ? "approve" : "reject"
  try {
    return (await judgePerson(ports, current, slackIdOf(key), { verb })).ok
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    return false
  }
}

/** The frozen rejection of an expired case that owes one (R9); null if it owes none. */
export async function runOut(ports: SigningPorts, current: Case, at: number): Promise<Step | null> {
  const id = idOf(ports.seal, current)
  if (current.state !== "open" || id === null) return null
  const owed: Decision = { id, verb: "reject", votes: [], at, by: "expiry" }
  const { decision, body, receipt } = await freezeVerdict(ports, current, owed)
  return decide(current, decision, body, receipt)
}
