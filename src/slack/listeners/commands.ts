// The slash command: lists, one approval, who may decide it, what was decided. Everything it says is ephemeral.
import { caseIdOf } from "../../domain/case/case.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Details, Listing, PageAsk } from "../../flow/ports/inbound.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import { say } from "../lines/spans.ts"
import {
  countMessage,
  fullHelpMessage,
  guideView,
  helpMessage,
  unknownMessage,
  whyMessage,
} from "../lists/command-messages.ts"
import {
  historyMessage,
  isPageNumber,
  listMessage,
  pageSize,
  type TypedWords,
  whichMessage,
} from "../lists/list-messages.ts"
import { stopsMessage, underStops } from "../lists/stop-messages.ts"
import { answerWords } from "../text/answer-words.ts"
import { commandWords } from "../text/command-words.ts"
import { guideTitle } from "../text/guide-words.ts"
import { nothingWords } from "../text/list-words.ts"
import type { Message } from "../views/card.ts"
import { testAnswer } from "../views/test-card.ts"
import { words } from "../views/words.ts"
import { sayAway, sayBack } from "./absences.ts"
import {
  type HistoryRequest,
  isAboutPast,
  nearest,
  type QueryReader,
  type ReadQuery,
  readHistoryQuery,
  readListQuery,
} from "./command-query.ts"
import {
  acknowledge,
  type EphemeralMessage,
  ephemeral,
  failureAnswer,
  type Listener,
  type ListenerContext,
  onClick,
  openModal,
  replyToOf,
} from "./listener-context.ts"
import { openDetails } from "./open-details.ts"
import { stopTyped } from "./orders.ts"
import { type Command, readCommand } from "./payloads.ts"

const withId: ReadonlySet<string> = new Set(["show", "approve", "reject"])

/** What a command leads to: a message for the asker. */
type Say = (context: ListenerContext, person: SlackId, rest: readonly string[]) => Promise<Message>

/** The command was typed. */
export const onCommand: Listener<EphemeralMessage> = async (context, body, ack) => {
  const command = readCommand(body, context.identity)
  const [typed = "list", ...rest] = command.text === "" ? [] : command.text.split(/\s+/)
  const word = commandWords.find((one) => one === typed.toLowerCase())
  if (word === undefined || word === "help") {
    const said =
      word === undefined
        ? unknownMessage(context.command, typed, nearest(typed.toLowerCase(), commandWords))
        : helpOf(context, rest)
    await acknowledge(context, ack, ephemeral(said))
    return null
  }
  await acknowledge(context, ack)
  if (word === "stop") return () => stopTyped(context, command, rest)
  if (word === "away") return () => sayAway(context, command, rest)
  if (word === "back") return () => sayBack(context, command)
  const say = withId.has(word) && rest.length === 0 ? sayWhich : sayings[word]
  if (say === undefined) return () => showOne(context, command, rest)
  const { person, responseUrl } = command
  return async () => context.respond(responseUrl, ephemeral(await guarded(context, person, rest, say)))
}

function helpOf({ command }: Pick<ListenerContext, "command">, [more]: readonly string[]): Message {
  return more?.toLowerCase() === "more" ? fullHelpMessage(command) : helpMessage(command)
}

/** Somebody asked for another page of a list or of the history, or for more help; the button says which. */
export const onListPage = onClick((context, { person, responseUrl, value }) => {
  if (responseUrl === null) return null
  const [kind = "list", ...rest] = value.split(" ")
  const say = pagesOf.get(kind) ?? sayList
  return async () => {
    const message = await guarded(context, person, rest, say)
    await context.respond(responseUrl, { replace_original: true, ...ephemeral(message) })
  }
})

/** Somebody wants to read the guide for people who are asked. */
export const onGuide = onClick((context, click) => {
  const opening = { title: guideTitle, triggerId: click.triggerId, replyTo: replyToOf(click) } as const
  return () =>
    openModal(context, { ...opening, event: "guide-not-shown" }, (viewId) => context.views.show(viewId, guideView()))
})

/** Somebody pressed a test card: we only say that the press arrived, and read nothing else of it. */
export const onTestCard = onClick((context, { responseUrl }) =>
  responseUrl === null
    ? null
    : () => context.respond(responseUrl, { replace_original: false, ...ephemeral(testAnswer()) }),
)

async function guarded(context: ListenerContext, person: SlackId, rest: readonly string[], say: Say): Promise<Message> {
  try {
    return await say(context, person, rest)
  } catch (error) {
    context.log.warn("command-failed", { error })
    return words(answerWords(failureAnswer(error)))
  }
}

interface PagedList<Q> {
  readonly word: string
  readonly read: (words: readonly string[], reader: QueryReader) => ReadQuery<Q>
  readonly ask: (query: Q, page: PageAsk) => Promise<Listing>
  readonly message: (listing: Listing, page: number, asked: TypedWords) => Message
}

const sayList: Say = async (context, person, rest) => {
  const { inbound, command } = context
  const [list, stops] = await Promise.all([
    sayPage(context, person, rest, {
      word: "list",
      read: readListQuery,
      ask: ({ mine, filter }, page) => inbound.list(person, { mine, filter, ...page }),
      message: listMessage,
    }),
    inbound.stops(person),
  ])
  return underStops(stops, list, command)
}

