// One person's act on a surface: who, about what, where and when. `slack/` makes it; a ticket keeps it.
import type { Place } from "../../domain/case/case.ts"
import type { Surface } from "../../domain/case/vote.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Verb } from "../../domain/policy/judge.ts"

/** What a button or view says it is about (R18); we check it against the record. */
export interface Target {
  readonly installation: string
  readonly caseId: string
  readonly route: string
  readonly revision: number
  /** The first 16 characters of the digest that the surface showed. */
  readonly digest: string
  /** How long the case's chain was when the surface was drawn, and in which era. */
  readonly bound: { readonly era: number; readonly count: number }
}

/** Where the act was made: on a card (the message it hangs in) or in a view that we opened. */
export type InteractionPlace =
  | { readonly kind: "card"; readonly place: Place }
  | { readonly kind: "view"; readonly viewId: string }

/** How a person can be answered privately. */
export type ReplyTo =
  | { readonly kind: "response"; readonly responseUrl: string; readonly channel: string; readonly user: string }
  /** `walk`: the summary (route) and case (id) of a review, so the answer leads on to the next case. */
  | {
      readonly kind: "view"
      readonly viewId: string
      readonly user: string
      readonly walk?: { readonly route: string; readonly at: string }
    }
  /** By direct message, where Slack gives no nearer place; `about`: what the act was about, in a line, or "". */
  | { readonly kind: "direct"; readonly user: string; readonly about: string }

/** What every interaction says. */
interface AnyInteraction {
  /** SHA-256 of Slack's `trigger_id`, hex. */
  readonly interaction: string
  readonly person: SlackId
  readonly name: string
  /** When it was made by Slack's clock (`action_ts`), else when it arrived; epoch milliseconds. */
  readonly at: number
  readonly target: Target
  readonly on: InteractionPlace
  readonly surface: Surface
  readonly replyTo: ReplyTo
}

/** A vote as it arrives. */
export interface VoteInteraction extends AnyInteraction {
  readonly verb: Verb
  readonly reason: string | null
  /** What was filled in, `{values?, result?}`, or null. */
  readonly values: JsonObject | null
}

/** A voter takes their vote back. */
export interface WithdrawInteraction extends AnyInteraction {
  readonly verb: "withdraw"
}

/** An act that a ticket keeps. */
export type Interaction = VoteInteraction | WithdrawInteraction
