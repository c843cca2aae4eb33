// Verdicts that are not posted (R9): one to approve that a stop covers (R21), and one that is doubtful. Whoever made a
// stopped one and has not posted it ends it at once. Nobody else knows whether it left: it is only read, and ends if
// the platform does not have it.
import type { Case, Step } from "../../domain/case/case.ts"
import { accountAttempt, allAccountedFor, doubtStopped, reopen } from "../../domain/case/verdict.ts"
import { advance, underAnyConfig } from "../case/commit.ts"
import type { Ports } from "../ports.ts"
import { withSums } from "./sums-after.ts"

/**
 * If the record of a doubtful verdict is still pending after this many ms, the verdict ends: by then no earlier POST is
 * under way.
 */
export const doubtfulMs = 60_000

/** Why a verdict ended that a stop covers. */
const stoppedWhy = "it was stopped before it was sent, and the platform does not have it"

const notSent = "not sent: it was stopped"

/** For how long a POST may be under way, in ms: it waits for a connection for twice the instance's time limit. */
function longestPostMs({ conduct }: Pick<Ports, "conduct">, { instance }: Case): number {
  return Math.max(doubtfulMs, 3 * (conduct.get(instance)?.timeoutMs ?? 0))
}

/**
 * Notes that this process did not send a POST (counted from 1), and ends the verdict if no earlier one can arrive. This
 * takes an approval away and rests on no rule, so it is committed under any config. Returns the case as it is then.
 */
export async function holdBack(ports: Ports, current: Case, attempt: number): Promise<Case> {
  const noted = await taken(ports, current, (now) => accountAttempt(now, attempt, { result: notSent }, ports.clock()))
  const ended = await endStopped(ports, noted)
  if (ended.state === "sending") await ports.jobs.resolve(ended.id, 0)
  return ended
}

/** From now on only reads a verdict that another process may have sent. If certainly nobody has, ends it at once. */
export async function readOnly(ports: Ports, current: Case): Promise<void> {
  const ended = await endStopped(ports, current)
  if (ended.state !== "sending") return
  const at = (await ports.store.sharedClock())()
  const doubted = await taken(ports, ended, (now) => doubtStopped(now, at))
  await ports.jobs.present(current.id)
  if (doubted.state === "sending") await ports.jobs.resolve(current.id, longestPostMs(ports, current))
}

/** Ends a verdict of which certainly no POST arrives. Else returns the case as it is. */
async function endStopped(ports: Ports, current: Case): Promise<Case> {
  const open = await taken(ports, current, (now) =>
    allAccountedFor(now) ? reopen(now, stoppedWhy, ports.clock()) : null,
  )
  if (open.state === "sending") return open
  await ports.jobs.present(current.id)
  await ports.jobs.reconcile(current.id)
  return open
}

/** Makes a step of the verdict that we read, under any config. */
async function taken(ports: Ports, read: Case, step: (now: Case) => Step | null): Promise<Case> {
  const done = await advance(underAnyConfig(ports), read, async (now) => {
    const made = isSending(now, read) ? step(now) : null
    return made === null ? null : withSums(ports, now, made)
  })
  return done.kind === "duplicate" ? read : done.case
}

/** R9's exceptions: only reads a doubtful verdict, and ends it if the platform does not have it. */
export async function waitForRecord(ports: Ports, current: Case, since: number): Promise<void> {
  const stopped = current.sending?.stopped === true
  const waitMs = stopped ? longestPostMs(ports, current) : doubtfulMs
  const left = since + waitMs - (await ports.store.sharedClock())()
  if (left > 0) return ports.jobs.resolve(current.id, left)
  const why = stopped ? stoppedWhy : "Redis lost what became of it, and the platform does not have it"
  const open = await reopened(ports, current, (now) =>
    isSending(now, current) ? reopen(now, why, ports.clock()) : null,
  )
  await ports.jobs.present(open.id)
  await ports.jobs.reconcile(open.id)
}

/** True while we are still sending the verdict that we read. It may have ended, and another may have begun. */
export function isSending(now: Case, read: Case): boolean {
  return now.state === "sending" && now.decision?.id === read.decision?.id
}

/** Ends a verdict without effect. If the POSTs certainly had none, takes away what the verdict added to sums. */
export async function reopened(ports: Ports, current: Case, step: (now: Case) => Step | null): Promise<Case> {
  const done = await advance(ports, current, async (now) => {
    const made = step(now)
    return made === null ? null : withSums(ports, now, made)
  })
  return done.kind === "duplicate" ? current : done.case
}
