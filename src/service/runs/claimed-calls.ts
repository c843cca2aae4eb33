// Claims: what a caller who continues a run says about its calls. The record decides; a claim must agree with it.
import { z } from "zod"
import { type CallVerdict, enteredValues, externalResult } from "../engine/settle-call.ts"
import type { ToolExecution } from "../engine/tool-execution.ts"
import { isJsonObject, parseExact, writeExact } from "../wire/exact-json.ts"
import type { VerdictsByApproval } from "./run-record.ts"

const fieldSchema = z.looseObject({ name: z.string(), value: z.unknown() })

const claimSchema = z.looseObject({
  tool_call_id: z.string(),
  tool_name: z.string(),
  tool_args: z.unknown(),
  confirmed: z.boolean().nullish(),
  confirmation_note: z.string().nullish(),
  result: z.string().nullish(),
  user_input_schema: z.array(fieldSchema).nullish(),
})

type Claim = z.output<typeof claimSchema>

/** Claims by the id of the call. */
export type ClaimedCalls = ReadonlyMap<string, Claim>

const rule = "what runs is what the approval shows, and its record decides"

/** Reads the JSON of `tools` (agents), `requirements` (teams) or `step_requirements` (workflows). Null: unreadable. */
export function readClaims(text: string): ClaimedCalls | null {
  const parsed = parseOrNull(text)
  if (!Array.isArray(parsed)) return null
  const claims = z.array(claimSchema).safeParse(parsed.flatMap(executionsIn))
  return claims.success ? new Map(claims.data.map((claim) => [claim.tool_call_id, claim])) : null
}

/** How claims differ from what was approved or decided; null if they name all open calls as they are. */
export function contradiction(
  open: readonly ToolExecution[],
  verdicts: VerdictsByApproval,
  claimed: ClaimedCalls,
): string | null {
  for (const call of open) {
    const claim = claimed.get(call.tool_call_id)
    const verdict = verdicts.get(call.approval_id ?? "")
    if (claim === undefined || verdict === undefined || !agrees(call, verdict, claim)) {
      return `tools is not accepted where it differs for ${call.tool_name}: ${rule}`
    }
  }
  return null
}

/** The note that a caller gives with a call; null if there is none. */
export function noteIn(claimed: ClaimedCalls, callId: string): string | null {
  const note = claimed.get(callId)?.confirmation_note ?? ""
  return note === "" ? null : note
}

function agrees(call: ToolExecution, verdict: CallVerdict, claim: Claim): boolean {
  if (claim.tool_name !== call.tool_name || writeExact(claim.tool_args) !== writeExact(call.tool_args)) return false
  const { confirmed } = claim
  if (verdict.kind === "refused") return confirmed !== true && (claim.result ?? null) === null
  if (confirmed === false) return false
  return agreesOnInput(call, verdict, claim) && agreesOnResult(verdict, claim)
}

/** True if each value that a claim fills in is the call's own value or the decided one. */
function agreesOnInput(
  call: ToolExecution,
  verdict: Extract<CallVerdict, { kind: "approved" }>,
  claim: Claim,
): boolean {
  const decided = enteredValues(verdict.values)
  return (claim.user_input_schema ?? []).every(({ name, value }) => {
    const own = call.user_input_schema?.find((field) => field.name === name)
    const allowed = [own?.value ?? null, decided[name] ?? null].map(writeExact)
    return allowed.includes(writeExact(value ?? null))
  })
}

function agreesOnResult(verdict: Extract<CallVerdict, { kind: "approved" }>, claim: Claim): boolean {
  const result = claim.result ?? null
  return result === null || result === externalResult(verdict.values)
}

/** The tool executions in an entry: the entry itself, the one in it, or those of a step's executor. */
function executionsIn(entry: unknown): readonly unknown[] {
  if (!isJsonObject(entry)) return [entry]
  const inner = entry["executor_requirements"]
  if (Array.isArray(inner)) return inner.flatMap(executionsIn)
  return [entry["tool_execution"] ?? entry]
}

function parseOrNull(text: string): unknown {
  try {
    return parseExact(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}
