// Switches by which a test makes Slack misbehave.

/** How a call of the bot goes wrong. */
export type WebFault =
  | { readonly kind: "ratelimited"; readonly retryAfterS: number }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "error"; readonly error: string }
  /** The call is not carried out, and no answer comes. */
  | { readonly kind: "never_answer" }
  /** The call is carried out, and no answer comes. */
  | { readonly kind: "accept_then_never_answer" }
  /** The call is carried out, and the answer comes late. */
  | { readonly kind: "slow"; readonly ms: number }

/** How a delivery to the bot goes wrong. */
export type DeliveryFault =
  /** The connection breaks after the delivery and before the ack. */
  | { readonly kind: "drop_before_ack" }
  /** The same interaction is delivered twice at the same time. */
  | { readonly kind: "twice" }
  /** Slack acts on the ack late. So what the app meanwhile shows in a view is lost, if the ack changes that view. */
  | { readonly kind: "ack_late"; readonly ms: number }
  /** The delivery leaves late. */
  | { readonly kind: "slow"; readonly ms: number }

/** Why a new socket is turned away, right after its hello. */
export type SocketFault = "too_many_websockets" | "link_disabled"

/** How many calls a fault strikes (default: one), and with which arguments (default: any). */
interface FaultReach {
  readonly times?: number
  readonly channel?: string
  readonly ts?: string
}

/** The faults that are waiting to strike. */
export type Faults = ReturnType<typeof createFaults>

/** Makes the faults. At first there is none. */
export function createFaults() {
  let web: { method: string; fault: WebFault; left: number; reach: FaultReach }[] = []
  let deliveries: DeliveryFault[] = []
  let sockets: { readonly fault: SocketFault; left: number } | undefined
  return {
    /** The next calls of a Web API method, or of `response_url`, have this fault. */
    web: (method: string, fault: WebFault, reach: FaultReach = {}) => {
      web.push({ method, fault, left: reach.times ?? 1, reach })
    },
    /** The next deliveries of interactions, commands and events have this fault. */
    delivery: (fault: DeliveryFault, times = 1) => {
      for (let left = times; left > 0; left -= 1) deliveries.push(fault)
    },
    /** The next sockets are greeted and then told to disconnect, for this reason. */
    socket: (fault: SocketFault, times = 1) => {
      sockets = { fault, left: times }
    },
    /** Removes all faults. */
    clear: () => {
      web = []
      deliveries = []
      sockets = undefined
    },
    /** Takes the fault that strikes this call, if any. */
    takeWeb: (method: string, { channel, ts }: Readonly<Record<string, unknown>> = {}): WebFault | undefined => {
      const reaches = ({ reach }: { readonly reach: FaultReach }) =>
        (reach.channel ?? channel) === channel && (reach.ts ?? ts) === ts
      const entry = web.find((one) => one.method === method && reaches(one))
      if (!entry) return undefined
      entry.left -= 1
      if (entry.left <= 0) web = web.filter((one) => one !== entry)
      return entry.fault
    },
    /** Takes the fault that strikes this delivery, if any. */
    takeDelivery: () => deliveries.shift(),
    /** Takes the fault that strikes this socket, if any. */
    takeSocket: (): SocketFault | undefined => {
      if (sockets === undefined || sockets.left <= 0) return undefined
      sockets.left -= 1
      return sockets.fault
    },
  }
}
