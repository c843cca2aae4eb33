// Cases that cannot have a card at once: how many may have cards (R20), which wait, and the summaries that name them.

import type { z } from "zod"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Frozen } from "../../domain/content/record/frozen.ts"
import type { summaryRecordSchema } from "./record/port-records.ts"

/** How many open cases may have cards at once. */
export interface Admission {
  /** How many cases of one instance may have cards. */
  readonly perInstance: number
  /** How many cases of one agent of an instance may have cards. */
  readonly perAgent: number
}

/** How full the backlog of an instance is. */
export interface Fullness {
  /** How many cases of the instance wait for admission. */
  readonly waiting: number
  /** The id of the oldest waiting case of each agent, oldest first. */
  readonly heads: readonly string[]
  readonly memory: Memory
  /** Troubles that have not ended since we told the operator of them. */
  readonly told: readonly string[]
}

/** Memory of the store's server, in bytes. `max` is 0 if there is no limit. */
export interface Memory {
  readonly used: number
  readonly max: number
}

/** The backlog: which cases wait for admission, and of which troubles we told the operator. Throws `StoreError`. */
export interface Backlog {
  look(instance: string): Promise<Fullness>
  /** Notes that we told the operator of a trouble. */
  told(trouble: string): Promise<void>
  /** Notes that the trouble is over. If it comes back, we tell the operator again. */
  over(trouble: string): Promise<void>
}

/** The summary of a route. */
export interface Summary extends Frozen<z.infer<typeof summaryRecordSchema>> {}

/** The summaries that are posted now, at most one for each route; sealed. Throws `StoreError` (a `PortError`). */
export interface Summaries {
  read(route: string): Promise<Summary | null>
  /** Writes the next version if Redis still holds the one before it; false if somebody was faster. */
  save(next: Summary): Promise<boolean>
  /** Forgets a summary if Redis holds this version of it. */
  end(summary: Summary): Promise<boolean>
  /** The routes that have a summary. */
  routes(): Promise<readonly string[]>
  /** Ids of open cases without a card of their own on a route, oldest first; at most `limit`. */
  uncarded(route: string, limit: number): Promise<readonly string[]>
}

/** What a summary shows: cases that wait, cases decided while it named them, and how many moved to their own cards. */
export interface SummaryModel {
  readonly installation: string
  readonly route: string
  readonly id: string
  readonly waiting: readonly CardModel[]
  readonly ended: readonly CardModel[]
  readonly moved: number
}
