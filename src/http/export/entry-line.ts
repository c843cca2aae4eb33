// An entry of the ledger as a line of CSV: a column for each fact of it, and for what it is about.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../domain/content/json.ts"
import { timeOf } from "../reading/telling.ts"
import type { CaseFacts } from "./case-facts.ts"
import { csvLine } from "./csv.ts"

/** The columns of a ledger in CSV. */
export const entryColumns = [
  "number",
  "time",
  "case",
  "event",
  "asked",
  "tool",
  "agent",
  "requester",
  "verb",
  "person",
  "name",
  "for",
  "rule",
  "reason",
  "outcome",
  "decision",
  "receipt",
  "sandbox",
  "ours",
  "text",
  "content",
] as const

/** What a line wants of an entry; `text`: what became of the texts and names beside it, null if it has none. */
export interface ExportedEntry {
  readonly number: number
  readonly said: { readonly event: JsonObject; readonly sandbox: boolean; readonly text: string | null } | null
}

/** An entry, and what it is about. */
export interface EntryAbout {
  readonly entry: ExportedEntry
  /** The id of its case; null if it is about something else. */
  readonly caseId: string | null
  /** Null if it is about no case. */
  readonly facts: CaseFacts | null
}

/** The line of an entry. Of one that we did not write it has only the number. */
export function entryLine({ entry: { number, said }, caseId, facts }: EntryAbout): string {
  if (said === null) return csvLine(inOrder({ number, ours: "no" }))
  const { event, sandbox, text } = said
  const people = peopleOf(event)
  return csvLine(
    inOrder({
      number,
      time: typeof event["at"] === "number" ? timeOf(event["at"]) : null,
      case: caseId,
      event: event["kind"] ?? null,
      asked: facts?.asked ?? null,
      tool: event["tool"] ?? facts?.tool ?? null,
      agent: facts?.agent ?? null,
      requester: facts?.requester ?? null,
      verb: verbOf(event),
      person: people.join("; "),
      name: typeof event["name"] === "string" ? event["name"] : votersNames(people, facts),
      for: wordsOfList(event["for"]).join("; "),
      rule: rulesOf(event, facts).join("; "),
      reason: event["reason"] ?? null,
      outcome: outcomeOf(event),
      decision: event["decision"] ?? null,
      receipt: event["receipt"] ?? null,
      sandbox: sandbox ? "yes" : "no",
      ours: "yes",
      text,
      content: facts?.content ?? null,
    }),
  )
}

function inOrder(row: { readonly [Column in (typeof entryColumns)[number]]?: Json }): readonly Json[] {
  return entryColumns.map((column) => row[column] ?? null)
}

/** Whoever acted, or decided, as `team:user`. */
function peopleOf({ person, people, kind }: JsonObject): readonly string[] {
  if (typeof person === "string") return [person]
  return kind === "decided" ? wordsOfList(people) : []
}

function votersNames(people: readonly string[], facts: CaseFacts | null): string {
  return people.flatMap((person) => facts?.names.get(person) ?? []).join("; ")
}

function verbOf({ kind, verb }: JsonObject): Json {
  return kind === "called-back" ? "reject" : (verb ?? null)
}

/** The rules that an entry names; of a decision those that its votes count under. */
function rulesOf({ rules, asked, kind }: JsonObject, facts: CaseFacts | null): readonly string[] {
  if (rules !== undefined) return wordsOfList(rules)
  if (kind === "decided") return facts?.rules ?? []
  return isJsonArray(asked) ? asked.flatMap((one) => (isJsonObject(one) ? wordsOfList([one["rule"] ?? null]) : [])) : []
}

/** What an entry says of how the case ended. */
function outcomeOf({ kind, verb, status, end, rejects }: JsonObject): Json {
  switch (typeof kind === "string" ? kind : "") {
    case "resolved":
    case "recovered":
      return verb === "approve" ? "approved" : "rejected"
    case "elsewhere":
      return status ?? null
    case "expired":
      return rejects === true ? "rejected" : "expired"
    case "run-ended":
      return end ?? null
    case "vanished":
      return "gone"
    case "frozen":
      return "frozen"
    default:
      return null
  }
}

function wordsOfList(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === "string") : []
}
