// Socket Mode's server side: one-time tickets, hello, envelopes to exactly one socket each, acks by envelope_id.
import type { RawData, WebSocket } from "ws"
import { z } from "zod"
import type { Ids } from "../workspace/ids.ts"
import type { DeliveryAck, DeliveryEnvelope } from "./delivery.ts"
import type { Faults } from "./faults.ts"

export interface SocketModeOptions {
  readonly ids: Ids
  readonly appId: string
  /** How long an ack may take, in ms. */
  readonly ackMs: number
  readonly faults: Pick<Faults, "takeSocket">
  /** Called when a socket joins or leaves. */
  readonly changed: () => void
}

/** The sockets of the app. */
export type SocketMode = ReturnType<typeof createSocketMode>

/** How many connections Slack allows an app: https://docs.slack.dev/apis/events-api/using-socket-mode */
const maxConnections = 10

const ackMessage = z.object({ envelope_id: z.string(), payload: z.unknown().optional() })

/** Makes Socket Mode without any connection. */
export function createSocketMode(options: SocketModeOptions) {
  const acks = createAcks(options)
  let sockets: readonly WebSocket[] = []
  const put = (next: readonly WebSocket[]) => {
    sockets = next
    options.changed()
  }
  const leave = (socket: WebSocket) => {
    put(sockets.filter((one) => one !== socket))
    acks.lose(socket)
  }
  return {
    ...createTickets(options.ids),
    /** Greets a new connection. From now on envelopes may go to it. */
    join: (socket: WebSocket) => {
      if (sockets.length >= maxConnections) return disconnect(socket, "too_many_websockets")
      socket.on("close", () => leave(socket))
      socket.on("error", () => leave(socket))
      socket.on("message", acks.receive)
      socket.send(JSON.stringify(hello(options.appId, sockets.length + 1)))
      const fault = options.faults.takeSocket()
      if (fault !== undefined) return disconnect(socket, fault)
      put([...sockets, socket])
    },
    deliver: async (envelope: DeliveryEnvelope, { drop }: { readonly drop: boolean }): Promise<DeliveryAck> => {
      const [socket, ...others] = sockets
      if (!socket) return { ok: false, reason: "no_connection", detail: "the app has no open socket" }
      sockets = [...others, socket]
      const ack = acks.send(socket, envelope)
      if (drop) {
        leave(socket)
        socket.close()
      }
      return await ack
    },
    /** Tells every socket to reconnect, as Slack does every few hours. */
    refresh: () => {
      for (const socket of sockets) disconnect(socket, "refresh_requested")
      put([])
    },
    /** How many sockets may get envelopes. */
    connections: () => sockets.length,
    close: () => sockets.forEach(leave),
  }
}

/** One-time admissions. */
function createTickets(ids: Ids) {
  const tickets = new Set<string>()
  return {
    /** Makes a ticket for one connection. */
    ticket: (): string => {
      const ticket = ids.secret()
      tickets.add(ticket)
      return ticket
    },
    /** Takes a ticket back. True only the first time. */
    admit: (ticket: string) => tickets.delete(ticket),
  }
}

/** Sends envelopes and pairs each with its ack, by envelope_id. */
function createAcks({ ids, ackMs }: SocketModeOptions) {
  const waiting = new Map<string, { readonly socket: WebSocket; readonly settle: (ack: DeliveryAck) => void }>()
  return {
    send: async (socket: WebSocket, envelope: DeliveryEnvelope): Promise<DeliveryAck> => {
      const { promise, resolve } = Promise.withResolvers<DeliveryAck>()
      const id = ids.secret()
      const late: DeliveryAck = { ok: false, reason: "timeout", detail: `no ack within ${ackMs} ms` }
      const timer = setTimeout(() => resolve(late), ackMs)
      waiting.set(id, { socket, settle: resolve })
      socket.send(JSON.stringify(wire(id, envelope)))
      return await promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(id)
      })
    },
    receive: (data: RawData) => {
      const parsed = ackMessage.safeParse(parseOrNothing(Buffer.isBuffer(data) ? data.toString() : ""))
      if (parsed.success) waiting.get(parsed.data.envelope_id)?.settle({ ok: true, payload: parsed.data.payload })
    },
    /** Ends the wait for each ack of a socket that is gone. */
    lose: (socket: WebSocket) => {
      const lost: DeliveryAck = { ok: false, reason: "dropped", detail: "the socket closed before the ack" }
      for (const entry of waiting.values()) if (entry.socket === socket) entry.settle(lost)
    },
  }
}

/** Undefined for text that is not JSON: Slack ignores that, and so does the sandbox. */
function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wire(envelope_id: string, { kind, payload }: DeliveryEnvelope): object {
  const retries = kind === "events_api" ? { retry_attempt: 0, retry_reason: "" } : {}
  return { envelope_id, type: kind, payload, accepts_response_payload: kind !== "events_api", ...retries }
}

function hello(app_id: string, num_connections: number): object {
  const debug_info = { host: "sandbox", build_number: 1, approximate_connection_time: 3600 }
  return { type: "hello", num_connections, connection_info: { app_id }, debug_info }
}

function disconnect(socket: WebSocket, reason: string): void {
  socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "sandbox" } }))
}
