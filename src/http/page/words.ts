// What happened to a case, in words for the page: one line for each entry of the ledger.
import { html } from "hono/html"
import { isJsonArray, type Json, type JsonObject } from "../../domain/content/json.ts"
import type { ToldCase, ToldEntry } from "../reading/models.ts"
import { type Html, shown } from "./shown.ts"

interface Standing {
  readonly word: string
  readonly tone: "waits" | "good" | "bad" | "odd"
}

/** The standing of a case. */
export function standingOf({ state, trusted, outcome, decision, votes }: ToldCase): Standing {
  if (!trusted || state === "frozen") return { word: "Frozen", tone: "odd" }
  if (outcome?.kind === "vanished") return { word: "Gone", tone: "odd" }
  if (outcome?.kind === "elsewhere") return { word: "Decided elsewhere", tone: "odd" }
  if (outcome !== null) return outcome.status === "approved" ? approved : { word: "Rejected", tone: "bad" }
  if (state === "sending") return { word: decision?.verb === "reject" ? "Rejecting" : "Approving", tone: "waits" }
  return { word: votes.length === 0 ? "Waiting" : `Waiting, ${counted(votes.length, "vote")}`, tone: "waits" }
}

const approved: Standing = { word: "Approved", tone: "good" }

/** "1 vote", "2 votes". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`
}

/** "approved" or "rejected". */
export function past(verb: Json | undefined): string {
  return verb === "approve" ? "approved" : "rejected"
}

/** A route, `channel:C…` or `person:U…`, in words. */
export function routeWords(route: string): Html {
  return shown(route.replace(":", " "))
}

/** What an entry says. If we did not write it, we believe nothing in it. */
export function entryWords({ ours, kind, event }: ToldEntry): Html {
  if (!ours) return html`<strong>This entry was not written by Countersign</strong>, or was changed.`
  const said = isObject(event) ? event : {}
  return sentenceOf(kind, said) ?? html`${kind ?? "unknown"}`
}

type Words = (event: JsonObject) => Html

/** The words by kind. If a newer version wrote an entry of a kind without words here, only the kind is shown. */
const sentences: Readonly<Record<string, Words>> = {
  opened: ({ approval, revision, rules }) =>
    html`First seen: approval ${field(approval)}, revision ${field(revision)}, under ${list(rules)}`,
  revised: ({ why, revision }) => {
    const what = why === "content" ? "What would run has changed" : "Other rules are in force"
    return html`${what}: revision ${field(revision)}; votes before it do not count`
  },
  placed: ({ route }) => html`A card was posted to ${typeof route === "string" ? routeWords(route) : field(route)}`,
  voted: ({ verb, reason, person, name, surface }) =>
    html`${who(person, name)} ${past(verb)} this on the ${field(surface)}${because(reason)}`,
  raised: () => html`A limit is exceeded by now, so others are asked too`,
  withdrawn: ({ person }) => html`${who(person)} withdrew their vote`,
  revealed: ({ person }) => html`${who(person)} had what is masked shown to them`,
  voided: ({ person, why }) => html`The vote of ${who(person)} does not count any more: ${field(why)}`,
  refused: ({ person, verb, why }) =>
    why === "unseen"
      ? html`${who(person)} pressed ${field(verb)} where not everything was shown: nothing was counted`
      : html`${who(person)} may not ${field(verb)} this: ${field(why)}`,
  decided: ({ verb, people, decision, reason }) =>
    html`Decided: ${past(verb)} by ${list(people)}${because(reason)}; decision ${field(decision)}`,
  attempted: ({ attempt, result }) => html`Sending it to the platform, attempt ${field(attempt)}: ${field(result)}`,
  reopened: ({ why }) => html`The platform did not take the decision, so this is open again: ${field(why)}`,
  resolved: ({ verb, resolvedBy }) => html`The platform has it: ${past(verb)}, resolved by ${field(resolvedBy)}`,
  elsewhere: ({ status, resolvedBy, claimsToBeOurs }) =>
    html`Decided outside Countersign: the platform says ${field(status)}, resolved by ${field(resolvedBy)}${
      claimsToBeOurs === true ? html`. <strong>It claims to be ours and is not.</strong>` : ""
    }`,
  "decided-outside-rules": ({ why }) =>
    html`<strong>The rules would not have admitted this decision</strong>, an operator must look: ${field(why)}`,
  missed: ({ times }) => html`The platform did not know the approval, ${field(times)} in a row`,
  found: () => html`The platform knows the approval after all`,
  vanished: () => html`The platform does not know this approval any more: it was deleted there`,
  recovered: ({ verb }) => html`The platform's record holds our decision, ${past(verb)}, which was taken up again`,
  frozen: ({ why }) => html`<strong>Frozen</strong>, an operator must look: ${field(why)}`,
  closed: () => html`Closed: every card and thread says how it ended, and the content was erased`,
}

function sentenceOf(kind: string | null, event: JsonObject): Html | undefined {
  return kind !== null && Object.hasOwn(sentences, kind) ? sentences[kind]?.(event) : undefined
}

/** A person as `team:user`, after the name on their vote if there is one. */
function who(person: Json | undefined, name?: Json): Html {
  if (typeof name !== "string" || name === "") return field(person)
  return html`${shown(name)} <span class="quiet">(${field(person)})</span>`
}

function because(reason: Json | undefined): Html | "" {
  return typeof reason === "string" ? html`: “${shown(reason)}”` : ""
}

/** A field of an entry. If its text is gone, it was erased. */
function field(value: Json | undefined): Html {
  if (value === undefined) return shown(null, "erased")
  if (value === null) return shown(null, "nobody")
  return shown(typeof value === "string" ? value : JSON.stringify(value))
}

function list(value: Json | undefined): Html {
  if (!isJsonArray(value) || value.length === 0) return html`nothing`
  return html`${value.map((one, index) => html`${index === 0 ? "" : ", "}${field(one)}`)}`
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
