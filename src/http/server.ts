// The one HTTP server of the bot: health, the public keys, and in HTTP mode Slack's deliveries on the same port.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Hono } from "hono"
import { listenOn, namesSeveralHosts, stopListening, urlHost } from "../listen.ts"
import type { Log } from "../log.ts"
import { type Probe, problemsOf } from "./probe.ts"

/**
 * How long a connection may be idle, in ms: longer than load balancers keep one (60 s in most). Otherwise a balancer
 * sends a click into a connection that we just closed, and answers 502.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html
 */
export const idleMs = 75_000

/** Answers one request from node:http. */
type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** What a server needs. */
interface ServerOptions {
  readonly app: Hono
  /** Takes every request below `/slack/`; undefined in Socket Mode. */
  readonly slack?: Listener | undefined
  /** 0: any free port. */
  readonly port: number
  readonly host: string
}

/** A server that listens. */
export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string
  close(): Promise<void>
}

/** The names of the settings for port and host, in words for people. */
export const listenSettings = { port: "PORT (or http.port)", host: "http.host" }

/** Starts to listen. Throws `ListenError` if it cannot have the port. */
export async function startHttp(options: ServerOptions): Promise<HttpServer> {
  const own = listenerOf(options.app)
  const server = createServer((request, response) => {
    if (namesSeveralHosts(request)) refuseHosts(response)
    else if (options.slack !== undefined && request.url?.startsWith("/slack/") === true)
      options.slack(request, response)
    else own(request, response)
  })
  server.keepAliveTimeout = idleMs
  const { port } = await listenOn(server, { ...options, settings: listenSettings })
  return { url: ownUrl({ host: options.host, port }), close: () => stopListening(server) }
}

function refuseHosts(response: ServerResponse): void {
  const headers = { connection: "close", "content-length": severalHosts.length, "content-type": "text/plain" }
  response.writeHead(400, headers).end(severalHosts)
}

const severalHosts = "The request names more than one host"

/** Makes a listener that loads Hono's adapter for the first request: the adapter loads Node's own fetch, in 15 ms. */
function listenerOf(app: Hono): Listener {
  let made: Promise<Listener> | undefined
  const make = async (): Promise<Listener> => {
    const { getRequestListener } = await import("@hono/node-server")
    const answer = getRequestListener(app.fetch)
    return (request, response) => void answer(request, response)
  }
  return (request, response) => {
    made ??= make()
    void made.then((answer) => answer(request, response))
  }
}

/** The address at which this machine itself reaches the server: loopback, if the server listens on every address. */
export function ownUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const all = host === "0.0.0.0" || host === "::"
  return `http://${all ? "127.0.0.1" : urlHost(host)}:${port}`
}

/**
 * Serves `GET /healthz` (200 `{"status":"ok"}` while the process answers) and `GET /readyz` (200, or 503 with the
 * problem of each probe that failed). Neither needs a credential or tells a secret.
 */
export function createHealthApp(probes: readonly Probe[]): Hono {
  const app = new Hono()
  app.get("/healthz", (context) => context.json({ status: "ok" }))
  app.get("/readyz", async (context) => {
    const problems = await problemsOf(probes)
    const ready = Object.keys(problems).length === 0
    return context.json(ready ? { status: "ready" } : { status: "not ready", problems }, ready ? 200 : 503)
  })
  return app
}

/** Serves `GET /.well-known/jwks.json` without a credential; 503 while the keys cannot be read. */
export function serveKeys(
  app: Hono,
  from: { readonly read: () => Promise<readonly object[]>; readonly log: Log },
): void {
  app.get("/.well-known/jwks.json", async (context) => {
    try {
      const keys = await from.read()
      const headers = { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300" }
      return context.body(JSON.stringify({ keys }), 200, headers)
    } catch (error) {
      from.log.warn("keys-unreadable", { error })
      return context.json({ error: "the keys cannot be read now" }, 503)
    }
  })
}

/**
 * Serves the signed list of ended decisions at `path` without a credential; 503 while the list cannot be read. It may
 * be kept for a second only: what stands between a gate and us must not hide a stop (R21).
 */
export function serveEndedList(
  app: Hono,
  from: { readonly path: string; readonly read: () => Promise<string>; readonly log: Log },
): void {
  app.get(from.path, async (context) => {
    try {
      const headers = { "content-type": "application/jose", "cache-control": "public, max-age=1" }
      return context.body(await from.read(), 200, headers)
    } catch (error) {
      from.log.warn("ended-list-unreadable", { error })
      return context.json({ error: "the list of ended decisions cannot be read now" }, 503)
    }
  })
}
