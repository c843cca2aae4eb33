// Plays what people and programs do in a seed: they look, press, decide elsewhere, and change what would run.

import { caseIdOf } from "../../src/domain/case/case.ts"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { wordsOf } from "../slack/sight.ts"
import { askAfter } from "./asking.ts"
import { callBack } from "./call-backs.ts"
import { actOnGlass } from "./glass.ts"
import type { Act, PressAct, Verb } from "./schedule.ts"
import {
  type Asked,
  cast,
  type Doings,
  detailsOffering,
  formFor,
  glanceMs,
  has,
  liveCards,
  type Pressed,
  says,
  targetIn,
  targetOn,
  viewOffering,
} from "./screen.ts"
import type { Stage } from "./stage.ts"
import { talk } from "./talks.ts"

/**
 * How long a person waits for a card, how often they press when Slack shows an error, and how long they wait in
 * between.
 */
const patienceMs = 45_000
const mostTries = 6
const againMs = 1_500

/** Does one act about an approval. */
export async function act(stage: Stage, doings: Doings, asked: Asked, one: Act): Promise<void> {
  await actOn(stage, doings, asked, one)
  await stage.attack?.photograph()
}

async function actOn(stage: Stage, doings: Doings, asked: Asked, one: Act): Promise<void> {
  const { platform, timeline, ground } = stage
  switch (one.kind) {
    case "wait":
      return ground.clock.wait(one.ms)
    case "press":
      return press(stage, doings, asked, one)
    case "late":
      return pressLate(stage, doings, asked, one)
    case "together":
      return void (await Promise.all(one.presses.map((each) => press(stage, doings, asked, each))))
    case "elsewhere":
      if (await platform.decide(asked.id, one.verb)) asked.elsewhere = true
      return timeline.note("operator", `${one.verb}s ${asked.tool} on the platform: ${asked.elsewhere}`)
    case "cancel":
      return timeline.note("requester", `cancels the run of ${asked.tool}: ${platform.cancel(asked.id)}`)
    case "review":
      return review(stage, doings, one)
    case "withdraw":
      return withdraw(stage, doings, asked, one)
    case "break-glass":
    case "review-glass":
      return actOnGlass(stage, doings, asked, one)
    case "call-back":
      return callBack(stage, doings, asked, one)
    case "send-back":
    case "question":
    case "answer":
    case "reject-lasting":
    case "ask-again":
      return talk(stage, doings, asked, one)
    case "same-call":
      return void (await askAfter(stage, doings, asked, one))
    case "next-call": {
      const next = await askAfter(stage, doings, asked, one)
      for (const each of one.presses) await press(stage, doings, next, each)
      return
    }
    case "attack": {
      const all = doings.asked.map(({ id }) => ({ id, caseId: caseIdOf(stage.installation, "main", id) }))
      return stage.attack?.strike(one.strokes, { asked: all, timeline })
    }
    case "change": {
      // What a run waits for is its own, and nobody changes it there.
      if (stage.schedule.terms.runs === "continued") return
      const [from, to] = [asked.targets.at(-1) ?? "", `T${asked.number}-v${asked.targets.length + 1}`]
      if (platform.change(asked.id, { from, to })) {
        asked.targets.push(to)
        stage.attack?.oracle.changed(asked.id, to, ground.clock.now())
      }
      return timeline.note("program", `changes ${asked.tool} to ${to}: ${asked.targets.at(-1) === to}`)
    }
  }
}

async function press(stage: Stage, doings: Doings, asked: Asked, { person, verb, route }: PressAct): Promise<void> {
  const { ground, timeline } = stage
  const until = ground.clock.now() + patienceMs
  for (let tries = 0; tries < mostTries && ground.clock.now() < until; tries += 1) {
    const card = await lookFor(stage, asked, { channel: stage.channels[route] ?? "", verb, until })
    if (card === null) return timeline.note(person, `finds no card of ${asked.tool}`)
    if (await pressCard(stage, doings, { asked, person: cast[person], verb, card })) return
    await ground.clock.wait(againMs)
  }
}

/** Presses a card as it was on the screen when somebody pressed it last, and fills in the form if one opens. */
async function pressLate(
  stage: Stage,
  doings: Doings,
  asked: Asked,
  { person, verb }: Extract<Act, { kind: "late" }>,
): Promise<void> {
  const { sandbox, timeline, ground } = stage
  const who = cast[person]
  const last = doings.pressed.findLast((one) => one.asked === asked && one.card !== null)
  if (last === undefined || last.card === null)
    return timeline.note(person, `has no card of ${asked.tool} on the screen`)
  const { card, place, shown } = last
  const opened = await sandbox.click(who, place, actionIds[verb], { seen: card })
  const form = opened.ok ? await formFor(stage, who) : null
  if (form === null) return timeline.note(person, `is shown no form of ${asked.tool}`)
  const at = ground.clock.now()
  const pressed: Pressed = { asked, person: who, verb, shown, place, card: null, at, acked: false, inModal: true }
  doings.pressed.push(pressed)
  pressed.acked = (await sandbox.submit(who, form.id, { field_0: "Ann" })).ok
  timeline.note(person, `fills in the form to ${verb} ${asked.tool}, though their screen is old: ${pressed.acked}`)
}

