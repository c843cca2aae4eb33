// What people see in a seed, and how long they wait for it.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { OpenView } from "../../src/sandbox/workspace/views.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { has, isLive, isOf } from "../faults/screen.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Asked, Stage } from "./stage.ts"

/** How long people wait for what they see next, in ms of simulated time. */
const patienceMs = 3_000

/** How long they wait for Details, and for a form. */
const formMs = 6_000

/** Waits for something to be seen, for 3 s if nothing else is said; null if it is not. */
export function waitFor<T>({ sandbox }: Stage, look: () => T | undefined, limitMs = patienceMs): Promise<T | null> {
  return sandbox.waitFor(look, { limitMs }).catch(() => null)
}

/** The card of an approval, while it can be pressed. */
export function cardOf({ sandbox }: Stage, { tool, caseId }: Asked): PostedMessage | undefined {
  const isIts = (message: PostedMessage) => isOf(message, tool) && JSON.stringify(message.blocks).includes(caseId)
  return sandbox.messages(sandboxCast.approvals).findLast((message) => isLive(message) && isIts(message))
}

/** An approval by a number that was drawn. Where agents go on, it is the newest that waits. */
export function pick({ asked, schedule, platform }: Stage, approval: number): Asked | undefined {
  if (schedule.talks) return asked.findLast(({ id }) => platform.waits(id)) ?? asked.at(-1)
  return asked[approval % Math.max(1, asked.length)]
}

/** A view that is open for somebody, if it is the one of that name. */
export function formOf({ sandbox }: Stage, person: string, form: string): OpenView | undefined {
  const view = sandbox.openView(person)
  return view?.definition.callback_id === form ? view : undefined
}

/** Somebody opens Details on the card of an approval, and a form by a button there; null if they cannot. */
export async function formFromDetails(
  stage: Stage,
  person: string,
  asked: Asked,
  { action, form }: { readonly action: string; readonly form: string },
): Promise<{ readonly details: OpenView; readonly form: OpenView } | null> {
  const { sandbox } = stage
  const card = cardOf(stage, asked)
  if (card === undefined) return null
  const opened = await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.details)
  const offered = () => {
    const view = sandbox.openView(person)
    return view !== undefined && has(view.definition.blocks, action) ? view : undefined
  }
  const details = opened.ok ? await waitFor(stage, offered, formMs) : null
  if (details === null) return null
  await sandbox.click(person, details.id, action)
  const filled = await waitFor(stage, () => formOf(stage, person, form), formMs)
  return filled === null ? null : { details, form: filled }
}

/** Waits until somebody hears of what they did; where a ticket waits it may be carried out later. */
export async function heard(
  stage: Stage,
  person: string,
  { before, carriedOut }: { readonly before: number; readonly carriedOut: (at: number) => void },
): Promise<void> {
  const said = await waitFor(stage, () => (heardBy(stage, person) > before ? true : undefined))
  const left = await stage.attacker.tickets()
  if (said !== null && left.size === 0) carriedOut(stage.ground.clock.now())
}

/** How much is said to somebody or about them. */
export function heardBy({ sandbox }: Stage, person: string): number {
  const lines = sandbox.workspace.messages.all().filter(({ threadTs }) => threadTs !== undefined)
  const about = lines.filter(({ text, blocks }) => `${text} ${wordsOf(blocks)}`.includes(person))
  return about.length + sandbox.ephemerals(person).length
}
