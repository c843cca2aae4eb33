// Tells what happened to a case in words for the page: a sentence for each entry of the ledger.
import { html } from "hono/html"
import type { ProposalOutcome } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import { continuedByOthers, mustLook, runEndWords } from "../../domain/case/resumption.ts"
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import { proposalOvers } from "../../domain/rule/proposal.ts"
import type { ToldEntry } from "../reading/models.ts"
import { timeOf } from "../reading/telling.ts"
import type { Names } from "./names.ts"
import { forWords, type Html, listed, moment, named, refusal, shown } from "./shown.ts"
import {
  answererWords,
  asksAgain,
  counted,
  glassWords,
  past,
  proposalOverSentence,
  repeated,
  routeWords,
  surfaceWords,
} from "./words.ts"

/** Says what an entry tells. Trusts nothing in an entry that we did not write. */
export function entryWords({ ours, kind, event }: Pick<ToldEntry, "ours" | "kind" | "event">, names: Names): Html {
  if (!ours) return html`<strong>This entry was not written by Countersign</strong>, or was changed.`
  const said = isJsonObject(event) ? event : {}
  return (
    sentenceOf(kind, createTeller(said, names)) ?? html`Something that this version has no words for: ${shown(kind)}`
  )
}

function sentenceOf(kind: string | null, teller: Teller): Html | undefined {
  return kind !== null && Object.hasOwn(sentences, kind) ? sentences[kind]?.(teller) : undefined
}

/** Tells the fields of one event. */
interface Teller {
  readonly event: JsonObject
  readonly names: Names
  /** A text of others. If it lay beside the ledger and is gone, this says that it was erased. */
  readonly field: (name: string) => Html
  /** Somebody by name. */
  readonly person: (value: Json | undefined) => Html
  readonly people: (value: Json | undefined) => Html
}

function createTeller(event: JsonObject, names: Names): Teller {
  const person = (value: Json | undefined) => (typeof value === "string" ? named(value, names) : shown(null, "nobody"))
  return {
    event,
    names,
    field: (name) => fieldOf(event, name),
    person,
    people: (value) => (isJsonArray(value) && value.length > 0 ? listed(value.map(person)) : shown(null, "nobody")),
  }
}

function fieldOf(event: JsonObject, name: string): Html {
  const value = event[name] ?? null
  if (value !== null) return shown(typeof value === "string" ? value : JSON.stringify(value))
  return shown(null, isErased(event, name) ? "erased" : "nothing")
}

/** True if an event's text beside the ledger is gone. `beside`: a field that certainly was part of this text. */
function isErased(event: JsonObject, beside: string): boolean {
  return event["erasable"] !== undefined && event[beside] === undefined
}

type Words = (teller: Teller) => Html

const heldWords = "Held: the platform would run it all the same, so it was not told. Its record stays pending"

