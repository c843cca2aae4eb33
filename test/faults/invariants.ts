// Checks what must hold at the end of every seed, whatever broke. Returns one sentence for each breach.

import { isVoteKind } from "../../src/domain/case/event.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { amnesiaBreaches } from "./amnesia.ts"
import type { Look, SeenCard, SeenCase, Told } from "./look.ts"
import { oversightFound } from "./oversight.ts"
import { cancelAlarms, runWordsBreaches } from "./paused-runs.ts"
import {
  expiryBreaches,
  isHeld,
  limitBreaches,
  linesAgain,
  numbersIn,
  promiseBreaches,
  summaryBreaches,
} from "./promises.ts"
import { isLive, saysOf, targetOn } from "./screen.ts"
import { slackBreaches } from "./slack-limits.ts"
import { stopsBreaches } from "./stop-breaches.ts"
import { isRepeated, isSilent, talkBreaches } from "./talk-breaches.ts"
import { oversight } from "./terms.ts"
import { answersMissing, linesOf, strayPosts } from "./tolerances.ts"

/** Every breach, worded. Empty when all is well. */
export function breaches(given: Look): readonly string[] {
  const look = { ...given, cases: given.cases.filter((one) => !isUnmet(given, one)) }
  return [
    ...look.errors.map((error) => `the harness failed: ${error}`),
    ...look.falls.map((fall) => `a replica fell: ${fall}`),
    ...look.mistakes.map((line) => `a mistake in a log: ${line}`),
    ...badAlarms(look),
    ...cancelAlarms(look),
    ...look.entries.filter(({ kind }) => kind === "frozen").map(({ chain }) => `${chain} is frozen`),
    ...(look.ledger === null ? [] : [`the ledger does not verify: ${look.ledger}`]),
    ...look.jobs.filter((job) => job.includes("ticket")).map((job) => `a ticket is left over: ${job}`),
    ...workLeft(look).map((job) => `work is left over: ${job}`),
    ...sameInteraction(look),
    ...summaryBreaches(look),
    ...limitBreaches(look),
    ...stopsBreaches(look),
    ...oversightFound(look),
    ...talkBreaches(look),
    ...answersMissing(look),
    ...slackBreaches(look),
    ...look.cases.flatMap((one) =>
      [
        ...decisionBreaches(look, one),
        ...contentBreaches(look, one),
        ...ledgerBreaches(look, one),
        ...cardBreaches(look, one),
        ...threadBreaches(look, one),
        ...promiseBreaches(look, one),
        ...amnesiaBreaches(look, one),
      ].map((breach) => `${one.asked.tool}: ${breach}`),
    ),
  ]
}

/**
 * An approval that an operator decided before any bot could see it is nobody's case. Nor is one of which Redis lost
 * all, before that or as it was rejected by itself: nobody lists it any more, and whoever presses what hangs there is
 * told that it is unknown.
 */
function isUnmet({ lost }: Look, seen: SeenCase): boolean {
  const { asked, row, mark, entries, cards } = seen
  const unseen = entries.length === 0 && (cards.length === 0 || lost.length > 0)
  if (isRepeated(seen) && lost.length > 0) return unseen
  return asked.elsewhere && row.status !== "pending" && mark === null && unseen
}

/** Alarms that blame us or claim a forgery, where nobody forged anything. */
const badCodes = ["tampered-case", "frozen-case", "press-failed", "ticket-tampered", "no-rule", "pending-again"]

function badAlarms({ alarms }: Look): readonly string[] {
  return alarms.filter((code) => badCodes.includes(code)).map((code) => `an alarm that nothing explains: ${code}`)
}

/** A delivery that came twice counts once. */
function sameInteraction({ entries }: Look): readonly string[] {
  const counted = entries.filter(({ kind }) => isVoteKind(kind)).map(({ event }) => String(event["interaction"]))
  const twice = counted.filter((one, index) => counted.indexOf(one) !== index)
  return twice.map((one) => `one press was counted two times: ${one.slice(0, 12)}`)
}

const people: Readonly<Record<string, string>> = {
  [sandboxCast.alice]: "alice",
  [sandboxCast.bob]: "bob",
  [sandboxCast.rita]: "rita",
}

