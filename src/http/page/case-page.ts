// The page of one case: what it was, who decided, the proof, and all that the ledger says about it, in order.
import { html } from "hono/html"
import type { CallWords, WordsLine } from "../card-words.ts"
import type { ToldCase, ToldEntry } from "../reading/models.ts"
import { entryWords } from "./entry-words.ts"
import { type Names, userIn } from "./names.ts"
import type { ShownReceipt } from "./receipt.ts"
import { receiptWords } from "./receipt-words.ts"
import { block, factList, forWords, type Html, lineOf, listed, moment, named, namedInFull, shown } from "./shown.ts"
import { queryText } from "./way-back.ts"
import {
  caseWords,
  changeWords,
  counted,
  factNames,
  factNotes,
  glassWords,
  listWords,
  markWords,
  outcomeWords,
  past,
  proposalOverSentence,
  routeWords,
  standingOf,
  surfaceWords,
} from "./words.ts"

interface CaseShown {
  readonly told: ToldCase
  /** What the case asks for, in a sentence; null if we did not write its record. */
  readonly headline: WordsLine | null
  readonly calls: readonly CallWords[]
  /** What changed after people were asked; empty if nobody can tell. */
  readonly changed: readonly string[]
  /** How long the content stays, or that it is gone; null if there is nothing to say. */
  readonly content: Html | null
  readonly names: Names
  readonly receipt: ShownReceipt | null
  readonly entries: readonly ToldEntry[]
  /** After how many entries the next page begins, or null. */
  readonly next: number | null
  /** The address of the list that the case was found in, with its filter. */
  readonly list: string
}

/** The body of the page. */
export function casePage(page: CaseShown): Html {
  const { told, headline, names, receipt, entries, next } = page
  const { word, tone } = standingOf(told)
  const asked = headline === null ? shown(told.tool, caseWords.unnamedTool) : lineOf(headline)
  const path = html`<a href="${page.list}">${listWords.title}</a> <span class="slash">/</span> <code>${told.id}</code>`
  return html`<p class="path">${path}</p>
<h1>${asked} <span class="state ${tone}">${word}</span></h1>
${isDemo(entries) ? html`<p class="note">${caseWords.demo}</p>` : ""}
${told.trusted ? "" : html`<p class="problem">${caseWords.forged}</p>`}
${told.decision?.glass === true ? html`<p class="problem">${glassWords.about}</p>` : ""}
${facts(told, names)}
${calls(page)}
${votes(told)}
${receipt === null ? "" : html`<section><h2>${caseWords.receipt}</h2>${receiptWords(receipt, told, names)}</section>`}
${marks(told)}
${cards(told, names)}
${timeline(entries, names)}
${next === null ? "" : html`<p class="more"><a href="${laterAddress(next, page.list)}">${caseWords.later}</a></p>`}`
}

/** The address of the next page of entries, which leads back to the same list. */
function laterAddress(next: number, list: string): string {
  const [, query] = list.split("?", 2)
  return `?${queryText({ after: String(next), list: query ?? "" })}`
}

/** True if all that we wrote was written in a sandbox. */
function isDemo(entries: readonly ToldEntry[]): boolean {
  const own = entries.filter(({ ours }) => ours)
  return own.length > 0 && own.every(({ sandbox }) => sandbox === true)
}

function facts(told: ToldCase, names: Names): Html {
  const { decision, outcome } = told
  return factList([
    { name: factNames.agent, value: shown(told.agent) },
    { name: factNames.tool, value: codeOf(told.tool) },
    {
      name: factNames.requester,
      value: told.requester === null ? shown(null) : namedInFull(told.requester, names),
    },
    { name: factNames.opened, value: moment(told.opened_at) },
    { name: factNames.decision, value: decisionWords(told, names), ...(decision && { note: factNotes.decision }) },
    { name: factNames.platform, value: outcomeLine(told, names), ...(outcome && { note: factNotes.platform }) },
    { name: factNames.rules, value: ruleWords(told) },
  ])
}