/** The sentences by kind. If a newer version wrote an entry of another kind, we say so. */
const sentences: Readonly<Record<CaseEvent["kind"] | "erased" | "removed", Words>> & Readonly<Record<string, Words>> = {
  opened: (teller) =>
    isJsonArray(teller.event["asked"]) && teller.event["asked"].length === 0
      ? html`First seen. No rule covers this, so nobody was asked`
      : html`First seen. ${askedUnder(teller, "Asked")}`,
  revised: (teller) => {
    const { why, voided } = teller.event
    const what =
      why === "content" ? "What would run has changed (the ledger does not keep how)" : "Other rules are in force"
    const lost = isJsonArray(voided) && voided.length > 0 ? html`: those of ${teller.people(voided)}` : ""
    const since = html`this is revision ${teller.field("revision")}. Votes from before do not count${lost}`
    return html`${what}: ${since}. ${askedUnder(teller, "Asked now")}`
  },
  raised: (teller) => html`A limit is exceeded by now, so others are asked too. ${askedUnder(teller, "Asked now")}`,
  placed: ({ event, names }) => html`A card was posted to ${place(event, names)}`,
  summarised: ({ event, names }) => html`A summary names this in ${place(event, names)} until it has a card there`,
  admitted: () => html`Its turn has come: cards may be posted`,
  voted: ({ event, names }) => {
    const how = event["glass"] === true ? "broke the glass and " : ""
    const act = event["sentBack"] === true ? "sent this back" : `${how}${past(event["verb"])} this`
    return html`${voter(event, names)} ${act} ${surfaceWords(event["surface"])}${because(event)}`
  },
  "counterproposal-answered": ({ event, person }) => html`It answers what ${person(event["person"])} proposed`,
  "called-back": ({ event, names }) => html`${voter(event, names)} asked for this and called it back${because(event)}`,
  withdrawn: ({ event, person }) => html`${person(event["person"])} took their vote back`,
  revealed: ({ event, person }) => html`${person(event["person"])} had what is masked shown to them`,
  voided: ({ event, person }) =>
    html`The vote of ${person(event["person"])} no longer counts: ${refusal(event["why"])}`,
  refused: ({ event, person }) => {
    const verb = event["verb"] === "approve" ? "approve" : "reject"
    return html`${person(event["person"])} tried to ${verb} this, and it did not count: ${refusal(event["why"])}`
  },
  decided: (teller) => {
    const { event, people, field } = teller
    const decision = html` <span class="quiet">Decision ${field("decision")}</span>`
    if (event["by"] === "expiry") return html`Nobody decided in time: rejected, as the rule says.${decision}`
    if (event["by"] === "again") return html`${repeated(event, teller.person)}${because(event)}.${decision}`
    const how = event["glass"] === true ? " breaking glass," : ""
    return html`Decided: ${past(event["verb"])} by${how} ${people(event["people"])}${because(event)}.${decision}`
  },
  repeated: ({ field }) => html`The same call came again in case ${field("case")}, and was rejected by itself`,
  looping: ({ field }) => html`The same call came again and again in one run: left undecided (case ${field("case")})`,
  "asks-again": (teller) => {
    const said = asksAgain(teller.event, teller.person)
    return teller.event["asked"] === undefined ? said : html`${said}. ${askedUnder(teller, "Asked")}`
  },
  "glass-broken": (teller) => {
    const who = teller.person(teller.event["person"])
    const head = html`<strong>Approved by breaking glass</strong> by ${who}`
    return html`${head}, without those who were asked. ${askedUnder(teller, "Passed over")}`
  },
  "glass-reviewed": ({ event, names }) => {
    if (event["right"] === true) return html`${voter(event, names)} says that breaking the glass was right`
    const said = html`${voter(event, names)} says that breaking the glass was <strong>not right</strong>`
    return html`${said}${because(event)}. ${glassWords.undone}`
  },
  asked: ({ event, person, field }) => html`${person(event["person"])} asked: “${field("text")}”`,
  answered: ({ event, person, field }) =>
    html`${person(event["person"])}${answererWords(event["as"])} answered: “${field("text")}”`,
  "glass-left": () => html`Nobody said within 30 days whether breaking the glass was right`,
  sent: ({ field }) => html`The decision is sent to the platform once more, attempt ${field("attempt")}`,
  unheard: ({ field }) => html`The platform gave no answer to attempt ${field("attempt")}, and none will come`,
  attempted: ({ field }) => html`The platform refused attempt ${field("attempt")}: ${field("result")}`,
  reopened: ({ field }) => html`The platform did not take the decision, so this is open again: ${field("why")}`,
  resolved: (teller) => html`The platform has it: ${past(teller.event["verb"])}${resolver(teller)}`,
  recovered: (teller) => {
    const decision = html`The platform's record holds our decision, ${past(teller.event["verb"])}`
    return html`${decision}, which was taken up again${resolver(teller)}`
  },
  elsewhere: (teller) => {
    const over = overIn(teller.event["proposal"])
    if (over !== null) return proposalOverSentence(over)
    const claim = html`. <strong>It claims to be ours and is not</strong>: ${mustLook}`
    const said = html`Decided outside Countersign: the platform says ${teller.field("status")}${resolver(teller)}`
    return teller.event["claimsToBeOurs"] === true ? html`${said}${claim}` : said
  },
  "decided-outside-rules": ({ field }) =>
    html`<strong>The rules do not allow this decision</strong>, ${mustLook}: ${field("why")}`,
  missed: ({ event }) =>
    html`The platform did not know the approval, ${counted(Number(event["times"]), "time")} in a row`,
  found: () => html`The platform knows the approval after all`,
  vanished: () => html`The platform does not know this approval any more: it was deleted there`,
  returned: (teller) => {
    const lost = isJsonArray(teller.event["voided"]) && teller.event["voided"].length > 0
    const then = lost ? html`${votesOf(teller)} no longer count` : "Votes from before still count"
    return html`The platform knows this approval again, as it was, so this goes on. ${then}`
  },
  renewed: (teller) => {
    const { held, voided } = teller.event
    const lost = isJsonArray(voided) && voided.length > 0
    if (held === true) return html`Redis lost its last second. The rejection stays held; other votes no longer count`
    const then = lost ? html`${votesOf(teller)} no longer count` : "Who voted just before has to vote again"
    return html`Redis lost its last second, or may have. ${then}`
  },
  doubtful: ({ event }) =>
    html`${event["why"] === "stopped" ? "It was on its way when it was stopped" : "Redis lost its last second"}. Whether
this was sent is not known, so it is not sent again: the platform says how it ended`,
  reminded: (teller) => html`Still waiting for a decision. ${eligible(teller)}`,
  escalated: (teller) => html`Nobody has decided yet, so others are asked too. ${eligible(teller)}`,
  expired: ({ event }) =>
    event["rejects"] === true
      ? html`Time is up. It is rejected, as the rule says`
      : html`Time is up. Nobody can decide this here any more, and the platform's record stays as it is`,
  held: ({ event, person }) => {
    const who = event["person"] === null ? "The rule rejects it" : html`${person(event["person"])} rejected it`
    return html`${who}. ${heldWords}`
  },
  frozen: ({ field }) => html`<strong>Frozen</strong>, ${mustLook}: ${field("why")}`,
  continued: ({ event }) =>
    html`The run is told, and goes on${event["background"] === true ? " in the background" : ""}`,
  "run-ended": (teller) => {
    const { by, detail } = teller.event
    const others = by === "others" ? `. ${continuedByOthers}` : ""
    const words = typeof detail === "string" ? html`: ${shown(detail)}` : ""
    return html`${endWords(teller.event["end"])}${others}${words}${odd(teller)}`
  },
  "not-resumed": ({ event, person, field }) => {
    if (event["late"] === true)
      return html`The run does not go on: ${field("why")}. Whoever wants it has to start it anew`
    if (event["nobody"] === true) return html`The run cannot go on, and nobody can continue it: ${field("why")}`
    const who = typeof event["who"] === "string" ? html`${person(event["who"])}, who started it,` : "whoever started it"
    return html`The run goes on only when ${who} continues it on the agent's platform.
Countersign does not: ${field("why")}`
  },
  "without-effect": ({ field }) => html`The run had ended before (${field("runStatus")}): nothing will run`,
  "paused-again": () => html`The run has paused again, and nobody is asked for its next call: ${mustLook}`,
  "run-over": ({ event, field }) =>
    html`${event["team"] === null ? "The run" : html`The team ${field("team")}`} ended without waiting for this
(${field("status")}): deciding it has no effect any more`,
  "ran-otherwise": (teller) => html`What ran is not what was decided${odd(teller)}`,
  closed: () => html`Closed: every card and thread says how it ended`,
  erased: ({ event, person }) => html`The texts and names of ${person(event["person"])} were erased here`,
  removed: () => html`The case's record was removed, since it is older than <code>retention</code>`,
}

