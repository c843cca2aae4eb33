// Finds a free port, for a program that has to know its port before it starts.
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/** Below the ports that systems give to outgoing connections: so none of these takes the port meanwhile. */
const range = { from: 20_000, to: 32_000 } as const

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const holder = createServer().listen(port, "127.0.0.1")
  const isOurs = await once(holder, "listening").then(
    () => true,
    () => false,
  )
  if (isOurs) {
    holder.close()
    await once(holder, "close")
  }
  return isOurs
}
