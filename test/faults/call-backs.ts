// Requests that their requester calls back: which seeds have some, and how a person does it.
import { actionIds } from "../../src/slack/ids.ts"
import { createChance } from "./prng.ts"
import type { Act, Schedule } from "./schedule.ts"
import { type Asked, cast, type Doings, detailsOffering, formFor, type Pressed, targetIn } from "./screen.ts"
import type { Stage } from "./stage.ts"

/** Tells this draw of a seed from that of its schedule. */
const salt = 0x39_00_00

/**
 * The schedule with a call-back in one of three seeds, anywhere in one of its stories. Sometimes a person tries who did
 * not ask. It is drawn apart, so that all else stays as it is drawn.
 */
export function withCallBacks(drawn: Schedule): Schedule {
  const { requester } = drawn.terms
  const chance = createChance(drawn.seed + salt)
  if (requester === null || !chance.percent(33) || drawn.stories.length === 0) return drawn
  const person = chance.percent(85) ? requester : "bob"
  const act: Act = { kind: "call-back", person, route: chance.below(drawn.routes) }
  const wait: Act = { kind: "wait", ms: chance.between(0, 3_000) }
  const chosen = chance.below(drawn.stories.length)
  const stories = drawn.stories.map((story, number) => {
    if (number !== chosen) return story
    const before = chance.below(story.length + 1)
    return [...story.slice(0, before), wait, act, ...story.slice(before)]
  })
  return { ...drawn, stories }
}

/** Calls a request back where Details offers that; whoever may not, or is shown an error, leaves it at that. */
export async function callBack(
  stage: Stage,
  doings: Doings,
  asked: Asked,
  { person, route }: Extract<Act, { kind: "call-back" }>,
): Promise<void> {
  const { sandbox, timeline, ground } = stage
  const who = cast[person]
  const offered = await detailsOffering(stage, asked, { who, route }, actionIds.callBack)
  if (offered === null) return timeline.note(person, `is not offered to call ${asked.tool} back`)
  const { view, place } = offered
  const opened = await sandbox.click(who, view.id, actionIds.callBack)
  const form = opened.ok ? await formFor(stage, who) : null
  if (form === null) return timeline.note(person, `is shown no form to call ${asked.tool} back`)
  const shown = targetIn(view.definition.blocks)
  const at = ground.clock.now()
  const asPress = { verb: "reject", card: null, acked: false, inModal: true } as const
  const pressed: Pressed = { asked, person: who, shown, place, at, ...asPress }
  doings.pressed.push(pressed)
  pressed.acked = (await sandbox.submit(who, form.id, {})).ok
  timeline.note(person, `calls ${asked.tool} back: ${pressed.acked}`)
}
