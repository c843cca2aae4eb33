// Channels that another company also reads although no rule allows it: we write nothing there, and cover our messages.
import { plain } from "../../blockkit/text.ts"
import type { Place } from "../../domain/case/case.ts"
import { type Chat, isPortError, type Log } from "../../flow/ports.ts"
import type { Channels } from "../directory/channels.ts"
import { coverWords } from "../text/answer-words.ts"
import { ChatError } from "../transport/errors.ts"
import type { SlackCall } from "../transport/web-client.ts"
import type { Message } from "../views/card.ts"
import { editedOrRefused } from "./edit-refusals.ts"
import { cardMetadata, type SentMetadata, summaryMetadata } from "./metadata.ts"
import { questionMetadata } from "./question-messages.ts"

interface ExposedOptions {
  readonly call: SlackCall
  readonly channels: Channels
  /** True if the rules in force allow another company to read the channel. */
  readonly mayBeShared: (channel: string) => boolean
  /** When we write somewhere, how old Slack's answer about the channel may be, in ms. */
  readonly freshMs: number
  readonly log: Log
}

const method = "conversations.info"
/** The answer to a press may use what we read about the channel for that press: at most this old, in ms. */
const pressedMs = 1_000

/** The chat that writes nothing where another company also reads, or where Slack does not say who reads. */
export function createGuardedChat(chat: Omit<Chat, "exposed" | "lookAtThread">, options: ExposedOptions): Chat {
  const { freshMs } = options
  const exposed = (route: string, maxAgeMs: number) => isExposed(options, route, maxAgeMs)
  const demandOwn = async (route: string, heardMs?: number) => {
    if (await isExposed(options, route, freshMs, heardMs)) throw shared(route)
  }
  const coverOr = async <T>(hanging: Hanging, show: () => Promise<T>): Promise<T> => {
    if (!(await exposed(hanging.route, freshMs))) return show()
    await cover(options, hanging)
    throw shared(hanging.route)
  }
  return {
    ...chat,
    exposed,
    postCard: async (model) => demandOwn(model.route).then(() => chat.postCard(model)),
    updateCard: (place, model) =>
      coverOr({ place, route: model.route, metadata: cardMetadata(model) }, () => chat.updateCard(place, model)),
    tell: (place, model, lines) =>
      coverOr({ place, route: model.route, metadata: cardMetadata(model) }, () => chat.tell(place, model, lines)),
    lookAtThread: async (place) => {
      const { channel } = place
      const [told, link] = await Promise.all([options.channels.get(channel, freshMs), chat.linkTo(place)])
      const own = told.kind === "channel" && (!told.external || options.mayBeShared(channel))
      return { link, open: own && told.member && !told.archived }
    },
    tellThread: async (place, model, lines) =>
      demandOwn(`channel:${place.channel}`).then(() => chat.tellThread(place, model, lines)),
    tellOnSummary: async (place, model, lines) =>
      demandOwn(model.route).then(() => chat.tellOnSummary(place, model, lines)),
    postQuestion: async (model, question) => demandOwn(model.route).then(() => chat.postQuestion(model, question)),
    updateQuestion: (place, model, question) =>
      coverOr({ place, route: model.route, metadata: questionMetadata(model, question.id) }, () =>
        chat.updateQuestion(place, model, question),
      ),
    tellStop: async (route, stop) => demandOwn(route).then(() => chat.tellStop(route, stop)),
    postSummary: async (model) => demandOwn(model.route).then(() => chat.postSummary(model)),
    updateSummary: (place, model) =>
      coverOr({ place, route: model.route, metadata: summaryMetadata(model) }, () => chat.updateSummary(place, model)),
    settleClicked: async (responseUrl, model) => {
      const own = await demandOwn(model.route, pressedMs).then(() => true, refusedIn(options.log))
      return own ? chat.settleClicked(responseUrl, model) : "refused"
    },
    look: async (place, route) => {
      const sight = await chat.look(place, route)
      const hangs = sight.kind === "there" || sight.kind === "unknown"
      return hangs && (await exposed(route, freshMs)) ? { kind: "exposed" } : sight
    },
  }
}

/** True if another company reads a channel against the rules. We may always write to a person: a rule names them. */
async function isExposed(options: ExposedOptions, route: string, maxAgeMs: number, heardMs?: number): Promise<boolean> {
  const [kind, channel = ""] = route.split(":")
  if (kind !== "channel" || options.mayBeShared(channel)) return false
  const told = await options.channels.get(channel, maxAgeMs, heardMs)
  if (told.kind === "channel") return told.external
  const { why } = told
  const message = `${method}: Slack does not say whether ${channel} is shared with another company: ${why}`
  throw new ChatError({ code: "refused", method, slackCode: why, message })
}

function shared(route: string): ChatError {
  const message = `${route} is shared with another company, which its rules do not allow (allow_shared_channel)`
  return new ChatError({ code: "shared-channel", method, message })
}

function refusedIn(log: Log): (error: unknown) => false {
  return (error) => {
    if (!isPortError(error)) throw error
    log.info("settle-clicked-refused", { error })
    return false
  }
}

/** A message of ours that is in a channel already. */
interface Hanging {
  readonly place: Place
  readonly route: string
  readonly metadata: SentMetadata
}

/** Covers a message. If Slack does not let us edit it, it stays as it is. The operator hears of the channel anyway. */
async function cover({ call, log }: ExposedOptions, { place, metadata }: Hanging): Promise<void> {
  const edit = call("chat.update", (client) => client.chat.update({ ...place, ...coverOf(), metadata }))
  const edited = await editedOrRefused(edit.then(() => undefined))
  if (edited.kind !== "updated") log.warn("card-not-covered", { ...place, error: edited.error })
}

/** The text in place of a card. It says nothing about the case. */
function coverOf(): Message {
  return { text: coverWords, blocks: [{ type: "section", text: plain(coverWords) }] }
}
