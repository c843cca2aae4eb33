// The slash command: lists, one approval, who may decide it, what was decided. Everything it says is ephemeral.
import type { SlackId } from "../../domain/person.ts"
import type { ReplyTo } from "../../flow/press.ts"
import { answerWords } from "../text/answer-words.ts"
import { code, say } from "../text/spans.ts"
import { createLens } from "../text/text-fitter.ts"
import type { Message } from "../views/card.ts"
import {
  countMessage,
  helpMessage,
  historyMessage,
  listMessage,
  PAGE_SIZE,
  whyMessage,
  words,
} from "../views/list-messages.ts"
import { type Read, readHistoryQuery, readListQuery } from "./command-query.ts"
import { findCase } from "./find-case.ts"
import { type Ack, acknowledge, type Desk, failureAnswer, type Listener, type Rest } from "./listener-context.ts"
import { nearest } from "./nearest.ts"
import { openDetails } from "./open-details.ts"
import { type Command, readClick, readCommand } from "./payloads.ts"

const WORDS = ["list", "overdue", "show", "approve", "reject", "count", "history", "why", "help"] as const

/** A word that nobody knows, as far as it is repeated. */
const WORD_UNITS = 100

/** What a command comes to: a message for the asker, at once or after a look. */
type Say = (desk: Desk, person: SlackId, rest: readonly string[]) => Promise<Message>

/** The command was typed. */
export const onCommand: Listener<EphemeralMessage> = async (desk, body, ack) => {
  const command = readCommand(body, desk.identity)
  const [typed = "list", ...rest] = command.text === "" ? [] : command.text.split(/\s+/)
  const word = WORDS.find((one) => one === typed.toLowerCase())
  const [id = ""] = rest
  switch (word) {
    case "list":
      return answerLater(desk, ack, command, rest, sayList)
    case "overdue":
      return answerLater(desk, ack, command, ["overdue", ...rest], sayList)
    case "history":
      return answerLater(desk, ack, command, rest, sayHistory)
    case "count":
      return answerLater(desk, ack, command, rest, sayCount)
    case "why":
      if (id !== "") return answerLater(desk, ack, command, rest, sayWhy)
      break
    case "show":
    case "approve":
    case "reject":
      if (id !== "") return afterAck(desk, ack, () => showOne(desk, command, id))
      break
    case "help":
    case undefined:
  }
  const said =
    word === undefined ? unknownWord(desk, typed, nearest(typed.toLowerCase(), WORDS)) : helpMessage(desk.command)
  await acknowledge(desk, ack, ephemeral(said))
  return null
}

/** Another page of a list or of the history was asked for; the button says of which. */
export const onListPage: Listener = async (desk, body, ack) => {
  const { person, responseUrl, value } = readClick(body, desk.identity)
  if (responseUrl === null) return afterAck(desk, ack, async () => {})
  const [kind = "list", ...rest] = value.split(" ")
  return afterAck(desk, ack, async () => {
    const message = await guarded(desk, person, rest, kind === "history" ? sayHistory : sayList)
    await desk.respond(responseUrl, { replace_original: true, ...ephemeral(message) })
  })
}

async function afterAck<P>(desk: Desk, ack: Ack<P>, rest: () => Promise<void>): Promise<Rest> {
  await acknowledge(desk, ack)
  return rest
}

function answerLater<P>(desk: Desk, ack: Ack<P>, command: Command, rest: readonly string[], say: Say): Promise<Rest> {
  return afterAck(desk, ack, async () => {
    const message = await guarded(desk, command.person, rest, say)
    await desk.respond(command.responseUrl, ephemeral(message))
  })
}

async function guarded(desk: Desk, person: SlackId, rest: readonly string[], say: Say): Promise<Message> {
  try {
    return await say(desk, person, rest)
  } catch (error) {
    desk.log.warn("command-failed", { error })
    return words(answerWords(failureAnswer(error)))
  }
}

const sayList: Say = async (desk, person, rest) => {
  const read = readListQuery(rest)
  if (!read.ok) return unknownPart(desk, "list", read)
  const { page, mine, filter } = read.query
  const listing = await desk.inbound.list(person, { mine, filter, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE })
  const last = Math.max(1, Math.ceil(listing.total / PAGE_SIZE))
  return page > last ? sayList(desk, person, withPage(rest, last)) : listMessage(listing, page, rest)
}

const sayHistory: Say = async (desk, person, rest) => {
  const read = readHistoryQuery(rest)
  if (!read.ok) return unknownPart(desk, "history", read)
  const { page, filter } = read.query
  const listing = await desk.inbound.history(person, { filter, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE })
  const last = Math.max(1, Math.ceil(listing.total / PAGE_SIZE))
  return page > last ? sayHistory(desk, person, withPage(rest, last)) : historyMessage(listing, page, rest)
}

const sayCount: Say = async (desk, person) => {
  const ask = { filter: {}, offset: 0, limit: Number.POSITIVE_INFINITY }
  const [all, mine] = await Promise.all([
    desk.inbound.list(person, { ...ask, mine: false }),
    desk.inbound.list(person, { ...ask, mine: true }),
  ])
  return countMessage(all, mine)
}

const sayWhy: Say = async (desk, person, [id = "", page = "1"]) => {
  const found = await findCase(desk, person, id)
  const why = found === null ? null : await desk.inbound.why(found.face.caseId, person)
  if (why === null) return words(answerWords({ kind: "unknown-case" }))
  return whyMessage(why, Number.parseInt(page, 10) || 1, desk.command)
}

async function showOne(desk: Desk, command: Command, id: string): Promise<void> {
  const { person, triggerId, responseUrl, channel } = command
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  await openDetails(desk, { person, triggerId, place: null, replyTo, find: () => findCase(desk, person, id) })
}

function unknownPart(desk: Desk, word: string, read: Extract<Read<unknown>, { ok: false }>): Message {
  return unknownWord(desk, read.word, `${word} ${read.meant}`)
}

function unknownWord(desk: Desk, word: string, guess: string): Message {
  const help = helpMessage(desk.command)
  const shown = code(createLens().word(word, WORD_UNITS))
  const said = words([say("I don't know "), shown, say(". Did you mean "), code(`${desk.command} ${guess}`), say("?")])
  return { text: `${said.text}\n${help.text}`, blocks: [...said.blocks, ...help.blocks] }
}

function withPage(rest: readonly string[], page: number): readonly string[] {
  return [...rest.filter((word) => !/^\d+$/.test(word)), String(page)]
}

type EphemeralMessage = Message & { readonly response_type: "ephemeral" }

function ephemeral(message: Message): EphemeralMessage {
  return { response_type: "ephemeral", text: message.text, blocks: message.blocks }
}
