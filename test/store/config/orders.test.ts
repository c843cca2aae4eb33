// The orders in the record of the active config: each act is a new version of it, and none gets lost (R21).

import { expect, test, vi } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { maxStops, type Stop } from "../../../src/domain/order/stop.ts"
import { ordererWords } from "../../../src/domain/people/orderer.ts"
import { configRevisionOf } from "../../../src/domain/policy/shared-config.ts"
import { configBehind, ordersAwaited } from "../../../src/store/config/config-record.ts"
import type { ActiveConfig } from "../../../src/store/config/config-revision.ts"
import { limitMs } from "../../support/limits.ts"
import { anOperator } from "../../support/orders.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aMarksFolder, aReplica, grownOld, type Replica } from "../freshness-support.ts"
import { asItIs, committedCase, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const agentStop = { match: { agent: ["billing"] }, by: anOperator(), reason: "runaway", at: noon, until: null }

async function stopped({ store }: OpenStore, change: Partial<Omit<Stop, "id">> = {}): Promise<Stop> {
  const done = await store.config.orders.stop({ ...agentStop, ...change })
  if (done.kind === "too-many") throw new Error("too many stops")
  return done.stop
}

function activeIn({ store }: OpenStore): ActiveConfig {
  const active = store.config.active()
  if (active === null) throw new Error("this process saw no config yet")
  return active
}

function stopsIn(open: OpenStore): readonly string[] {
  return activeIn(open).orders.stops.map(({ by, match }) => `${ordererWords(by)} ${JSON.stringify(match)}`)
}

const ofBilling = 'operator ops {"agent":["billing"]}'
const ofEverything = "countersign:unknown {}"

function commitUnder(config: ActiveConfig, { store }: OpenStore, current: Case) {
  return store.casesUnder(config).commit({ ...miss(current, noon), expectedVersion: 1 })
}

async function eventsIn(open: OpenStore) {
  return (await entriesOf(open)).map((entry) => entry?.event ?? {})
}

async function lastEvents(open: OpenStore, count: number) {
  return (await eventsIn(open)).slice(-count)
}

test("R21 a stop and its end are entries, and the words of both can be erased", async () => {
  const open = await openStore()

  const stop = await stopped(open, { until: noon + 7_200_000 })
  const ended = await open.store.config.orders.end(stop.id, { by: anOperator("ann"), at: noon + 1 })

  expect(ended).toEqual(stop)
  const [begun, over] = await lastEvents(open, 2)
  const told = { by: "operator", person: null, erasable: expect.stringMatching(/^[0-9a-f]{64}$/) }
  expect(begun).toEqual({
    kind: "stopped",
    at: noon,
    stop: stop.id,
    match: agentStop.match,
    ...told,
    until: noon + 7_200_000,
  })
  const revision = open.store.config.active()?.revision
  expect(over).toEqual({ kind: "stop-ended", at: noon + 1, stop: stop.id, revision, ...told })
  expect(await open.store.config.orders.list()).toEqual({
    stops: [],
    ended: [{ id: stop.id, match: agentStop.match, endedAt: noon + 1 }],
  })
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R21 the same stop again is one entry that names the older one and changes nothing", async () => {
  const open = await openStore()
  const stop = await stopped(open)

  const again = await open.store.config.orders.stop({ ...agentStop, by: anOperator("bob"), reason: "me too" })

  expect(again).toEqual({ kind: "again", stop })
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "stopped-again", stop: stop.id, by: "operator" }])
  expect(await open.store.config.orders.list()).toEqual({ stops: [stop] })
})

test("R21 stops that come at once are all in force, and no more than fifty", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })

  const done = await Promise.all(
    Array.from({ length: maxStops + 2 }, (_, n) =>
      (n % 2 === 0 ? open : other).store.config.orders.stop({ ...agentStop, match: { agent: [`a-${n}`] } }),
    ),
  )

  expect(done.filter(({ kind }) => kind === "stopped")).toHaveLength(maxStops)
  expect(done.filter(({ kind }) => kind === "too-many")).toHaveLength(2)
  expect((await open.store.config.orders.list()).stops).toHaveLength(maxStops)
})

test("R21 a stop ends by itself once the clocks of process and Redis both say so", async () => {
  let shared = noon
  const open = await openStore({ sharedClock: () => shared })
  await stopped(open, { until: noon + 60_000 })
  await stopped(open, { match: {} })
  await open.store.config.obstacle()
  const ends = async (at: number) => {
    await open.store.config.orders.endOver(at)
    return (await open.store.config.orders.list()).stops.length
  }

  expect(await ends(noon + 60_000)).toBe(2)
  shared = noon + 60_000
  expect(await ends(noon + 59_999)).toBe(2)
  expect(await ends(noon + 60_000)).toBe(1)
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "stop-ended", by: "countersign:until" }])
})

test("R21 there is nothing to stop before a config is active, and no stop to end that is not in force", async () => {
  const open = await openStore({ revision: null })

  await expect(stopped(open)).rejects.toMatchObject({ code: "no-config" })

  await open.store.config.activate({ activate: false, at: noon, shared: aSharedConfig() })
  expect(await open.store.config.orders.end("none", { by: anOperator(), at: noon })).toBeNull()
})

