// The card by which an operator tests the way to a channel and back. It is about no case, and a press decides nothing.
import { actionIds } from "../ids.ts"
import { mrkdwn, rich, stack } from "../lines/spans.ts"
import { buttonWords } from "../text/button-words.ts"
import { testAnswered, testLines } from "../text/card-words.ts"
import type { Message } from "./card.ts"
import { plainButton } from "./case-buttons.ts"
import { words } from "./words.ts"

/** The value of the card's button: no case, no route, no digest. `readTarget` refuses it. */
export const testValue = "test"

/** The card. Its one button casts no vote, and the message has no metadata by which a search finds cards. */
export function testCard(installation: string): Message {
  const lines = testLines(installation)
  const button = plainButton(actionIds.test, buttonWords.test, testValue)
  return {
    text: lines.map(mrkdwn).join("\n"),
    blocks: [rich(stack(lines)), { type: "actions", block_id: "test", elements: [button] }],
  }
}

/** The answer to the person who pressed that button. */
export function testAnswer(): Message {
  return words(testAnswered)
}
