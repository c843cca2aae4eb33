// The pages of Details: every call with all that it says, whole, in literal boxes of which each page holds some.
import { partEnd } from "../../blockkit/text.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import { callsOf } from "../../domain/content/approval.ts"
import type { Surfaces } from "../../flow/ports.ts"
import { maskModel, revealModel } from "../text/masking.ts"
import { bold, type Line, say } from "../text/spans.ts"
import { createTextFitter } from "../text/text-fitter.ts"
import { filledIn, fullNames, type LabelledText, labelledCalls } from "./call-blocks.ts"
import { cardOf } from "./card.ts"

/** Text of one literal box. */
const boxUnits = 2_800
/** Literal text of one page. */
const pageBoxes = 3

/** One box of literal text under its label. */
export interface Box {
  readonly label: Line
  readonly text: string
}

/** The pages of a card model, at least one; names that the head shortened come first, calls that are done come last. */
export function pagesOf(model: CardModel): readonly (readonly Box[])[] {
  const calls =
    model.approval === null
      ? []
      : [...labelledCalls(model.approval, createTextFitter()), ...filledIn(model), ...doneCalls(model)]
  const boxes = [...longNames(model), ...calls].flatMap(boxesOf)
  const count = Math.max(1, Math.ceil(boxes.length / pageBoxes))
  return Array.from({ length: count }, (_, index) => boxes.slice(index * pageBoxes, (index + 1) * pageBoxes))
}

function longNames({ approval, summary, instance }: CardModel): readonly LabelledText[] {
  const { agentId = null, teamId = null, workflowId = null } = approval ?? {}
  const names = { agent: summary.agent, agent_id: agentId, requester: summary.requester, instance }
  const body = fullNames({ ...names, team: teamId, workflow: workflowId })
  return body.map((text) => ({ label: [bold("Names")], body: text }))
}

function doneCalls({ approval }: CardModel): readonly LabelledText[] {
  if (approval === null) return []
  const done = callsOf(approval).filter((call) => !call.open)
  const label = [bold("Done already, not part of this decision")]
  return done.length === 0 ? [] : [{ label, body: done.map((call) => call.tool ?? "").join("\n") }]
}

function boxesOf(call: LabelledText): readonly Box[] {
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
    const end = partEnd(text, at, boxUnits)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** What a surface must have shown before it carries an approval (R4): asked when it is drawn, and when it is used. */
export const surfaces: Surfaces = {
  carries: (model, shown) => (shown.kind === "card" ? cardOf(model).complete : isReadToItsEnd(model, shown)),
}

function isReadToItsEnd(truth: CardModel, shown: { readonly pages: number; readonly revealed: boolean }): boolean {
  if (shown.revealed) return shown.pages >= pagesOf(revealModel(truth)).length
  const { model, whole } = maskModel(truth)
  return whole === 0 && shown.pages >= pagesOf(model).length
}
