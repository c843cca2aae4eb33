// Erasures that holds keep us from: remembered in the record of orders, and carried out once the holds change.
import { holdsHash } from "../../domain/order/hold.ts"
import { type Orders, type WaitingErasure, withErasure, withoutErasure } from "../../domain/order/orders.ts"
import { readHolds } from "../config/hold-book.ts"
import { readActive, rewriteOrders } from "../config/orders-record.ts"
import { StoreError } from "../errors.ts"
import { type EraseOptions, type Erasure, type ErasureOrder, erasePerson } from "./erase.ts"

/** An erasure that was tried again. */
export interface ErasedAgain {
  readonly person: string
  readonly erasure: Erasure
}

/**
 * Erases a person. What is on hold stays, and is remembered until it can be erased, too. Safe to run twice. Throws
 * `StoreError`, also if too many erasures wait already: then what is not on hold is erased all the same.
 */
export async function eraseOrWait(options: EraseOptions, order: ErasureOrder): Promise<Erasure> {
  // What began to hold after this read makes us try once more, and nothing is missed.
  const { holds } = await readHolds(options.config)
  const { erasure, names } = await erasePerson(options, order)
  const cases = erasure.left.filter(({ why }) => why === "on-hold").length
  if (cases > 0) await remember(options, { ...order, names, holds: holdsHash(holds) }, cases)
  else await forget(options, order)
  return erasure
}

async function remember(options: EraseOptions, wanted: WaitingErasure, cases: number): Promise<void> {
  const { person, by, at } = wanted
  const make = (orders: Orders): Orders => {
    const older = (orders.erasures ?? []).find((one) => one.person === person)
    const names = [...new Set([...(older?.names ?? []), ...wanted.names])]
    const next = withErasure(orders, { person, names, by, at, holds: wanted.holds })
    if (next === null) throw new StoreError("too-many-erasures", tooMany)
    return next
  }
  await rewriteOrders(options.config, make, { event: { kind: "erasure-waits", at, person, by, cases } })
}

const tooMany =
  "500 erasures wait for the end of a hold already, so this one is not remembered: run it again when the hold has ended"

/** Ends the wait of a person's erasure, if there is one. */
async function forget(options: EraseOptions, { person, by, at }: ErasureOrder): Promise<void> {
  if ((await waitingErasures(options)).every((one) => one.person !== person)) return
  const event = { kind: "erasure-done", at, person, by } as const
  await rewriteOrders(options.config, (orders) => withoutErasure(orders, person), { event })
}

async function waitingErasures({ config }: EraseOptions): Promise<readonly WaitingErasure[]> {
  const { proof } = await readHolds(config)
  return proof === null ? [] : ((await readActive(config)).orders.erasures ?? [])
}

/** The erasures that wait. */
export interface WaitingErasures {
  /** Tries those again that were last tried under other holds. `at`: epoch ms. Throws as `eraseOrWait` does. */
  carryOut(at: number): Promise<readonly ErasedAgain[]>
  /** The same, but at most once an hour. */
  look(at: number): Promise<readonly ErasedAgain[]>
}

const hourMs = 3_600_000

/** Makes the erasures of an installation that wait. */
export function createWaitingErasures(options: EraseOptions): WaitingErasures {
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    carryOut: (at) => eraseWaiting(options, at),
    look: async (at) => {
      if (at - lookedAt < hourMs) return []
      const done = await eraseWaiting(options, at)
      lookedAt = at
      return done
    },
  }
}

async function eraseWaiting(options: EraseOptions, at: number): Promise<readonly ErasedAgain[]> {
  const { holds } = await readHolds(options.config)
  const due = (await waitingErasures(options)).filter((one) => one.holds !== holdsHash(holds))
  const done: ErasedAgain[] = []
  for (const { person, names, by } of due)
    done.push({ person, erasure: await eraseOrWait(options, { person, names, by, at }) })
  return done
}
