// The one HTTP server of the bot: health, and in HTTP mode Slack's deliveries on the same port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"

/** Answers one request, as node:http hands it over. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** What a server is made of. */
export interface ServerOptions {
  readonly app: Hono
  /** Takes everything below `/slack/`; absent in Socket Mode. */
  readonly slack?: Listener | undefined
  /** 0 = any free one. */
  readonly port: number
  readonly host: string
}

/** A server that listens. */
export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

/** A port that cannot be had, in words that say what to do. Trying again does not help. */
export class HttpError extends Error {
  readonly code = "cannot-listen"
  readonly retryable = false
  constructor(where: string, options: ErrorOptions) {
    super(
      `cannot listen on ${where}: is another process there? Set PORT (or http.port in the config) to a free one`,
      options,
    )
    this.name = "HttpError"
  }
}

/** Starts to listen. Throws `HttpError` if the port cannot be had. */
export async function startHttp(options: ServerOptions): Promise<HttpServer> {
  const own = getRequestListener(options.app.fetch)
  const server = createServer((request, response) => {
    if (options.slack !== undefined && request.url?.startsWith("/slack/") === true) options.slack(request, response)
    else void own(request, response)
  })
  await listen(server, options)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : options.port
  return { url: `http://${urlHost(options.host)}:${port}`, close: () => close(server) }
}

function listen(server: Server, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(new HttpError(`${host}:${port}`, { cause })))
    server.listen({ port, host }, resolve)
  })
}

/** Where every address is listened to, the machine itself is reached by loopback. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host}]` : host
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