test("R21 whoever was judged under another config ends nothing", async () => {
  const open = await openStore()
  const stop = await stopped(open)
  const judged = { by: anOperator(), at: noon, revision: activeIn(open).revision }
  await open.store.config.activate({ activate: false, at: noon, shared: aSharedConfig("rev-2") })
  const entries = (await eventsIn(open)).length

  expect(await open.store.config.orders.end(stop.id, judged)).toBe("other-config")
  expect(await eventsIn(open)).toHaveLength(entries)
  expect((await open.store.config.orders.list()).stops).toEqual([stop])
  const { revision } = activeIn(open)
  expect(await open.store.config.orders.end(stop.id, { ...judged, revision })).toEqual(stop)
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "stop-ended", revision }])
})

test("R21 what was judged before a stop, or before its end, is never committed after it", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })
  const current = await committedCase(open)
  const before = activeIn(open)
  const stop = await stopped(other)

  expect(await commitUnder(before, open, current)).toEqual({ kind: "config" })
  const under = activeIn(open)
  expect(stopsIn(open)).toEqual([ofBilling])
  await other.store.config.orders.end(stop.id, { by: anOperator(), at: noon })
  expect(await commitUnder(under, open, current)).toEqual({ kind: "config" })
  expect((await commitUnder(activeIn(open), open, current)).kind).toBe("committed")
})

test("R21 what was judged under the same orders counts, although the token is another", async () => {
  const open = await openStore()
  const other = await openStore({ installation: open.installation, revision: null })
  const current = await committedCase(open)
  await stopped(other)
  await open.store.config.obstacle()
  const before = activeIn(open)
  await other.store.config.orders.stop({ ...agentStop, by: anOperator("bob") })

  expect((await commitUnder(before, open, current)).kind).toBe("committed")
  expect(activeIn(open)).not.toBe(before)
})

test("R21 an activation carries the orders over", async () => {
  const open = await openStore()
  await stopped(open)

  await open.store.config.activate({ activate: false, at: noon, shared: aSharedConfig("rev-2") })

  expect(stopsIn(open)).toEqual([ofBilling])
  await open.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-1") })
  expect(stopsIn(open)).toEqual([ofBilling])
})

test("R16 each record of the config has another token, also one that repeats what Redis lost", async () => {
  const open = await aReplica()
  const token = () => open.connection.commands.hget(open.store.keys.config, "token")
  const tokens = [await token()]
  const restore = await asItIs(open)
  await stopped(open)
  await open.store.config.obstacle()
  tokens.push(await token())
  await restore()
  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"), limitMs)
  await open.store.config.obstacle()
  tokens.push(await token())

  expect(stopsIn(open)).toEqual([ofBilling])
  expect(tokens.map((one) => one?.split(".")[0])).toEqual(["1", "2", "2"])
  expect(new Set(tokens).size).toBe(3)
})

/** A replica whose active config was put back to an older version. */
async function putBack(): Promise<Replica> {
  const open = await aReplica()
  const { commands } = open.connection
  const before = await commands.dumpBuffer(open.store.keys.config)
  await open.store.config.activate({ activate: false, at: noon, shared: aSharedConfig("rev-2") })
  await stopped(open)
  await commands.del(open.store.keys.config)
  await commands.restore(open.store.keys.config, 0, before)
  expect(await open.store.config.obstacle()).toBe(configBehind)
  return open
}

test("R21 a record that is behind is put right only by the config that was activated last, and leaves everything stopped", async () => {
  const open = await putBack()

  const other = open.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-1") })
  const [file, last] = ["rev-1", "rev-2"].map((name) => configRevisionOf(aSharedConfig(name)).slice(0, 12))
  const advice = `The file of this replica makes revision ${file}; start it with the file of ${last}, which was active last`
  await expect(other).rejects.toMatchObject({ code: "behind", message: `${configBehind}. ${advice}` })

  await open.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-2") })
  expect(await open.store.config.obstacle()).toBeNull()
  expect(stopsIn(open)).toEqual([ofEverything])
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "orders-unknown", why: "repaired" }])
})

test("R21 a record is not put right while the ledger does not lead to its last activation", async () => {
  const open = await putBack()
  const numbers = (await eventsIn(open)).flatMap((event, at) => (event["kind"] === "activated" ? [at + 1] : []))
  await open.connection.commands.xdel(open.store.keys.ledger, `${numbers.at(-1)}-0`)

  const done = open.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-2") })

  await expect(done).rejects.toMatchObject({
    message: `${configBehind}. The ledger does not say which config was active: countersign ledger verify says why`,
  })
})

