// Lets people vote in stories about attacks, and waits until each vote counts.
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "../stories/a-world.ts"
import { ask, card, cardSaying, press, until, viewSays } from "../stories/acts.ts"
import { plainRule, sandboxCast, type World } from "../stories/world.ts"
import { anAttacker, logged, onScreen } from "./acts.ts"

/** A rule that takes two approvals. */
export const pair = `${plainRule}\n    quorum: 2`

/** A world in which Alice gave the first of two approvals, her card as it is on the screen, and an attacker. */
export async function halfApproved() {
  const here = await aWorld({ rules: pair })
  const attacker = anAttacker(here)
  const asked = await ask(here)
  await approveOf(here, sandboxCast.alice)
  const half = await cardSaying(here, "must approve; 1 has")
  return { here, attacker, asked, seen: onScreen(here, half.ts) }
}

/** The first vote on the only card of a world, until the log tells of it. */
export async function approveOf(here: World, person: string): Promise<void> {
  await press(here, person, await card(here), "approve")
  await logged(here, "voted")
}

/** Somebody takes their vote back in Details, and is told that it is withdrawn. */
export async function withdrawn(here: World, person: string): Promise<void> {
  const { channel, ts } = await card(here)
  await here.sandbox.click(person, { channel, ts }, actionIds.details)
  const offered = () => {
    const view = here.sandbox.openView(person)
    return JSON.stringify(view?.definition.blocks ?? []).includes(actionIds.withdraw) ? view : undefined
  }
  const view = await until("Details to offer that", offered)
  await here.sandbox.click(person, view.id, actionIds.withdraw)
  await viewSays(here, person, "Your vote is withdrawn")
}
