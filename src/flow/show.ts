// Show: all that people see of a case outside their own acts: its cards and threads, its twin, and the outcome for whoever asked.

import type { Again } from "./claim.ts"
import { type InformPorts, informRequester } from "./inform.ts"
import { type PresentPorts, present } from "./present.ts"
import { type TiePorts, tie } from "./tie.ts"

export type ShowPorts = PresentPorts & TiePorts & InformPorts

/** Presents a case, ties it to its twin, and, once it ended, has the requester told. Gives back when it wants to be shown again. */
export async function show(ports: ShowPorts, caseId: string): Promise<Again> {
  const again = await present(ports, caseId)
  await tie(ports, caseId)
  return (await informRequester(ports, caseId)) ? present(ports, caseId) : again
}
