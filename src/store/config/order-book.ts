// The orders of an installation: listed, and changed by one act and one entry at a time (R21). Absences and holds have
// files of their own beside this one.
import type { Case } from "../../domain/case/case.ts"
import { doubtStopped } from "../../domain/case/verdict.ts"
import { type Orders, withoutStop, withStop } from "../../domain/order/orders.ts"
import { coverOf, type Stop } from "../../domain/order/stop.ts"
import { ordererEntry, untilEnder } from "../../domain/people/orderer.ts"
import type { OrderBook, StopDone, StopEnd } from "../../flow/ports/order/stop-acts.ts"
import type { AbsenceBook, CaseStore } from "../../flow/ports.ts"
import { createAbsenceBook } from "./absence-book.ts"
import type { ActivationOptions } from "./config-change.ts"
import { createHoldBook, type HoldBook } from "./hold-book.ts"
import { readActive, writeOrders } from "./orders-record.ts"
import { orderIdOf } from "./unknown-orders.ts"

/** The acts. Each throws `StoreError`: `behind`, `tampered`, `newer-data`, `no-config`, or no answer. */
export interface AllOrders extends OrderBook, AbsenceBook, HoldBook {
  /**
   * Ends the stops and absences whose time is over by this process' clock (`at`, epoch ms) and by the one that replicas
   * share. Reads nothing if this process knows of none.
   */
  endOver(at: number): Promise<void>
}

/** The cases, with commits that rest on no config. */
export type SentCases = Pick<CaseStore, "unfinished" | "read" | "commit" | "sharedClock">

interface BookOptions extends ActivationOptions {
  readonly cases: SentCases
}

/** Makes the order book of an installation. `inForce`: the orders as this process last saw them. */
export function createOrderBook(given: ActivationOptions, cases: SentCases, inForce: () => Orders): AllOrders {
  const options: BookOptions = { ...given, cases }
  const absences = createAbsenceBook(options, inForce)
  return {
    listAbsences: () => absences.listAbsences(),
    beginAbsence: (wanted) => absences.beginAbsence(wanted),
    endAbsence: (id, how) => absences.endAbsence(id, how),
    ...createHoldBook(options),
    list: async () => (await readActive(options)).orders,
    stop: (wanted) => makeStop(options, wanted),
    end: (id, how) => endStop(options, id, how),
    endOver: async (at) => {
      const isOver = (one: Stop, now: number) => one.until !== null && one.until <= now
      await absences.endOver(at)
      const over = inForce().stops.filter((one) => isOver(one, at))
      if (over.length === 0) return
      const shared = (await options.clock())()
      for (const one of over) if (isOver(one, shared)) await endStop(options, one.id, { by: untilEnder, at })
    },
  }
}

async function makeStop(options: ActivationOptions, wanted: Omit<Stop, "id">): Promise<StopDone> {
  const before = await readActive(options)
  const made: Stop = {
    id: orderIdOf({ ...wanted, match: { ...wanted.match }, by: { ...wanted.by } }, before.chain),
    ...wanted,
  }
  const change = withStop(before.orders, made)
  const { at, by, reason, match, until } = made
  switch (change.kind) {
    case "too-many":
      return change
    case "again": {
      const event = { kind: "stopped-again", at, stop: change.stop.id, ...ordererEntry(by), reason } as const
      const done = await writeOrders(options, before, { orders: before.orders, event })
      return done ? change : makeStop(options, wanted)
    }
    case "stopped": {
      const event = { kind: "stopped", at, stop: made.id, match, ...ordererEntry(by), reason, until } as const
      const done = await writeOrders(options, before, { orders: change.orders, event })
      return done ? { kind: "stopped", stop: made } : makeStop(options, wanted)
    }
  }
}

async function endStop(options: BookOptions, id: string, how: StopEnd): Promise<Stop | "other-config" | null> {
  const before = await readActive(options)
  const { revision, orders } = before
  const ended = orders.stops.find((one) => one.id === id)
  if (ended === undefined) return null
  if (how.revision !== undefined && how.revision !== revision) return "other-config"
  await doubtUnder(options.cases, ended)
  const { by, at } = how
  const event = { kind: "stop-ended", at, stop: id, revision, ...ordererEntry(by) } as const
  const done = await writeOrders(options, before, { orders: withoutStop(orders, id, at), event })
  return done ? ended : endStop(options, id, how)
}

/** More than there ever are. */
const all = 1_000_000

/** Since the stop's entry no verdict was made that it covers, so none is missed here. */
async function doubtUnder(cases: SentCases, stop: Stop): Promise<void> {
  const at = (await cases.sharedClock())()
  for (const caseId of await cases.unfinished(all)) {
    const found = await cases.read(caseId)
    if (found !== null && !("kind" in found)) await doubt(cases, found, { stop, at })
  }
}

async function doubt(cases: SentCases, current: Case, by: { readonly stop: Stop; readonly at: number }): Promise<void> {
  if (current.state !== "sending" || current.decision?.verb !== "approve" || coverOf(by.stop, current) === null) return
  const step = doubtStopped(current, by.at)
  if (step === null) return
  const done = await cases.commit({ ...step, expectedVersion: current.version })
  if (done.kind === "stale" && done.case !== null) await doubt(cases, done.case, by)
}
