// Inform: when a case has ended, the person who asked for the run gets a card of their own that says how; once, whatever is cut off.
import type { Case } from "../domain/case/case.ts"
import { hasDecided, inform, isUninformed } from "../domain/case/notice.ts"
import type { SlackId } from "../domain/people/person.ts"
import { advanceCase, readCase } from "./access.ts"
import { findRequester, freshMs } from "./identify.ts"
import type { JudgePorts } from "./judgement.ts"
import type { Ports } from "./ports.ts"
import { maySee } from "./sight.ts"

export type InformPorts = JudgePorts & Pick<Ports, "store">

/**
 * Notes who has to be told: the card it adds is posted, found again and settled like any other. Who decided knows already; who may not see
 * the case (R8) is not told. True if the case changed. Throws if Slack does not say who they are: then it is asked again.
 */
export async function informRequester(ports: InformPorts, caseId: string): Promise<boolean> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !isUninformed(current)) return false
  const requester = await toTell(ports, current)
  const after = await advanceCase(ports, current, (now) => (isUninformed(now) ? inform(now, requester) : null))
  return after.version !== current.version
}

async function toTell(ports: InformPorts, current: Case): Promise<SlackId | null> {
  const id = await findRequester(ports, current.summary.requester, ports.policy.identities)
  if (id === null || hasDecided(current, id)) return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? id : null
}
