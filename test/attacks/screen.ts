// What people see in a seed, and how long they wait for it.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { isLive, isOf } from "../faults/screen.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Asked, Stage } from "./stage.ts"

/** How long people wait for what they see next, in ms of simulated time. */
const patienceMs = 3_000

/** Waits for something to be seen, for 3 s if nothing else is said; null if it is not. */
export function waitFor<T>({ sandbox }: Stage, look: () => T | undefined, limitMs = patienceMs): Promise<T | null> {
  return sandbox.waitFor(look, { limitMs }).catch(() => null)
}

/** The card of an approval, while it can be pressed. */
export function cardOf({ sandbox }: Stage, { tool }: Asked): PostedMessage | undefined {
  return sandbox.messages(sandboxCast.approvals).findLast((message) => isOf(message, tool) && isLive(message))
}

/** An approval by a number that was drawn. */
export function pick(stage: Stage, approval: number): Asked | undefined {
  return stage.asked[approval % Math.max(1, stage.asked.length)]
}

/** How much is said to somebody or about them. */
export function heardBy({ sandbox }: Stage, person: string): number {
  const lines = sandbox.workspace.messages.all().filter(({ threadTs }) => threadTs !== undefined)
  const about = lines.filter(({ text, blocks }) => `${text} ${wordsOf(blocks)}`.includes(person))
  return about.length + sandbox.ephemerals(person).length
}
