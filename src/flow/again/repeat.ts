// Repeats: a call that people rejected comes again while that rejection lasts. It is rejected by itself, in one commit
// with its case; if its run asks it in a loop, it is left undecided (R22). If in doubt, people are asked.
import {
  isLoop,
  type LastingRejection,
  lastingMs,
  lastingOf,
  leaveLooped,
  maxRepeats,
  noteRepeat,
  withoutCards,
} from "../../domain/again/lasting.ts"
import type { Case, Step } from "../../domain/case/case.ts"
import { andThen, openCase } from "../../domain/case/steps.ts"
import { decide } from "../../domain/case/verdict.ts"
import { isTallied, type RepeatDecision, repeatIdOf } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { personKey } from "../../domain/people/person.ts"
import { demandOf, type PolicyNow } from "../../domain/policy/policy.ts"
import { isTouched, readCase } from "../case/commit.ts"
import { scheduleDeadline } from "../case/schedule.ts"
import { judgePerson } from "../people/eligibility.ts"
import { type Committed, FlowError, isPortError, type Ports } from "../ports.ts"
import { freezeVerdict } from "../resolve/freeze.ts"
import { sendVerdict } from "../resolve/send.ts"
import { isToBeHeld } from "../resume/withhold.ts"
import { sameCallOf } from "./same-call.ts"

/** The case of a lasting rejection that counts for a new approval. */
interface First extends LastingRejection {
  readonly current: Case
}

/** How often we look again, because the first case changed between our look and the commit. */
const maxRaces = 10

/**
 * True if a new approval is the same call as one that people rejected, and that rejection lasts: then its case was
 * opened here, and nobody is asked. False if people are to be asked as always.
 */
export async function isRepeat(ports: Ports, approval: Approval, policy: PolicyNow): Promise<boolean> {
  if (lastingMs(demandOf(approval, policy.rules, policy).rules) === null) return false
  const { installation } = ports
  const opening = { installation, approval, policy, epoch: await ports.store.epoch(), at: ports.clock() }
  const opened = withoutCards(openCase(opening))
  for (let races = 0; races < maxRaces; races += 1) {
    const first = await firstOf(ports, approval, opened.next)
    if (first === null) return false
    const done = await commitRepeat(ports, opened, first)
    if (done.kind === "config") throw new FlowError("other-config", opened.next.id)
    if (done.kind === "committed") return afterRepeat(ports, done.case, first)
    // The first case is drawn and noted all the time. Any other reason is no repeat of ours.
    if (done.kind !== "stale" || done.caseId !== first.current.id) return false
  }
  return false
}

/** Opens the case of a repeat, and notes it on the first case, if that is still as we judged it. */
async function commitRepeat(ports: Ports, opened: Step, first: First): Promise<Committed> {
  const { id, approval } = opened.next
  const run = approval?.runId ?? ""
  const at = ports.clock()
  const loops = isLoop(first.lasting, run)
  const step = loops ? looped(opened, first, at) : await rejected(ports, opened, first, at)
  const repeat = { case: id, run, at, ...(loops ? { undecided: true as const } : {}) }
  const noted = { ...noteRepeat(first.current, repeat), expectedVersion: first.current.version }
  return ports.store.commit({ ...step, expectedVersion: 0, besides: [noted] })
}

/** Tells the platform, or the operator if the call is left undecided, and shows it on the first card. */
async function afterRepeat(ports: Ports, repeated: Case, first: First): Promise<true> {
  await ports.jobs.present(first.current.id)
  if (repeated.looped !== undefined) await tellLoop(ports, repeated, first)
  else await sendVerdict(ports, repeated)
  return true
}

/**
 * The lasting rejection of the same call, if it counts now. The index only finds it: what it says is in its own case,
 * sealed and no older than its chain (R14).
 */
async function firstOf(ports: Ports, approval: Approval, fresh: Case): Promise<First | null> {
  if (ports.freshness.standing().kind !== "fresh") return null
  const key = await sameCallOf(ports, approval)
  if (key === null) return null
  for (const id of await ports.store.about(approval.instance, [key])) {
    const current = await readCase(ports, id)
    if (current === null || current === "frozen") continue
    const standing = lastingOf(current, ports.clock())
    if (standing?.lasting.key !== key || standing.lasting.repeats.length >= maxRepeats) continue
    const first = { current, ...standing }
    if (isSame(ports, first, fresh) && (await mayStillReject(ports, first, fresh))) return first
  }
  return null
}

/** True if the rejection is sound, by the same rules, and nothing of its case may be lost (R17). */
function isSame(ports: Ports, { current }: First, fresh: Case): boolean {
  const rulesOf = ({ revision }: Case) => JSON.stringify(revision.quotas.map(({ name, hash }) => [name, hash]))
  const here = current.installation === fresh.installation && current.instance === fresh.instance
  return here && rulesOf(current) === rulesOf(fresh) && !isTouched(ports, current) && isTallied(ports.seal, current)
}

/** True if whoever rejected may reject this as well (R5), and the platform would enforce it (R12). */
async function mayStillReject(ports: Ports, { decision }: First, fresh: Case): Promise<boolean> {
  const vote = decision.votes.at(-1)
  if (vote === undefined || !fresh.revision.covered) return false
  try {
    const judged = await judgePerson(ports, fresh, vote.person, { verb: "reject" })
    return judged.ok && judged.rules.length > 0 && !(await isToBeHeld(ports, fresh, []))
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("repeat-not-judged", { caseId: fresh.id, error })
    return false
  }
}

/** Opens the case with its rejection, in the name of the first (R9). */
async function rejected(ports: Ports, opened: Step, first: First, at: number): Promise<Step> {
  const { current, decision: before, lasting } = first
  const vote = before.votes.at(-1)
  const person = vote === undefined ? "" : personKey(vote.person)
  const of = {
    as: { case: current.id, decision: before.id, person },
    reason: vote?.reason ?? null,
    until: lasting.until,
  }
  // Whoever asked is told on the first card.
  const told = andThen(opened, (now) => ({ next: { ...now, informed: true }, events: [] }))
  const made: RepeatDecision = {
    id: repeatIdOf(ports.seal, told.next, of),
    verb: "reject",
    votes: [],
    at,
    by: "again",
    ...of,
  }
  const { decision, body, receipt } = await freezeVerdict(ports, told.next, made)
  return andThen(told, (now) => decide(now, decision, body, receipt))
}

/** Opens the case and leaves it undecided: the pending record keeps the run stopped. */
function looped(opened: Step, { current, lasting }: First, at: number): Step {
  return andThen(opened, (now) => leaveLooped(now, { case: current.id, until: lasting.until }, at))
}

async function tellLoop(ports: Ports, current: Case, first: First): Promise<void> {
  const { id: caseId, instance, approvalId: approval } = current
  const hint = "its run stands still until somebody presses Ask Me Again on the first card (docs/approving.md)"
  ports.alarm({ code: "asked-in-a-loop", caseId, instance, approval, first: first.current.id, hint })
  await scheduleDeadline(ports, current)
}
