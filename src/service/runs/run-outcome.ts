// What a step on a run gives.
import type { Leg } from "./engine/run.ts"

/** A refusal for the wire. */
export type RunRefusal = { readonly ok: false; readonly status: 400 | 403 | 404 | 409; readonly detail: string }

/** What happened and how the run stands, or the refusal. */
export type RunOutcome = { readonly ok: true; readonly leg: Leg } | RunRefusal

/** Refuses a step. */
export function refused(status: RunRefusal["status"], detail: string): RunRefusal {
  return { ok: false, status, detail }
}
