// Where the outside itself cannot be told apart: what a lost answer may leave behind, and what goes with a lost second.

import type { CaseEvent } from "../../src/domain/event.ts"
import { isTold } from "../../src/domain/event.ts"
import type { Look, Told } from "./look.ts"

/**
 * How many cards or lines nobody can know of. With the history scopes none: they are found. Without, one for each post whose answer, or
 * whose record, was lost.
 */
export function strayPosts({ schedule, struck }: Look, _what: "card" | "line"): number {
  if (schedule.history) return 0
  const losing = ["kill", "redis restart", "redis restored", "redis cut", "redis stalled", "redis deaf", "rolling"]
  const lost = struck.filter(({ fault }) => losing.includes(fault)).length
  const unheard = schedule.faults.filter(
    ({ strike }) =>
      strike.kind === "slack" &&
      strike.method === "chat.postMessage" &&
      ["accept_then_never_answer", "slow"].includes(strike.fault.kind),
  )
  const times = unheard.map(({ strike }) => (strike.kind === "slack" ? strike.times : 0))
  return lost * 2 + times.reduce((sum, one) => sum + one, 0)
}

/** How many lines a thread must have, by the ledger. */
export function linesOf(_look: Look, entries: readonly Told[]): number {
  return entries.filter(({ kind }) => isTold({ kind, at: 0 } as CaseEvent)).length
}

/** What says only that an answer will come. */
const promises = ["It is tried again by itself", "Your press is kept"]

/**
 * Every press that Slack saw acknowledged has an answer: it was counted, or its person was told something that is not a promise. What
 * was taken in a second that Redis lost can be gone with it.
 */
export function answersMissing({ pressed, ephemerals, entries, lost }: Look): readonly string[] {
  const acked = pressed.filter(
    ({ acked: seen, at }) => seen && !lost.some(({ from, to }) => at >= from - 3_000 && at <= to + 3_000),
  )
  return [...new Set(acked.map(({ person }) => person))].flatMap((person) => {
    const presses = acked.filter((one) => one.person === person).length
    const counted = entries.filter(
      ({ kind, event }) => kind === "voted" && String(event["person"]).endsWith(`:${person}`),
    )
    const told = ephemerals.filter(
      (one) => one.personId === person && !promises.some((words) => one.text.includes(words)),
    )
    const answered = new Set(counted.map(({ event }) => event["interaction"])).size + told.length
    return answered >= presses ? [] : [`${person} pressed ${presses} times, and ${answered} presses were answered`]
  })
}
