// Puts TLS in front of a plain http server, as a load balancer does. Passes on requests and WebSockets, whatever host
// name they have.
import { type IncomingMessage, request } from "node:http"
import { createServer } from "node:https"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import type { Certified } from "./certificates.ts"

/** A running front. */
export interface TlsFront {
  readonly port: number
  close(): Promise<void>
}

/** Starts one; the server behind it sees its own address as host. */
export async function startTlsFront(certified: Certified, behind: string): Promise<TlsFront> {
  const { host, hostname, port } = new URL(behind)
  const sockets = new Set<Duplex>()
  const server = createServer(certified, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const target = request({ host: hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    target.on("error", () => outgoing.destroy())
    incoming.pipe(target)
  })
  server.on("upgrade", ({ method, url, headers }: IncomingMessage, socket) => {
    const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${String(value)}`)
    const target = connect(Number(port), hostname, () => {
      target.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`)
      target.pipe(socket)
      socket.pipe(target)
    })
    target.on("error", () => socket.destroy())
    socket.on("error", () => target.destroy())
    socket.on("close", () => target.destroy())
    target.on("close", () => socket.destroy())
  })
  server.on("connection", (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