/** Takes a vote back where Details offers that; whoever is shown an error, or has no vote, leaves it at that. */
async function withdraw(
  stage: Stage,
  doings: Doings,
  asked: Asked,
  { person, route }: Extract<Act, { kind: "withdraw" }>,
): Promise<void> {
  const { sandbox, timeline } = stage
  const who = cast[person]
  const offered = await detailsOffering(stage, asked, { who, route }, actionIds.withdraw)
  if (offered === null) return timeline.note(person, `has no vote on ${asked.tool} to withdraw`)
  const { view } = offered
  const began = stage.ground.clock.now()
  const outcome = await sandbox.click(who, view.id, actionIds.withdraw)
  timeline.note(person, `withdraws their vote on ${asked.tool}: ${outcome.ok}`)
  if (stage.attack !== null) await hearWithdrawn(stage, doings, { asked, who, began })
}

/**
 * Whoever is told that their vote is withdrawn relies on it, if they pressed once: else another press of theirs may
 * still wait as a ticket. It takes nothing back that was pressed before: the verdict may be on its way.
 */
async function hearWithdrawn(
  { sandbox, attack, ground }: Stage,
  { pressed }: Doings,
  { asked, who, began }: { readonly asked: Asked; readonly who: string; readonly began: number },
): Promise<void> {
  const [own, another] = pressed.filter((one) => one.asked === asked && one.person === who && one.at <= began)
  if (another !== undefined) return
  const look = () => {
    const view = sandbox.openView(who)
    return view !== undefined && wordsOf(view.definition.blocks).includes("Your vote is withdrawn") ? view : undefined
  }
  const told = await sandbox.waitFor(look, { limitMs: glanceMs }).catch(() => null)
  if (told === null) return
  own?.carriedOut?.(began, false)
  attack?.oracle.withdrawn(asked.id, who, { asked: began, told: ground.clock.now() })
}

/** So many cases somebody votes on in one review, and so long they wait for a summary. */
const mostReviewed = 2
const summaryMs = 12_000

/**
 * Votes on what a channel's summary leads to, while it leads on; whoever is shown an error, or nothing, leaves it at
 * that.
 */
async function review(
  stage: Stage,
  doings: Doings,
  { person, verb, route }: Extract<Act, { kind: "review" }>,
): Promise<void> {
  const { sandbox, channels, timeline } = stage
  const [who, channel] = [cast[person], channels[route] ?? ""]
  const look = () => sandbox.messages(channel).findLast((message) => has(message.blocks, actionIds.review))
  const summary = await sandbox.waitFor(look, { limitMs: summaryMs }).catch(() => null)
  if (summary === null) return timeline.note(person, "finds no summary to review")
  const place = { channel, ts: summary.ts }
  let going = (await sandbox.click(who, place, actionIds.review)).ok
  for (let at = 0; going && at < mostReviewed; at += 1) {
    const view = await viewOffering(stage, who, actionIds[verb])
    const asked = view === null ? undefined : doings.asked.find(({ tool }) => says(view, tool))
    if (view === null || asked === undefined) return timeline.note(person, "is shown nothing to vote on")
    const shown = targetIn(view.definition.blocks)
    const now = stage.ground.clock.now()
    const pressed: Pressed = {
      asked,
      person: who,
      verb,
      shown,
      place,
      card: null,
      at: now,
      acked: false,
      inModal: true,
    }
    doings.pressed.push(pressed)
    timeline.note(person, `presses ${verb} on ${asked.tool} showing ${shown} in a review`)
    pressed.acked = (await sandbox.click(who, view.id, actionIds[verb])).ok
    const next = await viewOffering(stage, who, actionIds.next)
    going = next !== null && (await sandbox.click(who, next.id, actionIds.next)).ok
  }
}

/**
 * Waits for a card with the button; null if none comes, or none is needed any more. Slack's own feed says when
 * something changed.
 */
async function lookFor(
  stage: Stage,
  asked: Asked,
  { channel, verb, until }: { readonly channel: string; readonly verb: Verb; readonly until: number },
): Promise<PostedMessage | null> {
  const look = () => liveCards(stage, asked, channel, verb).at(-1)
  while (stage.ground.clock.now() < until) {
    const found = await stage.sandbox.waitFor(look, { limitMs: glanceMs }).catch(() => null)
    if (found !== null) return found
    if (!stage.platform.waits(asked.id)) return null
  }
  return null
}

/** Presses a card as it is on the screen. True if Slack saw an ack. */
export async function pressCard(
  stage: Stage,
  doings: Doings,
  made: { readonly asked: Asked; readonly person: string; readonly verb: Verb; readonly card: PostedMessage },
): Promise<boolean> {
  const { asked, person, verb, card } = made
  const place = { channel: card.channelId, ts: card.ts }
  const shown = targetOn(card)
  const at = stage.ground.clock.now()
  const pressed: Pressed = { asked, person, verb, shown, place, card, at, acked: false, inModal: false }
  doings.pressed.push(pressed)
  aim(stage)
  stage.timeline.note(person, `presses ${verb} on ${asked.tool} showing ${shown} (${place.channel} ${place.ts})`)
  const carriedOut = stage.attack?.oracle.pressed(asked.id, { person, verb, shown }, at)
  if (carriedOut !== undefined) pressed.carriedOut = carriedOut
  const outcome = await stage.sandbox.click(person, place, actionIds[verb], { seen: card })
  pressed.acked = outcome.ok
  stage.timeline.note(person, outcome.ok ? "sees the press taken" : `sees an error: ${outcome.detail}`)
  return outcome.ok
}

/** In HTTP mode a balancer hands the requests to the replicas that are up, in turn. */
export function aim({ schedule, replicas, sandbox, timeline }: Stage): void {
  if (schedule.mode !== "http") return
  const up = replicas.map((replica) => replica.url()).filter((url) => url !== null)
  const url = up[timeline.moments.length % Math.max(1, up.length)]
  if (url !== undefined) sandbox.deliverTo(`${url}/slack/events`)
}
