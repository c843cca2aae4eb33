// Writes texts of others on the page: escaped, bounded, with nothing invisible, without effect on what is beside them.

import { html } from "hono/html"
import { clip, visible } from "../../blockkit/text.ts"
import type { Json } from "../../domain/content/json.ts"
import type { Refusal } from "../../domain/policy/judge.ts"
import type { WordsLine } from "../card-words.ts"
import { type Names, userIn } from "./names.ts"

/** A piece of the page. */
export type Html = ReturnType<typeof html>

/** How much of one text is shown, in UTF-16 units. */
const shortUnits = 300
const longUnits = 20_000

/** A name or a sentence of somebody, in its own writing direction. It says how much was cut. */
export function shown(text: string | null, absent = "–"): Html {
  return text === null ? html`<span class="quiet">${absent}</span>` : html`<bdi>${bounded(text, shortUnits)}</bdi>`
}

/** A longer text, with its line breaks. */
export function block(text: string): Html {
  return html`<pre dir="ltr">${bounded(text, longUnits)}</pre>`
}

/** A name or a sentence as plain text, for a place that takes no markup. */
export function plainly(text: string): string {
  return bounded(text, shortUnits)
}

function bounded(text: string, units: number): string {
  const { text: head, cut } = clip(visible(text), units)
  return cut === 0 ? head : `${head}… (${cut} more characters)`
}

/** A moment, in UTC: without a script, the page cannot know the reader's time zone. */
export function moment(time: string | null): Html {
  if (time === null) return html`<span class="quiet">–</span>`
  return html`<time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 19)}&nbsp;UTC</time>`
}

/** A line from a card. It shows words of an agent or a platform in letters of their own. */
export function lineOf(line: WordsLine): Html {
  return html`${line.map(({ text, style }) => {
    if (style === "plain") return plainly(text)
    return style === "strong" ? html`<b>${shown(text)}</b>` : html`<code>${shown(text)}</code>`
  })}`
}

/** A fact by its name, and what it is if the name does not say it. */
export interface Fact {
  readonly name: string
  readonly value: Html
  readonly note?: string
}

/** Facts, one below the other. */
export function factList(facts: readonly Fact[]): Html {
  const one = ({ name, value, note }: Fact) => {
    const below = note === undefined ? "" : html`<span class="note">${note}</span>`
    return html`<div><dt>${name}</dt><dd>${value}${below}</dd></div>`
  }
  return html`<dl>${facts.map(one)}</dl>`
}

/** Things in a row: "A, B and C". */
export function listed(items: readonly Html[]): Html {
  const between = (at: number) => (at === 0 ? "" : at === items.length - 1 ? " and " : ", ")
  return html`${items.map((one, at) => html`${between(at)}${one}`)}`
}

/** Somebody by name, with their id as a title; without a name, the id alone. */
export function named(who: string, names: Names): Html {
  const name = names.get(who) ?? names.get(userIn(who))
  if (name === undefined) return shown(userIn(who))
  return html`<bdi class="who" title="${plainly(who)}">${plainly(name)}</bdi>`
}

/** Somebody by name, with their id in small letters beside it. */
export function namedInFull(who: string, names: Names): Html {
  const name = names.get(who) ?? names.get(userIn(who))
  return name === undefined ? shown(who) : html`${shown(name)} <span class="quiet small">${shown(who)}</span>`
}

/** For whom a voter stood in (each as `team:user`); empty if for nobody. Trusts nothing that is no text. */
export function forWords(people: readonly Json[], names: Names): Html {
  const keys = people.filter((key) => typeof key === "string")
  return keys.length === 0 ? html`` : html` for ${listed(keys.map((key) => named(key, names)))}`
}

const refusals: Readonly<Record<Refusal["code"] | "unseen" | "voted-themselves" | "not-standing-in", string>> = {
  unseen: "not everything was shown there",
  bot: "it is a bot",
  deactivated: "the account is deactivated",
  guest: "guests may not decide this",
  external: "people of other workspaces may not decide this",
  "not-covered": "no rule covers all of its calls",
  "no-approvers": "a rule has nobody who may decide",
  "not-approver": "they are not among the approvers",
  "no-glass": "no rule that asks lets them break the glass",
  "open-reviews": "too much broken glass of a rule waits for somebody to look at it",
  "not-requester": "it is not certain that they asked for it",
  "no-subject": "their name is too long for the platform's record",
  requester: "they asked for it themselves",
  proposer: "they proposed it themselves",
  "unknown-requester": "nobody knows who asked for it",
  "conflicting-email": "their address belongs to another account by now",
  "voted-themselves": "the one they stood in for has voted",
  "not-standing-in": "they do not stand in any more",
}

/** Why a press did not count: in words, or as the entry has it. */
export function refusal(why: Json | undefined): Html {
  const words = Object.entries(refusals).find(([code]) => code === why)?.[1]
  return words === undefined ? shown(typeof why === "string" ? why : null) : html`${words}`
}