/** A voter by the name on their vote, even if the case does not hold that vote any more. */
function voter(event: JsonObject, names: Names): Html {
  const { name, person, for: away } = event
  const key = typeof person === "string" ? person : ""
  const own = names.has(key) || typeof name !== "string" ? named(key, names) : named(key, new Map([[key, name]]))
  return isJsonArray(away) ? html`${own}${forWords(away, names)}` : own
}

/** How a proposal of other rules ended, as the entry says; null for all else. */
function overIn(said: Json | undefined): ProposalOutcome | null {
  if (said === undefined || !isJsonObject(said)) return null
  const { how, newer } = said
  const known = proposalOvers.find((one) => one === how)
  return known === undefined ? null : { how: known, ...(typeof newer === "string" && { newer }) }
}

function votesOf({ event, people }: Teller): Html {
  return html`The votes of ${people(event["voided"])}`
}

function because({ reason }: JsonObject): Html | "" {
  return typeof reason === "string" ? html`: “${shown(reason)}”` : ""
}

/** The platform's own word for who resolved the approval. We may have sent another. */
function resolver({ event, person }: Teller): Html {
  if (typeof event["resolvedBy"] === "string") return html`, resolved by ${person(event["resolvedBy"])}`
  if (isErased(event, "resolvedBy")) return html`, resolved by a name that was erased`
  return html`, and names nobody who resolved it`
}

