// Chat: posts, edits and finds cards and their threads, and answers people privately.
import type { Place } from "../domain/case.ts"
import type { Face } from "../domain/face.ts"
import type { Answer } from "../flow/answer.ts"
import type { Chat, Clock, Log } from "../flow/ports.ts"
import type { ReplyTo } from "../flow/press.ts"
import { createCache } from "./cache.ts"
import { cardOf, type Message, safeCardOf } from "./card.ts"
import { changedView } from "./changed-view.ts"
import { toldView } from "./details.ts"
import { ChatError, slackCodeOf } from "./errors.ts"
import { countLines, findCard } from "./find.ts"
import { homeView } from "./home-view.ts"
import type { SlackIdentity } from "./identity.ts"
import { lineOf } from "./lines.ts"
import { words } from "./listing.ts"
import { cardMetadata, lineMetadata, type Metadata } from "./metadata.ts"
import type { Respond } from "./respond.ts"
import type { Call } from "./web.ts"
import { answerWords } from "./words.ts"

/** What chatting needs. */
export interface ChatOptions {
  readonly call: Call
  readonly respond: Respond
  readonly identity: SlackIdentity
  readonly clock: Clock
  readonly log: Log
  /** The slash command, for words that name it. */
  readonly command: string
}

/** A message that cannot be shown as it was made, so that the safe card goes out in its place. */
const UNSHOWABLE = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"])
/** A message that is gone, or that Slack does not let us edit any more. */
const GONE = new Set(["message_not_found", "cant_update_message", "edit_window_closed", "is_inactive"])
/** A direct channel with a person is the same for good; read anew now and then all the same. */
const DIRECT_MS = 3_600_000

/** Makes the chat port. */
export function createChat(options: ChatOptions): Chat {
  const { call, clock } = options
  const direct = createCache({ clock, size: 1_000, read: (user) => openDirect(call, user) })
  const channelOf = async (route: string): Promise<string> => {
    const id = route.slice(route.indexOf(":") + 1)
    return route.startsWith("person:") ? direct.get(id, DIRECT_MS) : id
  }
  return {
    postCard: async (face) => postCard(options, await channelOf(face.route), face),
    updateCard: (place, face) => updateCard(options, place, face),
    tell: async (place, face, event, number) => {
      await post(
        options,
        { channel: place.channel, thread: place.ts, metadata: lineMetadata(face, number) },
        lineOf(event),
      )
    },
    findCard: async (face, since) => findCard(options, await channelOf(face.route), face, since),
    countLines: (place, face) => countLines(options, place, face),
    settleClicked: (responseUrl, face) => settleClicked(options, responseUrl, face),
    publishHome: async (user, home) => {
      const view = homeView(home, options.command)
      await call("views.publish", (client) => client.views.publish({ user_id: user, view }))
    },
    answer: (to, answer) => answerPerson(options, to, answer),
  }
}

async function openDirect(call: Call, user: string): Promise<string> {
  const method = "conversations.open"
  const answer = await call(method, (client) => client.conversations.open({ users: user }))
  if (answer.channel?.id !== undefined) return answer.channel.id
  throw new ChatError({ code: "bad-answer", method, message: `${method}: Slack's answer names no channel for ${user}` })
}

async function postCard(options: ChatOptions, channel: string, face: Face): Promise<Place> {
  const to = { channel, metadata: cardMetadata(face) }
  try {
    return await post(options, to, cardOf(face))
  } catch (error) {
    if (!isUnshowable(error)) throw error
    options.log.error("card-unshowable", { caseId: face.caseId, error })
    return post(options, to, safeCardOf(face))
  }
}

interface Destination {
  readonly channel: string
  readonly thread?: string
  readonly metadata: Metadata
}

async function post(options: ChatOptions, to: Destination, message: Message): Promise<Place> {
  const method = "chat.postMessage"
  const { channel, thread, metadata } = to
  const quiet = { unfurl_links: false, unfurl_media: false }
  const body = { channel, text: message.text, blocks: message.blocks, metadata, ...quiet }
  const answer = await options.call(method, (client) =>
    client.chat.postMessage(thread === undefined ? body : { ...body, thread_ts: thread }),
  )
  if (answer.ts !== undefined && answer.channel !== undefined) return { channel: answer.channel, ts: answer.ts }
  throw new ChatError({
    code: "bad-answer",
    method,
    message: `${method}: Slack's answer names no message in ${channel}`,
  })
}

async function updateCard(options: ChatOptions, place: Place, face: Face): Promise<"updated" | "gone"> {
  try {
    await update(options, place, face, cardOf(face))
    return "updated"
  } catch (error) {
    if (GONE.has(slackCodeOf(error) ?? "")) return "gone"
    if (!isUnshowable(error)) throw error
    options.log.error("card-unshowable", { caseId: face.caseId, error })
    await update(options, place, face, safeCardOf(face))
    return "updated"
  }
}

async function update(options: ChatOptions, place: Place, face: Face, message: Message): Promise<void> {
  const { channel, ts } = place
  const { text, blocks } = message
  await options.call("chat.update", (client) =>
    client.chat.update({ channel, ts, text, blocks, metadata: cardMetadata(face) }),
  )
}

function isUnshowable(error: unknown): boolean {
  return UNSHOWABLE.has(slackCodeOf(error) ?? "")
}

/** A click's response_url carries the first settled card; if it does not, the card is updated by the Web API. */
async function settleClicked(options: ChatOptions, responseUrl: string, face: Face): Promise<boolean> {
  const { text, blocks } = cardOf(face)
  try {
    await options.respond(responseUrl, { replace_original: true, text, blocks })
    return true
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    options.log.info("settle-clicked-refused", { caseId: face.caseId, error })
    return false
  }
}

async function answerPerson(options: ChatOptions, to: ReplyTo, answer: Answer): Promise<void> {
  const line = answerWords(answer)
  if (to.kind === "view") {
    const changed = answer.kind === "changed" && answer.change !== null ? changedView(answer.change) : null
    const view = changed ?? toldView(line)
    await options.call("views.update", (client) => client.views.update({ view_id: to.viewId, view }))
    return
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
