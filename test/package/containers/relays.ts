// Opens programs of this machine's loopback to containers: by a socket file, and published ports the other way round.
import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import type { Relay } from "./container.ts"

/** A door that stands open until it is closed. */
export interface Door {
  readonly close: () => Promise<void>
}

/** Offers a port of this machine's loopback by a socket file, for the relays of containers. */
export async function offerPort(folder: string, port: number): Promise<Relay & Door> {
  const socket = join(folder, `port-${port}`)
  return { port, socket, ...(await open((server) => server.listen(socket), { host: "127.0.0.1", port })) }
}

/** Publishes a port: whoever asks at the first address gets to the second. */
export function publishPort(
  at: { readonly host: string; readonly port: number },
  to: { readonly host: string; readonly port: number },
): Promise<Door> {
  return open((server) => server.listen(at.port, at.host), to)
}

async function open(listen: (server: Server) => void, to: { host: string; port: number }): Promise<Door> {
  const sockets = new Set<Socket>()
  const server = createServer((one) => {
    const other = connect(to)
    for (const [side, beyond] of [
      [one, other],
      [other, one],
    ] as const) {
      sockets.add(side)
      side.on("error", () => beyond.destroy()).on("close", () => beyond.destroy())
      side.pipe(beyond)
    }
  })
  listen(server)
  await once(server, "listening")
  return {
    close: async () => {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
