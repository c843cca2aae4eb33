// Measures a new approval in a list of ten, from the poll that finds it to its card.
//
// Floor: read and parse the list, and post one message.
import { isCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { startChild } from "./parts/child.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { alternate, compare, median } from "./parts/rounds.ts"
import { aRow } from "./parts/rows.ts"
import { startWorld, type World } from "./parts/world.ts"

const inList = 10
const aBlock = 15

/** Reports 4. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const [floorWorld, world] = await Promise.all([startWorld(), startWorld()])
  const redis = await startOwnRedis()
  const arrivals = [createArrivals(floorWorld), createArrivals(world)] as const
  const floor = await startChild("floor-process.ts", { WORLD: floorWorld.url, FLOOR: "poll", POLL_MS: "100" })
  const product = await startProduct({ world, redis, pollMs: 100, paceMs: 0 })
  for (let at = 1; at < inList; at += 1) for (const next of arrivals) await next()
  const block = async (next: () => Promise<number>) => {
    const taken: number[] = []
    for (let at = 0; at < aBlock; at += 1) taken.push(await next())
    return median(taken)
  }
  const [floors = [], products = []] = await alternate([() => block(arrivals[0]), () => block(arrivals[1])])
  const what = "a new approval in a list of 10, from the poll to its card"
  report(compare({ scenario: "4", what, unit: "ms", floor: floors, product: products }))
  await Promise.all([floor.kill(), product.kill()])
  await Promise.all([redis.stop(), floorWorld.close(), world.close()])
}

/**
 * Adds an approval each time and gives the ms from the poll that saw it first to its message. The oldest of ten is
 * decided by somebody.
 */
function createArrivals(world: World): () => Promise<number> {
  let made = 0
  let posted = 0
  let lastList = 0
  let cardAt = 0
  let listOfCard = 0
  world.onArrival = (arrival) => {
    if (arrival.call === "list" && arrival.fields.get("status") !== "approved") lastList = arrival.at
    if (!isCard(arrival)) return
    posted += 1
    cardAt = arrival.at
    listOfCard = lastList
  }
  return async () => {
    made += 1
    const row = aRow(made, Math.floor(Date.now() / 1_000))
    const oldest = aRow(made - inList, 0).id
    const gone = world.rows.get(oldest)
    if (gone !== undefined)
      world.rows.set(oldest, { ...gone, status: "rejected", resolved_by: "somebody@sandbox.example" })
    world.rows.set(row.id, row)
    await until(`card ${made}`, () => posted === made)
    return cardAt - listOfCard
  }
}
