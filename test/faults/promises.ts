// Checks what must hold for deadlines, withdrawn votes, held rejections, requesters, limits and summaries. Returns one
// sentence for each breach.
import { isVoteKind } from "../../src/domain/case/event.ts"
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds } from "../../src/slack/ids.ts"
import type { Look, SeenCase, Told } from "./look.ts"
import { runBreaches } from "./paused-runs.ts"
import type { Mark } from "./platform.ts"
import { isOf } from "./screen.ts"
import { isRepeated } from "./talk-breaches.ts"
import { amount } from "./terms.ts"
import { strayPosts } from "./tolerances.ts"

/** Every breach of one case, worded. */
export function promiseBreaches(look: Look, seen: SeenCase): readonly string[] {
  return [
    ...timeBreaches(look, seen),
    ...voteBreaches(seen),
    ...heldBreaches(look, seen),
    ...requesterBreaches(seen),
    ...runBreaches(look, seen),
    ...summaryLineBreaches(look, seen),
  ]
}

/** What people approved one by one is never more than a limit lets through, whatever was lost meanwhile. */
export function limitBreaches({ schedule, cases }: Look): readonly string[] {
  const { limit } = schedule.terms
  const alone = cases.filter(({ row, mark }) => row.status === "approved" && mark !== null && agreedIn(mark) === 1)
  return limit === null || alone.length * amount <= limit
    ? []
    : [`${alone.length} approvals of ${amount} passed the limit of ${limit}, each by one person`]
}

function agreedIn({ approvers }: Mark): number {
  return new Set(approvers.map(({ slack }) => slack)).size
}

/** By how much two replicas' clocks may differ, in ms. */
function apartMs({ schedule }: Look): number {
  return Math.max(0, ...schedule.skewsMs) - Math.min(0, ...schedule.skewsMs)
}

/** So long after a deadline it must have been kept, in ms. */
const lateMs = 12_000

/** R13: one reminder a deadline, one escalation, nothing after the expiry, and each in time. */
function timeBreaches(look: Look, { entries, row }: SeenCase): readonly string[] {
  const { timing } = look.schedule.terms
  const opened = entries.find(({ kind }) => kind === "opened")
  const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length
  const most = {
    reminded: timing?.remind.length ?? 0,
    escalated: timing?.escalate == null ? 0 : 1,
    expired: timing?.expire == null ? 0 : 1,
  }
  const often = (["reminded", "escalated", "expired"] as const).flatMap((kind) =>
    count(kind) > most[kind] ? [`it was ${kind} ${count(kind)} times, of at most ${most[kind]}`] : [],
  )
  const expired = entries.findIndex(({ kind }) => kind === "expired")
  const afterwards = expired === -1 ? [] : entries.slice(expired + 1).filter(isVote)
  const late = afterwards.map(({ kind }) => `it expired, and ${kind} came afterwards (R13)`)
  if (timing === null || opened === undefined) return [...often, ...late]
  const since = (s: number) => Number(opened.event["at"]) + s * 1_000
  const over = timing.expire === null ? Number.POSITIVE_INFINITY : since(timing.expire) + apartMs(look)
  const beyond = entries.filter((entry) => isVote(entry) && Number(entry.event["at"]) > over)
  const waits = row.status === "pending" && count("decided") === count("reopened") && count("held") === 0
  const overdue = (s: number | null) => waits && s !== null && look.now > since(s) + apartMs(look) + lateMs
  const kept = count("expired") > 0 || count("escalated") > 0
  return [
    ...often,
    ...late,
    ...beyond.map(({ kind }) => `its time was over, and ${kind} came afterwards (R13)`),
    ...(overdue(timing.expire) && count("expired") === 0 ? ["its time is over, and nobody noted it"] : []),
    ...(overdue(timing.escalate) && !kept ? ["nobody else was asked when it was time"] : []),
    ...(overdue(timing.remind[0] ?? null) && count("reminded") === 0 && !kept ? ["nobody was reminded"] : []),
  ]
}

/** R13: what nobody decided is rejected where the rule says so, and only once its time is over. */
export function expiryBreaches({ terms }: Look["schedule"], { row, entries }: SeenCase): readonly string[] {
  const owed =
    terms.timing?.onExpiry === "reject" && entries.some(({ kind }) => kind === "expired" || kind === "recovered")
  const named = row.resolved_by === "countersign:expiry"
  return row.status === "rejected" && owed && named
    ? []
    : [`it is ${row.status} by ${row.resolved_by}, and by nobody's vote`]
}

/** A vote, or a decision that votes made. */
function isVote({ kind, event }: Told): boolean {
  return isVoteKind(kind) || (kind === "decided" && event["by"] !== "expiry" && event["by"] !== "again")
}

/**
 * Who is named for a decision voted on just that content, and did not take it back. Nobody approves what they asked
 * for.
 */
function voteBreaches({ asked, entries }: SeenCase): readonly string[] {
  return entries
    .filter(({ kind, event }) => kind === "decided" && event["by"] !== "expiry" && event["by"] !== "again")
    .flatMap(({ number, event }) =>
      (event["people"] as readonly string[]).flatMap((person) => {
        const own = entries.filter((one) => one.number <= number && one.event["person"] === person)
        const last = own.findLast(({ kind }) => isVoteKind(kind) || kind === "withdrawn")
        const self = event["verb"] === "approve" && person.endsWith(`:${asked.requester}`)
        return [
          ...(last !== undefined && isVoteKind(last.kind)
            ? []
            : [`${person} is named for a decision, and had no vote that stood`]),
          ...(last === undefined || last.kind === "withdrawn" || last.event["digest"] === event["digest"]
            ? []
            : [`${person} voted on other content than was decided`]),
          ...(last?.kind === "called-back" && !person.endsWith(`:${asked.requester}`)
            ? [`${person} called back what somebody else asked for`]
            : []),
          ...(self ? [`${person} approved what they asked for themselves`] : []),
        ]
      }),
    )
}

