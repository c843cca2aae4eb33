// The facts of a case below its headline: who asks, for whom, where and since when.
import type { Face } from "../domain/face.ts"
import { NAME_UNITS } from "./headline.ts"
import type { Lens } from "./lens.ts"
import { bold, type Line, moment, say } from "./spans.ts"

/** One line a fact; what the platform does not say is left out, but for the requester. */
export function factLines(face: Face, lens: Lens): readonly Line[] {
  const { approval, summary } = face
  const line = (name: string, value: string | null | undefined): readonly Line[] =>
    value === null || value === undefined ? [] : [[bold(`${name}: `), say(lens.word(value, NAME_UNITS))]]
  return [
    ...line("Requested by", summary.requester ?? "nobody is named"),
    ...line("Agent", agentOf(face)),
    ...line("Team", approval?.teamId),
    ...line("Workflow", approval?.workflowId),
    ...line("Instance", face.instance),
    [bold("Waiting since: "), moment(summary.createdAt ?? face.openedAt)],
    ...(approval === null || approval.expiresAt === null ? [] : [[bold("Until: "), moment(approval.expiresAt)]]),
  ]
}

/** The agent by name and id, each once. */
function agentOf({ approval, summary }: Face): string | null {
  const id = approval?.agentId ?? null
  if (summary.agent === null || id === null || summary.agent === id) return summary.agent ?? id
  return `${summary.agent} (${id})`
}
