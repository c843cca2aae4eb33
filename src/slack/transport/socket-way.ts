// How the socket leaves this machine where not everything is as usual: by way of a proxy, or believing another CA.
import type { Dispatcher } from "undici"
import { openDispatcher, type WayOut } from "../../outgoing/dispatcher.ts"

/** What the socket's library connects with, undefined for its own way; and what ends the connection that is left of it. */
export interface SocketWay {
  readonly dispatcher: Dispatcher | undefined
  close(): Promise<void>
}

/** How long a connection may take to come about, in ms; the hello has a limit of its own. */
const CONNECT_MS = 10_000

/**
 * Makes it. The library ends a socket whose peer does not only on connections of its own, so the one before is ended here when the next
 * comes about, and the last one at the close.
 */
export function createSocketWay(way: WayOut | undefined): SocketWay {
  if (way === undefined || (way.proxy === null && way.ca === null))
    return { dispatcher: undefined, close: () => Promise.resolve() }
  let last: { destroy(): unknown } | undefined
  const opened = (socket: { destroy(): unknown }) => {
    last?.destroy()
    last = socket
  }
  const dispatcher = openDispatcher({ way, connectMs: CONNECT_MS, allowH2: false, opened })
  return {
    dispatcher,
    close: async () => {
      last?.destroy()
      await dispatcher.destroy()
    },
  }
}
