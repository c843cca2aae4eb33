// Finding what a process posted before it died: a bounded look into history, within the minute's calls.
import type { Place } from "../../domain/case.ts"
import type { Face } from "../../domain/face.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { insteadOf, unseenCodes } from "../transport/errors.ts"
import { isLastPage, pagesOf, type SlackCall } from "../transport/web-client.ts"
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

/** Our message that is meant, posted since `since` (epoch ms); null if there is none, `unseen` if we may not look. */
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

/** How many lines of the case stand in a thread; null if we may not look, or the thread is too long to be sure. */
export function countLines({ call, identity }: FindOptions, place: Place, face: Face): Promise<number | null> {
  const base = { ...place, limit: pageSize, include_all_metadata: true }
  const how = { queuedAs: `below ${place.channel} ${place.ts}` }
  const count = async () => {
    const numbers = new Set<number>()
    const pages = pagesOf(maxPages, (cursor) =>
      call("conversations.replies", (client) => client.conversations.replies({ ...base, ...cursor }), how),
    )
    for await (const page of pages) {
      const { messages = [] } = page
      for (const number of messages.flatMap((message) => lineNumbers(message, face, identity))) numbers.add(number)
      if (isLastPage(page)) return numbers.size
    }
    return null
  }
  return count().catch(insteadOf(unseenCodes, null))
}
