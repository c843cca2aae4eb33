// Writes server-sent events.

import { writeExact } from "./exact-json.ts"
import type { Reply } from "./reply.ts"

/** One event: its name and its JSON value. */
export type ServerEvent = { readonly name: string; readonly data: unknown }

/**
 * Answers with a stream of events. They are known when the answer begins: whatever they tell has been committed by then, so a
 * client that goes away cancels nothing.
 */
export function answerEvents(events: readonly ServerEvent[]): Reply {
  const text = events.map(({ name, data }) => `event: ${name}\ndata: ${writeExact(data)}\n\n`).join("")
  return {
    status: 200,
    text,
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  }
}
