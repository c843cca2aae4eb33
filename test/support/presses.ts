// Presses as people do: on the card in the channel, or in a view that the bot opened for them.
import { type Case, cardOn } from "../../src/domain/case/case.ts"
import type { Target, VoteInteraction, WithdrawInteraction } from "../../src/flow/ports/interaction.ts"
import type { OpenedView } from "../../src/flow/ports.ts"
import { team } from "./builders.ts"
import type { World } from "./memory-ports.ts"

/** What a press may differ in; `user` is short for the person of our workspace. */
export type PressChanges = Partial<VoteInteraction | WithdrawInteraction> & {
  readonly user?: string
  readonly route?: string
}

/** What a surface on this route says of the case as it is. */
export function aTarget({ installation, id, revision, chain }: Case, route: string): Target {
  const { number, digest } = revision
  const bound = { era: chain.era, count: chain.count }
  return { installation, caseId: id, route, revision: number, digest: digest.slice(0, 16), bound }
}

/** A press of Approve by U1, just now, on the card of the case's first route, about what the case shows now. */
export function aPress(world: World, current: Case, changes: PressChanges = {}): VoteInteraction | WithdrawInteraction {
  const { user = "U1", route = current.cards[0]?.route ?? "channel:C1", ...rest } = changes
  const place = cardOn(current, route)?.place ?? { channel: "C1", ts: "0.0" }
  const responseUrl = world.chat.responseUrl(place)
  return {
    interaction: `click of ${user} at ${world.clock.now()}`,
    person: { team, user },
    name: `Name of ${user}`,
    at: world.clock.now(),
    target: aTarget(current, route),
    on: { kind: "card", place },
    surface: "card",
    verb: "approve",
    reason: null,
    values: null,
    replyTo: { kind: "response", responseUrl, channel: place.channel, user },
    ...rest,
  }
}

/** A Details view of the case as it is, opened for U1. */
export function aView(current: Case, changes: Partial<OpenedView> & { readonly user?: string } = {}): OpenedView {
  const { user = "U1", ...rest } = changes
  const { number: revision, digest } = current.revision
  const shown = { caseId: current.id, route: current.cards[0]?.route ?? "", revision, digest }
  return {
    viewId: "V1",
    person: { team, user },
    ...shown,
    purpose: "details",
    reviewed: false,
    revealed: false,
    pagesOpened: 1,
    pageSize: "large",
    verb: null,
    place: null,
    ...rest,
  }
}
