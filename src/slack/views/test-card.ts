// The card by which an operator tests the way to a channel and back. It is about no case, and a press decides nothing.
import { actionIds } from "../ids.ts"
import { bold, code, type Line, mrkdwn, rich, say, sentence, stack } from "../lines/spans.ts"
import type { Message } from "./card.ts"
import { plainButton } from "./case-buttons.ts"
import { words } from "./words.ts"

/** The value of its button: no case, no route, no digest. `readTarget` refuses it. */
export const testValue = "test"

/** The card. Its one button casts no vote, and the message has no metadata by which a search finds cards. */
export function testCard(installation: string): Message {
  const lines: readonly Line[] = [
    [bold("This is a test card.")],
    sentence`Installation ${code(installation)} can post here. Nothing is asked, and no press decides anything.`,
    [say("Press the button: if presses reach the bot, it answers you, and you alone.")],
  ]
  const button = plainButton(actionIds.test, "Test the Way Back", testValue)
  return {
    text: lines.map(mrkdwn).join("\n"),
    blocks: [rich(stack(lines)), { type: "actions", block_id: "test", elements: [button] }],
  }
}

/** The answer to the person who pressed it. */
export function testAnswer(): Message {
  return words([bold("Your press arrived."), say(" It was on a test card: nothing was decided.")])
}
