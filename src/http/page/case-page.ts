// The page of one case: what it was, who decided, the proof, and all that the ledger says about it, in order.
import { html } from "hono/html"
import type { ToldCase, ToldEntry } from "../reading/models.ts"
import type { CallWords, WordsLine } from "./card-words.ts"
import { entryWords } from "./entry-words.ts"
import type { Names } from "./names.ts"
import type { ShownReceipt } from "./receipt.ts"
import { block, type Html, lineOf, moment, namedInFull, shown } from "./shown.ts"
import {
  caseWords,
  counted,
  factNames,
  listWords,
  outcomeWords,
  past,
  receiptWords,
  routeWords,
  standingOf,
  surfaceWords,
} from "./words.ts"

interface CaseShown {
  readonly told: ToldCase
  /** What the case asks for, in a sentence; null if we did not write its record. */
  readonly headline: WordsLine | null
  readonly calls: readonly CallWords[]
  /** How long the content stays, or that it is gone; null if there is nothing to say. */
  readonly content: Html | null
  readonly names: Names
  readonly receipt: ShownReceipt | null
  readonly entries: readonly ToldEntry[]
  /** After how many entries the next page begins, or null. */
  readonly next: number | null
}

/** The body of the page. */
export function casePage(page: CaseShown): Html {
  const { told, headline, names, receipt, entries, next } = page
  const { word, tone } = standingOf(told)
  const asked = headline === null ? shown(told.tool, caseWords.unnamedTool) : lineOf(headline)
  const path = html`<a href="/page">${listWords.title}</a> <span class="slash">/</span> <code>${told.id}</code>`
  return html`<p class="path">${path}</p>
<h1>${asked} <span class="state ${tone}">${word}</span></h1>
${told.trusted ? "" : html`<p class="problem">${caseWords.forged}</p>`}
${facts(told, names)}
${calls(page)}
${votes(told)}
${receipt === null ? "" : proof(receipt)}
${cards(told, names)}
${timeline(entries, names)}
${next === null ? "" : html`<p class="more"><a href="?after=${next}">${caseWords.later}</a></p>`}`
}

function facts(told: ToldCase, names: Names): Html {
  const code = (text: string | null) => (text === null ? shown(null) : html`<code>${shown(text)}</code>`)
  const rows: readonly (readonly [string, Html])[] = [
    [factNames.agent, shown(told.agent)],
    [factNames.tool, code(told.tool)],
    [factNames.requester, told.requester === null ? shown(null) : namedInFull(told.requester, names)],
    [factNames.opened, moment(told.opened_at)],
    [factNames.decision, decisionWords(told)],
    [factNames.outcome, outcomeLine(told, names)],
    [factNames.rules, ruleWords(told)],
    [factNames.instance, shown(told.instance)],
    [factNames.approval, code(told.approval)],
    [factNames.revision, shown(told.revision === null ? null : String(told.revision))],
    [factNames.digest, code(told.digest)],
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
  if (decision === null) return shown(null, caseWords.noDecision)
  return html`${past(decision.verb)}, ${moment(decision.at)} <code>${decision.id}</code>`
}

function outcomeLine({ outcome }: ToldCase, names: Names): Html {
  if (outcome === null) return shown(null, caseWords.noOutcome)
  const by = outcome.resolved_by === null ? shown(null, "nobody") : namedInFull(outcome.resolved_by, names)
  const whose = outcomeWords[outcome.kind]
  if (outcome.kind === "vanished") return html`${whose}, ${moment(outcome.at)}`
  return html`${shown(outcome.status)}, ${whose}, resolved by ${by}, ${moment(outcome.at)}`
}

function calls({ calls: all, content }: CaseShown): Html | "" {
  if (all.length === 0 && content === null) return ""
  const note = content === null ? "" : html`<p class="note">${content}</p>`
  return html`<section><h2>${caseWords.asked}</h2>${all.map(callWords)}${note}</section>`
}

function callWords({ label, passages }: CallWords): Html {
  const one = ({ words, literal }: CallWords["passages"][number]) => {
    const said = words.length === 0 ? "" : html`<p class="said">${lineOf(words)}</p>`
    return html`${said}${literal === null ? "" : block(literal)}`
  }
  return html`<h3>${lineOf(label)}</h3>${passages.map(one)}`
}

function votes({ votes: all }: ToldCase): Html {
  if (all.length === 0)
    return html`<section><h2>${caseWords.votes}</h2><p class="none">${caseWords.noVotes}</p></section>`
  const rows = all.map((vote) => {
    const who = html`<span class="quiet small">${shown(vote.person)}, ${shown(vote.subject)}</span>`
    const reason = vote.reason === null ? "" : html`: “${shown(vote.reason)}”`
    return html`<li><strong>${shown(vote.name)}</strong>
${past(vote.verb)} this ${surfaceWords(vote.surface)}, ${moment(vote.at)}${reason} ${who}</li>`
  })
  return html`<section><h2>${caseWords.votes}</h2><ul>${rows}</ul></section>`
}

function proof({ jws, verdict, entry }: ShownReceipt): Html {
  const words = verdict.ok ? receiptWords.verified(verdict.kid) : receiptWords.unverified(verdict.why)
  const beside =
    entry === null ? receiptWords.noEntry : receiptWords[entry.names ? "entry" : "otherEntry"](entry.number)
  return html`<section><h2>${caseWords.receipt}</h2>${words}${beside}<pre class="jws">${jws}</pre></section>`
}

function cards({ cards: all }: ToldCase, names: Names): Html | "" {
  if (all.length === 0) return ""
  const one = ({ route, link }: ToldCase["cards"][number]) => {
    const words = routeWords(route, names)
    return html`<li>${link === null ? words : html`<a href="${link}" rel="noreferrer">${words}</a>`}</li>`
  }
  return html`<section><h2>${caseWords.cards}</h2><ul>${all.map(one)}</ul></section>`
}

function timeline(entries: readonly ToldEntry[], names: Names): Html {
  const one = (entry: ToldEntry) =>
    html`<li class="${entry.ours ? "" : "foreign"}">${moment(entry.time)}
<span class="said">${entryWords(entry, names)}</span>
<span class="quiet">entry ${entry.number}${entry.sandbox === true ? caseWords.sandbox : ""}</span></li>`
  return html`<section><h2>${caseWords.timeline}</h2><ol class="timeline">${entries.map(one)}</ol></section>`
}
