// Finding what a process posted before it died: a bounded look into a channel's or a thread's history, within the minute's calls.
import type { Place } from "../../domain/case.ts"
import type { Face } from "../../domain/face.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { isUnseen } from "../transport/errors.ts"
import type { SlackCall } from "../transport/web-client.ts"
import { type FoundMessage, lineNumbers } from "./metadata.ts"

/** Messages on one page, and pages that are looked at before we give up. */
const pageSize = 200
const maxPages = 10
/** Slack's clock and ours may differ by this much, in ms. */
const clockSlackMs = 60_000
/** What looking needs. */
export interface FindOptions {
  readonly call: SlackCall
  readonly identity: SlackIdentity
}

/** The message of ours in a channel that is meant, posted since `since` (epoch ms); null if there is none, `unseen` if we may not look. */
export async function findMessage(
  { call }: Pick<FindOptions, "call">,
  channel: string,
  since: number,
  isMeant: (message: FoundMessage) => boolean,
): Promise<Place | "unseen" | null> {
  const oldest = String(Math.max(0, (since - clockSlackMs) / 1_000))
  const base = { channel, oldest, limit: pageSize, include_all_metadata: true }
  const how = { queuedAs: `since ${channel} ${oldest}` }
  const pages = pagesOf((cursor) =>
    call("conversations.history", (client) => client.conversations.history({ ...base, ...cursor }), how),
  )
  try {
    for await (const { messages } of pages) {
      const found = messages.find(isMeant)
      if (found?.ts !== undefined) return { channel, ts: found.ts }
    }
    return null
  } catch (error) {
    if (isUnseen(error)) return "unseen"
    throw error
  }
}

/** How many lines of the case stand in a thread; null if we may not look, or the thread is too long to be sure. */
export async function countLines(options: FindOptions, place: Place, face: Face): Promise<number | null> {
  const { call, identity } = options
  const numbers = new Set<number>()
  const base = { channel: place.channel, ts: place.ts, limit: pageSize, include_all_metadata: true }
  const how = { queuedAs: `below ${place.channel} ${place.ts}` }
  const pages = pagesOf((cursor) =>
    call("conversations.replies", (client) => client.conversations.replies({ ...base, ...cursor }), how),
  )
  try {
    for await (const page of pages) {
      for (const number of page.messages.flatMap((message) => lineNumbers(message, face, identity))) numbers.add(number)
      if (page.last) return numbers.size
    }
    return null
  } catch (error) {
    if (isUnseen(error)) return null
    throw error
  }
}

interface HistoryAnswer {
  readonly messages?: readonly FoundMessage[]
  readonly response_metadata?: { readonly next_cursor?: string }
}

interface HistoryPage {
  readonly messages: readonly FoundMessage[]
  readonly last: boolean
}

async function* pagesOf(read: (cursor: { cursor?: string }) => Promise<HistoryAnswer>): AsyncGenerator<HistoryPage> {
  let cursor: { cursor?: string } = {}
  for (let page = 0; page < maxPages; page++) {
    const answer = await read(cursor)
    const next = answer.response_metadata?.next_cursor ?? ""
    yield { messages: answer.messages ?? [], last: next === "" }
    if (next === "") return
    cursor = { cursor: next }
  }
}
