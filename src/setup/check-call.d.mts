// The types of `countersign/check-call` in the package: what src/proof/check-call.ts exports, without its insides.

/** A number that a double cannot hold, as `parseJson` keeps it. */
export interface WireNumber {
  readonly rawJSON: string
}

/** Any JSON value. */
export type Json = null | boolean | number | string | WireNumber | readonly Json[] | { readonly [key: string]: Json }

/** Reads JSON without losing a digit of a number. Throws `SyntaxError`. */
export function parseJson(text: string): Json

/** Public keys by which signatures are verified (RFC 7517). */
export interface SigningKeySet {
  keys: { kty: string; kid: string; [member: string]: unknown }[]
}

/** Reads a key set: `countersign receipt keys`, or a gate's file. Throws for anything else; `from` names it there. */
export function readKeySet(text: string, from: string): SigningKeySet

/** A call as it is about to run. */
export interface GatedCall {
  /** The run that makes it. For a call of a team's member: the member's own run. */
  readonly run: string
  /** The id of the tool call. */
  readonly call: string
  /** The agent that makes it; null if the team itself does. */
  readonly agent: string | null
  /** The team, if it makes the call itself; else null. */
  readonly team: string | null
  readonly tool: string
  /** What the tool is called with, as `parseJson` reads it. */
  readonly args: { readonly [name: string]: Json }
}

/** A call, and what it is checked against. */
export interface CallCheck {
  readonly call: GatedCall
  /** The text of the receipt. */
  readonly receipt: string
  /** The public keys that count. Never take them from whoever brings the receipt. */
  readonly keys: SigningKeySet
  /** The installation whose approvals count. */
  readonly installation: string
  /** The instance whose approvals count. Default: any. */
  readonly instance?: string
  /** True: only approvals of the sandbox count, for tests. Default: they do not count. */
  readonly sandbox?: boolean
  /** Epoch ms. */
  readonly now: number
  /** The list of ended decisions as the bot served it a moment ago. Default: none, if nobody can reach the bot. */
  readonly endedList?: string
}

/** What a receipt says that lets the call run. */
export interface Claims {
  readonly approval: string
  readonly instance: string
  readonly decision: string
  /** When it was decided, epoch ms. */
  readonly at: number
  /** Until when the call may begin, epoch ms. */
  readonly expires?: number
  readonly votes: readonly { readonly person: string; readonly subject: string; readonly at: number }[]
}

/** The receipt that lets the call run; or a stable word for why none does. */
export type CheckedCall =
  | { readonly ok: true; readonly receipt: string; readonly kid: string; readonly claims: Claims }
  | { readonly ok: false; readonly refusal: string }

/**
 * Says whether a receipt lets a call run now. It needs neither Redis nor network, and remembers nothing: its caller has
 * to see to it that each call runs only once, by installation, run and call.
 */
export function checkCall(check: CallCheck): Promise<CheckedCall>
