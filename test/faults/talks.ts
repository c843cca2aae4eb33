// What people say in a seed beside votes: they send a call back with another value, ask who asked for it and get an
// answer, and reject a call for a while until somebody wants to be asked again.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import type { Act, PressAct, Story } from "./schedule.ts"
import {
  type Asked,
  cardsOf,
  cast,
  type Doings,
  detailsOffering,
  formFor,
  glanceMs,
  has,
  type Pressed,
  saysOf,
  targetIn,
} from "./screen.ts"
import type { Stage } from "./stage.ts"

/** What people say about an approval. */
export type TalkAct =
  /** Sends it back, with another target. */
  | { readonly kind: "send-back"; readonly person: PressAct["person"]; readonly route: number }
  | { readonly kind: "question"; readonly person: PressAct["person"]; readonly route: number }
  /** Rita answers the newest question, in so many forms that she opened one after the other. */
  | { readonly kind: "answer"; readonly times: number }
  /** Rejects it, and the same call for ten minutes. */
  | { readonly kind: "reject-lasting"; readonly person: PressAct["person"]; readonly route: number }
  /** Says on its card that people are asked again. */
  | { readonly kind: "ask-again"; readonly person: PressAct["person"]; readonly route: number }

const talkKinds: readonly Act["kind"][] = ["send-back", "question", "answer", "reject-lasting", "ask-again"]

/** True if somebody says something in a story beside votes. Then it is Rita's run. */
export function hasTalk(story: Story): boolean {
  return story.some(({ kind }) => talkKinds.includes(kind))
}

/** True if a call of a story may be rejected for a while: then its rule says so. */
export function isLasting(story: Story): boolean {
  return story.some(({ kind }) => kind === "reject-lasting")
}

/** What somebody said, as they typed it. */
export interface Said {
  readonly kind: "send-back" | "question" | "answer" | "lasting" | "ask-again"
  readonly asked: Asked
  /** A Slack user id. */
  readonly person: string
  /** Of what is sent back the target that is proposed; else words that nobody else says. */
  readonly text: string
  /** When, simulated epoch ms. */
  readonly at: number
}

/** Says one of these. Whoever is not offered it, or is shown an error, leaves it at that. */
export async function talk(stage: Stage, doings: Doings, asked: Asked, one: TalkAct): Promise<void> {
  switch (one.kind) {
    case "send-back":
      return sendBack(stage, doings, asked, one)
    case "question":
      return question(stage, doings, asked, one)
    case "answer":
      return answer(stage, doings, asked, one.times)
    case "reject-lasting":
      return rejectLasting(stage, doings, asked, one)
    case "ask-again":
      return askMeAgain(stage, doings, asked, one)
  }
}

type By = Pick<PressAct, "person" | "route">

/** How long somebody waits for a card, or for a question, in ms. */
const patienceMs = 10_000

/** The card of an approval in the channel of a route, once it has a button; null if it never does. */
function cardOffering(stage: Stage, asked: Asked, route: number, action: string) {
  const channel = stage.channels[route] ?? ""
  const look = () => cardsOf(stage, asked, channel).findLast(({ blocks }) => has(blocks, action))
  return stage.sandbox.waitFor(look, { limitMs: patienceMs }).catch(() => null)
}

/** Opens a form in Details, and gives it with what Details showed; null if none opens. */
async function formInDetails(stage: Stage, asked: Asked, { person, route }: By, action: string, callback: string) {
  const who = cast[person]
  await cardOffering(stage, asked, route, actionIds.details)
  const offered = await detailsOffering(stage, asked, { who, route }, action)
  const opened = offered === null ? null : await stage.sandbox.click(who, offered.view.id, action)
  const form = opened?.ok === true ? await formFor(stage, who, callback) : null
  if (form === null || offered === null) stage.timeline.note(person, `is shown no ${action} of ${asked.tool}`)
  return form === null || offered === null ? null : { form, ...offered }
}

function say(stage: Stage, doings: Doings, said: Omit<Said, "at">): void {
  doings.said.push({ ...said, at: stage.ground.clock.now() })
}

/** A rejection that is made in a form, as the checker knows it. */
function rejecting({ ground }: Stage, doings: Doings, made: Pick<Pressed, "asked" | "person" | "shown" | "place">) {
  const asPress = { verb: "reject", card: null, acked: false, inModal: true } as const
  const pressed: Pressed = { ...made, ...asPress, at: ground.clock.now() }
  doings.pressed.push(pressed)
  return pressed
}

