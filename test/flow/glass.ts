// What the tests of breaking glass start from: a rule with it, and a person who breaks it in Details.

import { cardOn } from "../../src/domain/case/case.ts"
import type { BreakGlass, Rule } from "../../src/domain/rule/rule.ts"
import type { ReviewInteraction } from "../../src/flow/ports/interaction.ts"
import { aPerson, aPolicy, aRule, team } from "../support/builders.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { aPress, aTarget, aView, type PressChanges } from "../support/presses.ts"
import { announced, carried, caseOf } from "./support.ts"

/** Approvers by their Slack ids. */
export const users = (...ids: readonly string[]): Rule["approvers"] => ids.map((id) => ({ kind: "user", id }))
/** U5 may break the glass, and U6 looks at it. */
export const glass: BreakGlass = {
  approvers: users("U5"),
  reviewers: users("U6"),
  route: { kind: "channel", id: "C9" },
  withinMs: 86_400_000,
}

/** Two of U1, U2 and U3 must agree, or somebody breaks the glass. */
export function aGlassRule(changes: Partial<Rule> = {}): Rule {
  return aRule({ name: "payments", quorum: 2, approvers: users("U1", "U2", "U3"), breakGlass: glass, ...changes })
}

/** A world with these rules, or the one above, and U5, U6 and U7 besides. */
export function aGlassWorld(...rules: readonly Rule[]): World {
  const world = createWorld({ policy: aPolicy(rules.length === 0 ? [aGlassRule()] : rules) })
  for (const user of ["U5", "U6", "U7"]) world.people.set(aPerson({ user }))
  return world
}

/** The form by which somebody breaks the glass, opened in Details and sent, as it arrives. */
export async function aBreaking(world: World, changes: PressChanges = {}, id = "a-1") {
  const { user = "U5" } = changes
  const current = caseOf(world, id)
  const view = { user, purpose: "form", verb: "approve", glass: true } as const
  await world.ports.views.remember(aView(current, view))
  const on = { kind: "view", viewId: "V1" } as const
  const said = { surface: "form", glass: true, reason: "the shop is down", ...changes } as const
  return aPress(world, current, { user, on, interaction: `${id} ${user} breaks`, ...said })
}

/** Somebody breaks the glass in a form that was opened in Details. */
export async function breakGlass(world: World, changes: PressChanges = {}, id = "a-1") {
  return carried(world, await aBreaking(world, changes, id))
}

/** What a review may differ in; `user` is short for the person of our workspace. */
type ReviewChanges = Partial<ReviewInteraction> & { readonly user?: string }

/** A reviewer's press on the card of the review, or their form of "It Was Not…". */
export function aReview(world: World, changes: ReviewChanges = {}, id = "a-1"): ReviewInteraction {
  const { user = "U6", ...rest } = changes
  const current = caseOf(world, id)
  const route = "channel:C9"
  const place = cardOn(current, route)?.place ?? { channel: "C9", ts: "0.0" }
  const said = { verb: "review", right: true, reason: null } as const
  return {
    interaction: `${id} ${user} reviews ${world.clock.now()}`,
    person: { team, user },
    name: `Name of ${user}`,
    at: world.clock.now(),
    target: aTarget(current, route),
    on: { kind: "card", place },
    surface: "card",
    replyTo: { kind: "response", responseUrl: world.chat.responseUrl(place), channel: place.channel, user },
    ...said,
    ...rest,
  }
}

/** A reviewer says whether it was right. */
export function review(world: World, changes: ReviewChanges = {}, id = "a-1") {
  return carried(world, aReview(world, changes, id))
}

/** A world in which U5 broke the glass of `a-1` and every card stands. */
export async function brokenWorld(...rules: readonly Rule[]): Promise<World> {
  const world = aGlassWorld(...rules)
  await announced(world)
  await breakGlass(world)
  await world.queue.runDue(world.ports)
  return world
}
