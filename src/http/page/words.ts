// All words of the page but those of entries: labels, states, what is missing, and what is refused.
import { html } from "hono/html"
import type { Case, Outcome, ProposalOutcome } from "../../domain/case/case.ts"
import type { Vote } from "../../domain/case/vote.ts"
import { isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import { proposalOverWords } from "../../domain/rule/proposal.ts"
import { hasMask } from "../../domain/text/masker.ts"
import type { Tampered } from "../../flow/ports.ts"
import type { ToldCase } from "../reading/models.ts"
import { timeOf } from "../reading/telling.ts"
import type { Names } from "./names.ts"
import { type Html, listed, moment, named, shown } from "./shown.ts"

interface Standing {
  readonly word: string
  readonly tone: "waits" | "good" | "bad" | "odd"
}

/** The standing of a case. */
export function standingOf({ state, trusted, outcome, decision, votes }: ToldCase): Standing {
  if (!trusted || state === "frozen") return { word: "Frozen", tone: "odd" }
  if (outcome?.kind === "vanished") return { word: "Deleted elsewhere", tone: "odd" }
  if (outcome?.proposal !== undefined) return { word: proposalOverWords[outcome.proposal.how].name, tone: "odd" }
  if (outcome?.kind === "elsewhere") return { word: "Decided elsewhere", tone: "odd" }
  if (outcome !== null && decision?.glass === true) return { word: "Approved by breaking glass", tone: "odd" }
  if (outcome !== null) return outcome.status === "approved" ? approved : { word: "Rejected", tone: "bad" }
  if (state === "sending") return { word: decision?.verb === "reject" ? "Rejecting" : "Approving", tone: "waits" }
  return { word: votes.length === 0 ? "Waiting" : `Waiting, ${counted(votes.length, "vote")}`, tone: "waits" }
}

const approved: Standing = { word: "Approved", tone: "good" }

/** A count with its word: "1 vote", "2 votes". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}

/** The verb in the past: "approved" or "rejected". */
export function past(verb: Json | undefined): string {
  return verb === "approve" ? "approved" : "rejected"
}

/** A route, `channel:C…` or `person:U…`, in words. */
export function routeWords(route: string, names: Names): Html {
  const id = route.slice(route.indexOf(":") + 1)
  return route.startsWith("person:") || names.has(id) ? named(id, names) : html`channel ${shown(id)}`
}

const surfaces: Readonly<Record<Vote["surface"], string>> = {
  card: "on the card",
  details: "in Details",
  form: "in the form",
  command: "by a command",
  home: "in Home",
  summary: "on a summary",
}

/** The words for the surface on which somebody acted. */
export function surfaceWords(surface: Json | undefined): string {
  return Object.entries(surfaces).find(([name]) => name === surface)?.[1] ?? "in Slack"
}

/** The words about broken glass. */
export const glassWords = {
  undone: "Nothing is undone by that: docs/approving.md says what to do now.",
  about:
    "One person approved this by breaking glass, without those whom the rules ask. A reviewer says afterwards " +
    "whether that was right: the entries below tell. If it was not, nothing is undone by that: stop the agent, " +
    "undo at the tool what can be undone, and take the person out of break_glass.approvers.",
} as const

/** The words of every page, and of the page to sign in. */
export const frameWords = {
  signOut: "Sign out",
  asOf: "As of",
  signIn: "Sign in",
  token: "Read token",
  tokenIs: "A JWT with the scope cases:read. This browser keeps it until it ends, and no longer than eight hours.",
} as const

/** What is refused. */
export const refusalWords = {
  otherMachine: "Only browsers on this machine may look; http.read.reachable: anywhere opens it.",
  otherSite: "This form was sent by another site.",
  longForm: "The form is too long.",
  longToken: "The token is too long to be kept by a browser.",
  noScope: "The token lacks the scope cases:read.",
  noLedgerScope: "Entries of the ledger take the scope ledger:read, which your sign-in lacks.",
  unread: "This cannot be read now. Please try again soon.",
  noCase: "There is no case of that id.",
} as const

/** The words of the list. */
export const listWords = {
  title: "Cases",
  more: "Next page",
  none: "No case is like that.",
  noneHere: "None among those looked through; the next page looks further.",
  moreFilters: "More filters",
  show: "Show",
  clear: "Clear",
  sortByState: "Sort by state",
  latestFirst: "Latest first",
  decidedByNobody: "nobody in time",
  filteredBy: "Filter:",
  unsealed: "Its record was not written by Countersign",
} as const

/** The words of the downloads. */
export const downloadWords = {
  about: "Download all that this filter shows, for a spreadsheet:",
  cases: "Cases (CSV)",
  ledger: "Ledger entries (CSV)",
} as const

/** Says that more cases may fit the filter by arguments. */
export function perhapsWords(count: number): string {
  const some = count === 1 ? "1 more case may fit" : `${count} more cases may fit`
  return `${some}: what the filter looks at is masked, erased or in doubt there.`
}

/** The names of the columns. */
export const columns = {
  asked: "What was asked",
  state: "State",
  requester: "Asked by",
  opened: "First seen",
  decided: "Decided by",
} as const

/** How many cases a page shows. `whole`: there are no others. */
export function shownWords(count: number, whole: boolean): string {
  return `${count === 1 ? "1 case" : `${count} cases`}${whole ? "" : " on this page"}`
}

/** The labels of the filters, and of the order. */
export const filterWords = {
  text: "Search",
  when: "Arguments",
  state: "State",
  outcome: "How it ended",
  sort: "Order",
  agent: "Agent",
  team: "Team",
  tool: "Tool",
  person: "Voter",
  since: "First seen from (UTC)",
  until: "First seen to (UTC)",
} as const

/** What is wrong with a filter; `loc` and `msg` are those of the 422. */
export function problemWords(loc: unknown, msg: unknown): string {
  const field: unknown = Array.isArray(loc) ? loc.at(-1) : null
  const label = Object.entries(filterWords).find(([name]) => name === field)?.[1] ?? String(field)
  return `${label} ${String(msg).replace(/^Value error, /, "")}`
}

type Choices = readonly (readonly [value: string, word: string])[]

/** What people choose from; the first stands for no choice. */
export const choices: Readonly<Record<"state" | "outcome" | "sort", Choices>> = {
  state: [
    ["", "any"],
    ["waiting", "waiting"],
    ["over", "ended"],
    ["frozen", "frozen"],
  ],
  outcome: [
    ["", "any"],
    ["approved", "approved"],
    ["rejected", "rejected"],
    ["expired", "nobody decided in time"],
    ["elsewhere", "decided elsewhere"],
    ["gone", "deleted elsewhere"],
  ],
  sort: [
    ["", "latest first"],
    ["state", "by state"],
  ],
}

/** The headings of a case's page, and words that stand where there is nothing. */
export const caseWords = {
  asked: "What was asked",
  votes: "Votes",
  noVotes: "Nobody has voted.",
  receipt: "Receipt",
  cards: "Cards in Slack",
  marks: "Ids and digest",
  timeline: "Timeline",
  ledger:
    "Each step is an entry of the ledger. The ledger numbers its entries over all cases, so the numbers in between " +
    "are about something else.",
  later: "Later entries",
  names: "The ids behind these names",
  demo: "Made in a demo, in Countersign's local sandbox: no real people asked or decided.",
  demoEntry: ", made in a demo",
  forged:
    "What Redis holds of this case was not written by Countersign, so it is not shown. " +
    "The ledger below is checked entry by entry.",
  unnamedTool: "No tool named",
  noDecision: "none",
  expired: ", because nobody decided in time",
  noOutcome: "nothing yet",
} as const

/** The names of the facts of a case. */
export const factNames = {
  agent: "Agent",
  tool: "Tool",
  requester: "Asked by",
  opened: "First seen",
  decision: "Decision",
  platform: "Platform",
  rules: "Rules",
} as const

/** What two facts of a case are: they can differ. */
export const factNotes = {
  decision: "What Countersign made of the votes in Slack.",
  platform: "What the agent's platform has recorded; the agent goes by that.",
} as const

/** The marks by which a case is found elsewhere, each with what it is. */
export const markWords = {
  case: ["Case", "Countersign's own id of this case."],
  approval: ["Approval", "The id of the approval in the agent's platform."],
  instance: ["Instance", "Which of the agents' platforms it came from, as the config names it."],
  decision: ["Decision", "The id of the decision, also in ledger, receipt and the platform's record."],
  revision: [
    "Revision",
    "1 at first, and one more each time that what would run, or the rules, changed. Then earlier votes do not count.",
  ],
  digest: [
    "Digest",
    "SHA-256 of all that was asked. If any of it changes, so does the digest. The votes are about this digest.",
  ],
} as const

/** Why a proposal of other rules ended that nobody decided, with a link to the newer one. */
export function proposalOverSentence({ how, newer }: ProposalOutcome): Html {
  const { said } = proposalOverWords[how]
  if (newer === undefined) return html`${said}`
  return html`${said}: <a href="/page/cases/${encodeURIComponent(newer)}">case ${shown(newer)}</a>`
}

/** How a case ended for the platform. */
export const outcomeWords: Readonly<Record<Outcome["kind"], string>> = {
  ours: "as decided here",
  elsewhere: "decided outside Countersign",
  vanished: "deleted on the platform",
}

/**
 * How long the content of a case stays, or that it is gone (R15); null if there is nothing to say. `hold`: the hold
 * that covers the case, in words, or null.
 */
export function contentWords(found: Case | Tampered, hold: string | null): Html | null {
  if ("kind" in found) return null
  const { approval, kept, summary } = found
  const held = hold === null ? null : html`This case is on hold (${shown(hold)}).`
  if (approval !== null) return held === null ? null : html`${held} Once it is closed, it stays until the hold ends.`
  if (kept === undefined) {
    const erased = html`The arguments were erased after the case was closed. ${erasedLeaves}`
    return summary.calls === 0 ? held : html`${held === null ? "" : html`${held} `}${erased}`
  }
  const until = html`These arguments are kept until ${moment(timeOf(kept.until))}, then erased.`
  const masked = hasMask(JSON.stringify(kept.approval)) ? " What is masked was erased when the case was closed." : ""
  return html`${held === null ? until : html`${held} These arguments are kept until it ends.`} ${erasedLeaves}${masked}`
}

const erasedLeaves = "Who asked, the votes, the receipt, the digest and the timeline stay."

/** What changed after people were asked, by the names of the arguments; null if nothing did. */
export function changeWords(parts: readonly string[]): Html | null {
  if (parts.length === 0) return null
  const names = listed(parts.map((name) => html`<code>${shown(name)}</code>`))
  return html`Changed after people were asked: ${names}. Votes from before do not count.`
}

/** By what right somebody answered a question (R6). */
export function answererWords(as: Json | undefined): string {
  return as === "requester" ? ", named by the platform as the requester," : ""
}

type Naming = (value: Json | undefined) => Html

/** That a call was rejected by itself: whose rejection of the same call lasts, and in which case it was made. */
export function repeated({ as }: JsonObject, person: Naming): Html {
  const { case: other, person: who } = as !== undefined && isJsonObject(as) ? as : {}
  const name = typeof other === "string" ? shown(other) : shown(null)
  return html`Rejected by itself: ${person(who)} rejected the same call before, in case ${name}`
}

/** That people are asked about a call again, and why. */
export function asksAgain({ person: who = null }: JsonObject, person: Naming): Html {
  const why = who === null ? "The rejection lasts no longer" : html`${person(who)} pressed Ask Me Again`
  return html`${why}: people are asked about this call again`
}
