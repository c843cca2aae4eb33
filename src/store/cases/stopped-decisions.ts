// The approvals that a stop covers while their receipts could still let a call run: gates at tools refuse them as long
// as the stop lasts (R21). Redis keeps no list of them: the cases say it.
import type { Case } from "../../domain/case/case.ts"
import { longestReceiptLifeMs } from "../../domain/case/receipt.ts"
import { type Orders, stopOn } from "../../domain/order/orders.ts"
import { contentOf } from "../../domain/simulation/kept-content.ts"
import type { ToldGates } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { type BoundedOptions, readBoundedCase } from "./bounded-case.ts"
import { marginMs } from "./ended-decisions.ts"

/** We list at most this many decisions: those that were settled last. */
const mostTold = 10_000

/** How many cases we read at once. */
const pageSize = 200

/** The decisions that stops hold up. Throws `StoreError` if Redis does not answer. */
export interface StoppedDecisions {
  /**
   * The ids, in order, of decisions to approve that these orders stop, and whose receipts could be taken at `at` (epoch
   * ms). `cut`: there are more. Under no stop it reads nothing.
   */
  readonly read: (at: number, orders: Orders) => Promise<{ readonly ids: readonly string[]; readonly cut: boolean }>
}

/** A covered decision, and until when its receipt could be taken (epoch ms). */
interface Covered {
  readonly id: string
  readonly until: number
}

/** What we found under these orders: by case and moment of its outcome, which no later step changes. */
interface Found {
  readonly orders: Orders
  readonly settled: ReadonlyMap<string, Covered | null>
}

/** Makes the stopped decisions of an installation. Under the same orders, it reads each settled case once. */
export function createStoppedDecisions(options: BoundedOptions): StoppedDecisions {
  let found: Found | null = null
  return {
    read: async (at, orders) => {
      if (orders.stops.length === 0) {
        found = null
        return { ids: [], cut: false }
      }
      const known = found?.orders === orders ? found.settled : new Map<string, Covered | null>()
      const [moving, settled] = await Promise.all([
        movingUnder(options, orders),
        settledUnder(options, { at, orders, known }),
      ])
      found = { orders, settled }
      const covered = [...moving, ...settled.values()].filter((one) => one !== null && one.until >= at)
      const told = covered.slice(0, mostTold).map((one) => one?.id ?? "")
      return { ids: [...new Set(told)].toSorted(), cut: covered.length > mostTold }
    },
  }
}

/** Counts for whoever stopped. It keeps nothing: what the list of gates has found stays found. */
export function createToldGates(options: BoundedOptions): ToldGates {
  return { count: async (at, orders) => (await createStoppedDecisions(options).read(at, orders)).ids.length }
}

/** What stops hold up of the cases that change in a moment: their verdict may have reached the platform already. */
async function movingUnder(options: BoundedOptions, orders: Orders): Promise<readonly (Covered | null)[]> {
  const { redis, keys } = options
  const ids = await attempt("list the cases that are at work", () => redis.zrange(keys.unfinished, "0", "-1"))
  const covered = await coveredIn(options, orders, ids)
  return [...covered.values()]
}

/** The same of the cases that are over, the latest first. `known`: what an earlier look found. */
async function settledUnder(
  options: BoundedOptions,
  { at, orders, known }: { readonly at: number; readonly orders: Orders; readonly known: Found["settled"] },
): Promise<Found["settled"]> {
  const { redis, keys } = options
  const since = at - longestReceiptLifeMs - marginMs
  const flat = await attempt("list what was settled", () =>
    redis.zrevrangebyscore(keys.settled, "+inf", since, "WITHSCORES"),
  )
  const places = flat.flatMap((id, index) => (index % 2 === 0 ? [{ id, key: `${id}@${flat[index + 1]}` }] : []))
  const fresh = places.filter(({ key }) => !known.has(key)).map(({ id }) => id)
  const read = await coveredIn(options, orders, fresh)
  return new Map(
    places.flatMap(({ id, key }) => {
      const one = known.has(key) ? known.get(key) : read.get(id)
      return one === undefined ? [] : [[key, one] as const]
    }),
  )
}

/** What the orders cover of these cases; null: not covered, or nothing to hold up. Leaves out what cannot be read. */
async function coveredIn(options: BoundedOptions, orders: Orders, ids: readonly string[]) {
  const found = new Map<string, Covered | null>()
  for (let offset = 0; offset < ids.length; offset += pageSize) {
    const page = ids.slice(offset, offset + pageSize)
    const cases = await Promise.all(page.map((id) => readBoundedCase(options, id)))
    for (const one of cases) if (one !== null && !("kind" in one)) found.set(one.id, coveredOf(one, orders))
  }
  return found
}

function coveredOf(current: Case, orders: Orders): Covered | null {
  const { decision, instance } = current
  if (decision?.verb !== "approve") return null
  if (stopOn(orders, { instance, approval: contentOf(current).approval }) === null) return null
  const end = decision.expiresAt ?? decision.at + longestReceiptLifeMs
  return { id: decision.id, until: end + marginMs }
}
