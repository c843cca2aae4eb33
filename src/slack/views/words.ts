// A message that says one thing in words.
import { type Line, mrkdwn, rich } from "../lines/spans.ts"
import type { Message } from "./card.ts"

/** A message that says one thing. */
export function words(line: Line): Message {
  return { text: mrkdwn(line), blocks: [rich(line)] }
}
