// Chat: posts, edits and finds cards and their threads, and answers people privately.
import type { ModalView } from "@slack/types"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Place } from "../../domain/case/case.ts"
import { slackIdOf } from "../../domain/people/person.ts"
import type { Route } from "../../domain/rule/rule.ts"
import type { Settled } from "../../flow/ports/chat.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import type { Answer } from "../../flow/ports/reply.ts"
import type { Alarm, Chat, Lines, Log, ReopenedView } from "../../flow/ports.ts"
import { createCache } from "../directory/cache.ts"
import { maskModel } from "../lines/masking.ts"
import { code, say } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { caseNameOf, homeView, summaryOf } from "../lists/home-and-summary.ts"
import { stopNotice } from "../lists/stop-messages.ts"
import { answerWords } from "../text/answer-words.ts"
import { headlineOf } from "../text/case/headline.ts"
import { isAboutQuestion } from "../text/question-words.ts"
import { badAnswer, ChatError, isTooLarge, slackCodeOf } from "../transport/errors.ts"
import type { ChannelLimiter } from "../transport/rate-limits.ts"
import type { Respond } from "../transport/response-url.ts"
import type { SlackCall } from "../transport/web-client.ts"
import { absenceNewsMessage } from "../views/absence-form.ts"
import { cardOf, type Message, safeCardOf } from "../views/card.ts"
import { answerView, changedView, detailsAgainView } from "../views/details.ts"
import { testCard } from "../views/test-card.ts"
import { words } from "../views/words.ts"
import type { SendWithFallback } from "./block-fallback.ts"
import { editedOrRefused } from "./edit-refusals.ts"
import { createMessageCheck, type MessageCheckOptions } from "./message-check.ts"
import {
  cardMetadata,
  countLines,
  type FoundMessage,
  findMessage,
  isCardOf,
  isSummary,
  linesMetadata,
  type SentMetadata,
  summaryMetadata,
  threadMetadata,
} from "./metadata.ts"
import { createQuestionMessages } from "./question-messages.ts"
import { type AboutLines, canBeShorter, linesOf, originMessage } from "./thread-lines.ts"
import type { ViewUpdates } from "./view-updates.ts"

interface ChatOptions extends MessageCheckOptions {
  readonly sendWithFallback: SendWithFallback
  readonly respond: Respond
  readonly views: ViewUpdates
  /** Each message waits for its channel here before it leaves. */
  readonly waitForChannel: ChannelLimiter
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
  /** The slash command, for texts that name it. */
  readonly command: string
  /** The names of the instances that we watch. Default: cards name none. */
  readonly instances?: () => readonly string[]
}

/** Slack's words for a card that it cannot show as we made it. Then the safe card goes out in its place. */
const unshowable = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"])
/** A direct channel with a person never changes; we still read it again now and then. In ms. */
const directMs = 3_600_000

