// What the checker excuses: what a lost answer may leave behind, and what may go with a lost second.
import { type CaseEvent, isTold } from "../../src/domain/case/event.ts"
import type { Look, SeenCase, Told } from "./look.ts"
import type { Strike } from "./schedule.ts"

/**
 * How many cards, or messages of a thread, nobody can know of in one channel. With the history scopes: none, since the
 * bot finds them. Without: one for each post whose answer was lost. If a process died, or Redis did not take the record
 * of a post: one for each place of a case as well, since a process does many things side by side.
 */
export function strayPosts({ schedule, struck }: Look): number {
  if (schedule.history) return 0
  return struck.reduce((sum, { strike }) => sum + strayOf(strike), 0)
}

function strayOf(strike: Strike): number {
  if (["kill", "redis-restart", "redis-restored", "redis-away", "rolling"].includes(strike.kind)) return 2
  if (strike.kind === "lost-post") return 1
  if (strike.kind !== "slack" || strike.method !== "chat.postMessage") return 0
  return strike.fault.kind === "accept_then_never_answer" || strike.fault.kind === "slow" ? strike.times : 0
}

/** How many lines a thread must have, by the ledger. That a closed case was begun anew concerns nobody there (R17). */
export function linesOf(entries: readonly Told[]): number {
  const closed = entries.findLastIndex(({ kind }) => kind === "closed")
  const told = entries.filter(({ kind }) => isTold({ kind, at: 0 } as CaseEvent))
  const late = closed === -1 ? [] : entries.slice(closed).filter(({ kind }) => kind === "renewed")
  return told.length - late.length
}

/** What says only that an answer will come. */
const promises = ["It is tried again by itself", "Your press is kept"]

/**
 * Every press on a card that Slack saw acknowledged has an answer: it was counted on its case, or its person was told
 * something that is not a promise.
 * What was taken in a second that Redis lost can be gone with it. A press that came before the note of its card is
 * kept, and carried out later: perhaps in that second.
 */
export function answersMissing({ pressed, ephemerals, cases, lost }: Look): readonly string[] {
  const isPromise = ({ text }: Look["ephemerals"][number]) => promises.some((words) => text.includes(words))
  const kept = new Set(ephemerals.filter(isPromise).map(({ personId }) => personId))
  const acked = pressed.filter(
    ({ acked: seen, at, inModal, person }) =>
      seen && !inModal && !lost.some(({ from, to }) => at <= to + 3_000 && (at >= from - 3_000 || kept.has(person))),
  )
  return [...new Set(acked.map(({ person }) => person))].flatMap((person) => {
    const own = acked.filter((one) => one.person === person)
    const uncounted = [...new Set(own.map(({ asked }) => asked))].reduce((sum, asked) => {
      const presses = own.filter((one) => one.asked === asked).length
      const seen = cases.find((one) => one.asked === asked)
      const counted = seen === undefined ? 0 : votesIn(seen, person)
      return sum + Math.max(0, presses - counted)
    }, 0)
    const told = ephemerals.filter((one) => one.personId === person && !isPromise(one)).length
    return told >= uncounted
      ? []
      : [`${uncounted} presses of ${person} were not counted, and ${told} of them were answered`]
  })
}

/**
 * How many presses of a person on cards were counted on a case. Two deliveries of one press are one. Redis may have
 * lost a vote and its verdict. Then the platform's record still names the voter, and the card shows that (R17).
 */
function votesIn({ entries, mark }: SeenCase, person: string): number {
  const counted = entries.filter(
    ({ kind, event }) =>
      kind === "voted" && event["surface"] !== "summary" && String(event["person"]).endsWith(`:${person}`),
  )
  const lost = counted.length === 0 && entries.some(({ kind }) => kind === "recovered")
  if (lost) return mark?.approvers.some(({ slack }) => slack.endsWith(`:${person}`)) === true ? 1 : 0
  return new Set(counted.map(({ event }) => event["interaction"])).size
}
