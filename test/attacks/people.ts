// Does the honest acts of a seed. Tells each to the oracle, and waits for it as long as people would wait.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { has, targetOn } from "../faults/screen.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Oracle } from "./oracle.ts"
import type { TalkOracle } from "./oracle-talk.ts"
import { oversee } from "./oversight.ts"
import type { Act } from "./schedule.ts"
import { cardOf, heardBy, pick, waitFor } from "./screen.ts"
import { address, holders, idOf, lastRevision, rulesOf } from "./settings.ts"
import { type Asked, askOne, type Stage } from "./stage.ts"
import { endStops, stopCalls } from "./stops.ts"
import { talk } from "./talk.ts"

/** A world with its oracle. */
export interface Watched {
  readonly stage: Stage
  readonly oracle: Oracle
  /** The oracle of what is proposed: it knows who approves other rules. */
  readonly changes: Oracle
  /** The part of the oracle that knows what people said of earlier calls. */
  readonly talk: TalkOracle
  /** The next verdict that is sent is refused. */
  refuseNext: () => void
}

/** Does one honest act. */
export async function act(watched: Watched, one: Exclude<Act, { kind: "attack" | "ambush" | "down" }>): Promise<void> {
  const { stage, oracle } = watched
  const { clock } = stage.ground
  switch (one.kind) {
    case "ask": {
      const asked = await askOne(stage)
      oracle.asked(asked.id, asked.contents[0] ?? "", clock.now())
      const card = await waitFor(stage, () => cardOf(stage, asked))
      if (card !== null) stage.screens.set(asked.id, card)
      if (card !== null) oracle.shown(asked.id, clock.now(), stage.schedule.livesMs)
      return
    }
    case "press":
      return press(watched, one)
    case "withdraw":
      return withdraw(watched, one)
    case "change":
      return change(watched, one.approval)
    case "refuse":
      return watched.refuseNext()
    case "move":
      return moveAddress(stage)
    case "link":
    case "unlink":
      return link(watched, one.kind)
    case "activate":
      return activate(watched, one.all)
    case "stop":
      return stopCalls(stage, oracle, one)
    case "end":
      return endStops(stage)
    case "away":
    case "back":
    case "break":
    case "review":
    case "propose":
    case "rule":
      return oversee(watched, one)
    case "run":
    case "send back":
    case "reject":
    case "ask again":
    case "question":
    case "answer":
      return talk(watched, one)
    case "wait":
      return clock.wait(one.ms)
  }
}

async function press(watched: Watched, one: Extract<Act, { kind: "press" }>): Promise<void> {
  const { stage, oracle } = watched
  const { clock } = stage.ground
  const asked = pick(stage, one.approval)
  if (asked === undefined || !stage.platform.waits(asked.id)) return
  const card = await cardToPress(stage, asked, one.verb)
  if (card === null) return stage.timeline.note(one.person, `finds no card of ${asked.tool}`)
  const person = idOf[one.person]
  const before = heardBy(stage, person)
  const shown = targetOn(card)
  const carriedOut = oracle.pressed(asked.id, { person, verb: one.verb, shown }, clock.now())
  stage.timeline.note(one.person, `presses ${one.verb} on ${asked.tool} showing ${shown}`)
  const place = { channel: card.channelId, ts: card.ts }
  const outcome = await stage.sandbox.click(person, place, actionIds[one.verb], { seen: card })
  if (!outcome.ok) return stage.timeline.note(one.person, `sees an error: ${outcome.detail}`)
  const heard = await waitFor(stage, () =>
    heardBy(stage, person) > before || !stage.platform.waits(asked.id) ? true : undefined,
  )
  // Where a ticket waits it may be carried out later.
  const left = await stage.attacker.tickets()
  if (heard !== null && left.size === 0) carriedOut(clock.now())
  stage.timeline.note(one.person, heard === null ? "hears nothing" : "has an answer")
}

/** The card, or what of it is still on a screen if it cannot be pressed any more. */
async function cardToPress(stage: Stage, asked: Asked, verb: "approve" | "reject"): Promise<PostedMessage | null> {
  const card = await waitFor(stage, () => cardOf(stage, asked))
  if (card !== null && !has(card.blocks, actionIds[verb])) return stage.screens.get(asked.id) ?? null
  if (card !== null) stage.screens.set(asked.id, card)
  return card
}

