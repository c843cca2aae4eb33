// How the polls of each instance go, as all replicas know it. It says who is told what; no vote hangs on it.

/** A poll that failed: when, why (with host and cause, in words), and whether our credential was refused. */
export interface PollFailure {
  readonly at: number
  readonly why: string
  readonly refused: boolean
}

/** Which of an instance's newest approvals we knew at a moment (epoch ms), two at most; null: its list did not answer. */
export interface Sighting {
  readonly at: number
  readonly named: readonly string[] | null
}

/** What is known of an instance's polls. Times are epoch ms by the clock that all replicas share. */
export interface PollHistory {
  /** When the last one went well; null: none did yet. */
  readonly polledAt: number | null
  /** The last one that failed, also where others went well since; null: none did yet. */
  readonly failure: PollFailure | null
  /** The last one; null: nobody had a reason to look yet. */
  readonly sighting: Sighting | null
}

/** What is known of all polls, and which troubles with them the operator was told of and that were not over yet. */
export interface PollsKnown {
  readonly of: (instance: string) => PollHistory
  readonly told: ReadonlySet<string>
}

/** What replicas tell each other of polls. Throws `StoreError` (a `PortError`) if Redis does not answer. */
export interface Polls {
  read(): Promise<PollsKnown>
  /** A poll of an instance went well then. */
  succeeded(instance: string, at: number): Promise<void>
  failed(instance: string, failure: PollFailure): Promise<void>
  /** Somebody looked at its newest approvals. */
  saw(instance: string, sighting: Sighting): Promise<void>
  /** The operator was told. */
  told(trouble: string): Promise<void>
  /** The trouble is over: the next one is told again. */
  over(trouble: string): Promise<void>
}
