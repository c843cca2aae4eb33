// The types of `countersign/check-call`, as the package hands them on: src/proof/check-call.ts without what is inside.

/** A number beyond a double, as `parseJson` keeps it. */
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

/** Reads a key set: `countersign receipt keys`, or a gate's file. `from` names it in messages. Throws for anything else. */
export function readKeySet(text: string, from: string): SigningKeySet

/** A call as it is about to run. */
export interface GatedCall {
  /** The run that makes it; for a team's member the member's own. */
  readonly run: string
  /** The id of the tool call. */
  readonly call: string
  /** The agent that makes it; null for a team's own. */
  readonly agent: string | null
  /** The team, if it makes the call itself; else null. */
  readonly team: string | null
  readonly tool: string
  /** What the tool is called with, as `parseJson` reads it. */
  readonly args: { readonly [name: string]: Json }
}

/** What is checked, and against what. */
export interface CallCheck {
  readonly call: GatedCall
  /** The text of the receipt. */
  readonly receipt: string
  /** The public keys that count; never fetched from whoever brings the receipt. */
  readonly keys: SigningKeySet
  /** Whose approvals count. */
  readonly installation: string
  /** Of which instance. Default: any. */
  readonly instance?: string
  /** True where only approvals of the sandbox count, in tests. Default: they do not count. */
  readonly sandbox?: boolean
  /** Epoch ms. */
  readonly now: number
  /** The list of ended decisions as the bot served it a moment ago. Default: none, where the bot cannot be reached. */
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

/** The receipt that lets the call run; or why none does, as a stable word. */
export type CheckedCall =
  | { readonly ok: true; readonly receipt: string; readonly kid: string; readonly claims: Claims }
  | { readonly ok: false; readonly refusal: string }

/**
 * Says whether a receipt lets a call run now. It needs neither Redis nor network and marks nothing: whoever calls it
 * sees to it that a call runs once, by installation, run and call.
 */
export function checkCall(check: CallCheck): Promise<CheckedCall>
