// Puts TLS in front of a Redis. Some servers have TLS built in.
import { connect } from "node:net"
import { createServer } from "node:tls"
import type { Certified } from "./certificates.ts"
import { onLoopback } from "./on-loopback.ts"

/** Starts it; whoever starts it closes it. `behind` says the port of the Redis. */
export async function startRedisTls(behind: () => number | undefined, certified: Certified) {
  const front = createServer(certified, (socket) => {
    const plain = connect(behind() ?? 1, "127.0.0.1")
    socket.pipe(plain).pipe(socket)
    for (const one of [socket, plain]) one.on("error", () => [socket, plain].map((each) => each.destroy()))
  })
  front.on("tlsClientError", () => undefined)
  return onLoopback(front)
}