async function withdraw({ stage, oracle }: Watched, one: Extract<Act, { kind: "withdraw" }>): Promise<void> {
  const { clock } = stage.ground
  const asked = pick(stage, one.approval)
  const card = asked === undefined ? undefined : cardOf(stage, asked)
  if (asked === undefined || card === undefined) return
  const person = idOf[one.person]
  const opened = await stage.sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.details)
  const offered = () => {
    const view = stage.sandbox.openView(person)
    return JSON.stringify(view?.definition.blocks ?? []).includes(actionIds.withdraw) ? view : undefined
  }
  const view = opened.ok ? await waitFor(stage, offered) : null
  if (view === null) return stage.timeline.note(one.person, `has no vote on ${asked.tool} to withdraw`)
  const at = clock.now()
  await stage.sandbox.click(person, view.id, actionIds.withdraw)
  const says = () => wordsOf(stage.sandbox.openView(person)?.definition.blocks).includes("Your vote is withdrawn")
  const told = await waitFor(stage, () => (says() ? true : undefined))
  if (told !== null) oracle.withdrawn(asked.id, person, { asked: at, told: clock.now() })
  stage.timeline.note(one.person, `withdraws from ${asked.tool}: ${told === null ? "not told" : "told"}`)
}

async function change({ stage, oracle }: Watched, approval: number): Promise<void> {
  const asked = pick(stage, approval)
  // What a run waits for is its own, and nobody changes it there.
  if (asked === undefined || stage.schedule.runs) return
  const from = asked.contents.at(-1) ?? ""
  const to = from.replace(/v\d+$/, `v${asked.contents.length + 1}`)
  if (!stage.platform.change(asked.id, { from, to })) return
  asked.contents.push(to)
  oracle.changed(asked.id, to, stage.ground.clock.now())
  stage.timeline.note("program", `changes ${asked.tool} to ${to}`)
  await waitFor(stage, () => {
    const card = cardOf(stage, asked)
    return card !== undefined && targetOn(card) === to ? true : undefined
  })
}

function moveAddress({ sandbox, timeline }: Stage): void {
  const { people, putPerson } = sandbox.workspace
  const [rita, mallory] = [people.get(idOf.rita), people.get(idOf.mallory)]
  if (rita === undefined || mallory === undefined) return
  putPerson({ ...rita, email: "rita@sandbox.example" })
  putPerson({ ...mallory, email: address })
  timeline.note("Slack", `${address} is Mallory's now`)
}

function holderInSlack({ sandbox }: Stage): string {
  const { people } = sandbox.workspace
  return people.get(idOf.mallory)?.email === address ? idOf.mallory : idOf.rita
}

async function link({ stage, oracle }: Watched, kind: "link" | "unlink"): Promise<void> {
  const { operator, timeline, ground } = stage
  const user = holderInSlack(stage)
  const now = ground.clock.now()
  const by = { by: "operator", at: now }
  try {
    if (kind === "unlink") {
      // It is pinned anew by whoever looks next, and that one may remember for a while what Slack said before.
      oracle.unlinking(holders, now)
      await operator.identityLinks.unlink(address, by)
    } else {
      const linked = oracle.linking(user, now)
      await linkTo(stage, user)
      linked(ground.clock.now())
    }
    timeline.note("operator", `${kind}s ${address}: ${user}`)
  } catch (error) {
    timeline.note("operator", `cannot ${kind} ${address}: ${String(error)}`)
  }
}

/** An operator links the address to somebody. */
export async function linkTo({ operator, sandbox, ground }: Stage, user: string): Promise<void> {
  const by = { by: "operator", at: ground.clock.now() }
  await operator.identityLinks.link(address, { team: sandbox.workspace.team.id, user }, by)
}

async function activate({ stage, oracle }: Watched, all: boolean): Promise<void> {
  const { replicas, schedule, ground } = stage
  const next = Math.max(...replicas.map(({ revision }) => revision)) + 1
  if (next > lastRevision) return
  const active = oracle.activating(rulesOf(schedule, next), ground.clock.now())
  const those = all ? replicas : replicas.slice(0, 1)
  const came: boolean[] = []
  for (const replica of those) came.push(await stage.restart(replica, next))
  // Where none came up nobody knows which config is active.
  if (came.includes(true)) active(ground.clock.now())
}