async function sendBack(stage: Stage, doings: Doings, asked: Asked, by: By): Promise<void> {
  const opened = await formInDetails(stage, asked, by, actionIds.sendBack, viewIds.form)
  if (opened === null) return
  const { form, view, place } = opened
  const person = cast[by.person]
  const text = `T${asked.number}-v${50 + doings.said.length}`
  const pressed = rejecting(stage, doings, { asked, person, place, shown: targetIn(view.definition.blocks) })
  say(stage, doings, { kind: "send-back", asked, person, text })
  pressed.acked = (await stage.sandbox.submit(person, form.id, { field_0_0: text, [formIds.reason]: "not there" })).ok
  stage.timeline.note(by.person, `sends ${asked.tool} back and proposes ${text}: ${pressed.acked}`)
}

async function question(stage: Stage, doings: Doings, asked: Asked, by: By): Promise<void> {
  const opened = await formInDetails(stage, asked, by, actionIds.ask, viewIds.ask)
  if (opened === null) return
  const text = `why-${asked.number}-${doings.said.length}`
  say(stage, doings, { kind: "question", asked, person: cast[by.person], text })
  const { ok } = await stage.sandbox.submit(cast[by.person], opened.form.id, { [formIds.reason]: text })
  stage.timeline.note(by.person, `asks ${text} about ${asked.tool}: ${ok}`)
}

async function answer(stage: Stage, doings: Doings, asked: Asked, times: number): Promise<void> {
  const { sandbox, timeline } = stage
  const channel = directOf(stage, cast.rita)
  const said = doings.said.findLast((one) => one.kind === "question" && one.asked === asked)
  if (said === undefined) return
  const asks = (message: PostedMessage) => has(message.blocks, actionIds.answer) && saysOf(message).includes(said.text)
  const look = () => sandbox.messages(channel).findLast(asks)
  const message = await sandbox.waitFor(look, { limitMs: patienceMs }).catch(() => null)
  if (message === null) return timeline.note("rita", `finds no question ${said.text}`)
  for (let time = 0; time < times; time += 1) {
    const opened = await sandbox.click(cast.rita, { channel, ts: message.ts }, actionIds.answer)
    const form = opened.ok ? await formFor(stage, cast.rita, viewIds.answer) : null
    if (form === null) {
      timeline.note("rita", `is shown no form to answer ${said.text}`)
      await stage.ground.clock.wait(glanceMs)
      continue
    }
    const text = `because-${asked.number}-${doings.said.length}`
    say(stage, doings, { kind: "answer", asked, person: cast.rita, text })
    const { ok } = await sandbox.submit(cast.rita, form.id, { [formIds.reason]: text })
    timeline.note("rita", `answers ${said.text} with ${text}: ${ok}`)
  }
}

/** The channel of what a person is sent directly. */
export function directOf({ sandbox }: Stage, person: string): string {
  const found = sandbox.workspace.people.get(person)
  return found === undefined ? "" : sandbox.workspace.directChannel(found).id
}

async function rejectLasting(stage: Stage, doings: Doings, asked: Asked, by: By): Promise<void> {
  const { sandbox, timeline } = stage
  const person = cast[by.person]
  const card = await cardOffering(stage, asked, by.route, actionIds.reject)
  if (card === null) return timeline.note(by.person, `finds no card of ${asked.tool}`)
  const place = { channel: card.channelId, ts: card.ts }
  const clicked = await sandbox.click(person, place, actionIds.reject)
  const form = clicked.ok ? await formFor(stage, person) : null
  if (form === null) return timeline.note(by.person, `is shown no form to reject ${asked.tool}`)
  const pressed = rejecting(stage, doings, { asked, person, place, shown: targetIn(card.blocks) })
  say(stage, doings, { kind: "lasting", asked, person, text: "never" })
  const filled = { [formIds.reason]: "never", [formIds.lasting]: ["lasting"] }
  pressed.acked = (await sandbox.submit(person, form.id, filled)).ok
  timeline.note(by.person, `rejects ${asked.tool} for ten minutes: ${pressed.acked}`)
}

async function askMeAgain(stage: Stage, doings: Doings, asked: Asked, by: By): Promise<void> {
  const card = await cardOffering(stage, asked, by.route, actionIds.askAgain)
  if (card === null) return stage.timeline.note(by.person, `has nothing to be asked again about ${asked.tool}`)
  const person = cast[by.person]
  const { ok } = await stage.sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.askAgain)
  if (ok) say(stage, doings, { kind: "ask-again", asked, person, text: "" })
  stage.timeline.note(by.person, `presses Ask Me Again on ${asked.tool}: ${ok}`)
}
