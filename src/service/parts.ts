// What handlers work with: the stores, the clock, randomness and the settings that matter to them.
import type { DatabaseSync } from "node:sqlite"
import type { ScopeSet } from "../auth/scopes.ts"
import type { Script } from "./components/script.ts"
import type { Caller } from "./gate/caller.ts"

/** Handed to every handler's maker. */
export type Parts = {
  readonly database: DatabaseSync
  readonly script: Script
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** That many random bytes. */
  readonly random: (size: number) => Uint8Array
  readonly settings: Settings
}

/** Settings that change what handlers answer. */
export type Settings = {
  readonly adminScope: string
  /** `none`: no credential is asked for; `jwt`: one is. */
  readonly authMode: "jwt" | "none"
  /** True: an authenticated subject overwrites the request's `resolved_by`, as AgentOS does. */
  readonly resolvedByFromSubject: boolean
  /** True: who is not admin sees only rows of their own (see `gate/user-isolation.ts`). */
  readonly userIsolation: boolean
  /** Where the A2A routes stand, for the addresses in agent cards. */
  readonly a2aPrefix: string
  /** Scope names that only this service's mappings know; they can be given to service accounts too. */
  readonly ownScopes: ReadonlySet<string>
  /** Longest accepted body, in bytes. */
  readonly maxBodyBytes: number
  /** Epoch milliseconds at which this instance started. */
  readonly startedAt: number
}

/**
 * Who asks and what they may. `enforced` false means that scopes open and close nothing. `owner` null means that all rows are seen;
 * otherwise, under user isolation, only those whose user_id it is.
 */
export type Standing = {
  readonly caller: Caller
  readonly scopes: ScopeSet
  readonly enforced: boolean
  readonly owner: string | null
}