function place({ route }: JsonObject, names: Names): Html {
  return typeof route === "string" ? routeWords(route, names) : shown(null)
}

/** The people that each rule asks. An older entry names only the rules. */
function askedUnder({ event, names }: Teller, head: string): Html {
  const { asked: all, rules } = event
  const rulesAlone =
    isJsonArray(rules) && rules.length > 0
      ? html`Under the ${rules.length === 1 ? "rule" : "rules"} ${listed(rules.map(textOf))}`
      : html``
  if (!isJsonArray(all) || all.length === 0) return rulesAlone
  const one = (each: Json): Html => {
    const { rule = null, quorum = null, approvers = [], names: mentioned = [] } = isJsonObject(each) ? each : {}
    const ids = isJsonArray(approvers) ? approvers.map((id) => approver(id, event, names)) : []
    const people = [...(isJsonArray(mentioned) ? mentioned.map(textOf) : []), ...ids]
    const who = people.length === 0 ? "" : html`${listed(people)}, `
    return html`${who}${counted(Number(quorum), "approval")} needed under rule ${textOf(rule)}`
  }
  return html`${head}: ${all.map((each, at) => html`${at === 0 ? "" : "; "}${one(each)}`)}`
}

/** An approver by name. An address that a rule lists stands beside the ledger, as `address 1`. */
function approver(id: Json, event: JsonObject, names: Names): Html {
  const who = typeof id === "string" && id.startsWith("address ") ? event[id] : id
  if (typeof who !== "string") return shown(null, "an erased address")
  return /^S[A-Z0-9]+$/.test(who) ? html`the group ${named(who, names)}` : named(who, names)
}

function eligible({ event: { people: keys, more, by }, person }: Teller): Html {
  if (!isJsonArray(keys) || keys.length === 0) return html`Nobody can decide it at the moment: ${mustLook}`
  const others = typeof more === "number" && more > 0 ? [html`${more} more`] : []
  const until = typeof by === "number" ? html`, by ${moment(timeOf(by))}` : ""
  return html`${listed([...keys.map(person), ...others])} can decide it${until}`
}

/** What did not run as decided, and what had run before. */
function odd({ event: { deviations, ran } }: Teller): Html {
  const differs =
    isJsonArray(deviations) && deviations.length > 0 ? html`. ${listed(deviations.map(textOf))}: ${mustLook}` : ""
  const before = isJsonArray(ran) && ran.length > 0 ? html`. Before that ${listed(ran.map(textOf))} had run` : ""
  return html`${before}${differs}`
}

function textOf(value: Json): Html {
  return shown(typeof value === "string" ? value : JSON.stringify(value))
}

function endWords(end: Json | undefined): string {
  return Object.entries(runEndWords).find(([kind]) => kind === end)?.[1] ?? runEndWords.unknown
}
