// Show: all that people see of a case outside their own acts: its cards and threads, its twin, and the outcome for whoever asked.

import type { Again } from "./claim.ts"
import { type InformPorts, informRequester } from "./inform.ts"
import { type JudgeOutsidePorts, judgeOutside } from "./judge-outside.ts"
import { type PresentPorts, present } from "./present.ts"
import { type TiePorts, tie } from "./tie.ts"

export type ShowPorts = PresentPorts & TiePorts & InformPorts & JudgeOutsidePorts

/**
 * Presents a case, ties it to its twin, and, once it ended, holds a decision made elsewhere against the rules and has the requester told. Gives
 * back when it wants to be shown again.
 */
export async function show(ports: ShowPorts, caseId: string): Promise<Again> {
  const again = await present(ports, caseId)
  await tie(ports, caseId)
  // In this order: only who was looked for lets the case close.
  const outside = await judgeOutside(ports, caseId)
  const informed = await informRequester(ports, caseId)
  return outside || informed ? present(ports, caseId) : again
}
