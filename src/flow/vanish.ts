// Vanish: an approval that the platform says it does not know is believed gone only after it was asked for more than once.
import type { Case } from "../domain/case/case.ts"
import { allAccountedFor, forgetMisses, miss, settle } from "../domain/case/verdict.ts"
import { advanceCase } from "./access.ts"
import { type CorroboratePorts, corroborate } from "./corroborate.ts"
import type { Ports } from "./ports.ts"

export type VanishPorts = CorroboratePorts & Pick<Ports, "alarm" | "jobs">

/** It is believed after so many answers of 404 … */
const missesToVanish = 3
/** … over so many ms (`docs/platform-facts.md`, traps 1 and 2) while the list names others that we know, … */
const vanishMs = 10_000
/** … or this many where we know of no other, or while a POST of ours may still be under way: a platform in trouble loses all of them. */
const vanishInDoubtMs = 600_000

/**
 * Counts a miss of an open or sending case if the platform's list bears it out, and settles the case once the approval is believed gone. Returns
 * the case as it is then.
 */
export async function countMiss(ports: VanishPorts, current: Case): Promise<Case> {
  const at = ports.clock()
  const borneOut = await corroborate(ports, current)
  if (borneOut === "no") return advanceCase(ports, current, (now) => (isWaiting(now) ? forgetMisses(now) : null))
  const alone = borneOut === "alone"
  const missed = await advanceCase(ports, current, (now) => (isCounted(now, alone) ? null : miss(now, at, alone)))
  const { times = 0, since = at } = missed.missing ?? {}
  const underWay = missed.state === "sending" && !allAccountedFor(missed)
  const patience = underWay || alone ? vanishInDoubtMs : vanishMs
  if (!isWaiting(missed) || times < missesToVanish || at - since < patience) return missed
  const { id: caseId, approvalId: approval } = current
  ports.alarm({ code: "approval-vanished", caseId, approval, hint: "its run is stranded" })
  const gone = await advanceCase(ports, missed, (now) =>
    isWaiting(now) ? settle(now, { kind: "vanished", at }, { kind: "vanished", at }) : null,
  )
  await ports.jobs.present(caseId)
  return gone
}

/** True if one more miss says nothing new: there are enough, and only time has to pass. */
function isCounted(current: Case, alone: boolean): boolean {
  const { missing } = current
  const same = missing !== null && (missing.alone === true) === alone
  return !isWaiting(current) || (same && missing.times >= missesToVanish)
}

function isWaiting(current: Case): boolean {
  return current.state === "open" || current.state === "sending"
}
