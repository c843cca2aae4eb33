// A receiver of webhooks: a real HTTP server that verifies each signature by the official library, and answers as a
// test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import { onLoopback } from "../support/on-loopback.ts"

/** A secret of Standard Webhooks. */
export function aSecret(fill = "s"): string {
  return `whsec_${Buffer.alloc(32, fill).toString("base64")}`
}

/** A request as it came. `verified`: the event, if the signature holds under the receiver's secret; else null. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly verified: ReceivedEvent | null
}

/** The parts of an event that tests look at. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly subject?: string
  readonly data: { readonly entry: { readonly number: number; readonly kind: string }; readonly case: unknown }
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** The kinds of entries of a case that arrived, in the order of their first arrival. */
  readonly kindsOf: (caseId: string) => readonly string[]
  /** What it answers to each request from now on. */
  answer: (response: ServerResponse, request: Received) => void
  readonly close: () => Promise<void>
}

/** Starts one that accepts everything. */
export async function startReceiver(secret = aSecret()): Promise<Receiver> {
  const received: Received[] = []
  const accept = (response: ServerResponse) => void response.writeHead(204).end()
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { method = "", url: path = "", headers } = request
      const one = { method, path, headers, body, verified: verifiedOf(secret, headers, body) }
      received.push(one)
      receiver.answer(response, one)
    })
  })
  const { url, close } = await onLoopback(server)
  const kindsOf = (caseId: string) => {
    const own = received.flatMap(({ verified }) => (verified?.subject === caseId ? [verified.data.entry] : []))
    return [...new Map(own.map(({ number, kind }) => [number, kind])).values()]
  }
  const receiver: Receiver = { url, received, kindsOf, answer: accept, close }
  return receiver
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function verifiedOf(secret: string, headers: IncomingHttpHeaders, body: string): ReceivedEvent | null {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  try {
    return new Webhook(secret).verify(body, named) as ReceivedEvent
  } catch {
    return null
  }
}
