// What the flow needs from outside, as interfaces that the adapters implement. A step takes only the ports that it
// uses; it takes all of `Ports` if it uses ten or more and gets them from the bot alone:
//
//   export async function readCase(ports: Pick<Ports, "store" | "alarm" | "clock">, caseId: string) { … }
//   export async function settleByRecord(ports: Ports, current: Case, record: Approval) { … }
//
// The bot hands each step all of `Ports` (`src/bot/join-ports.ts`); a test hands it ports in memory.
import type { Case } from "../domain/case/case.ts"
import type { ClosedTimes } from "../domain/case/verdict.ts"
import type { Orders } from "../domain/order/orders.ts"
import type { Policy } from "../domain/policy/policy.ts"
import type { HoldOf, StopRoles } from "../domain/policy/shared-config.ts"
import type { Seal } from "../domain/proof/seal.ts"
import type { Admission, Backlog, Summaries } from "./ports/backlog.ts"
import type { Chat, People, Surfaces } from "./ports/chat.ts"
import type { Freshness } from "./ports/freshness.ts"
import type { Alarm, Clock, Later, Log } from "./ports/operator.ts"
import type { AbsenceBook } from "./ports/order/absence-acts.ts"
import type { OrderBook, ToldGates } from "./ports/order/stop-acts.ts"
import type { ToldOrders } from "./ports/order/told-orders.ts"
import type { Pace } from "./ports/pace.ts"
import type { Continues, Instances, ProposedConfigs, Runs } from "./ports/platform.ts"
import type { AuditTrail, PauseMemory, Polls } from "./ports/poll-memory.ts"
import type { KeptReceipts, Receipts } from "./ports/proof.ts"
import type { Jobs, Tickets } from "./ports/queue.ts"
import type { CaseStore, Homes, IdentityLinks, Turns, Views } from "./ports/store.ts"

export type * from "./ports/backlog.ts"
export type * from "./ports/chat.ts"
export type { FlowErrorCode, PortError } from "./ports/error.ts"
export { FlowError, isCredentialRefused, isPortError, isTokenRefused, refusalOfSlack } from "./ports/error.ts"
export type * from "./ports/freshness.ts"
export { noMarks } from "./ports/freshness.ts"
export type * from "./ports/operator.ts"
export { unmetered } from "./ports/operator.ts"
export type * from "./ports/order/absence-acts.ts"
export type * from "./ports/order/stop-acts.ts"
export type * from "./ports/order/told-orders.ts"
export type * from "./ports/pace.ts"
export type * from "./ports/platform.ts"
export { platformOf } from "./ports/platform.ts"
export type * from "./ports/poll-memory.ts"
export type * from "./ports/proof.ts"
export type * from "./ports/queue.ts"
export type * from "./ports/reading.ts"
export type * from "./ports/store.ts"
export type * from "./ports/webhook/webhooks.ts"

/** All ports that a step may need, made for one config: `store` commits under no other config (R16). */
export interface Ports extends Instances {
  readonly installation: string
  /** True if Slack is the local sandbox: then we mark entries (R19). */
  readonly sandbox: boolean
  readonly store: CaseStore
  /** Commits under whatever config and orders are active: only for steps that rest on neither, and grant nothing. */
  readonly underAny: Pick<CaseStore, "commit">
  readonly freshness: Freshness
  readonly identityLinks: IdentityLinks
  readonly views: Views
  readonly homes: Homes
  readonly turns: Turns
  /** The runs of the instances that we resume. */
  readonly runs: ReadonlyMap<string, Runs>
  readonly continues: Continues
  readonly polls: Polls
  readonly pauses: PauseMemory
  readonly audits: AuditTrail
  readonly chat: Chat
  readonly people: People
  readonly surfaces: Surfaces
  readonly jobs: Jobs
  readonly tickets: Tickets
  readonly pace: Pace
  readonly backlog: Backlog
  /** How many cases may have cards at once (R20). */
  readonly admission: Admission
  readonly summaries: Summaries
  /** If more new cards than this wait in one channel, one summary names them; 0: there are no summaries. */
  readonly summaryAbove: number
  readonly closedTimes: ClosedTimes
  readonly policy: Policy
  readonly proposedConfigs: ProposedConfigs
  /** The orders in force as this process last saw them, at most a second old; it may know newer ones than `store`. */
  readonly orders: () => Orders
  /** What the active config holds, besides the holds among the orders. */
  readonly saidHolds: readonly HoldOf[]
  /** Another object after each act on the active config or its orders that this process has seen. */
  readonly ordersSeen: () => unknown
  readonly orderBook: OrderBook
  readonly toldOrders: ToldOrders
  readonly toldGates: ToldGates
  /** The config's revision under which these ports judge (R16). */
  readonly revision: string
  /** Who may stop, and end a stop. */
  readonly stopRoles: StopRoles
  readonly absences: AbsenceBook
  /** Template of `resolved_by`. */
  readonly resolvedBy: string
  readonly seal: Seal
  readonly receipts: Receipts
  readonly keptReceipts: KeptReceipts
  readonly clock: Clock
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
  readonly later: Later
  /** A fresh random id. */
  readonly newId: () => string
  /**
   * Called with a settled case before its commit: the case is settled even if Redis does not take the commit. Resolves
   * when we have begun to tell the person who waits, so the commit does not delay that.
   */
  readonly foreseen?: (next: Case) => Promise<void>
}
