// The page of one case: what it was, who decided, the proof, and all that the ledger says about it, in order.
import { html } from "hono/html"
import type { ToldCase, ToldEntry } from "../reading/models.ts"
import type { ShownReceipt } from "./receipt.ts"
import { block, type Html, moment, shown } from "./shown.ts"
import { counted, entryWords, past, routeWords, standingOf } from "./words.ts"

interface CaseShown {
  readonly told: ToldCase
  readonly receipt: ShownReceipt | null
  readonly entries: readonly ToldEntry[]
  /** After how many entries the next page begins, or null. */
  readonly next: number | null
}

const forged =
  "What Redis holds of this case was not written by Countersign, so it is not shown. " +
  "The ledger below is checked entry by entry."

/** The body of the page. */
export function casePage({ told, receipt, entries, next }: CaseShown): Html {
  const { word, tone } = standingOf(told)
  return html`<p class="path"><a href="/page">Cases</a> <span class="slash">/</span> <code>${told.id}</code></p>
<h1>${shown(told.tool, "No tool named")} <span class="state ${tone}">${word}</span></h1>
${told.trusted ? "" : html`<p class="problem">${forged}</p>`}
${facts(told)}
${calls(told)}
${votes(told)}
${receipt === null ? "" : proof(receipt)}
${cards(told)}
${timeline(entries)}
${next === null ? "" : html`<p class="more"><a href="?after=${next}">Later entries</a></p>`}`
}

function facts(told: ToldCase): Html {
  const rows: readonly (readonly [string, Html])[] = [
    ["Approval", shown(told.approval)],
    ["Instance", shown(told.instance)],
    ["Agent", shown(told.agent)],
    ["Asked by", shown(told.requester)],
    ["First seen", moment(told.opened_at)],
    ["Revision", shown(told.revision === null ? null : String(told.revision))],
    ["Digest", told.digest === null ? shown(null) : html`<code>${told.digest}</code>`],
    ["Rules", ruleWords(told)],
    ["Decision", decisionWords(told)],
    ["Outcome", outcomeWords(told)],
  ]
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

function ruleWords({ rules }: ToldCase): Html {
  if (rules.length === 0) return shown(null)
  const one = ({ name, quorum }: ToldCase["rules"][number], index: number) =>
    html`${index === 0 ? "" : ", "}${shown(name)} (${counted(quorum, "vote")} needed)`
  return html`${rules.map(one)}`
}

function decisionWords({ decision }: ToldCase): Html {
  if (decision === null) return shown(null, "none")
  return html`${past(decision.verb)}, ${moment(decision.at)}, <code>${decision.id}</code>`
}

function outcomeWords({ outcome }: ToldCase): Html {
  if (outcome === null) return shown(null, "not known yet")
  const whose = { ours: "decided here", elsewhere: "decided outside Countersign", vanished: "deleted on the platform" }
  const by = shown(outcome.resolved_by, "nobody")
  return html`${shown(outcome.status, "gone")}, ${whose[outcome.kind]}, resolved by ${by}, ${moment(outcome.at)}`
}

function calls({ calls: all }: ToldCase): Html | "" {
  if (all.length === 0) return ""
  const one = (call: ToldCase["calls"][number]) =>
    html`<h3>${shown(call.tool, "no tool named")}</h3>${block(JSON.stringify(call.arguments, null, 2))}`
  return html`<section><h2>What would run</h2>${all.map(one)}</section>`
}

function votes({ votes: all }: ToldCase): Html {
  if (all.length === 0) return html`<section><h2>Votes</h2><p class="none">Nobody has voted.</p></section>`
  const rows = all.map((vote) => {
    const who = html`<span class="quiet">(${shown(vote.person)}, ${shown(vote.subject)})</span>`
    const reason = vote.reason === null ? "" : html`: “${shown(vote.reason)}”`
    return html`<li><strong>${shown(vote.name)}</strong> ${who}
${past(vote.verb)} it on the ${vote.surface}, ${moment(vote.at)}${reason}</li>`
  })
  return html`<section><h2>Votes</h2><ul>${rows}</ul></section>`
}

const verified = html`<span class="state good">Verified</span>`

function proof({ jws, verdict, entry }: ShownReceipt): Html {
  const words = verdict.ok
    ? html`<p>${verified} Signed by key <code>${verdict.kid}</code> of this installation.</p>`
    : html`<p class="problem">Not verified: ${shown(verdict.why)}</p>`
  return html`<section><h2>Receipt</h2>${words}${namedBy(entry)}<pre class="jws">${jws}</pre></section>`
}

function namedBy(entry: ShownReceipt["entry"]): Html {
  if (entry === null) return html`<p class="problem">No entry of the ledger tells of this decision.</p>`
  if (entry.names) return html`<p>Entry ${entry.number} of the ledger names it by its hash.</p>`
  const other = "names another receipt: this is not the one that was signed then."
  return html`<p class="problem">Entry ${entry.number} of the ledger ${other}</p>`
}

function cards({ cards: all }: ToldCase): Html | "" {
  if (all.length === 0) return ""
  const one = ({ route, link }: ToldCase["cards"][number]) => {
    const words = routeWords(route)
    return html`<li>${link === null ? words : html`<a href="${link}" rel="noreferrer">${words}</a>`}</li>`
  }
  return html`<section><h2>Cards</h2><ul>${all.map(one)}</ul></section>`
}

function timeline(entries: readonly ToldEntry[]): Html {
  const one = (entry: ToldEntry) =>
    html`<li class="${entry.ours ? "" : "foreign"}">${moment(entry.time)} <span class="said">${entryWords(entry)}</span>
<span class="quiet">entry ${entry.number}${entry.sandbox === true ? ", made in the sandbox" : ""}</span></li>`
  return html`<section><h2>Timeline</h2><ol class="timeline">${entries.map(one)}</ol></section>`
}
