// The live sockets of the page: each is told everything that its person sees, at first and after every change.
import type { WebSocket } from "ws"
import { isToken } from "./serving/guard.ts"
import { snapshotFor } from "./user-actions/snapshot.ts"
import type { World } from "./world.ts"

/** All open pages. */
export interface Live {
  /** Whether a socket with this address may join: `/live?token=…&as=PERSON`, PERSON being of the workspace; default: the first one. */
  readonly admits: (url: URL) => boolean
  /** Sends the person's snapshot now and after every change, until the socket closes. */
  readonly join: (socket: WebSocket, url: URL) => void
}

/** Makes it; `token` is the control token. */
export function createLive(world: World, token: string): Live {
  const { people, changes } = world.workspace
  return {
    admits: (url) => isToken(url.searchParams.get("token") ?? "", token) && people.has(personIn(world, url)),
    join: (socket, url) => {
      const tell = teller(socket, () => JSON.stringify(snapshotFor(world, personIn(world, url))))
      socket.on("close", changes.subscribe(tell))
      socket.on("error", () => socket.terminate())
      tell()
    },
  }
}

function personIn({ workspace }: World, url: URL): string {
  const first = [...workspace.people.values()].find((person) => !person.isBot)
  return url.searchParams.get("as") || (first?.id ?? "")
}

/** Changes that come together are told once; while a page is slow to read, only the newest state waits for it. */
function teller(socket: WebSocket, look: () => string): () => void {
  let told = ""
  let busy = false
  let due = false
  const send = () => {
    due = false
    const now = look()
    if (now === told || socket.readyState !== socket.OPEN) return
    told = now
    busy = true
    socket.send(now, () => {
      busy = false
      if (due) send()
    })
  }
  return () => {
    if (due) return
    due = true
    if (!busy) setImmediate(() => due && !busy && send())
  }
}
