// The course of one case, as its entries tell it: what it asked, and how it stands after each of them.
import { isJsonArray, isJsonObject, type Json } from "../content/json.ts"

/**
 * How a case can end. `calledBack`: its requester ended it. `byExpiry`: nobody decided in time, and its rules reject.
 * `expired`: nobody decided in time, and the platform's record was left as it is. `gone`: the record was deleted.
 * `replaced`: a proposal of other rules that nobody decided: another took its place, or other rules became active.
 */
export const ends = [
  "approved",
  "rejected",
  "calledBack",
  "byExpiry",
  "expired",
  "elsewhere",
  "replaced",
  "gone",
  "frozen",
] as const

/** A word of `ends`. */
export type End = (typeof ends)[number]

/** The event of an entry, as the ledger holds it. */
export type TellingEvent = Readonly<Record<string, Json>>

/** What the entries of a case told so far. Times are epoch ms. It changes with each entry. */
export interface Course {
  readonly openedAt: number
  /** Since when people are asked about what they see now. */
  askedAt: number
  rules: readonly string[]
  tool: string | null
  team: string | null
  /** What votes or the expiry came to; null: nothing yet. */
  verdict: End | null
  /** When people decided; null if no entry tells. */
  decidedAt: number | null
  /** Who made the rejection that is not sent (R12). */
  heldBy: string | null
  /** True once the platform's record has the verdict. */
  carriedOut: boolean
  calledBack: boolean
  expired: boolean
  outcome: "elsewhere" | "expired" | "replaced" | "gone" | null
  frozen: boolean
}

/** The course that begins with an `opened` entry. */
export function courseOpened(event: TellingEvent, at: number): Course {
  return {
    openedAt: at,
    askedAt: at,
    rules: wordsIn(event["rules"]),
    tool: wordIn(event["tool"]),
    team: wordIn(event["team"]),
    verdict: null,
    decidedAt: null,
    heldBy: null,
    carriedOut: false,
    calledBack: false,
    expired: false,
    outcome: null,
    frozen: false,
  }
}

/** How the case stands. */
export function standingOf({ frozen, outcome, verdict, expired }: Course): End | "open" {
  if (frozen) return "frozen"
  return outcome ?? verdict ?? (expired ? "expired" : "open")
}

/** Follows the course through its next entry. Kinds that change nothing of it are passed over. */
export function follow(course: Course, event: TellingEvent, at: number): void {
  const person = wordIn(event["person"])
  const kind = wordIn(event["kind"]) ?? ""
  switch (kind) {
    case "revised":
      return revised(course, event, at)
    case "raised":
      course.rules = [...new Set([...course.rules, ...askedRules(event["asked"])])]
      return
    case "voted":
    case "called-back":
      course.calledBack = kind === "called-back"
      return
    case "held":
      return held(course, person, at)
    case "withdrawn":
    case "voided":
      if (person === course.heldBy) dropVerdict(course)
      return
    case "decided":
      return decided(course, event, at)
    case "reopened":
      dropVerdict(course)
      course.askedAt = at
      return
    case "expired":
      course.expired = event["rejects"] === false
      return
    case "resolved":
    case "recovered":
      return carriedOut(course, event["verb"])
    case "elsewhere":
      course.outcome = elsewhere(event["proposal"])
      return
    case "vanished":
      course.outcome = "gone"
      return
    case "returned":
    case "renewed":
      return begunAnew(course, event, at)
    case "frozen":
      course.frozen = true
  }
}

function revised(course: Course, event: TellingEvent, at: number): void {
  dropVerdict(course)
  course.askedAt = at
  course.rules = wordsIn(event["rules"])
  if (event["why"] !== "content") return
  course.tool = wordIn(event["tool"])
  course.team = wordIn(event["team"])
}

/** Without a person it is the expiry's rejection that is not sent: then the record is left as it is. */
function held(course: Course, person: string | null, at: number): void {
  if (person === null) {
    course.expired = true
    return
  }
  course.verdict = course.calledBack ? "calledBack" : "rejected"
  course.decidedAt = at
  course.heldBy = person
}

/** A rejection that was held, and is sent now, was decided when it was held. */
function decided(course: Course, event: TellingEvent, at: number): void {
  const wasHeld = course.heldBy !== null
  course.verdict = verdictOf(course, event)
  course.heldBy = null
  course.carriedOut = false
  // Nobody takes a time to decide a repeat.
  if (course.verdict === "byExpiry" || event["by"] === "again") course.decidedAt = null
  else if (!wasHeld) course.decidedAt = at
}

function verdictOf({ calledBack }: Course, { by, verb }: TellingEvent): End {
  if (by === "expiry") return "byExpiry"
  if (verb === "approve") return "approved"
  return calledBack ? "calledBack" : "rejected"
}

/** Whether others decided a case or, for a proposal of other rules, how it ended without votes. */
function elsewhere(proposal: Json | undefined): NonNullable<Course["outcome"]> {
  const how = proposal !== undefined && isJsonObject(proposal) ? proposal["how"] : null
  if (how === "expired") return "expired"
  return how === "replaced" || how === "outdated" ? "replaced" : "elsewhere"
}

function dropVerdict(course: Course): void {
  course.verdict = null
  course.decidedAt = null
  course.heldBy = null
  course.carriedOut = false
}

/** If Redis lost the entry of the decision, the record tells what it was, and nobody knows when it was made. */
function carriedOut(course: Course, verb: Json | undefined): void {
  const isApproval = course.verdict === "approved"
  if (course.verdict === null || isApproval !== (verb === "approve")) {
    course.verdict = verb === "approve" ? "approved" : "rejected"
    course.decidedAt = null
  }
  course.heldBy = null
  course.carriedOut = true
}

/** A held rejection goes on where its vote stays; a verdict on its way goes on in any case. */
function begunAnew(course: Course, { kind, held: isHeld, voided }: TellingEvent, at: number): void {
  if (kind === "returned") course.outcome = null
  const isVoid = kind === "renewed" ? isHeld === false : wordsIn(voided).includes(course.heldBy ?? "")
  if (course.heldBy !== null && isVoid) dropVerdict(course)
  course.askedAt = at
}

function askedRules(asked: Json | undefined): readonly string[] {
  return isJsonArray(asked) ? asked.flatMap((one) => (isJsonObject(one) ? (wordIn(one["rule"]) ?? []) : [])) : []
}

/** A text of an event; null if there is none. */
export function wordIn(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null
}

/** The texts of a list; none if it is no list. */
export function wordsIn(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === "string") : []
}
