// Related approvals: a team's row and a member's row about one call (`docs/platform-facts.md` 3.3, trap 22). Two
// approvals, two cases, each decided by itself.
import type { z } from "zod"
import type { Approval } from "../content/approval.ts"
import { sha256 } from "../content/canonical.ts"
import { isJsonObject, type JsonObject } from "../content/json.ts"
import type { Frozen } from "../content/record/frozen.ts"
import type { Case, Place, Step } from "./case.ts"
import type { relatedSchema } from "./record/case-record.ts"

/** The other case about a call of this one. */
export interface RelatedApproval extends Frozen<z.infer<typeof relatedSchema>> {}

/** We look an approval up by at most this many calls: a row with thousands of calls must not burden every commit. */
const maxKeys = 100

/** The names of an approval's calls, 20 hex characters each. A call without an id of its own has none. */
export function callKeysOf(approval: Approval): readonly string[] {
  const ids = callIdsOf(approval).slice(0, maxKeys)
  return [...new Set(ids.map((id) => sha256(id).slice(0, 20)))]
}

/**
 * Says whose row `other` is, if both approvals are about one call; else null. A team's requirement names the run and
 * the call of its member.
 */
export function relationOf(one: Approval, other: Approval): RelatedApproval["of"] | null {
  if (one.instance !== other.instance || one.id === other.id) return null
  if (coversMember(one, other)) return "member"
  return coversMember(other, one) ? "team" : null
}

/** Makes the case point to its related approval. Null if it points there already, or if it would only lose a link. */
export function pointTo(current: Case, related: RelatedApproval): Step | null {
  const known = current.related.find((one) => one.caseId === related.caseId)
  if (known !== undefined && (related.link === null || known.link === related.link)) return null
  const others = current.related.filter((one) => one !== known)
  return { next: { ...current, related: [...others, related] }, events: [] }
}

function coversMember(team: Approval, member: Approval): boolean {
  const calls = callIdsOf(member)
  return (team.requirements ?? []).some((requirement) => {
    const id = callIdOf(requirement)
    return requirement["member_run_id"] === member.runId && id !== null && calls.includes(id)
  })
}

function callIdsOf({ requirements }: Approval): readonly string[] {
  return (requirements ?? []).map(callIdOf).filter((id) => id !== null)
}

function callIdOf(requirement: JsonObject): string | null {
  const execution = requirement["tool_execution"]
  const id = isJsonObject(execution) ? execution["tool_call_id"] : requirement["tool_call_id"]
  return typeof id === "string" && id !== "" ? id : null
}

/** The other case's card: in a channel where both have one, else in any channel. Nobody else can open a DM. */
export function placeSeenFrom(from: Case, to: Case): Place | null {
  const hanging = to.cards.filter((card) => card.place !== null && card.route.startsWith("channel:"))
  const shared = hanging.find((card) => from.cards.some((one) => one.route === card.route))
  return (shared ?? hanging[0])?.place ?? null
}
