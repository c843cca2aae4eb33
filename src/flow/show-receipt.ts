// Show a receipt: the signed statement of a decision, on the press of a settled card's button.
import { type Case, cardOn, isSamePlace } from "../domain/case/case.ts"
import { readCase } from "./access.ts"
import type { Answer } from "./answer.ts"
import { freshMs } from "./identify.ts"
import type { ReceiptAsk, ReceiptShown } from "./inbound.ts"
import type { JudgePorts } from "./judgement.ts"
import type { Ports } from "./ports.ts"
import { maySee } from "./sight.ts"

type ReceiptPorts = JudgePorts & Pick<Ports, "installation" | "store" | "keptReceipts">

/** The receipt for somebody who may see the case (R8), from the card on record (R18). One that does not verify is an alarm. */
export async function showReceipt(ports: ReceiptPorts, ask: ReceiptAsk): Promise<ReceiptShown> {
  const { target, person } = ask
  const current = target.installation === ports.installation ? await readCase(ports, target.caseId) : null
  if (current === null) return told({ kind: "unknown-case" })
  if (current === "frozen") return told({ kind: "frozen" })
  if (!(await maySee(ports, current, await ports.people.look(person, freshMs)))) return told({ kind: "unknown-case" })
  if (!isOnCard(current, ask)) return told({ kind: "replaced" })
  if (current.outcome?.kind !== "ours") return { kind: "gone" }
  const { decisionId } = current.outcome
  const kept = await ports.keptReceipts.read(decisionId)
  if (kept.kind === "broken") ports.alarm({ code: "receipt-broken", caseId: current.id, decision: decisionId })
  return kept
}

function told(answer: Answer): ReceiptShown {
  return { kind: "told", answer }
}

function isOnCard(current: Case, { target, place }: ReceiptAsk): boolean {
  return isSamePlace(cardOn(current, target.route)?.place ?? null, place)
}
