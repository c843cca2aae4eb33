// Reveal: an approver sees what is masked. The ledger says so before they see it, and their vote says so afterwards (R4).
import { personKey, type SlackId } from "../domain/people/person.ts"
import { noteReveal } from "../domain/case/steps.ts"
import { advanceCase, readCase } from "./access.ts"
import { type JudgePorts, judgePerson } from "./judgement.ts"
import type { Ports } from "./ports.ts"

/** Opens the masks of a view that we opened for this person. False if it is not theirs, or they may not decide, or the case moved on. */
export async function reveal(
  ports: JudgePorts & Pick<Ports, "store" | "views">,
  viewId: string,
  person: SlackId,
): Promise<boolean> {
  const view = await ports.views.read(viewId)
  if (view === null || personKey(view.person) !== personKey(person)) return false
  const current = await readCase(ports, view.caseId)
  if (current === null || current === "frozen" || current.state !== "open") return false
  if (current.revision.number !== view.revision || !(await judgePerson(ports, current, person, "reject")).ok)
    return false
  const { number } = current.revision
  const noted = await advanceCase(ports, current, (now) =>
    now.revision.number === number ? noteReveal(now, person, ports.clock()) : null,
  )
  if (noted.revision.number !== number) return false
  // What is shown from now on is not what was read before.
  await ports.views.remember({ ...view, revealed: true, pages: 0 })
  return true
}
