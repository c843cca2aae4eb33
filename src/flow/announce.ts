// Announce: an approval that nobody knew becomes a case, and its cards go out.
import type { Approval } from "../domain/approval.ts"
import { openCase } from "../domain/steps.ts"
import { FlowError } from "./access.ts"
import type { Ports } from "./ports.ts"

export type AnnouncePorts = Pick<Ports, "installation" | "store" | "jobs" | "policy" | "clock" | "alarm">

/** Opens the case of an approval and has its cards posted. If another replica was faster, it was opened there. */
export async function announce(ports: AnnouncePorts, approval: Approval): Promise<void> {
  const { installation, policy } = ports
  const step = openCase({ installation, approval, policy, epoch: await ports.store.epoch(), at: ports.clock() })
  const done = await ports.store.commit({ next: step.next, expectedVersion: 0, events: step.events })
  if (done.kind === "config") throw new FlowError("other-config", step.next.id)
  if (done.kind !== "committed") return
  if (done.case.cards.length === 0)
    ports.alarm({ code: "no-rule", caseId: done.case.id, approval: approval.id, instance: approval.instance })
  else await ports.jobs.present(done.case.id)
}
