// Tie: a team's row and a member's row about one call are two cases; each card links the other.
import type { Card, Case } from "../domain/case/case.ts"
import { pointTo, twinOf } from "../domain/case/related-approval.ts"
import { advanceCase, readCase } from "./access.ts"
import type { Ports } from "./ports.ts"

export type TiePorts = Pick<Ports, "store" | "chat" | "jobs" | "clock" | "alarm">

/** Ties a case to its twins, in both directions, with links to the cards that hang by now. Run twice it changes nothing. */
export async function tie(ports: TiePorts, caseId: string): Promise<void> {
  const current = await readOpen(ports, caseId)
  if (current === null || current.calls.length === 0) return
  const ids = await ports.store.about(current.instance, current.calls)
  for (const id of ids.filter((one) => one !== caseId)) {
    const other = await readOpen(ports, id)
    if (other === null) continue
    await point(ports, current, other)
    await point(ports, other, current)
  }
}

async function readOpen(ports: TiePorts, caseId: string): Promise<Case | null> {
  const current = await readCase(ports, caseId)
  return current === "frozen" || current?.approval === null ? null : current
}

/** What Redis names is no authority (R14): the two are twins only if their own contents say so. */
async function point(ports: TiePorts, from: Case, to: Case): Promise<void> {
  const of = from.approval === null || to.approval === null ? null : twinOf(from.approval, to.approval)
  if (of === null) return
  const place = placeOf(from, to)
  const link = place === null ? null : await ports.chat.linkTo(place)
  const after = await advanceCase(ports, from, (now) =>
    now.state === "closed" || now.state === "frozen" ? null : pointTo(now, { caseId: to.id, of, link }),
  )
  if (after.version !== from.version) await ports.jobs.present(from.id)
}

/** The other's card on a channel that both hang in, else on any. A card in somebody's direct messages is nobody else's to open. */
function placeOf(from: Case, to: Case): Card["place"] {
  const hanging = to.cards.filter((card) => card.place !== null && card.route.startsWith("channel:"))
  const shared = hanging.find((card) => from.cards.some((one) => one.route === card.route))
  return (shared ?? hanging[0])?.place ?? null
}