/** Makes the chat port, without the guard for channels that another company reads. */
export function createChat(options: ChatOptions): Omit<Chat, "exposed" | "lookAtThread"> {
  const { call, clock, identity } = options
  const direct = createCache({ clock, size: 1_000, read: (user) => openDirect(call, user) })
  const channelOf = async (route: string): Promise<string> => {
    const id = route.slice(route.indexOf(":") + 1)
    return route.startsWith("person:") ? direct.get(id, directMs) : id
  }
  const check = createMessageCheck(options)
  const questions = createQuestionMessages({
    channelOf,
    identity,
    post: (to, message) => post(options, to, message),
    update: (place, metadata, message) => update(options, place, metadata, message),
    say: (channel, message) => sayIn(options, channel, message),
    find: (channel, since, isMeant) => findMessage(options, channel, since, isMeant),
  })
  return {
    ...check,
    ...questions,
    postCard: async (model) => {
      const to = { channel: await channelOf(model.route), metadata: cardMetadata(model) }
      return sendCard(options, model, (message) => post(options, to, message))
    },
    updateCard: (place, model) =>
      editedOrRefused(sendCard(options, model, (message) => update(options, place, cardMetadata(model), message))),
    tell: async (place, model, lines) => {
      const card = await check.linkTo(place)
      const headline = headlineOf(maskModel(model).model, createTextFitter())
      return tellLines(options, { place, model, lines, about: { card, headline } })
    },
    tellOnSummary: (place, model, lines) =>
      tellLines(options, { place, model, lines, about: { name: caseNameOf(model) } }),
    tellThread: async ({ channel, ts: thread }, model, lines) => {
      await post(
        options,
        { channel, thread, metadata: threadMetadata(model, lines) },
        originMessage(maskModel(model).model),
      )
    },
    findCard: async (model, since) =>
      findMessage(options, await channelOf(model.route), since, (message) => isCardOf(message, model, identity)),
    postSummary: async (model) => {
      const to = { channel: await channelOf(model.route), metadata: summaryMetadata(model) }
      return post(options, to, summaryOf(model))
    },
    updateSummary: (place, model) => editedOrRefused(update(options, place, summaryMetadata(model), summaryOf(model))),
    findSummary: async (model, since) => {
      const isMeant = (message: FoundMessage) => isSummary(message, model, identity)
      const found = await findMessage(options, await channelOf(model.route), since, isMeant)
      return found === "unseen" ? null : found
    },
    countLines: (place, model) => countLines(options, place, model),
    settleClicked: (responseUrl, model) => settleClicked(options, responseUrl, model),
    tellStop: async (route, stop) => {
      const channel = await channelOf(route)
      const { text, blocks } = stopNotice(stop, options.command)
      await sayIn(options, channel, { text, blocks })
    },
    tellAbsence: async (person, news) => {
      const channel = await channelOf(`person:${slackIdOf(person).user}`)
      await sayIn(options, channel, absenceNewsMessage(news))
    },
    publishHome: async (user, home) => {
      const view = homeView(home, options.command)
      await call("views.publish", (client) => client.views.publish({ user_id: user, view }))
    },
    answer: async (to, answer, again) => {
      if (to.kind !== "direct") {
        try {
          return await answerPerson(options, to, answer, again)
        } catch (error) {
          if (!isLostWithView(error, answer)) throw error
        }
      }
      const channel = await channelOf(`person:${to.user}`)
      return answerDirectly(options, channel, to.kind === "direct" ? to.about : "", answer)
    },
  }
}

/** The channel of direct messages with somebody. Throws `ChatError`. */
export async function openDirect(call: SlackCall, user: string): Promise<string> {
  const method = "conversations.open"
  const answer = await call(method, (client) => client.conversations.open({ users: user }))
  if (answer.channel?.id !== undefined) return answer.channel.id
  throw badAnswer(method, `names no channel for ${user}`)
}

/** Posts a message that nobody edits later. */
async function sayIn({ call, waitForChannel }: ChatOptions, channel: string, message: Message): Promise<void> {
  await waitForChannel(channel)
  const said = { channel, ...message, unfurl_links: false, unfurl_media: false }
  await call("chat.postMessage", (client) => client.chat.postMessage(said))
}

/** Posts a card that is about no case. Throws `ChatError`. */
export async function postTestCard(call: SlackCall, { kind, id }: Route, installation: string): Promise<void> {
  const channel = kind === "person" ? await openDirect(call, id) : id
  const message = { channel, ...testCard(installation), unfurl_links: false, unfurl_media: false }
  await call("chat.postMessage", (client) => client.chat.postMessage(message))
}

/** Sends a card or, if we cannot draw it or Slack refuses it, the safe card. */
async function sendCard<T>(options: ChatOptions, model: CardModel, send: (message: Message) => Promise<T>): Promise<T> {
  try {
    return await options.sendWithFallback(drawnBy(options, model), send)
  } catch (error) {
    if (!isUnshowable(error)) throw error
    options.log.error("card-unshowable", { caseId: model.caseId, error })
    return send(safeCardOf(model))
  }
}

/** If our own drawing fails over something in the approval, an alarm says so, and people still have a card. */
function drawnBy({ instances, alarm }: ChatOptions, model: CardModel): Message {
  try {
    return cardOf(model, { instances: instances?.().length ?? 1 })
  } catch (error) {
    alarm({ code: "card-not-drawn", caseId: model.caseId, error })
    return safeCardOf(model)
  }
}

interface Destination {
  readonly channel: string
  readonly thread?: string
  readonly metadata: SentMetadata
}

