// A handler's answer: a status, and a body that is JSON text already.
import { type WireObject, writeExact } from "./exact-json.ts"

/** One answer. `text` is the JSON body; null for none (204). */
export interface ServiceReply {
  readonly status: number
  readonly text: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** One entry of a 422, in the shape of the specification (2.3). */
export interface Problem {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input?: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** Answers with a value, written as JSON with exact numbers. Default status: 200. */
export function answer(value: unknown, status = 200): ServiceReply {
  return { status, text: writeExact(value) }
}

/** Answers with JSON text that is written already. */
export function answerText(text: string, status = 200): ServiceReply {
  return { status, text }
}

/** An answer without a body: 204. */
export const noContent: ServiceReply = { status: 204, text: null }

/** Refuses with `{"detail": "…"}`, the body of every error but 422. */
export function refuse(status: number, detail: string): ServiceReply {
  return answer({ detail }, status)
}

/** Refuses an input with 422 and the specification's `HTTPValidationError`. */
export function refuseInput(problems: readonly Problem[]): ServiceReply {
  return answer({ detail: problems }, 422)
}

/** The place of a page in its list. `total_pages` is 0 without rows; `took` is in milliseconds. */
export function meta(page: number, limit: number, total: number, took: number): Record<string, number> {
  return { page, limit, total_pages: Math.ceil(total / limit), total_count: total, search_time_ms: took }
}

/** One event: its name and its JSON value. */
export interface ServerEvent {
  readonly name: string
  readonly data: WireObject
}

/** Answers with a stream of events, all committed before it begins. If a client goes away, that cancels nothing. */
export function answerEvents(events: readonly ServerEvent[]): ServiceReply {
  return { status: 200, text: eventsText(events), headers: streamHeaders }
}

const streamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }

function eventsText(events: readonly ServerEvent[]): string {
  return events.map(({ name, data }) => `event: ${name}\ndata: ${writeExact(data)}\n\n`).join("")
}

/** Sends events on. */
export type SendEvents = (events: readonly ServerEvent[]) => void

/**
 * Answers with a stream of events as they come, until `work` is over. If the client goes away, the work goes on. If the
 * work fails, the stream breaks off, and we call `failed`.
 */
export function answerLiveEvents(
  { failed }: { readonly failed: (error: unknown, what: string) => void },
  work: (send: SendEvents) => Promise<void>,
): Response {
  const encoder = new TextEncoder()
  let isHeard = true
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send: SendEvents = (events) => {
        if (isHeard && events.length > 0) controller.enqueue(encoder.encode(eventsText(events)))
      }
      const end = (close: () => void): void => {
        if (isHeard) close()
      }
      work(send).then(
        () => end(() => controller.close()),
        (error: unknown) => {
          failed(error, "a stream of events")
          end(() => controller.error(error))
        },
      )
    },
    cancel: () => {
      isHeard = false
    },
  })
  return new Response(body, { headers: streamHeaders })
}