/** By what the case is found elsewhere, each mark with what it is. */
function marks({ id, approval, instance, decision, revision, digest }: ToldCase): Html {
  const values = { case: id, approval, instance, decision: decision?.id ?? null, revision, digest }
  const known = Object.entries(markWords).flatMap(([mark, [name, note]]) => {
    const value = Object.entries(values).find(([key]) => key === mark)?.[1] ?? null
    return value === null ? [] : [{ name, value: codeOf(String(value)), note }]
  })
  return html`<section><h2>${caseWords.marks}</h2>${factList(known)}</section>`
}

function codeOf(text: string | null): Html {
  return text === null ? shown(null) : html`<code>${shown(text)}</code>`
}

function ruleWords({ rules }: ToldCase): Html {
  if (rules.length === 0) return shown(null)
  const one = ({ name, quorum }: ToldCase["rules"][number], index: number) =>
    html`${index === 0 ? "" : ", "}${shown(name)} (${counted(quorum, "vote")} needed)`
  return html`${rules.map(one)}`
}

function decisionWords({ decision, votes: all }: ToldCase, names: Names): Html {
  if (decision === null) return shown(null, caseWords.noDecision)
  const by =
    all.length === 0
      ? caseWords.expired
      : html` by ${listed(all.map((one) => html`${named(one.person, names)}${forWords(one.for ?? [], names)}`))}`
  return html`${past(decision.verb)}${by}, ${moment(decision.at)}`
}

function outcomeLine({ outcome }: ToldCase, names: Names): Html {
  if (outcome === null) return shown(null, caseWords.noOutcome)
  if (outcome.proposal !== undefined) return html`${proposalOverSentence(outcome.proposal)}, ${moment(outcome.at)}`
  const by = outcome.resolved_by === null ? shown(null, "nobody") : namedInFull(outcome.resolved_by, names)
  const whose = outcomeWords[outcome.kind]
  if (outcome.kind === "vanished") return html`${whose}, ${moment(outcome.at)}`
  return html`${shown(outcome.status)}, ${whose}, under the name ${by}, ${moment(outcome.at)}`
}

function calls({ calls: all, changed, content }: CaseShown): Html | "" {
  if (all.length === 0 && content === null) return ""
  const [change, note] = [changeWords(changed), content].map((one) => one && html`<p class="note">${one}</p>`)
  return html`<section><h2>${caseWords.asked}</h2>${change}${all.map(callWords)}${note}</section>`
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
    const who = html`<span class="quiet small">${shown(vote.subject)}, Slack id ${shown(vote.person)}</span>`
    const reason = vote.reason === null ? "" : html`: “${shown(vote.reason)}”`
    return html`<li><strong>${shown(vote.name)}</strong>
${past(vote.verb)} this ${surfaceWords(vote.surface)}, ${moment(vote.at)}${reason} ${who}</li>`
  })
  return html`<section><h2>${caseWords.votes}</h2><ul>${rows}</ul></section>`
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
  const mark = isDemo(entries) ? "" : caseWords.demoEntry
  const one = (entry: ToldEntry) =>
    html`<li class="${entry.ours ? "" : "foreign"}">${moment(entry.time)}
<span class="said">${entryWords(entry, names)}</span>
<span class="quiet">entry ${entry.number}${entry.sandbox === true ? mark : ""}</span></li>`
  return html`<section><h2>${caseWords.timeline}</h2><p class="note">${caseWords.ledger}</p>
<ol class="timeline">${entries.map(one)}</ol>${behind(names)}</section>`
}

/** Which id stands behind each name: two people can have the same name. */
function behind(names: Names): Html | "" {
  const ids = [...names].filter(([who]) => ![...names.keys()].some((key) => key !== who && userIn(key) === who))
  if (ids.length === 0) return ""
  const one = ([who, name]: readonly [string, string]) =>
    html`<li>${shown(name)} <span class="quiet small">${shown(who)}</span></li>`
  return html`<details><summary>${caseWords.names}</summary><ul>${ids.map(one)}</ul></details>`
}
