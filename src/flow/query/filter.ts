// Decides whether one case belongs in a list, by the words that people type.
import { cardStatusOf } from "../../domain/case/card-model.ts"
import { type Case, type CaseStatus, outcomesOf } from "../../domain/case/case.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json } from "../../domain/content/json.ts"
import { workflowOf } from "../../domain/content/surroundings.ts"
import { isOver } from "../../domain/policy/timing.ts"
import { isLike } from "../../domain/text/glob.ts"
import { maskApproval, maskText } from "../../domain/text/mask.ts"
import type { Filter } from "../ports/inbound.ts"
import { askedAt } from "./order.ts"

/** True if the filter matches a case that waits. The time of such a case is when somebody asked for it. */
export function isAskedFor(current: Case, filter: Filter, now: number): boolean {
  return isLikeFilter(current, filter, { at: askedAt(current), now })
}

/** True if the filter matches a settled case. The time of such a case is when it settled. */
export function isPastAskedFor(current: Case, filter: Filter, now: number): boolean {
  return isLikeFilter(current, filter, { at: current.outcome?.at ?? askedAt(current), now })
}

function isLikeFilter(
  current: Case,
  filter: Filter,
  { at, now }: { readonly at: number; readonly now: number },
): boolean {
  const { summary, approval, instance, revision } = current
  const { status, since, until, olderMs, person } = filter
  const begins = (word: string | undefined, names: Names) => beginsLike(word, names, revision.look.mask)
  return [
    begins(filter.agent, [summary.agent, approval?.agentId, approval?.teamId]),
    begins(filter.team, [summary.team, approval?.teamId]),
    begins(filter.workflow, workflowNames(current)),
    begins(filter.tool, [summary.tool, approval?.toolName]),
    begins(filter.instance, [instance]),
    begins(
      filter.rule,
      revision.quotas.map(({ name }) => name),
    ),
    begins(filter.requester, [summary.requester]),
    person === undefined ||
      votersOf(current).some((vote) => vote.person.user === person || begins(person, [vote.name])),
    since === undefined || at >= since,
    until === undefined || at <= until,
    olderMs === undefined || now - askedAt(current) >= olderMs,
    filter.overdue !== true || isOverdue(current, now),
    filter.limit !== true || revision.limits?.some(({ passed }) => passed) === true,
    status === undefined || statusesAt(current, now).includes(status),
    filter.text === undefined || holdsWords(current, filter.text),
  ].every(Boolean)
}

type Names = readonly (string | null | undefined)[]

/**
 * True if one of the names begins with the word. A word with `*` or `?` has to fit a whole name. Nobody can find what a
 * rule masks in a name.
 */
function beginsLike(word: string | undefined, names: Names, mask: readonly string[]): boolean {
  if (word === undefined) return true
  const glob = /[*?]/.test(word) ? word : `${word}*`
  return isLike(
    glob,
    names.map((name) => shownName(name, mask)),
  )
}

function shownName(name: Names[number], mask: readonly string[]): string | null {
  return typeof name !== "string" ? null : mask.length === 0 ? name : maskText(name, mask)
}

function votersOf({ votes, decision }: Case) {
  return [...votes, ...(decision?.votes ?? [])]
}

function namesToFind(current: Case): readonly string[] {
  const { revision, summary, instance } = current
  const { tool, agent, requester, team } = summary
  const rules = revision.quotas.map(({ name }) => name)
  const names = [tool, agent, requester, team, ...workflowNames(current), instance, ...rules]
  return names.flatMap((name) => shownName(name, revision.look.mask) ?? [])
}

/** The id (by the record or its session) and the name of the workflow that the case belongs to. */
function workflowNames({ summary, approval, around }: Case): readonly (string | null | undefined)[] {
  const place = workflowOf(approval, around)
  return [summary.workflow, around.workflow?.id, place?.name]
}

/** Every text and number in the arguments of a case, and the arguments' names. It leaves masked values out. */
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

/** True if each word stands somewhere in the case, in any order and in any case of letters. */
function holdsWords(current: Case, text: string): boolean {
  const { id, approvalId } = current
  const held = [id, approvalId, ...namesToFind(current), ...saidIn(current), ...argumentsIn(current)]
  const lower = held.map((one) => one.toLowerCase())
  const words = text.toLowerCase().split(/\s+/)
  return words.every((word) => lower.some((one) => one.includes(word)))
}

/** What rules say about the calls: the sentences that lists show, without their arguments. */
function saidIn({ revision }: Case): readonly string[] {
  return (revision.look.say ?? []).filter((said) => said !== null)
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
