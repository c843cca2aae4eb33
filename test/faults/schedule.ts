// A schedule: all that happens in one seed. It says who presses what, and what breaks where.
import type { DeliveryFault, SocketFault, WebFault } from "../../src/sandbox/delivery/faults.ts"
import type { Stroke } from "../attacks/schedule.ts"
import type { Absent } from "./absences.ts"
import type { Amnesia } from "./amnesia.ts"
import type { ProgramAct } from "./asking.ts"
import type { GlassAct } from "./glass.ts"
import type { ContinueCut, PlatformKilled } from "./paused-runs.ts"
import type { Proposing } from "./proposals.ts"
import type { Way } from "./redis-proxy.ts"
import type { Stopping } from "./stops.ts"
import type { TalkAct } from "./talks.ts"
import type { Terms } from "./terms.ts"

/** Times are in ms of the simulated clock. */
export interface Schedule {
  readonly seed: number
  readonly mode: "socket" | "http"
  /** By how much each replica's clock is ahead of the world's; one a replica. */
  readonly skewsMs: readonly number[]
  /** Whether the history scopes are granted. */
  readonly history: boolean
  readonly quorum: 1 | 2
  /** In how many channels each approval is shown. */
  readonly routes: 1 | 2
  readonly terms: Terms
  readonly stories: readonly Story[]
  readonly faults: readonly Fault[]
}

/** What people and programs do about one approval, in order. */
export type Story = readonly Act[]

/** True if somebody attacks: then only the first promise is checked. */
export function isAttacked({ stories }: Schedule): boolean {
  return stories.some((story) => story.some(({ kind }) => kind === "attack"))
}

export type Verb = "approve" | "reject"

/** A press of a person, on the card of one of the routes. */
export interface PressAct {
  readonly kind: "press"
  readonly person: "alice" | "bob" | "rita"
  readonly verb: Verb
  readonly route: number
}

export type Act =
  | { readonly kind: "wait"; readonly ms: number }
  | PressAct
  /** Presses a card as it was on the screen when somebody last pressed it, whatever became of it since. */
  | (Omit<PressAct, "kind"> & { readonly kind: "late" })
  | { readonly kind: "together"; readonly presses: readonly PressAct[] }
  | { readonly kind: "elsewhere"; readonly verb: Verb }
  | { readonly kind: "change" }
  /** Whoever started the run cancels it, and nothing shows that. */
  | { readonly kind: "cancel" }
  /** Reviews what waits on the summary of a channel, and votes on what is shown, one case after the other. */
  | { readonly kind: "review"; readonly person: PressAct["person"]; readonly verb: Verb; readonly route: number }
  /** Takes back what they voted, in Details. */
  | { readonly kind: "withdraw"; readonly person: PressAct["person"]; readonly route: number }
  /** Calls the request back, in Details. */
  | { readonly kind: "call-back"; readonly person: PressAct["person"]; readonly route: number }
  | GlassAct
  | TalkAct
  | ProgramAct
  /** Somebody who writes to Redis and has no key. */
  | { readonly kind: "attack"; readonly strokes: readonly Stroke[] }

/** When a fault strikes: at a label, the n-th time that a replica comes there, or so long after the start. */
export type When =
  | { readonly kind: "label"; readonly label: string; readonly nth: number }
  | { readonly kind: "time"; readonly ms: number }

export interface Fault {
  readonly when: When
  readonly strike: Strike
}

/** What breaks. */
export type Strike =
  | { readonly kind: "kill"; readonly restartMs: number }
  | { readonly kind: "redis-restart" }
  /** Redis comes back as it was so long before. */
  | { readonly kind: "redis-restored"; readonly lostMs: number }
  | { readonly kind: "redis-away"; readonly way: Exclude<Way, "open">; readonly ms: number; readonly all: boolean }
  | {
      readonly kind: "platform"
      readonly how: "down" | "slow" | "late" | "unheard" | "cut" | "unaccepted"
      readonly on: "all" | "get" | "resolve"
      readonly times: number
    }
  | { readonly kind: "slack"; readonly method: SlackMethod; readonly fault: WebFault; readonly times: number }
  /** Slack takes a post and does not answer, and whoever looks for it is not answered either, so often. */
  | { readonly kind: "lost-post"; readonly looking: WebFault; readonly times: number }
  | { readonly kind: "delivery"; readonly fault: DeliveryFault }
  /** Slack turns the next so many sockets away, right after their hello. */
  | { readonly kind: "sockets"; readonly reason: SocketFault; readonly times: number }
  | Amnesia
  | PlatformKilled
  | ContinueCut
  | Stopping
  | Absent
  | Proposing
  /** Nothing of it works for so long. */
  | { readonly kind: "outage"; readonly of: "platform" | "slack" | "redis"; readonly ms: number }
  /** Somebody acts about the first approval while the replica stands still at the label. */
  | { readonly kind: "meanwhile"; readonly act: Act }
  /** The replicas get another config revision, one after the other. */
  | { readonly kind: "rolling"; readonly apartMs: number }

export const slackMethods = [
  "chat.postMessage",
  "chat.update",
  "chat.postEphemeral",
  "response_url",
  "users.info",
] as const
export type SlackMethod = (typeof slackMethods)[number]
