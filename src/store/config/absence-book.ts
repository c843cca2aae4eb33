// Who is away, and who may vote for them: begun and ended by one act and one entry at a time.
import { type Absence, type AbsenceAct, actsOfTheDay, maxActs, timeProblem } from "../../domain/order/absence.ts"
import { type Orders, withAbsence, withoutAbsence } from "../../domain/order/orders.ts"
import { ordererEntry, untilEnder } from "../../domain/people/orderer.ts"
import type { AbsenceBegun, AbsenceBook, AbsenceEnd } from "../../flow/ports.ts"
import type { ActivationOptions } from "./config-change.ts"
import { readActive, writeOrders } from "./orders-record.ts"
import { orderIdOf } from "./unknown-orders.ts"

/** The acts about absences. Each throws `StoreError` as those of the order book do. */
export interface TimedAbsenceBook extends AbsenceBook {
  /** Ends those whose time is over by this process' clock (`at`, epoch ms) and by the one that replicas share. */
  endOver(at: number): Promise<void>
}

/** Makes the book of absences. `inForce`: the orders as this process last saw them. */
export function createAbsenceBook(options: ActivationOptions, inForce: () => Orders): TimedAbsenceBook {
  const endAbsence: AbsenceBook["endAbsence"] = (id, how) => endOne(options, id, how)
  return {
    listAbsences: async () => (await readActive(options)).orders.absences ?? [],
    beginAbsence: (wanted) => beginOne(options, wanted),
    endAbsence,
    endOver: async (at) => {
      const over = (inForce().absences ?? []).filter(({ until }) => until <= at)
      if (over.length === 0) return
      const shared = (await options.clock())()
      for (const { id, until } of over) if (until <= shared) await endAbsence(id, { by: untilEnder, at })
    },
  }
}

/** Begins an absence. One of the same person that is over by the clock is ended first, by an entry of its own. */
async function beginOne(options: ActivationOptions, wanted: Omit<Absence, "id">): Promise<AbsenceBegun> {
  const { person, standIn, from, until, by, at } = wanted
  const wrong = timeProblem(wanted, at) ?? (person === standIn ? "own" : null)
  if (wrong !== null) return { kind: "refused", why: wrong }
  const before = await readActive(options)
  const older = (before.orders.absences ?? []).find((one) => one.person === person)
  if (older !== undefined && older.until <= at) {
    await endOne(options, older.id, { by: untilEnder, at })
    return beginOne(options, wanted)
  }
  const acts = actsOfTheDay(before.acts ?? [], at)
  if (acts.filter((act) => act.person === person).length >= maxActs) return { kind: "refused", why: "too-often" }
  const made: Absence = { id: orderIdOf({ ...wanted, by: { ...by } }, before.chain), ...wanted }
  const change = withAbsence(before.orders, made)
  if (change.kind === "away") return change
  if (change.kind === "too-many") return { kind: "refused", why: "too-many" }
  const told = { away: person, standIn, from, until }
  const event = { kind: "absence-begun", at, absence: made.id, ...told, ...ordererEntry(by) } as const
  const next = { orders: change.orders, event, acts: [...acts, { person, at }] }
  return (await writeOrders(options, before, next)) ? { kind: "begun", absence: made } : beginOne(options, wanted)
}

/** Ends an absence. If somebody was faster with another act, tries again. */
async function endOne(options: ActivationOptions, id: string, { by, at }: AbsenceEnd): Promise<Absence | null> {
  const before = await readActive(options)
  const ended = (before.orders.absences ?? []).find((one) => one.id === id)
  if (ended === undefined) return null
  const { person } = ended
  const event = { kind: "absence-ended", at, absence: id, away: person, ...ordererEntry(by) } as const
  const acts: readonly AbsenceAct[] = actsOfTheDay(before.acts ?? [], at)
  // What the clock ends is nobody's act.
  const counted = by.kind === "countersign" ? acts : [...acts, { person, at }]
  const done = await writeOrders(options, before, {
    orders: withoutAbsence(before.orders, id),
    event,
    acts: counted,
  })
  return done ? ended : endOne(options, id, { by, at })
}
