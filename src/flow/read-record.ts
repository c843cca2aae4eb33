// Reads a case's record, or what its short form says where the platform can't write the record itself
// (`docs/platform-facts.md`, traps 7, 30).
import type { Approval } from "../domain/content/approval.ts"
import { isPortError, type Platform } from "./ports.ts"

/** The record; only its end, where nothing else of it can be read; or nothing, which is believed only when repeated. */
export type Reading =
  | { readonly kind: "record"; readonly record: Approval }
  | { readonly kind: "ended"; readonly status: string; readonly resolvedBy: string | null }
  | { readonly kind: "missing" }

/**
 * Asks for the record, and where that fails on the server (a row with half a character answers 500 for ever) for its status. Throws the
 * first failure if the status says no more than that it is pending: what can't be read can't be compared.
 */
export async function readRecord(platform: Platform, approvalId: string): Promise<Reading> {
  try {
    const record = await platform.get(approvalId)
    return record === null ? { kind: "missing" } : { kind: "record", record }
  } catch (error) {
    if (!isPortError(error) || error.code !== "server") throw error
    const ended = await endOf(platform, approvalId)
    if (ended === null) throw error
    return ended
  }
}

async function endOf(platform: Platform, approvalId: string): Promise<Reading | null> {
  try {
    const short = await platform.status(approvalId)
    return short === null || short.status === "pending" ? null : { kind: "ended", ...short }
  } catch (error) {
    if (!isPortError(error)) throw error
    return null // the caller throws the failure of the record itself
  }
}
