// The check that a gate makes, for tools of any kind: does a receipt let a call run now? It needs neither Redis nor
// network, and records nothing: its caller makes sure that a call runs once (docs/tool-gate.md).
import { longestReceiptLifeMs } from "../domain/case/receipt.ts"
import { callDigest, type GatedCall } from "../domain/content/call-digest.ts"
import { standingIn, verifyEndedList } from "./ended-list.ts"
import { ProofError } from "./errors.ts"
import { type VerifiedReceipt, verifyReceipt } from "./receipt.ts"
import type { SigningKeySet } from "./signed.ts"

export type { GatedCall } from "../domain/content/call-digest.ts"
export { parseJson } from "../domain/content/json.ts"
export { readKeySet } from "./signed.ts"

/** What to check, and against what. */
export interface CallCheck {
  /** The call as it is about to run. */
  readonly call: GatedCall
  /** The text of the receipt. */
  readonly receipt: string
  /** The public keys that count, as `readKeySet` reads them. Never fetch them from whoever brings the receipt. */
  readonly keys: SigningKeySet
  /** Whose approvals count. */
  readonly installation: string
  /** The instance whose approvals count. Default: any. */
  readonly instance?: string
  /** True if only approvals of the sandbox count, in tests. Default: they do not count. */
  readonly sandbox?: boolean
  /** Epoch ms. */
  readonly now: number
  /** The list of ended decisions as the bot served it a moment ago. Default: none, if the gate can ask nobody. */
  readonly endedList?: string
}

/** Why a call may not run. */
export type CallRefusal =
  | "not-approved"
  | "sandbox"
  | "other-installation"
  | "other-instance"
  | "not-yet"
  | "expired"
  | "key-not-in-force"
  | "other-call"
  | "ended"
  | "stopped"
  | "list-unusable"

/** The receipt that lets the call run, or why it may not. */
export type CheckedCall =
  | ({ readonly ok: true } & VerifiedReceipt)
  | { readonly ok: false; readonly refusal: CallRefusal | ProofError["code"] }

/** Clocks of two hosts may differ by this much, in ms. */
const skewMs = 60_000

/**
 * Checks a call. If a receipt does not hold, that is a refusal, too; any other failure is thrown.
 *
 * @example
 * const keys = readKeySet(readFileSync("countersign-gate.json", "utf8"), "the gate's file")
 * const call = { run: "run-1", call: "call-1", agent: "agent-1", team: null, tool: "pay", args: { amount: 12.5 } }
 * const checked = await checkCall({ call, receipt, keys, installation: "default", now: Date.now() })
 * if (!checked.ok) throw new Error(`refused: ${checked.refusal}`)
 */
export async function checkCall(check: CallCheck): Promise<CheckedCall> {
  try {
    const verified = await verifyReceipt(check.receipt, check.keys)
    const refusal = refusalOf(check, verified) ?? (await endedOf(check, verified))
    return refusal === null ? { ok: true, ...verified } : { ok: false, refusal }
  } catch (error) {
    if (error instanceof ProofError) return { ok: false, refusal: error.code }
    throw error
  }
}

function refusalOf(check: CallCheck, { claims, kid }: VerifiedReceipt): CallRefusal | null {
  const { call, installation, instance = claims.instance, sandbox = false, now } = check
  if (claims.verdict !== "approve") return "not-approved"
  const { calls, expires, at } = claims
  if (claims.sandbox !== sandbox) return "sandbox"
  if (claims.installation !== installation) return "other-installation"
  if (claims.instance !== instance) return "other-instance"
  if (at > now + skewMs) return "not-yet"
  if (now > expires + skewMs || expires - at > longestReceiptLifeMs) return "expired"
  if (!isInForce(check.keys, kid, at)) return "key-not-in-force"
  return calls.includes(callDigest(call)) ? null : "other-call"
}

/** True if a key vouched at a moment. A gate's file may limit that (ISO 8601). False if a limit is no moment. */
function isInForce({ keys }: SigningKeySet, kid: string, at: number): boolean {
  const key = keys.find((one) => one.kid === kid)
  const [from = at, until = at] = [momentOf(key?.["not_before"]), momentOf(key?.["not_after"])]
  return from <= at && at <= until
}

/** A moment as epoch ms; NaN if the value is no moment; undefined for no limit. */
function momentOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === "string" ? Date.parse(value) : Number.NaN
}

/** What the list says. If its installation or its moment is the wrong one, nobody knows what has ended. */
async function endedOf(check: CallCheck, { claims }: VerifiedReceipt): Promise<CallRefusal | null> {
  const { endedList, keys, installation, sandbox = false, now } = check
  if (endedList === undefined) return null
  const list = await verifyEndedList(endedList, keys)
  const isOurs = list.installation === installation && list.sandbox === sandbox
  if (!isOurs || list.iat * 1_000 > now + skewMs || list.exp * 1_000 < now - skewMs) return "list-unusable"
  return standingIn(list, claims.decision)
}
