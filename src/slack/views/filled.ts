// What approvers filled in, as literal text: the next voter decides on the same values, or sees that theirs differ (R3).
import type { RichTextBlock } from "@slack/types"
import { preformatted } from "../../blockkit/text.ts"
import type { Face } from "../../domain/face.ts"
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import { writeArguments } from "../text/argument-text.ts"
import { type Line, mention, say, section } from "../text/spans.ts"
import type { Lens } from "../text/text-fitter.ts"

/** What one person filled in, under its label. */
export interface Filled {
  readonly label: Line
  readonly body: string
}

const CARD_UNITS = 800
const SHOWN = 3

/** What each voter filled in, whole, in the order of the votes. */
export function filledIn(face: Face): readonly Filled[] {
  return face.votes.flatMap(({ user, values }) =>
    values === null ? [] : [{ label: [mention(user), say(" filled in")], body: writeFilled(values) }],
  )
}

/** The same as blocks of a card; what does not fit is folded. */
export function filledBlocks(face: Face, lens: Lens): readonly RichTextBlock[] {
  const all = filledIn(face)
  if (all.length > SHOWN) lens.omit()
  return all.slice(0, SHOWN).map(({ label, body }) => {
    const { elements } = preformatted(lens.text(body, CARD_UNITS))
    return { type: "rich_text", elements: [section(label), ...elements] }
  })
}

function writeFilled({ values, result }: JsonObject): string {
  const parts = [
    ...(isJsonObject(values) ? [writeArguments(values)] : []),
    ...(typeof result === "string" ? [`result:\n${result}`] : []),
  ]
  return parts.join("\n\n")
}
