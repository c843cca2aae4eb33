// Finds the case that somebody means by an id. What they may not see is not found (R8).
import { caseIdOf } from "../domain/case.ts"
import type { SlackId } from "../domain/person.ts"
import type { Details } from "../flow/inbound.ts"
import type { Desk } from "./listener.ts"

/** By the case's id, by the approval's id on any instance, or by an unmistakable beginning of either among what waits. */
export async function findCase(desk: Desk, person: SlackId, id: string): Promise<Details | null> {
  const ids = /^[0-9a-f]{20}$/.test(id) ? [id] : []
  const derived = desk.instances().map((instance) => caseIdOf(desk.installation, instance, id))
  for (const caseId of [...ids, ...derived]) {
    const details = await desk.inbound.details(caseId, person, null)
    if (details !== null) return details
  }
  if (id.length < 4) return null
  const { faces } = await desk.inbound.list(person, {
    mine: false,
    filter: { beginning: id },
    offset: 0,
    limit: Number.POSITIVE_INFINITY,
  })
  const [found, ...others] = faces.filter((face) => face.caseId.startsWith(id) || face.approvalId.startsWith(id))
  return found === undefined || others.length > 0 ? null : desk.inbound.details(found.caseId, person, null)
}
