// The sockets that the replicas have open to Slack, counted together.

/** A socket of this process. */
export interface OwnSocket {
  /** Fresh for each socket. */
  readonly id: string
  /** How many sockets of the app were found to be somebody else's. */
  readonly foreign: number
}

/** The sockets of all replicas of this installation. Throws `StoreError` (a `PortError`). */
export interface Sockets {
  /** Says that a socket is open, which holds for a minute; and how many sockets that holds for, over all replicas. */
  note(socket: OwnSocket): Promise<number>
}
