// Decides whether one case belongs in a list, by the words that people type.
import { cardStatusOf } from "../../domain/case/card-model.ts"
import { type Case, type CaseStatus, outcomesOf } from "../../domain/case/case.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json } from "../../domain/content/json.ts"
import { workflowOf } from "../../domain/content/surroundings.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { isLike } from "../../domain/text/glob.ts"
import { maskApproval } from "../../domain/text/mask.ts"
import type { Filter } from "../ports/inbound.ts"

/** True if the filter matches a case that waits. The time of such a case is when it was asked for. */
export function isAskedFor(current: Case, filter: Filter, now: number): boolean {
  return isLikeFilter(current, filter, { at: askedAt(current), now })
}

/** True if the filter matches a settled case. The time of such a case is when it was settled. */
export function isPastAskedFor(current: Case, filter: Filter, now: number): boolean {
  return isLikeFilter(current, filter, { at: current.outcome?.at ?? askedAt(current), now })
}

/** When a case was asked for, epoch ms; by the platform's own clock if the platform says so. */
export function askedAt({ summary, openedAt }: Case): number {
  return summary.createdAt ?? openedAt
}

function isLikeFilter(
  current: Case,
  filter: Filter,
  { at, now }: { readonly at: number; readonly now: number },
): boolean {
  const { summary, approval, instance, revision } = current
  const { status, since, until, olderMs, person, text } = filter
  const rules = revision.quotas.map(({ name }) => name)
  return [
    isLike(filter.agent, [summary.agent, approval?.agentId, approval?.teamId]),
    isLike(filter.team, [summary.team, approval?.teamId]),
    isLike(filter.workflow, workflowNames(current)),
    isLike(filter.tool, [summary.tool, approval?.toolName]),
    isLike(filter.instance, [instance]),
    isLike(filter.rule, rules),
    isLike(filter.requester, [summary.requester]),
    person === undefined ||
      votersOf(current).some((vote) => vote.person.user === person || isLike(person, [vote.name])),
    since === undefined || at >= since,
    until === undefined || at <= until,
    olderMs === undefined || now - askedAt(current) >= olderMs,
    filter.overdue !== true || isOverdue(current, now),
    filter.limit !== true || revision.limits?.some(({ passed }) => passed) === true,
    status === undefined || statusesAt(current, now).includes(status),
    text === undefined ||
      holdsWord([current.id, current.approvalId, ...rules, ...namesToFind(current), ...argumentsIn(current)], text),
  ].every(Boolean)
}

function votersOf({ votes, decision }: Case) {
  return [...votes, ...(decision?.votes ?? [])]
}

function namesToFind(current: Case): readonly string[] {
  const { tool, agent, requester, team } = current.summary
  const names = [tool, agent, requester, team, ...workflowNames(current), current.instance]
  return names.filter((name) => typeof name === "string")
}

/** The id (by the record or its session) and the name of the workflow that the case belongs to. */
function workflowNames({ summary, approval, around }: Case): readonly (string | null | undefined)[] {
  const place = workflowOf(approval, around)
  return [summary.workflow, around.workflow?.id, place?.name]
}

/** Every text and number in the arguments of a case, and the arguments' names. Masked values are left out. */
function argumentsIn({ approval, kept, revision }: Case): readonly string[] {
  const shown = approval === null ? kept?.approval : maskApproval(approval, revision.look.mask).approval
  return shown === undefined
    ? []
    : openGatedCalls(shown).flatMap(({ args, fields }) => [args, ...fields].flatMap(textsToFind))
}

function textsToFind(value: Json): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(textsToFind)
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, one]) => [name, ...textsToFind(one)])
  if (isWireNumber(value)) return [value.rawJSON]
  return value === null ? [] : [String(value)]
}

function holdsWord(names: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return names.some((name) => name.toLowerCase().includes(wanted))
}

/** True if one of our deadlines has passed, or if the platform says that time is up (which decides nothing). */
function isOverdue({ time, approval }: Case, now: number): boolean {
  const said = approval?.expiresAt ?? null
  return time.deadlines.some(({ at }) => at <= now) || (said !== null && said <= now)
}

/** The words for how a case stands or ended; a decision made elsewhere has two words. `now`: epoch ms. */
function statusesAt(current: Case, now: number): readonly CaseStatus[] {
  if (current.outcome !== null) return outcomesOf(current)
  if (isOver(current.time, now)) return ["expired"]
  const { kind } = cardStatusOf(current)
  if (kind === "held") return ["held"]
  return kind === "deciding" || kind === "sending" ? ["deciding"] : ["waiting"]
}
