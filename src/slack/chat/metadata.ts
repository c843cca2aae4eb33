// Metadata: the ids on our messages, by which we find them again after a crash. Every app in the channel reads them.
import { z } from "zod"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Place } from "../../domain/case/case.ts"
import type { Lines, SummaryModel } from "../../flow/ports.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { metadataTypes } from "../ids.ts"
import { insteadOf, unseenCodes } from "../transport/errors.ts"
import { isLastPage, pagesOf, type SlackCall } from "../transport/web-client.ts"
import { readTarget } from "../views/button-values.ts"

const text = z.string()
const card = metadataOf(metadataTypes.card, { installation: text, case: text, route: text })
const line = metadataOf(metadataTypes.line, { case: text, number: z.number(), lines: z.number().default(1) })
const summary = metadataOf(metadataTypes.summary, { installation: text, route: text, summary: text })

/** The schema of a message's metadata. */
export function metadataOf<P extends z.ZodRawShape>(type: string, payload: P) {
  return z.object({ event_type: z.literal(type), event_payload: z.object(payload) })
}

/** Metadata in the form that the Web API wants. */
export interface SentMetadata {
  readonly event_type: string
  readonly event_payload: Record<string, string | number>
}

/** A message as Slack's history has it. */
export interface FoundMessage {
  readonly ts?: string | undefined
  readonly bot_id?: string | undefined
  readonly metadata?: unknown
}

/** The metadata of a card. */
export function cardMetadata(model: CardModel): SentMetadata {
  const { installation, caseId, route, revision } = model
  return { event_type: metadataTypes.card, event_payload: { installation, case: caseId, route, revision } }
}

/** The metadata of a message in a card's thread: the number of its first line, and how many lines it holds. */
export function linesMetadata(model: CardModel, { first, events }: Lines): SentMetadata {
  return { event_type: metadataTypes.line, event_payload: { case: model.caseId, number: first, lines: events.length } }
}

/** The metadata of a message in a thread that is not ours. */
export function threadMetadata(
  model: CardModel,
  lines: { readonly first: number; readonly due: number },
): SentMetadata {
  const { first: number, due } = lines
  return { event_type: metadataTypes.line, event_payload: { case: model.caseId, number, lines: due - number } }
}

/** The metadata of a summary. */
export function summaryMetadata({ installation, route, id }: SummaryModel): SentMetadata {
  return { event_type: metadataTypes.summary, event_payload: { installation, route, summary: id } }
}

/** True for the summary with that id, if we posted it. */
export function isSummary(message: FoundMessage, model: SummaryModel, identity: SlackIdentity): boolean {
  const found = summary.safeParse(ownMetadata(message, identity)).data?.event_payload
  return found?.installation === model.installation && found.route === model.route && found.summary === model.id
}

/** True for a card that we posted. */
export function isCardOf(message: FoundMessage, model: CardModel, identity: SlackIdentity): boolean {
  const found = card.safeParse(ownMetadata(message, identity)).data?.event_payload
  return found?.installation === model.installation && found.case === model.caseId && found.route === model.route
}

/** The numbers of the lines that a message of ours holds about a case; none for any other message. */
export function lineNumbers(message: FoundMessage, model: CardModel, identity: SlackIdentity): readonly number[] {
  const found = line.safeParse(ownMetadata(message, identity)).data?.event_payload
  if (found?.case !== model.caseId) return []
  return Array.from({ length: found.lines }, (_, index) => found.number + index)
}

/** The metadata of a message, if we posted the message: another app may copy ours. */
export function ownMetadata({ bot_id, metadata }: FoundMessage, identity: SlackIdentity): unknown {
  return bot_id === identity.bot ? metadata : null
}

const aboutCase = z.object({
  event_type: z.enum([metadataTypes.card, metadataTypes.line]),
  event_payload: z.object({ case: z.string().regex(/^[0-9a-f]{20}$/) }),
})
const button = z.object({ value: z.string().default("") })
const buttons = z.object({ type: z.literal("actions"), elements: z.array(button) })
const posted = z.object({ metadata: z.unknown().optional(), blocks: z.array(z.unknown()).catch([]) })

/**
 * The case that a message of ours is about: by its metadata, else by the first button that names one; else null. Only a
 * hint: we judge all that follows from it. We do not read the text, because agents wrote it.
 */
export function caseOf(message: object): string | null {
  const { metadata, blocks } = posted.parse(message)
  const values = blocks.flatMap((block) => buttons.safeParse(block).data?.elements ?? [])
  const target = values.map(({ value }) => readTarget(value)).find((one) => one !== null)
  return aboutCase.safeParse(metadata).data?.event_payload.case ?? target?.caseId ?? null
}

/** How many messages a page has, and how many pages we look at before we give up. */
const pageSize = 200
const maxPages = 10
/** How far Slack's clock and ours may differ, in ms. */
const clockSlackMs = 60_000
interface FindOptions {
  readonly call: SlackCall
  readonly identity: SlackIdentity
}

/** Finds our message, posted since `since` (epoch ms). Null if there is none, `unseen` if we may not look. */
export function findMessage(
  { call }: Pick<FindOptions, "call">,
  channel: string,
  since: number,
  isMeant: (message: FoundMessage) => boolean,
): Promise<Place | "unseen" | null> {
  const oldest = String(Math.max(0, (since - clockSlackMs) / 1_000))
  const base = { channel, oldest, limit: pageSize, include_all_metadata: true }
  const how = { queuedAs: `since ${channel} ${oldest}` }
  const look = async () => {
    const pages = pagesOf(maxPages, (cursor) =>
      call("conversations.history", (client) => client.conversations.history({ ...base, ...cursor }), how),
    )
    for await (const { messages = [] } of pages) {
      const found = messages.find(isMeant)
      if (found?.ts !== undefined) return { channel, ts: found.ts }
    }
    return null
  }
  return look().catch(insteadOf(unseenCodes, "unseen" as const))
}

/** How many lines of the case stand in a thread; null if we may not look, or if the thread is too long to be sure. */
export function countLines({ call, identity }: FindOptions, place: Place, model: CardModel): Promise<number | null> {
  const base = { ...place, limit: pageSize, include_all_metadata: true }
  const how = { queuedAs: `below ${place.channel} ${place.ts}` }
  const count = async () => {
    const numbers = new Set<number>()
    const pages = pagesOf(maxPages, (cursor) =>
      call("conversations.replies", (client) => client.conversations.replies({ ...base, ...cursor }), how),
    )
    for await (const page of pages) {
      const { messages = [] } = page
      for (const number of messages.flatMap((message) => lineNumbers(message, model, identity))) numbers.add(number)
      if (isLastPage(page)) return numbers.size
    }
    return null
  }
  return count().catch(insteadOf(unseenCodes, null))
}
