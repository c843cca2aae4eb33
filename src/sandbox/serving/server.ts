// The sandbox's one HTTP server, on loopback: Web API, response URLs, control API, page, and Socket Mode.
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import { type WebSocket, WebSocketServer } from "ws"
import { listenOn } from "../../listen.ts"
import type { SocketMode } from "../delivery/socket-mode.ts"
import { webApi } from "../web-api/router.ts"
import type { World } from "../world.ts"
import { isLoopback, loopbackOnly } from "./guard.ts"
import { createLive, type LoadPage, pageRoutes } from "./page-server.ts"
import { controlApi, responseRoutes } from "./routes.ts"

/** What the server serves. */
export interface SandboxServerOptions {
  readonly world: World
  readonly socketMode: SocketMode
  readonly controlToken: string
  /** Undefined: there is no page. */
  readonly loadPage: LoadPage | undefined
  /** 0 for any free port. */
  readonly port: number
}

/** How long a socket may take to close, in milliseconds. */
const goodbyeMs = 250

/** Starts to listen on 127.0.0.1. Throws `ListenError` if the port is taken. */
export async function startServer(options: SandboxServerOptions) {
  const closing = new AbortController()
  const listener = getRequestListener(routes(options, closing.signal).fetch)
  const server = createServer((request, response) => void listener(request, response))
  const sockets = acceptSockets(server, options)
  const settings = { port: "--port", host: "the loopback interface of this machine" }
  const { port } = await listenOn(server, { host: "127.0.0.1", port: options.port, settings })
  return {
    port,
    /** Ends every request, stream and socket, then the server. */
    close: async () => {
      closing.abort()
      options.socketMode.close()
      await closeSockets(sockets)
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

/** Says goodbye to each socket, and cuts off those that do not answer: a server does not end while a socket is open. */
async function closeSockets(sockets: WebSocketServer): Promise<void> {
  const clients = [...sockets.clients]
  const cut = setTimeout(() => {
    for (const socket of clients) socket.terminate()
  }, goodbyeMs)
  await Promise.all(clients.map(goodbye))
  clearTimeout(cut)
}

async function goodbye(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return
  const closed = once(socket, "close")
  socket.close(1001, "the sandbox closes")
  await closed
}

function routes({ world, controlToken, loadPage }: SandboxServerOptions, closing: AbortSignal): Hono {
  const app = new Hono()
  app.use(loopbackOnly)
  app.route("/api", webApi(world, closing))
  app.route("/response", responseRoutes(world, closing))
  app.route("/control", controlApi(world, controlToken))
  app.route("/", pageRoutes(controlToken, loadPage, world))
  return app
}

function acceptSockets(server: Server, options: SandboxServerOptions): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true })
  const greet = greeterOf(options)
  server.on("upgrade", (request, socket, head) => {
    const join = greet(request)
    if (join) sockets.handleUpgrade(request, socket, head, join)
    else socket.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n")
  })
  return sockets
}

/** Finds who takes a socket: the bot (`/link`, with a ticket), a page (`/live`, with the token), or nobody. */
function greeterOf({ world, socketMode, controlToken }: SandboxServerOptions) {
  const live = createLive(world, controlToken)
  return (request: IncomingMessage): ((socket: WebSocket) => void) | undefined => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    if (!isLoopback(request.headers.host)) return undefined
    if (url.pathname === "/link" && socketMode.admit(url.searchParams.get("ticket") ?? "")) return socketMode.join
    return url.pathname === "/live" && live.admits(url) ? (socket) => live.join(socket, url) : undefined
  }
}
