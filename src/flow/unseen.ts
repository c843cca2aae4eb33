// Unseen: whether what somebody approved from could not show everything. Computed again at the vote, from the case as it is (R4).
import type { Case } from "../domain/case/case.ts"
import { faceOf } from "../domain/case/card-model.ts"
import type { OpenedView, Ports, Shown } from "./ports.ts"
import type { VotePress } from "./press.ts"

/** True if an approval was pressed where not all of the content was shown. Rejecting needs no sight. */
export function isUnseen(
  ports: Pick<Ports, "surfaces">,
  current: Case,
  press: VotePress & { readonly view: OpenedView | null },
): boolean {
  if (press.verb === "reject") return false
  const shown = shownBy(press.view)
  return shown === null || !ports.surfaces.carries(faceOf(current, press.target.route), shown)
}

/** What stood in front of the person; null for a form that was opened to do something else. */
function shownBy(view: OpenedView | null): Shown | null {
  if (view === null) return { kind: "card" }
  if (view.purpose === "form" && view.verb !== "approve") return null
  const { pages, revealed } = view
  return pages === null ? { kind: "card" } : { kind: "details", pages, revealed }
}
