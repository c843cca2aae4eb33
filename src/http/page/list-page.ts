// The page of all cases: filters, and one row for each case.
import { html } from "hono/html"
import { clip } from "../../blockkit/text.ts"
import type { Stop } from "../../domain/order/stop.ts"
import type { WordsLine } from "../card-words.ts"
import type { LookedTo } from "../reading/browse.ts"
import type { ToldCase } from "../reading/models.ts"
import { timeOf } from "../reading/telling.ts"
import type { Download } from "./downloads.ts"
import { namesOnVotes } from "./names.ts"
import { type Html, lineOf, listed, moment, named, shown } from "./shown.ts"
import { stopsSection } from "./stops.ts"
import { queryText } from "./way-back.ts"
import {
  caseWords,
  choices,
  columns,
  downloadWords,
  filterWords,
  listWords,
  perhapsWords,
  proposalOverSentence,
  shownWords,
  standingOf,
} from "./words.ts"

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
  /** How many more may be asked for; see `browse`. */
  readonly perhaps: number
  /** How far back this page looked, if it ends before it is full; see `browse`. */
  readonly lookedTo: LookedTo | null
  /** What whoever looks may download. */
  readonly downloads: readonly Download[]
  /** What is wrong with the query, in words; empty if nothing is. */
  readonly problems: readonly string[]
  /** The stops in force, the oldest first. */
  readonly stops: readonly Stop[]
}

/** The body of the list. */
export function listPage({ asked, rows, next, perhaps, lookedTo, downloads, problems, stops }: ListShown): Html {
  const link = (cursor: string) => html`<a href="/page?${queryText({ ...asked, cursor })}">${listWords.more}</a>`
  const isWhole = next === null && (asked["cursor"] ?? "") === ""
  const none =
    problems.length > 0 ? "" : html`<p class="none">${next === null ? listWords.none : listWords.noneHere}</p>`
  return html`<h1>${listWords.title}</h1>
${stopsSection(stops)}
${filters(asked)}
${filterLine(asked)}
${problems.map((problem) => html`<p class="problem">${shown(problem)}</p>`)}
${perhaps === 0 ? "" : html`<p class="note">${perhapsWords(perhaps)}</p>`}
${rows.length === 0 ? none : html`<p class="quiet">${shownWords(rows.length, isWhole)}</p>`}
${rows.length === 0 ? "" : table(rows, asked)}
${next === null ? "" : html`<p class="more">${lookedTo === null ? "" : lookedWords(lookedTo)}${link(next)}</p>`}
${downloads.length === 0 ? "" : downloadLinks(downloads, asked)}`
}

/** The filter in words, for paper: the form that shows it is not printed. */
function filterLine(asked: ListShown["asked"]): Html | "" {
  const said = Object.entries(filterWords).flatMap(([name, label]) => {
    const value = asked[name] ?? ""
    return value === "" ? [] : [html`${label} <code>${shown(value)}</code>`]
  })
  return said.length === 0 ? "" : html`<p class="printed">${listWords.filteredBy} ${listed(said)}</p>`
}

/** How far back the page looked. */
function lookedWords({ at, among }: LookedTo): Html {
  const back = html`back to ${moment(timeOf(at))} so far. `
  return among === null ? html`Looked ${back}` : html`Looked for cases that are ${standingWords[among]}, ${back}`
}

/** How cases stand, behind "are". */
const standingWords: Readonly<Record<NonNullable<LookedTo["among"]>, string>> = {
  waiting: "waiting",
  frozen: "frozen",
  approved: "approved",
  rejected: "rejected",
  elsewhere: "decided elsewhere",
  gone: "deleted elsewhere",
}

/** Downloads of all that the filter shows, whatever page is shown. */
function downloadLinks(downloads: readonly Download[], { cursor: _place, limit: _size, ...asked }: ListShown["asked"]) {
  const one = (what: Download) =>
    html` <a href="/page/${what}.csv?${queryText(asked)}" download>${downloadWords[what]}</a>`
  return html`<p class="downloads">${downloadWords.about}${downloads.map(one)}</p>`
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
<label class="wide">${filterWords.when} <input type="text" name="when" value="${asked["when"] ?? ""}"
placeholder="args.amount &gt; 1000" spellcheck="false" autocapitalize="off"></label>
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
<tbody>${rows.map((one) => row(one, asked))}</tbody>
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

function row({ told, subject }: Row, asked: ListShown["asked"]): Html {
  const { word, tone } = standingOf(told)
  const cell = (label: string, value: Html | null) =>
    html`<td data-label="${label}" ${value === null ? absent : ""}><div>${value ?? shown(null)}</div></td>`
  const address = `/page/cases/${encodeURIComponent(told.id)}${listQuery(asked)}`
  const sentence = subject === null ? listWords.unsealed : lineOf(subject)
  return html`<tr>
<th scope="row"><a href="${address}">${sentence}</a>${target(told)}</th>
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
  return listed(
    votes.map(({ person, reason }) => {
      const who = named(person, namesOnVotes(told))
      return reason === null ? who : html`${who}<span class="target">“${shown(shortened(reason))}”</span>`
    }),
  )
}

/** A list says no more of a reason. In UTF-16 units. */
const longestReason = 160

function shortened(reason: string): string {
  const { text, cut } = clip(reason, longestReason)
  return cut === 0 ? text : `${text}…`
}

/** The filter that a case's page leads back to; nothing without one. */
function listQuery({ cursor: _place, ...asked }: ListShown["asked"]): string {
  const query = queryText(asked)
  return query === "" ? "" : `?${queryText({ list: query })}`
}