/** One effective resolve, by those who may and who pressed it; or none when nobody decided. */
function decisionBreaches({ schedule, pressed, alarms, lost }: Look, seen: SeenCase): readonly string[] {
  const { asked, row, mark, entries, posts } = seen
  const breaches: string[] = []
  const bodies = new Map<string, Set<string>>()
  for (const post of posts.filter((body) => body.includes("decision_id"))) {
    const id = String(JSON.parse(post).resolution_data.countersign.decision_id)
    bodies.set(id, (bodies.get(id) ?? new Set()).add(post))
  }
  // A verdict that Redis lost is made anew by the same votes, unless the platform has it by then (R17).
  for (const [id, sent] of bodies)
    if (sent.size > 1 + lost.length) breaches.push(`decision ${id} was sent as ${sent.size} different bodies (R9)`)
  if (row.status === "pending") {
    const open = entries.findLast(({ kind }) => kind === "decided" || kind === "reopened" || kind === "resolved")
    if (open?.kind === "decided" && !isStuck(alarms, seen))
      breaches.push("a decision was made and never reached the platform")
    return breaches
  }
  if (mark === null) return asked.elsewhere ? breaches : [...breaches, `it is ${row.status}, and nobody decided it`]
  const verb = row.status === "approved" ? "approve" : "reject"
  if (isRepeated(seen)) return breaches
  if (mark.approvers.length === 0) return [...breaches, ...expiryBreaches(schedule, seen)]
  for (const { slack } of mark.approvers) {
    const user = slack.split(":")[1] ?? ""
    const own = pressed.filter((one) => one.asked === asked && one.person === user && one.verb === verb)
    if (own.length === 0) breaches.push(`${people[user]} is named for ${verb}, and never pressed it`)
    // Who stands in, and whom other rules list, the ledger says exactly.
    if (
      user === sandboxCast.rita &&
      !schedule.terms.overseen &&
      !isCalledBack(seen) &&
      !entries.some(({ kind }) => kind === "escalated")
    )
      breaches.push("rita decided, and is no approver")
  }
  const last = mark.approvers.at(-1)?.subject
  if (row.resolved_by !== last) breaches.push(`the record names ${row.resolved_by}, and the last vote was by ${last}`)
  const needed = verb === "approve" && mark.glass !== true ? schedule.quorum : 1
  if (new Set(mark.approvers.map(({ slack }) => slack)).size < needed) breaches.push(`fewer than ${needed} agreed`)
  return breaches
}

/**
 * R9: content that moved after a POST of which nobody knows ends no verdict; the card says that the outcome is not
 * known.
 */
function isStuck(alarms: readonly string[], { asked, row, entries }: SeenCase): boolean {
  const last = entries.findLast(({ kind }) => kind === "decided" || kind === "reopened" || kind === "resolved")
  const moved = asked.targets.length > 1 && alarms.includes("content-changed-while-sending")
  return row.status === "pending" && last?.kind === "decided" && moved
}

/** Jobs that no case explains. */
function workLeft({ jobs, cases, alarms }: Look): readonly string[] {
  const stuck = cases.some((one) => isStuck(alarms, one))
  return jobs.filter((job) => !job.includes("ticket") && !(stuck && /resolve|reconcile/.test(job)))
}

/**
 * What was resolved is what the voters' cards showed. A record that moved under the POST itself is told as not ours
 * (R10).
 */
function contentBreaches({ pressed, alarms }: Look, { asked, row, mark, entries }: SeenCase): readonly string[] {
  if (mark === null) return []
  const users = mark.approvers.map(({ slack }) => slack.split(":")[1])
  const verb = row.status === "approved" ? "approve" : "reject"
  const isIt = (one: Look["pressed"][number]) =>
    one.asked === asked && one.verb === verb && one.shown === row.tool_args.target
  const unseen = users.filter((user) => !pressed.some((one) => one.person === user && isIt(one)))
  if (unseen.length === 0) return []
  const refused = entries.some(({ kind, event }) => kind === "elsewhere" && event["claimsToBeOurs"] === true)
  if (refused && alarms.includes("forged-resolution")) return []
  return [
    `it ran with ${row.tool_args.target}, which the card of ${unseen.map((user) => people[user ?? ""]).join(" and ")} never showed`,
  ]
}

/** The ledger says of each approval what the platform says. */
function ledgerBreaches(look: Look, { row, mark, entries }: SeenCase): readonly string[] {
  const ends = entries.filter(({ kind }) => ["resolved", "recovered", "elsewhere", "vanished"].includes(kind))
  if (entries.length === 0) return ["the ledger does not know it"]
  if (ends.length > 1) return [`the ledger ends it ${ends.length} times: ${ends.map(({ kind }) => kind).join(", ")}`]
  const [end] = ends
  if (row.status === "pending")
    return end === undefined ? [] : [`the ledger says ${end.kind}, and the platform pending`]
  if (end === undefined) return [`the platform says ${row.status}, and the ledger nothing`]
  if (end.kind === "vanished") return ["the ledger says vanished, and the platform has it"]
  if (mark === null || end.kind === "elsewhere") {
    const foreign = end.kind === "elsewhere" && (mark === null || end.event["claimsToBeOurs"] === true)
    return foreign
      ? []
      : [`the ledger says ${end.kind}, and the platform that it was decided ${mark === null ? "there" : "by us"}`]
  }
  return [
    ...(end.event["decision"] === mark.decision_id ? [] : ["the ledger names another decision than the platform"]),
    ...rulesBreaches(look, entries, end, mark.decision_id),
  ]
}

/**
 * A decision that the ledger knows stands in it once, before its end; one that Redis lost is told as recovered (R17).
 */
function rulesBreaches({ lost }: Look, entries: readonly Told[], end: Told, decision: string): readonly string[] {
  const made = entries.filter(({ kind, event }) => kind === "decided" && event["decision"] === decision)
  if (end.kind === "recovered") return lost.length > 0 ? [] : ["a decision was recovered, and nothing was ever lost"]
  return made.length === 1 ? [] : [`the ledger has decision ${decision} ${made.length} times`]
}

