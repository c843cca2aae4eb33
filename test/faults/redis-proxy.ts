// One replica's way to Redis. A fault can cut it, stall it, or make it lose answers. It outlives the server's restarts.
import { connect, createServer, type Socket } from "node:net"

/**
 * How the way is. `cut`: every connection breaks, and so does every new one. `stalled`: nothing moves in either
 * direction. `deaf`: what is asked is carried out, and no answer comes back.
 */
export type Way = "open" | "cut" | "stalled" | "deaf"

/** One replica's way to Redis. */
export interface RedisProxy {
  readonly url: string
  /**
   * Sets how the way is from now on. What was deaf or stalled breaks when it is opened again, since nobody knows what
   * was answered.
   */
  readonly set: (way: Way) => void
  readonly close: () => Promise<void>
}

/** A way that nothing ever breaks: there is nobody in between. */
export async function straightWay(socketPath: string): Promise<RedisProxy> {
  return { url: socketPath, set: () => undefined, close: async () => undefined }
}

/** Opens a way to the server on a Unix socket. */
export async function startRedisProxy(socketPath: string): Promise<RedisProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let way: Way = "open"
  const breakAll = () => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  const server = createServer((near) => {
    near.on("error", () => undefined)
    if (way === "cut") return void near.destroy()
    const far = connect(socketPath)
    const pair = [near, far] as const
    pairs.add(pair)
    far.on("error", () => near.destroy())
    near.on("close", () => far.destroy())
    far.on("close", () => {
      pairs.delete(pair)
      near.destroy()
    })
    near.on("data", (bytes) => void (way === "stalled" || far.write(bytes)))
    far.on("data", (bytes) => void (way === "stalled" || way === "deaf" || near.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the way to Redis has no port")
  return {
    url: `redis://127.0.0.1:${address.port}`,
    set: (next) => {
      if (next === "cut" || (way !== "open" && next === "open")) breakAll()
      way = next
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      breakAll()
      await closed
    },
  }
}
