// Lets a server of a test listen on this machine, on any free port.
import { once } from "node:events"
import type { AddressInfo, Server, Socket } from "node:net"

/** A server that listens. `url` is its address over plain HTTP. */
export interface OnLoopback {
  readonly port: number
  readonly url: string
  /** Ends all connections, too. */
  readonly close: () => Promise<void>
}

/** Lets it listen. Resolves when connections are taken. */
export async function onLoopback(server: Server): Promise<OnLoopback> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => sockets.add(socket))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { port, url: `http://127.0.0.1:${port}`, close }
}
