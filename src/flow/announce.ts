// Announce: an approval that nobody knew becomes a case, and its cards go out if there is room for them.
import type { Approval } from "../domain/content/approval.ts"
import type { Case } from "../domain/case/case.ts"
import { openCase } from "../domain/case/steps.ts"
import { FlowError } from "./access.ts"
import type { Committed, Ports } from "./ports.ts"
import { setClock } from "./set-clock.ts"

export type AnnouncePorts = Pick<Ports, "installation" | "store" | "room" | "jobs" | "policy" | "clock" | "alarm">

/**
 * Opens the case of an approval and has its cards posted. Without room for them it waits, and is listed (R20). If another replica was
 * faster, it was opened there.
 */
export async function announce(ports: AnnouncePorts, approval: Approval): Promise<void> {
  const done = await open(ports, approval)
  if (done === null) return
  await setClock(ports, done)
  if (done.cards.length === 0)
    ports.alarm({ code: "no-rule", caseId: done.id, approval: approval.id, instance: approval.instance })
  else if (done.room.given) await ports.jobs.present(done.id)
}

/** The case as it was opened now; null if it was open already. */
async function open(ports: AnnouncePorts, approval: Approval): Promise<Case | null> {
  const { installation, policy } = ports
  const opening = { installation, approval, policy, epoch: await ports.store.epoch(), at: ports.clock() }
  const attempt = (room: boolean): Promise<Committed> => {
    const { next, events } = openCase({ ...opening, room })
    const commit = { next, expectedVersion: 0, events }
    return ports.store.commit(room ? { ...commit, within: ports.room } : commit)
  }
  const first = await attempt(true)
  const done = first.kind === "full" ? await attempt(false) : first
  if (done.kind === "config") throw new FlowError("other-config", openCase(opening).next.id)
  return done.kind === "committed" ? done.case : null
}
