// The stops in force, above the list of cases: what each covers, who stopped it, why, and until when.
import { html } from "hono/html"
import { type Stop, stopWords } from "../../domain/order/stop.ts"
import type { Orderer } from "../../domain/people/orderer.ts"
import { personKey } from "../../domain/people/person.ts"
import { timeOf } from "../reading/telling.ts"
import type { Names } from "./names.ts"
import { type Html, listed, moment, named, shown } from "./shown.ts"

/** We name at most this many stops. The API lists all. */
const mostNamed = 20

/** All that the page says of stops, in its words. */
const words = {
  means:
    "Nothing that a stop covers is approved or let run. Calls that need no approval, and runs that a platform " +
    "continues by itself, go on.",
  /** The page itself ends nothing: it only reads. */
  end: "A stop is ended in Slack, or in a shell by",
  itself: "Countersign itself",
  erased: "somebody whose name was erased",
  more: (left: number) => `${left} more stops are in force; GET /stops lists all.`,
} as const

/** The stops, the oldest first; nothing if there are none. */
export function stopsSection(stops: readonly Stop[]): Html {
  if (stops.length === 0) return html``
  const left = stops.length - mostNamed
  const more = left > 0 ? html`<li>${words.more(left)}</li>` : ""
  return html`<section class="problem" aria-label="Stops in force">
<ul>${stops.slice(0, mostNamed).map(stopItem)}${more}</ul>
<p>${words.means} ${words.end} <code>countersign stops end</code>.</p>
</section>`
}

/** One stop in a sentence. Its id ends it. */
function stopItem(stop: Stop): Html {
  const { reason, at, id } = stop
  const when = html`${moment(timeOf(at))}${until(stop)}`
  return html`<li><b>Stopped:</b> ${covered(stop)}, by ${stopper(stop)} ${when}: “${shown(reason)}”
<span class="quiet small">stop ${id}</span></li>`
}

/** When it ends by itself. */
function until({ until: end }: Stop): Html {
  return end === null ? html`` : html`, until ${moment(timeOf(end))}`
}

/** What a stop covers, each word by itself, as it is typed. */
function covered({ match }: Stop): Html {
  const typed = stopWords.flatMap((word) => (match[word] ?? []).map((value) => `${word}:${value}`))
  if (typed.length === 0) return html`everything`
  return listed(typed.map((word) => html`<code>${shown(word)}</code>`))
}

/** Whoever stopped, by the name that they had then. The page asks Slack for no name here. */
function stopper({ by }: Stop): Html {
  switch (by.kind) {
    case "person":
      return named(personKey(by), namesOf(by))
    case "operator":
    case "caller":
      return by.name === null ? html`${words.erased}` : html`${by.kind} ${shown(by.name)}`
    case "countersign":
      return html`${words.itself}`
  }
}

/** The name on record; else the page shows the id. */
function namesOf(by: Extract<Orderer, { kind: "person" }>): Names {
  return by.name === null ? new Map() : new Map([[personKey(by), by.name]])
}