/** R12: a rejection that the platform would not enforce is never sent. */
function heldBreaches({ schedule }: Look, { posts }: SeenCase): readonly string[] {
  if (schedule.terms.runs !== "held") return []
  const sent = posts.filter((body) => body.includes("decision_id") && JSON.parse(body).status === "rejected")
  return sent.length === 0 ? [] : [`a rejection that nobody enforces was sent ${sent.length} times (R12)`]
}

/** Whoever asked is told how it ended, unless they made the end themselves. */
function requesterBreaches({ asked, mark, row, entries, cards }: SeenCase): readonly string[] {
  const { requester } = asked
  // Of what is rejected by itself the first card tells.
  if (requester === null || row.status === "pending" || isRepeated({ row })) return []
  if ((mark?.approvers ?? []).some(({ slack }) => slack.endsWith(`:${requester}`))) return []
  const told = entries.some(({ kind, event }) => kind === "placed" && event["route"] === `person:${requester}`)
  if (!told) return ["who asked for it was not told how it ended"]
  return cards.some(({ message }) => message.channelId.startsWith("D")) ? [] : ["the card of who asked hangs nowhere"]
}

/** R12: true while a rejection counts that is not sent. */
export function isHeld(entries: readonly Told[]): boolean {
  return entries.findLast(({ kind }) => ["held", "withdrawn", "voided", "revised"].includes(kind))?.kind === "held"
}

/**
 * Each summary that the ledger names hangs there; a case that waits on a summary's line is named by one that can be
 * reviewed; no line of a case stands in a summary's thread twice.
 */
function summaryLineBreaches(look: Look, { asked, row, caseId, entries }: SeenCase): readonly string[] {
  const last = entries.findLast(({ kind }) => ["decided", "reopened", "expired"].includes(kind))?.kind ?? "reopened"
  const waits = row.status === "pending" && !isHeld(entries) && last === "reopened"
  const carded = new Set(cardRoutes(entries))
  const hung = entries.filter(({ kind }) => kind === "summarised").map(({ event }) => event)
  const missing = hung.filter((event) => !look.summaries.some(({ message }) => isAt(message, event["place"])))
  const named = (route: string) =>
    look.summaries.some(
      ({ message }) => route.endsWith(message.channelId) && isReviewed(message) && isOf(message, asked.tool),
    )
  const routes = waits ? [...new Set(hung.map((event) => String(event["route"])))] : []
  const unnamed = routes.filter((route) => !carded.has(route) && !named(route))
  const allowed = strayPosts(look)
  const again = look.summaries
    .map(({ thread }) => thread.map(({ metadata }) => metadata?.event_payload))
    .map((payloads) => linesAgain(payloads.filter((payload) => payload?.["case"] === caseId)))
    .filter((count) => count > allowed)
  return [
    ...missing.map((event) => `the summary on record in ${String(event["route"])} does not hang there`),
    ...unnamed.map((route) => `it waits on a summary in ${route}, and none there names it`),
    ...again.map((count) => `${count} messages of a summary's thread say its lines again, of at most ${allowed}`),
  ]
}

/** The numbers of the lines that a message of a thread holds, by its metadata. */
export function numbersIn(payload: Readonly<Record<string, unknown>> = {}): readonly number[] {
  return Array.from({ length: Number(payload["lines"] ?? 1) }, (_, at) => Number(payload["number"]) + at)
}

/** How many messages of a thread say lines that one before them said. */
export function linesAgain(payloads: readonly (Readonly<Record<string, unknown>> | undefined)[]): number {
  const messages = payloads.map(numbersIn)
  return messages.filter((numbers, at) => numbers.some((one) => messages.slice(0, at).flat().includes(one))).length
}

function isAt({ channelId, ts }: PostedMessage, place: unknown): boolean {
  const at = place as { readonly channel: string; readonly ts: string }
  return channelId === at.channel && ts === at.ts
}

function isReviewed({ blocks }: PostedMessage): boolean {
  return JSON.stringify(blocks).includes(`"${actionIds.review}"`)
}

/**
 * One summary of a channel is in use at most, and none once no case hangs on it. One that was posted in a second that
 * Redis lost is nobody's any more: its button leads to what waits in the channel all the same.
 */
export function summaryBreaches(look: Look): readonly string[] {
  const channels = look.summaries.filter(({ message }) => isReviewed(message)).map(({ message }) => message.channelId)
  return [...new Set(channels)].flatMap((channel) => {
    const count = channels.filter((one) => one === channel).length
    const most = (hangsIn(look, channel) ? 1 : 0) + strayPosts(look) + look.lost.length
    return count > most ? [`${count} summaries in ${channel} can still be reviewed, of at most ${most}`] : []
  })
}

/** True while a case waits that has no card of its own in the channel. */
function hangsIn({ cases }: Look, channel: string): boolean {
  return cases.some(
    ({ row, entries }) => row.status === "pending" && !cardRoutes(entries).includes(`channel:${channel}`),
  )
}

function cardRoutes(entries: readonly Told[]): readonly string[] {
  return entries.filter(({ kind }) => kind === "placed").map(({ event }) => String(event["route"]))
}
