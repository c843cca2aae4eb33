// The page of all cases: filters, and one row for each case.
import { html } from "hono/html"
import type { Stop } from "../../domain/order/stop.ts"
import type { ToldCase } from "../reading/models.ts"
import type { WordsLine } from "./card-words.ts"
import { namesOnVotes } from "./names.ts"
import { type Html, lineOf, listed, moment, named, shown } from "./shown.ts"
import { stopsSection } from "./stops.ts"
import { caseWords, choices, columns, filterWords, listWords, proposalOverSentence, standingOf } from "./words.ts"

/** A case with what it asks for; null if we did not write its record. */
export interface Row {
  readonly told: ToldCase
  readonly subject: WordsLine | null
}

interface ListShown {
  /** The fields of the query string as they came, for the form. */
  readonly asked: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
  readonly next: string | null
  /** What is wrong with the query, in words; empty if nothing is. */
  readonly problems: readonly string[]
  /** The stops in force, the oldest first. */
  readonly stops: readonly Stop[]
}

/** The body of the list. */
export function listPage({ asked, rows, next, problems, stops }: ListShown): Html {
  const link = (cursor: string) => html`<a href="/page?${queryText({ ...asked, cursor })}">${listWords.more}</a>`
  const none =
    problems.length > 0 ? "" : html`<p class="none">${next === null ? listWords.none : listWords.noneHere}</p>`
  return html`<h1>${listWords.title}</h1>
${stopsSection(stops)}
${filters(asked)}
${problems.map((problem) => html`<p class="problem">${shown(problem)}</p>`)}
${rows.length === 0 ? none : table(rows, asked)}
${next === null ? "" : html`<p class="more">${link(next)}</p>`}`
}

/** The filters that most people do not need. */
const rarer = ["agent", "team", "tool", "person", "since", "until"] as const

function filters(asked: ListShown["asked"]): Html {
  const text = (name: keyof typeof filterWords, type: "text" | "search" | "date") =>
    html`<label>${filterWords[name]} <input type="${type}" name="${name}" value="${asked[name] ?? ""}"></label>`
  const choice = (name: keyof typeof choices) => {
    const chosen = asked[name] ?? ""
    const one = ([value, word]: (typeof choices)["state"][number]) =>
      html`<option value="${value}" ${chosen === value ? "selected" : ""}>${word}</option>`
    return html`<label>${filterWords[name]} <select name="${name}">${choices[name].map(one)}</select></label>`
  }
  return html`<form class="filters" method="get" action="/page">
${text("text", "search")}
${choice("state")}${choice("outcome")}${choice("sort")}
<details ${rarer.some((name) => (asked[name] ?? "") !== "") ? "open" : ""}>
<summary>${listWords.moreFilters}</summary>
<div class="grid">${rarer.map((name) => text(name, name === "since" || name === "until" ? "date" : "text"))}</div>
</details>
<span class="acts"><button>${listWords.show}</button> <a href="/page">${listWords.clear}</a></span>
</form>`
}

function table(rows: readonly Row[], asked: ListShown["asked"]): Html {
  const { asked: what, state: _state, ...others } = columns
  return html`<table>
<thead><tr><th scope="col">${what}</th>${stateColumn(asked)}${Object.values(others).map(
    (name) => html`<th scope="col">${name}</th>`,
  )}</tr></thead>
<tbody>${rows.map(row)}</tbody>
</table>`
}

/** The column by which people sort. Its name links to the first page in the other order. */
function stateColumn({ cursor: _place, sort, ...asked }: ListShown["asked"]): Html {
  const sorted = sort === "state"
  const query = queryText(sorted ? asked : { ...asked, sort: "state" })
  const title = sorted ? listWords.latestFirst : listWords.sortByState
  const link = html`<a href="/page?${query}" title="${title}">${columns.state}</a>`
  return sorted ? html`<th scope="col" aria-sort="other">${link}</th>` : html`<th scope="col">${link}</th>`
}

function row({ told, subject }: Row): Html {
  const { word, tone } = standingOf(told)
  const cell = (label: string, value: Html | null) =>
    html`<td data-label="${label}" ${value === null ? absent : ""}><div>${value ?? shown(null)}</div></td>`
  const sentence = subject === null ? listWords.unsealed : lineOf(subject)
  return html`<tr>
<th scope="row"><a href="/page/cases/${encodeURIComponent(told.id)}">${sentence}</a>${target(told)}</th>
${cell(columns.state, html`<span class="state ${tone}">${word}</span>`)}
${cell(columns.requester, told.requester === null ? null : named(told.requester, namesOnVotes(told)))}
${cell(columns.opened, moment(told.opened_at))}
${cell(columns.decided, deciders(told))}
</tr>`
}

/** A phone leaves such a cell out. */
const absent = html`class="absent"`

/** Who wants to run what, by the names that the platform has for both. */
function target({ trusted, agent, tool }: ToldCase): Html | "" {
  if (!trusted) return ""
  const called = tool === null ? shown(null, caseWords.unnamedTool) : html`<code>${shown(tool)}</code>`
  return html`<span class="target">${agent === null ? "" : html`${shown(agent)} · `}${called}</span>`
}

/** The people whose votes decided; if others decided, the platform's own word for them. */
function deciders(told: ToldCase): Html | null {
  const { outcome, decision, votes } = told
  if (outcome === null || outcome.kind === "vanished") return null
  if (outcome.proposal !== undefined) return proposalOverSentence(outcome.proposal)
  if (outcome.kind === "elsewhere" || decision === null) return shown(outcome.resolved_by)
  if (votes.length === 0) return shown(null, listWords.decidedByNobody)
  return listed(votes.map(({ person }) => named(person, namesOnVotes(told))))
}

/** The query string, without empty fields. */
function queryText(asked: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "")).toString()
}