async function post(options: ChatOptions, to: Destination, message: Message): Promise<Place> {
  const method = "chat.postMessage"
  const { channel, thread, metadata } = to
  const quiet = { unfurl_links: false, unfurl_media: false }
  const body = { channel, text: message.text, blocks: message.blocks, metadata, ...quiet }
  await options.waitForChannel(channel)
  const answer = await options.call(method, (client) =>
    client.chat.postMessage(thread === undefined ? body : { ...body, thread_ts: thread }),
  )
  if (answer.ts !== undefined && answer.channel !== undefined) return { channel: answer.channel, ts: answer.ts }
  throw badAnswer(method, `names no message in ${channel}`)
}

interface Telling {
  readonly place: Place
  readonly model: CardModel
  readonly lines: Lines
  readonly about: AboutLines
}

/** Posts the first of the lines, and returns how many. 0: Slack accepts them only in a shorter message. */
async function tellLines(options: ChatOptions, { place, model, lines, about }: Telling): Promise<number> {
  const { first, events, shorter = 0, answer } = lines
  const below = answer === undefined ? {} : { answer }
  const message = linesOf(events, { ...about, ...below, shorter })
  const metadata = linesMetadata(model, { first, events: events.slice(0, message.told) })
  try {
    await post(options, { channel: place.channel, thread: place.ts, metadata }, message)
    return message.told
  } catch (error) {
    if (!isUnshowable(error) || !canBeShorter(shorter)) throw error
    options.log.warn("lines-too-long", { caseId: model.caseId, first, shorter, error })
    return 0
  }
}

async function update(options: ChatOptions, place: Place, metadata: SentMetadata, message: Message): Promise<void> {
  const { channel, ts } = place
  const { text, blocks } = message
  await options.call("chat.update", (client) => client.chat.update({ channel, ts, text, blocks, metadata }))
}

function isUnshowable(error: unknown): boolean {
  return unshowable.has(slackCodeOf(error) ?? "")
}

/** Sends the first settled card to a click's response_url. Unless Slack takes it, the Web API updates the card. */
async function settleClicked(options: ChatOptions, responseUrl: string, model: CardModel): Promise<Settled> {
  try {
    await options.sendWithFallback(drawnBy(options, model), ({ text, blocks }) =>
      options.respond(responseUrl, { replace_original: true, text, blocks }),
    )
    return "taken"
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    options.log.info("settle-clicked-refused", { caseId: model.caseId, error })
    return error.retryable && error.code !== "rate-limited" ? "unknown" : "refused"
  }
}

/** True if the view is closed in which somebody would read what became of their question, with their own words. */
function isLostWithView(error: unknown, answer: Answer): boolean {
  return slackCodeOf(error) === "not_found" && isAboutQuestion(answer)
}

/** Answers by direct message. The person reads the answer in another place, so it begins with what they acted on. */
async function answerDirectly(options: ChatOptions, channel: string, about: string, answer: Answer): Promise<void> {
  const head = about === "" ? [] : [code(about), say("\n")]
  const { text, blocks } = words([...head, ...answerWords(answer)])
  await options.waitForChannel(channel)
  const message = { channel, text, blocks, unfurl_links: false, unfurl_media: false }
  await options.call("chat.postMessage", (client) => client.chat.postMessage(message))
}

type NearReply = Exclude<ReplyTo, { kind: "direct" }>

async function answerPerson(options: ChatOptions, to: NearReply, answer: Answer, again?: ReopenedView): Promise<void> {
  const line = answerWords(answer)
  if (to.kind === "view") {
    const alone = () => options.views.show(to.viewId, viewOfAnswer(answer, to.walk))
    if (again === undefined) return alone()
    try {
      return await options.views.show(to.viewId, detailsAgainView(answer, again))
    } catch (error) {
      if (!isTooLarge(error)) throw error
      return alone()
    }
  }
  const { text, blocks } = words(line)
  try {
    await options.respond(to.responseUrl, { response_type: "ephemeral", replace_original: false, text, blocks })
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    options.log.info("response-url-refused", { error })
    const { channel, user } = to
    await options.call("chat.postEphemeral", (client) => client.chat.postEphemeral({ channel, user, text, blocks }))
  }
}

function viewOfAnswer(answer: Answer, walk: Extract<ReplyTo, { kind: "view" }>["walk"]): ModalView {
  return answer.kind === "changed" && answer.change !== null ? changedView(answer.change) : answerView(answer, { walk })
}
