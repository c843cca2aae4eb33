// Puts TLS in front of a plain http server, as a load balancer does. Passes on requests and WebSockets, whatever host
// name they have.
import { type IncomingMessage, request } from "node:http"
import { createServer } from "node:https"
import { connect } from "node:net"
import type { Certified } from "./certificates.ts"
import { type OnLoopback, onLoopback } from "./on-loopback.ts"

/** Starts one; the server behind it sees its own address as host. A function says anew each time where that is. */
export async function startTlsFront(certified: Certified, behind: string | (() => string)): Promise<OnLoopback> {
  const place = () => new URL(typeof behind === "string" ? behind : behind())
  const server = createServer(certified, (incoming, outgoing) => {
    const { host, hostname, port } = place()
    const { method, url: path, headers } = incoming
    const target = request({ host: hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    target.on("error", () => outgoing.destroy())
    incoming.pipe(target)
  })
  server.on("upgrade", ({ method, url, headers }: IncomingMessage, socket) => {
    const { host, hostname, port } = place()
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
  return onLoopback(server)
}
