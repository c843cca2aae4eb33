// Recall: an approval that we decided, and of which Redis forgot all soon after, gets its case again, as it ended (R17).
import type { Approval } from "../domain/content/approval.ts"
import { caseIdOf } from "../domain/case/case.ts"
import { openCase } from "../domain/case/steps.ts"
import { originOf } from "./body.ts"
import { forgetfulMs } from "./ports/store.ts"
import type { Ports } from "./ports.ts"
import { type SettlePorts, settleByRecord } from "./settle.ts"

export type RecallPorts = SettlePorts & Pick<Ports, "installation" | "policy">

/** What was resolved longer ago, in ms, Redis does not forget: a case that is gone was removed then, which `retention` does after a day or more. */
const recentMs = 600_000

/**
 * Looks through decided records while Redis may have forgotten something. Who decided is lost with the votes: the case says that it was recovered,
 * and an alarm says so too. A record that does not carry our mark is nobody's case.
 */
export async function recall(ports: RecallPorts, decided: readonly Approval[]): Promise<void> {
  if ((await ports.store.upForMs()) >= forgetfulMs) return
  for (const record of decided.filter((one) => isRecent(one, ports.clock()))) await recallOne(ports, record)
}

function isRecent({ resolvedAt }: Approval, now: number): boolean {
  return resolvedAt !== null && Math.abs(now - resolvedAt) < recentMs
}

async function recallOne(ports: RecallPorts, approval: Approval): Promise<void> {
  const { installation, policy, store } = ports
  const { instance, id } = approval
  const caseId = caseIdOf(installation, instance, id)
  if ((await store.read(caseId)) !== null) return
  const { next, events } = openCase({ installation, approval, policy, epoch: await store.epoch(), at: ports.clock() })
  if (originOf(ports.seal, next, approval).kind !== "lost") return
  const done = await store.commit({ next, expectedVersion: 0, events })
  if (done.kind !== "committed") return
  ports.alarm({ code: "decision-recalled", caseId, instance, approval: id, hint: "Redis lost who decided it" })
  await settleByRecord(ports, done.case, approval)
}