/**
 * One live card for each approval and route, in its final state; what is left of lost answers says that it is not in
 * use.
 */
function cardBreaches(look: Look, seen: SeenCase): readonly string[] {
  const { entries, cards, row, asked } = seen
  if (isSilent(seen)) return cards.map(({ message }) => `nobody is asked, and a card hangs: ${message.text}`)
  // Whoever reviews broken glass has a card elsewhere.
  const placed = entries.filter(({ kind, event }) => kind === "placed" && channelOf(event) !== oversight.channel)
  const channels = [...new Set(placed.map(({ event }) => channelOf(event)))]
  // What was decided on a summary's line needs no card of its own any more, nor what is on its way for good.
  const hung =
    row.status === "pending" && !isStuck(look.alarms, seen) ? [] : entries.filter(({ kind }) => kind === "summarised")
  const routes = new Set([...placed, ...hung].map(({ event }) => String(event["route"])))
  const missing = look.schedule.routes - [...routes].filter((route) => route.startsWith("channel:")).length
  return [
    ...(missing > 0 ? [`${missing} of its routes have no card`] : []),
    ...channels.flatMap((channel) => {
      const ts = entries.findLast(({ kind, event }) => kind === "placed" && channelOf(event) === channel)?.event
      const own = cards.find(({ message }) => message.channelId === channel && message.ts === placeOf(ts)?.ts)
      const others = cards.filter(({ message }) => message.channelId === channel && message !== own?.message)
      return own === undefined
        ? [`the card on record in ${channel} does not hang there`]
        : [
            ...(isStuck(look.alarms, seen) ? [] : stateBreaches(seen, own, asked.targets.at(-1) ?? "")),
            ...orphanBreaches(look, others),
          ]
    }),
  ]
}

function channelOf(event: Told["event"]): string {
  return placeOf(event)?.channel ?? ""
}

function placeOf(event: Told["event"] | undefined): { readonly channel: string; readonly ts: string } | undefined {
  return event?.["place"] as { readonly channel: string; readonly ts: string } | undefined
}

/** True if the last decision came of a call-back: the last act of the person whom it names. */
function isCalledBack({ entries }: SeenCase): boolean {
  const decided = entries.findLast(({ kind }) => kind === "decided")
  const people = (decided?.event["people"] ?? []) as readonly string[]
  const acts = entries.filter(({ number, event }) => number < (decided?.number ?? 0) && people[0] === event["person"])
  return acts.findLast(({ kind }) => isVoteKind(kind))?.kind === "called-back"
}

function stateBreaches(seen: SeenCase, card: SeenCard, target: string): readonly string[] {
  const { row, entries } = seen
  const { status, resolution_data: data } = row
  const { message } = card
  const live = isLive(message)
  if (status === "pending") {
    const closed = entries.some(({ kind }) => kind === "expired") || isHeld(entries)
    if (closed) return live ? ["nobody may vote on it any more, and its card can still be pressed"] : []
    if (!live) return ["it waits, and its card cannot be pressed"]
    return targetOn(message) === target ? [] : [`its card shows ${targetOn(message)}, and ${target} waits`]
  }
  if (live) return [`it is ${status}, and its card can still be pressed`]
  const word = status === "approved" ? "Approved" : "Rejected"
  const asVoted = data?.proposal === undefined ? word : "Sent back"
  const ours = status === "rejected" && isCalledBack(seen) ? "Called back" : asVoted
  const elsewhere = data?.countersign === undefined ? `${word} elsewhere` : ours
  return [
    ...(saysOf(message).includes(elsewhere)
      ? []
      : [`its card does not say "${elsewhere}": ${message.text.slice(0, 80)}`]),
    ...runWordsBreaches(seen, card),
  ]
}

function orphanBreaches(look: Look, others: readonly SeenCard[]): readonly string[] {
  const live = others.filter(({ message }) => isLive(message)).length
  const allowed = strayPosts(look)
  return [
    ...(live > 0 ? [`${live} more live cards hang beside the one on record`] : []),
    ...(others.length > allowed
      ? [`${others.length} cards were replaced, and only ${allowed} can have been lost`]
      : []),
  ]
}

/** No thread line twice, and none missing. */
function threadBreaches(look: Look, { cards, entries }: SeenCase): readonly string[] {
  const wanted = linesOf(entries)
  // Lines may stand in a summary's thread; who asked for it is only told the end.
  const elsewhere = entries.some(({ kind }) => kind === "summarised")
  const main = cards.filter(({ thread, message }) => thread.length > 0 && !message.channelId.startsWith("D"))
  return main.flatMap(({ thread }) => {
    const payloads = thread.map(({ metadata }) => metadata?.event_payload)
    const lines = new Set(payloads.flatMap(numbersIn))
    const again = linesAgain(payloads)
    const allowed = strayPosts(look)
    return [
      ...(again > allowed ? [`${again} messages of its thread say lines again, of at most ${allowed}`] : []),
      ...(!elsewhere && main.length === look.schedule.routes && lines.size < wanted
        ? [`its thread has ${lines.size} of ${wanted} lines`]
        : []),
    ]
  })
}
