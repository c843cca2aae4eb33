// A small HTTP server that stands for an upstream: it keeps what it was sent and answers what a test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { onLoopback } from "../support/on-loopback.ts"

/** One request as it arrived. */
export type Arrived = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type AnUpstream = { readonly url: string; readonly arrived: Arrived[]; close(): Promise<void> }

/** Starts one; by default it answers 200 with `{"upstream": true}` once the body is there. */
export async function anUpstream(
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    void response.setHeader("content-type", "application/json").end('{"upstream":true}'),
): Promise<AnUpstream> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("error", () => undefined)
    request.on("end", () => {
      const { method = "", url = "", headers } = request
      arrived.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(response, request)
    })
  })
  return { ...(await onLoopback(server)), arrived }
}
