// Vanish: an approval that the platform says it does not know is believed gone only after it was asked for more than once.
import type { Case } from "../domain/case.ts"
import { miss, settle } from "../domain/verdict.ts"
import { advanceCase } from "./access.ts"
import type { Ports } from "./ports.ts"

export type VanishPorts = Pick<Ports, "store" | "clock" | "alarm" | "jobs">

/** It is believed after so many answers of 404 … */
const missesToVanish = 3
/** … over so many ms (`facts/agentos.md`, traps 1 and 2), … */
const vanishMs = 10_000
/** … or this many while a POST of ours may still be under way: a platform in trouble loses both. */
const vanishWhileSendingMs = 600_000

/** Counts a miss of an open or sending case, and settles it once the approval is believed gone. Returns the case as it is then. */
export async function countMiss(ports: VanishPorts, current: Case): Promise<Case> {
  const at = ports.clock()
  const missed = await advanceCase(ports, current, (now) => (isWaiting(now) ? miss(now, at) : null))
  const { times = 0, since = at } = missed.missing ?? {}
  const patience = missed.state === "sending" ? vanishWhileSendingMs : vanishMs
  if (!isWaiting(missed) || times < missesToVanish || at - since < patience) return missed
  const { id: caseId, approvalId: approval } = current
  ports.alarm({ code: "approval-vanished", caseId, approval, hint: "its run is stranded" })
  const gone = await advanceCase(ports, missed, (now) =>
    isWaiting(now) ? settle(now, { kind: "vanished", at }, { kind: "vanished", at }) : null,
  )
  await ports.jobs.present(caseId)
  return gone
}

function isWaiting(current: Case): boolean {
  return current.state === "open" || current.state === "sending"
}
