// Again: who acted in a view and was not counted, though the case is still open, finds the case as it is now below the answer.
import { personKey } from "../domain/people/person.ts"
import type { Answer } from "./answer.ts"
import { details, type LookPorts } from "./looking.ts"
import { type Again, isPortError, type Ports } from "./ports.ts"
import type { Press } from "./press.ts"

export type AgainPorts = LookPorts & Pick<Ports, "views" | "log">

const kinds: readonly Answer["kind"][] = [
  "changed",
  "reopened",
  "reason-missing",
  "input-missing",
  "late",
  "withdrawn",
  "asked-anew",
  "unseen",
]

/** The case as the person may see it now, with their view on record for it (R18). Undefined where the answer is all that can be said. */
export async function againFor(ports: AgainPorts, press: Press, answer: Answer): Promise<Again | undefined> {
  if (press.replyTo.kind !== "view" || !kinds.includes(answer.kind)) return undefined
  try {
    return await shownAgain(ports, press, press.replyTo.viewId)
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("not-shown-again", { caseId: press.target.caseId, error })
    return undefined
  }
}

async function shownAgain(ports: AgainPorts, press: Press, viewId: string): Promise<Again | undefined> {
  const { person, target } = press
  const view = await ports.views.read(viewId)
  if (view?.caseId !== target.caseId || personKey(view.person) !== personKey(person)) return undefined
  const shown = await details(ports, target.caseId, person, target.route === "" ? null : target.route)
  const open = shown?.face.status.kind === "open" || shown?.face.status.kind === "unapprovable"
  if (shown === null || !open) return undefined
  const { revision, digest } = shown.face
  // What is masked is masked anew: revealing was about what was shown before.
  const anew = { revision, digest: digest.slice(0, 16), purpose: "details", verb: null } as const
  await ports.views.remember({ ...view, ...anew, revealed: false, pages: 1 })
  return { details: shown, place: view.place }
}