/** Asks which id, if it is missing. Each waiting case has a button to its Details. */
const sayWhich: Say = (context, person) => {
  const { inbound } = context
  return sayPage(context, person, [], {
    word: "list",
    read: readListQuery,
    ask: ({ mine, filter }, page) => inbound.list(person, { mine, filter, ...page }),
    message: whichMessage,
  })
}

const sayHistory: Say = (context, person, rest) => {
  const { inbound } = context
  return sayPage(context, person, rest, {
    word: "history",
    read: readHistoryQuery,
    ask: ({ filter }, page) => inbound.history(person, { filter, ...page }),
    message: historyMessage,
  })
}

/** One page of a list; if there is no such page, the last one. */
async function sayPage<Q extends HistoryRequest>(
  context: ListenerContext,
  asker: SlackId,
  rest: readonly string[],
  list: PagedList<Q>,
): Promise<Message> {
  const at = context.clock()
  const read = list.read(rest, { asker, now: at })
  if (!read.ok) return unknownMessage(context.command, read.word, `${list.word} ${read.meant}`)
  const { page, after } = read.query
  const listing = await list.ask(read.query, { offset: (page - 1) * pageSize, limit: pageSize, after })
  const last = Math.max(1, Math.ceil(listing.total / pageSize))
  const meant = read.meant === undefined ? null : `${context.command} ${list.word} ${read.meant}`
  if (page <= last) return list.message(listing, page, { words: rest, at, meant })
  return sayPage(context, asker, [...rest.filter((word) => !isPageNumber(word)), String(last)], list)
}

const everything = { filter: {}, offset: 0, limit: Number.POSITIVE_INFINITY }

/** Says how many cases wait. If the words ask for a status of decided cases, says how many have it. */
const sayCount: Say = async (context, person, rest) => {
  const { inbound, clock } = context
  const reader = { asker: person, now: clock() }
  const past = isAboutPast(rest)
  const read = past ? readHistoryQuery(rest, reader) : readListQuery(rest, reader)
  if (!read.ok) return unknownMessage(context.command, read.word, `count ${read.meant}`)
  const { filter, after } = read.query
  const ask = { ...everything, filter, after }
  if (past) return countMessage(await inbound.history(person, ask), null)
  const [all, mine] = await Promise.all([
    inbound.list(person, { ...ask, mine: false }),
    inbound.list(person, { ...ask, mine: true }),
  ])
  return countMessage(all, mine)
}

/** Without an id: about the first case that waits for this person, or else about the first that they may see. */
const sayWhy: Say = async (context, person, [id, page = "1"]) => {
  if (id === undefined) return sayWhyFirst(context, person)
  const found = await findCase(context, person, id)
  const why = found === null ? null : await context.inbound.why(found.model.caseId, person)
  if (why === null) return words(answerWords({ kind: "unknown-case" }))
  return whyMessage(why, Number.parseInt(page, 10) || 1, context.command)
}

async function sayWhyFirst(context: ListenerContext, person: SlackId): Promise<Message> {
  const { inbound, command } = context
  const first = { filter: {}, offset: 0, limit: 1 }
  const [mine, all] = await Promise.all([
    inbound.list(person, { ...first, mine: true }),
    inbound.list(person, { ...first, mine: false }),
  ])
  const model = mine.models[0] ?? all.models[0]
  const why = model === undefined ? null : await inbound.why(model.caseId, person)
  if (why === null) return words([say(nothingWords.waitsToSee)])
  return whyMessage(why, 1, command, all.total - 1)
}

/** What each word of the command says. Any other word with an id opens its Details. */
const sayings: Readonly<Partial<Record<(typeof commandWords)[number], Say>>> = {
  list: sayList,
  overdue: (context, person, rest) => sayList(context, person, ["overdue", ...rest]),
  history: sayHistory,
  count: sayCount,
  why: sayWhy,
  stops: async (context, person) => stopsMessage(await context.inbound.stops(person), context.command),
}

/** What a button below a list or below help leads to. */
const pagesOf: ReadonlyMap<string, Say> = new Map<string, Say>([
  ["history", sayHistory],
  ["help", async (context, _person, rest) => helpOf(context, rest)],
])

function showOne(context: ListenerContext, command: Command, [id = ""]: readonly string[]): Promise<void> {
  const { person, triggerId, responseUrl, channel } = command
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  const find = () => findCase(context, person, id)
  return openDetails(context, { person, triggerId, place: null, replyTo, find })
}

/**
 * The case that somebody means: by its id, its approval's id, or a beginning that fits only one. A case that they may
 * not see is not found (R8).
 */
async function findCase(context: ListenerContext, person: SlackId, id: string): Promise<Details | null> {
  const { inbound, installation, instances } = context
  const ids = /^[0-9a-f]{20}$/.test(id) ? [id] : []
  const derived = instances().map((instance) => caseIdOf(installation, instance, id))
  for (const caseId of [...ids, ...derived]) {
    const details = await inbound.details(caseId, person, null)
    if (details !== null) return details
  }
  if (id.length < 4) return null
  const { models } = await inbound.list(person, { ...everything, filter: { beginning: id }, mine: false })
  const [found, ...others] = models.filter((model) => model.caseId.startsWith(id) || model.approvalId.startsWith(id))
  return found === undefined || others.length > 0 ? null : inbound.details(found.caseId, person, null)
}
