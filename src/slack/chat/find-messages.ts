// Finding what a process posted before it died: a bounded look into a channel's or a thread's history, within the minute's calls.
import type { Place } from "../../domain/case.ts"
import type { Face } from "../../domain/face.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { slackCodeOf, UNSEEN } from "../transport/errors.ts"
import type { Call } from "../transport/web-client.ts"
import { type FoundMessage, lineNumbers } from "./metadata.ts"

/** Messages on one page, and pages that are looked at before we give up. */
const PAGE_SIZE = 200
const PAGES = 10
/** Slack's clock and ours may differ by this much, in ms. */
const CLOCK_SLACK_MS = 60_000
/** What looking needs. */
export interface FindOptions {
  readonly call: Call
  readonly identity: SlackIdentity
}

/** The message of ours in a channel that is meant, posted since `since` (epoch ms); null if there is none, `unseen` if we may not look. */
export async function findMessage(
  { call }: Pick<FindOptions, "call">,
  channel: string,
  since: number,
  isMeant: (message: FoundMessage) => boolean,
): Promise<Place | "unseen" | null> {
  const oldest = String(Math.max(0, (since - CLOCK_SLACK_MS) / 1_000))
  const base = { channel, oldest, limit: PAGE_SIZE, include_all_metadata: true }
  const how = { inLine: `since ${channel} ${oldest}` }
  const pages = pagesOf((cursor) =>
    call("conversations.history", (client) => client.conversations.history({ ...base, ...cursor }), how),
  )
  const found = await lookInto(pages, (messages) => messages.find(isMeant))
  if (found === "unseen") return found
  return found?.ts === undefined ? null : { channel, ts: found.ts }
}

/** How many lines of the case stand in a thread; null if we may not look, or the thread is too long to be sure. */
export async function countLines(options: FindOptions, place: Place, face: Face): Promise<number | null> {
  const { call, identity } = options
  const numbers = new Set<number>()
  const base = { channel: place.channel, ts: place.ts, limit: PAGE_SIZE, include_all_metadata: true }
  const how = { inLine: `below ${place.channel} ${place.ts}` }
  const pages = pagesOf((cursor) =>
    call("conversations.replies", (client) => client.conversations.replies({ ...base, ...cursor }), how),
  )
  try {
    for await (const page of pages) {
      for (const message of page.messages) {
        for (const number of lineNumbers(message, face, identity)) numbers.add(number)
      }
      if (page.last) return numbers.size
    }
    return null
  } catch (error) {
    if (mayNotLook(error)) return null
    throw error
  }
}

interface Answer {
  readonly messages?: readonly FoundMessage[]
  readonly response_metadata?: { readonly next_cursor?: string }
}

interface HistoryPage {
  readonly messages: readonly FoundMessage[]
  readonly last: boolean
}

async function* pagesOf(read: (cursor: { cursor?: string }) => Promise<Answer>): AsyncGenerator<HistoryPage> {
  let cursor: { cursor?: string } = {}
  for (let page = 0; page < PAGES; page++) {
    const answer = await read(cursor)
    const next = answer.response_metadata?.next_cursor ?? ""
    yield { messages: answer.messages ?? [], last: next === "" }
    if (next === "") return
    cursor = { cursor: next }
  }
}

async function lookInto(
  pages: AsyncGenerator<HistoryPage>,
  pick: (messages: readonly FoundMessage[]) => FoundMessage | undefined,
): Promise<FoundMessage | "unseen" | null> {
  try {
    for await (const page of pages) {
      const found = pick(page.messages)
      if (found !== undefined) return found
    }
    return null
  } catch (error) {
    if (mayNotLook(error)) return "unseen"
    throw error
  }
}

function mayNotLook(error: unknown): boolean {
  const slackCode = slackCodeOf(error)
  return slackCode !== null && UNSEEN.has(slackCode)
}
