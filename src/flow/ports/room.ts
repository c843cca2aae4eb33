// Room for cards, as the flow needs it: how many cases may have some at once, and what waits (R20).

/** How many open cases may have cards at once. */
export interface Room {
  /** Of one instance. */
  readonly perInstance: number
  /** Of one agent of an instance. */
  readonly perAgent: number
}

/** How full it is. */
export interface Fullness {
  /** How many cases of the instance wait for room. */
  readonly waiting: number
  /** The id of the oldest waiting case of each agent, oldest first. */
  readonly heads: readonly string[]
  readonly memory: Memory
  /** Troubles that the operator was told of and that were not over yet. */
  readonly told: readonly string[]
}

/** Memory of the store's server, in bytes. `max` is 0 where there is no limit. */
export interface Memory {
  readonly used: number
  readonly max: number
}

/** What floods leave behind: cases that wait for room, and what the operator was told of it. Throws `StoreError` (a `PortError`). */
export interface Floods {
  look(instance: string): Promise<Fullness>
  /** The operator was told. */
  told(trouble: string): Promise<void>
  /** The trouble is over: the next one is told again. */
  over(trouble: string): Promise<void>
}