test("R21 a stop that Redis forgot is put back by whoever knew of it, at the same revision", async () => {
  const open = await aReplica()
  const restore = await asItIs(open)
  await stopped(open)
  await open.store.config.obstacle()
  await restore()

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(stopsIn(open)).toEqual([ofBilling])
  expect(open.store.freshness.lostConfig()).toBeNull()
  expect((await eventsIn(open)).filter(({ kind }) => kind === "orders-restored")).not.toEqual([])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R21 the end of a stop that Redis forgot is put back, too", async () => {
  const open = await aReplica()
  const stop = await stopped(open)
  await open.store.config.obstacle()
  const restore = await asItIs(open)
  await open.store.config.orders.end(stop.id, { by: anOperator(), at: noon })
  await open.store.config.obstacle()
  await restore()

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(stopsIn(open)).toEqual([])
})

test("R21 what somebody stopped after Redis forgot a stop stands beside it", async () => {
  const open = await aReplica()
  const restore = await asItIs(open)
  await stopped(open)
  await open.store.config.obstacle()
  await restore()
  const other = await openStore({ installation: open.installation, revision: null })
  await stopped(other, { match: { tool: ["refund_*"] } })

  await open.store.freshness.look()
  await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
  expect(await open.store.config.obstacle()).toBeNull()

  expect(stopsIn(open).toSorted()).toEqual([ofBilling, 'operator ops {"tool":["refund_*"]}'])
})

/** A replica that started on marks of one that saw a stop which Redis forgot, and died. The clock of all is by hand. */
async function markedOnly() {
  const folder = aMarksFolder()
  let ahead = 0
  const sharedClock = () => noon + ahead
  const dead = await aReplica({ folder, sharedClock })
  const restore = await asItIs(dead)
  await stopped(dead)
  await dead.store.freshness.look()
  await dead.store.freshness.close()
  await restore()
  const open = await aReplica({ folder, installation: dead.installation, sharedClock })
  const forward = (ms: number) => {
    ahead += ms
  }
  return { open, forward }
}

test("R21 if nobody has an entry that marks name, nobody decides for five seconds, and then everything is stopped", async () => {
  const { open, forward } = await markedOnly()
  const current = await committedCase(open).catch(() => null)

  expect(await open.store.config.obstacle()).toBe(ordersAwaited)
  expect(current).toBeNull()

  forward(5_000)
  expect(await open.store.config.obstacle()).toBeNull()
  expect(stopsIn(open)).toEqual([ofEverything])
  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "orders-unknown", why: "lost" }])
  const [stop] = activeIn(open).orders.stops
  await open.store.config.orders.end(stop?.id ?? "", { by: anOperator(), at: noon })
  expect(await open.store.config.obstacle()).toBeNull()
  expect(stopsIn(open)).toEqual([])
})

test("R21 an accepted roll-back leaves everything stopped, once for all replicas", async () => {
  const open = await aReplica()
  const other = await aReplica({ installation: open.installation })
  const { freshness } = open.store
  const restore = await asItIs(open)
  await stopped(open)
  await grownOld(open)
  await grownOld(other)
  await restore()
  await freshness.settle()
  expect(freshness.standing()).toMatchObject({ kind: "rolled-back" })
  await other.store.freshness.settle()

  await freshness.accept(freshness.shown())
  await other.store.freshness.look()
  await Promise.all([open.store.config.obstacle(), other.store.config.obstacle()])

  await Promise.all([open.store.config.obstacle(), other.store.config.obstacle()])
  expect(stopsIn(open)).toEqual([ofEverything])
  expect(stopsIn(other)).toEqual([ofEverything])
})

test("R21 a stop is taken while Redis is rolled back, as a rejection is, and every replica knows it", async () => {
  const open = await aReplica()
  const other = await aReplica({ installation: open.installation })
  const current = await committedCase(open)
  const restore = await asItIs(open)
  await open.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })
  await grownOld(open)
  await restore()
  await open.store.freshness.settle()
  expect(open.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })

  const stop = await stopped(open)

  expect(await lastEvents(open, 1)).toMatchObject([{ kind: "stopped", stop: stop.id }])
  await Promise.all([open.store.config.obstacle(), other.store.config.obstacle()])
  expect([stopsIn(open), stopsIn(other)]).toEqual([[ofBilling], [ofBilling]])
  expect(open.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })
})

test("R21 a stop that is made after a roll-back took one away stands beside everything once that is accepted", async () => {
  const open = await aReplica()
  const restore = await asItIs(open)
  await stopped(open)
  await open.store.config.obstacle()
  await grownOld(open)
  await restore()
  await open.store.freshness.settle()
  expect(open.store.freshness.standing()).toMatchObject({ kind: "rolled-back" })

  await stopped(open, { match: { tool: ["refund_*"] } })
  await open.store.freshness.accept(open.store.freshness.shown())
  await open.store.config.obstacle()

  expect(stopsIn(open)).toEqual(['operator ops {"tool":["refund_*"]}', ofEverything])
})

test("R21 a stop and its end are covered by a checkpoint as soon as they are settled", async () => {
  const open = await aReplica()
  const last = async () => (await entriesOf(open)).length
  const stop = await stopped(open)
  await grownOld(open)
  expect(open.store.freshness.feed.rareAt()).toBe(await last())

  await open.store.config.orders.end(stop.id, { by: anOperator(), at: noon })
  await grownOld(open)

  expect(open.store.freshness.feed.rareAt()).toBe(await last())
})
