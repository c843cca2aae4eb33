// The page of all cases: filters, and one row for each case.
import { html } from "hono/html"
import type { ToldCase } from "../reading/models.ts"
import { type Html, moment, shown } from "./shown.ts"
import { standingOf } from "./words.ts"

interface ListShown {
  /** The fields of the query string as they came, for the form. */
  readonly asked: Readonly<Record<string, string>>
  readonly cases: readonly ToldCase[]
  readonly next: string | null
  /** What is wrong with the query, in words; empty if nothing is. */
  readonly problems: readonly string[]
}

const states: readonly (readonly [string, string])[] = [
  ["", "any"],
  ["waiting", "waiting"],
  ["over", "decided or gone"],
  ["frozen", "frozen"],
]

const outcomes: readonly (readonly [string, string])[] = [
  ["", "any"],
  ["approved", "approved"],
  ["rejected", "rejected"],
  ["expired", "expired"],
  ["elsewhere", "decided elsewhere"],
  ["gone", "deleted there"],
]

/** The body of the list. */
export function listPage({ asked, cases, next, problems }: ListShown): Html {
  const link = (cursor: string) => html`<a href="/page?${queryText({ ...asked, cursor })}">Earlier cases</a>`
  return html`<h1>Cases</h1>
${filters(asked)}
${problems.map((problem) => html`<p class="problem">${shown(problem)}</p>`)}
${cases.length === 0 ? html`<p class="none">${noneWords(next)}</p>` : table(cases)}
${next === null ? "" : html`<p class="more">${link(next)}</p>`}`
}

function noneWords(next: string | null): string {
  return next === null ? "No case is like that." : "None among those looked through; there are earlier ones."
}

function filters(asked: ListShown["asked"]): Html {
  const text = (name: string, label: string, type = "text") =>
    html`<label>${label} <input type="${type}" name="${name}" value="${asked[name] ?? ""}"></label>`
  const choice = (name: string, label: string, values: typeof states) => {
    const chosen = asked[name] ?? ""
    const one = ([value, word]: (typeof states)[number]) =>
      html`<option value="${value}" ${chosen === value ? "selected" : ""}>${word}</option>`
    return html`<label>${label} <select name="${name}">${values.map(one)}</select></label>`
  }
  return html`<form class="filters" method="get" action="/page">
${text("text", "Search", "search")}
${choice("state", "State", states)}${choice("outcome", "Outcome", outcomes)}
${text("agent", "Agent")}${text("team", "Team")}${text("tool", "Tool")}${text("person", "Person")}
${text("since", "From", "date")}${text("until", "To", "date")}
<span class="acts"><button>Show</button> <a href="/page">Clear</a></span>
</form>`
}

function table(cases: readonly ToldCase[]): Html {
  return html`<table>
<thead><tr><th>Case</th><th>State</th><th>Agent</th><th>Asked by</th><th>First seen</th><th>Decided by</th></tr></thead>
<tbody>${cases.map(row)}</tbody>
</table>`
}

function row(told: ToldCase): Html {
  const { word, tone } = standingOf(told)
  const cell = (label: string, value: Html) => html`<td data-label="${label}">${value}</td>`
  return html`<tr>
<th scope="row"><a href="/page/cases/${encodeURIComponent(told.id)}">${shown(told.tool, "no tool named")}</a></th>
${cell("State", html`<span class="state ${tone}">${word}</span>`)}
${cell("Agent", shown(told.agent))}
${cell("Asked by", shown(told.requester))}
${cell("First seen", moment(told.opened_at))}
${cell("Decided by", shown(told.outcome?.resolved_by ?? null))}
</tr>`
}

/** The query string, without empty fields. */
function queryText(asked: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "")).toString()
}
