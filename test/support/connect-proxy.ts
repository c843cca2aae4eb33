// A proxy as companies have it: CONNECT for https, whole addresses for http, a log of both, and perhaps a password.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { onLoopback } from "./on-loopback.ts"

/** A running proxy. */
export interface ConnectProxy {
  readonly port: number
  /** Each request in order: `CONNECT slack.com:443` or `GET http://agents.example/info`. */
  readonly log: readonly string[]
  /** From now on every request is answered like this; undefined: as always. */
  refuse(status: number | undefined): void
  close(): Promise<void>
}

/** Starts one. `routes` says on which local port `host:port` really is; other places are answered 502. */
export async function startConnectProxy(
  routes: Readonly<Record<string, number>>,
  credentials?: string,
): Promise<ConnectProxy> {
  const log: string[] = []
  let refused: number | undefined
  const statusFor = ({ headers }: IncomingMessage, place: string): number => {
    const wanted = `Basic ${btoa(credentials ?? "")}`
    if (credentials !== undefined && headers["proxy-authorization"] !== wanted) return 407
    return refused ?? (routes[place] === undefined ? 502 : 200)
  }
  const server = createServer((incoming, outgoing) => {
    log.push(`${incoming.method} ${incoming.url}`)
    const url = new URL(incoming.url ?? "")
    const place = `${url.hostname}:${url.port === "" ? 80 : url.port}`
    const status = statusFor(incoming, place)
    if (status === 200) forward(incoming, outgoing, routes[place] ?? 0)
    else outgoing.writeHead(status).end("refused by the proxy")
  })
  server.on("connect", (incoming: IncomingMessage, socket: Socket) => {
    log.push(`CONNECT ${incoming.url}`)
    const status = statusFor(incoming, incoming.url ?? "")
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    tunnel(socket, routes[incoming.url ?? ""] ?? 0)
  })
  return {
    ...(await onLoopback(server)),
    log,
    refuse: (status) => {
      refused = status
    },
  }
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { pathname, search } = new URL(incoming.url ?? "")
  const { method, headers } = incoming
  const target = request({ host: "127.0.0.1", port, method, path: pathname + search, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(outgoing)
  })
  target.on("error", () => outgoing.destroy())
  incoming.pipe(target)
}

function tunnel(socket: Socket, port: number): void {
  const target = connect(port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    target.pipe(socket)
    socket.pipe(target)
  })
  for (const [one, other] of [
    [socket, target],
    [target, socket],
  ] as const) {
    one.on("error", () => other.destroy())
    one.on("close", () => other.destroy())
  }
}
