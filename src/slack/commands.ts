// The slash command: what waits, one approval, help. Everything it says is ephemeral.
import { caseIdOf } from "../domain/case.ts"
import type { SlackId } from "../domain/person.ts"
import type { Details } from "../flow/inbound.ts"
import type { ReplyTo } from "../flow/ports.ts"
import type { Message } from "./card.ts"
import { type Ack, acknowledge, type Desk, failureAnswer, type Listener, type Rest } from "./listener.ts"
import { helpMessage, listMessage, PAGE_SIZE, words } from "./listing.ts"
import { nearest } from "./nearest.ts"
import { type Command, readClick, readCommand } from "./payload.ts"
import { code, say } from "./spans.ts"
import { openDetails } from "./views.ts"
import { answerWords } from "./words.ts"

const WORDS = ["list", "show", "help"] as const
/** How many waiting approvals are searched for the beginning of an id. */
const SEARCHED = 500

/** The command was typed. */
export const onCommand: Listener<EphemeralMessage> = async (desk, body, ack) => {
  const command = readCommand(body)
  const [word = "list", argument = ""] = command.text === "" ? [] : command.text.split(/\s+/)
  const known = WORDS.find((one) => one === word.toLowerCase())
  if (known === "list") return afterAck(desk, ack, () => sendList(desk, command, pageOf(argument)))
  if (known === "show" && argument !== "") return afterAck(desk, ack, () => showOne(desk, command, argument))
  await acknowledge(desk, ack, ephemeral(known === undefined ? unknownWord(desk, word) : helpMessage(desk.command)))
  return null
}

/** Another page of the list was asked for. */
export const onListPage: Listener = async (desk, body, ack) => {
  const { person, responseUrl, value } = readClick(body)
  if (responseUrl === null) return afterAck(desk, ack, async () => {})
  const show = async () => {
    const message = await listFor(desk, person, pageOf(value))
    await desk.respond(responseUrl, { replace_original: true, ...ephemeral(message) })
  }
  return afterAck(desk, ack, show)
}

async function afterAck<P>(desk: Desk, ack: Ack<P>, rest: () => Promise<void>): Promise<Rest> {
  await acknowledge(desk, ack)
  return rest
}

async function sendList(desk: Desk, command: Command, page: number): Promise<void> {
  await desk.respond(command.responseUrl, ephemeral(await listFor(desk, command.person, page)))
}

async function listFor(desk: Desk, person: SlackId, page: number): Promise<Message> {
  try {
    const listing = await desk.inbound.list(person, { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE })
    const last = Math.max(1, Math.ceil(listing.total / PAGE_SIZE))
    return page > last ? await listFor(desk, person, last) : listMessage(listing, page)
  } catch (error) {
    desk.log.warn("list-failed", { error })
    return words(answerWords(failureAnswer(error)))
  }
}

async function showOne(desk: Desk, command: Command, id: string): Promise<void> {
  const { person, triggerId, responseUrl, channel } = command
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  await openDetails(desk, { person, triggerId, place: null, replyTo, find: () => findCase(desk, person, id) })
}

/** By the case's id, by the approval's id on any instance, or by an unmistakable beginning of either among what waits. */
async function findCase(desk: Desk, person: SlackId, id: string): Promise<Details | null> {
  const ids = /^[0-9a-f]{20}$/.test(id) ? [id] : []
  const derived = desk.instances.map((instance) => caseIdOf(desk.installation, instance, id))
  for (const caseId of [...ids, ...derived]) {
    const details = await desk.inbound.details(caseId, person, null)
    if (details !== null) return details
  }
  if (id.length < 4) return null
  const { faces } = await desk.inbound.list(person, { offset: 0, limit: SEARCHED })
  const [found, ...others] = faces.filter((face) => face.caseId.startsWith(id) || face.approvalId.startsWith(id))
  return found === undefined || others.length > 0 ? null : desk.inbound.details(found.caseId, person, null)
}

function unknownWord(desk: Desk, word: string): Message {
  const guess = nearest(word.toLowerCase(), WORDS)
  const help = helpMessage(desk.command)
  const said = words([
    say("I don't know "),
    code(word.slice(0, 100)),
    say(". Did you mean "),
    code(`${desk.command} ${guess}`),
    say("?"),
  ])
  return { text: `${said.text}\n${help.text}`, blocks: [...said.blocks, ...help.blocks] }
}

type EphemeralMessage = Message & { readonly response_type: "ephemeral" }

function ephemeral(message: Message): EphemeralMessage {
  return { response_type: "ephemeral", text: message.text, blocks: message.blocks }
}

function pageOf(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1
}
