// The pages of Details: every call with all that it says, whole, in literal boxes of which each page holds some.
import { partEnd } from "../../blockkit/text.ts"
import { callsOf } from "../../domain/approval.ts"
import type { Face } from "../../domain/face.ts"
import { bold, type Line, say } from "../text/spans.ts"
import { createLens } from "../text/text-fitter.ts"
import { type LabelledCall, labelledCalls } from "./call-blocks.ts"
import { filledIn } from "./filled.ts"
import { inFull } from "./in-full.ts"

/** Text of one literal box. */
const BOX_UNITS = 2_800
/** Literal text of one page. */
const PAGE_BOXES = 3

/** One box of literal text under its label. */
export interface Box {
  readonly label: Line
  readonly text: string
}

/** The pages of a face, at least one; names that the head had to shorten come first, calls that are done already last. */
export function pagesOf(face: Face): readonly (readonly Box[])[] {
  const calls =
    face.approval === null ? [] : [...labelledCalls(face.approval, createLens()), ...filledIn(face), ...doneCalls(face)]
  const boxes = [...longNames(face), ...calls].flatMap(boxesOf)
  const count = Math.max(1, Math.ceil(boxes.length / PAGE_BOXES))
  return Array.from({ length: count }, (_, index) => boxes.slice(index * PAGE_BOXES, (index + 1) * PAGE_BOXES))
}

function longNames({ approval, summary, instance }: Face): readonly LabelledCall[] {
  const { agentId = null, teamId = null, workflowId = null } = approval ?? {}
  const names = { agent: summary.agent, agent_id: agentId, requester: summary.requester, instance }
  const body = inFull({ ...names, team: teamId, workflow: workflowId })
  return body.map((text) => ({ label: [bold("Names")], body: text }))
}

function doneCalls({ approval }: Face): readonly LabelledCall[] {
  if (approval === null) return []
  const done = callsOf(approval).filter((call) => !call.open)
  if (done.length === 0) return []
  return [
    { label: [bold("Done already, not part of this decision")], body: done.map((call) => call.tool ?? "").join("\n") },
  ]
}

function boxesOf(call: LabelledCall): readonly Box[] {
  const parts = split(call.body)
  return parts.map((text, index) => {
    const part = parts.length === 1 ? [] : [say(` · part ${index + 1} of ${parts.length}`)]
    return { label: [...call.label, ...part], text }
  })
}

/** A text in pieces that fit into a box each once they are visible; together they are the whole. */
export function split(text: string): readonly string[] {
  if (text === "") return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at, BOX_UNITS)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}
