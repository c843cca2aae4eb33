// What handlers work with: the stores, the clock, randomness and the settings that matter to them.
import type { DatabaseSync } from "node:sqlite"
import type { Caller } from "../auth/caller.ts"
import type { ScopeSet } from "../auth/scopes.ts"
import type { Script } from "./script.ts"

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
type Settings = {
  readonly adminScope: string
  /** `none`: no credential is asked for; `jwt`: one is. */
  readonly authMode: "jwt" | "none"
  /** True: an authenticated subject overwrites the request's `resolved_by`, as AgentOS does. */
  readonly resolvedByFromSubject: boolean
  /** Longest accepted body, in bytes. */
  readonly maxBodyBytes: number
  /** Epoch milliseconds at which this instance started. */
  readonly startedAt: number
}

/** Who asks and what they may; `enforced` false means that scopes open and close nothing. */
export type Standing = { readonly caller: Caller; readonly scopes: ScopeSet; readonly enforced: boolean }
