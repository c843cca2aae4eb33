// A transport: how Slack's deliveries reach us, by a socket that we open or by requests that Slack sends.
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HTTPReceiver, SocketModeReceiver } from "@slack/bolt"

/** One way of delivery, for the same listeners. */
export interface Transport {
  readonly receiver: SocketModeReceiver | HTTPReceiver
  /** True while Slack can deliver. */
  connected(): boolean
  /** Answers one of Slack's requests; undefined where Slack sends none. */
  readonly listener: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Begins to take deliveries. Throws `ChatError`. */
  start(): Promise<void>
  /** Takes no more. Time-boxed. */
  close(): Promise<void>
}
