// The active config revision: who may commit, and what the ledger says of a change.

import { expect, onTestFinished, test, vi } from "vitest"
import { rulesSchema } from "../../../src/config.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { unknownOrderer } from "../../../src/domain/people/orderer.ts"
import { type ConfigPart, configRevisionOf, type SharedConfig } from "../../../src/domain/policy/shared-config.ts"
import { configTampered } from "../../../src/store/config/config-record.ts"
import type { ActiveConfig } from "../../../src/store/config/config-revision.ts"
import { connectRedis } from "../../../src/store/redis/connection.ts"
import { createStore, type Store } from "../../../src/store/store.ts"
import { aRule } from "../../support/builders.ts"
import { testRedisUrl } from "../../support/redis.ts"
import { aSharedConfig, aSharedInstance } from "../../support/shared-config.ts"
import { aReplica } from "../freshness-support.ts"
import {
  anInstallation,
  aSeal,
  asItIs,
  committedCase,
  entriesOf,
  noon,
  type OpenStore,
  openStore,
  silentLog,
} from "../support.ts"

/** A rule that says more than a plain one. */
const stricter = rulesSchema.parse({
  rules: [
    {
      name: "stricter",
      routes: ["C1"],
      approvers: ["U1", "U2"],
      quorum: 2,
      forbid_self_approval: false,
      remind_after: "1m",
      escalate: [{ after: "2m", to: { routes: ["U2"], approvers: ["T2:U2"] } }],
      working_hours: { time_zone: "Europe/Berlin", days: ["mon", "tue"] },
    },
  ],
})

const activation = { activate: false, at: noon }

async function lastEvent(open: OpenStore) {
  return (await entriesOf(open)).at(-1)?.event
}

/** The commit of a step that a process made under one config, as the flow makes it. */
function commitUnder(config: ActiveConfig, { store }: OpenStore, current: Case) {
  return store.casesUnder(config).commit({ ...miss(current, noon), expectedVersion: 1, interaction: "i-1" })
}

/** The config that a process works under now. */
function activeIn({ store }: OpenStore): ActiveConfig {
  const active = store.config.active()
  if (active === null) throw new Error("this process saw no config yet")
  return active
}

test("R16 activating a config writes an entry that shows the difference", async () => {
  const open = await openStore({ revision: null })
  const before = aSharedConfig("a", { rules: [aRule({ name: "payments" }), aRule({ name: "all" })] })
  await open.store.config.activate({ ...activation, shared: before })

  const rules = [aRule({ name: "payments", quorum: 2 }), aRule({ name: "deletes" })]
  const shared = aSharedConfig("a", { rules, instances: [] })
  const done = await open.store.config.activate({ ...activation, shared })

  const difference = { added: ["deletes"], removed: ["all"], changed: ["payments"] }
  expect(done).toEqual({ kind: "activated", difference, besides: ["instances"] })
  expect(await open.store.config.obstacle()).toBeNull()
  const [revision, old] = [configRevisionOf(shared), configRevisionOf(before)]
  const told = { ...difference, besides: ["instances"], again: false }
  expect(await lastEvent(open)).toEqual({ kind: "activated", at: noon, revision, before: old, ...told })
})

test.each<[ConfigPart, Partial<SharedConfig>]>([
  ["identities", { identities: [{ subject: "ann", team: "T1", user: "U1" }] }],
  ["resolved_by", { resolvedBy: "{user}" }],
  ["slack", { slack: { apiUrl: "http://127.0.0.1:1/", sandbox: true } }],
  ["instances", { instances: [aSharedInstance({ rejectUserInput: "send" })] }],
])("R16 %s alone make another revision, and the entry names them", async (part, change) => {
  const open = await openStore()

  await open.store.config.activate({ ...activation, shared: aSharedConfig("rev-1", change) })

  expect(await lastEvent(open)).toMatchObject({ added: [], removed: [], changed: [], besides: [part] })
})

test("R16 a replica that runs goes over to the config that was activated, and knows all of it", async () => {
  const old = await openStore()
  const current = await committedCase(old)
  const shared = aSharedConfig("rev-2", stricter)
  const newer = await openStore({ installation: old.installation, revision: null })
  await newer.store.config.activate({ ...activation, shared })

  expect(await old.store.config.obstacle()).toBeNull()

  expect(activeIn(old)).toMatchObject({ revision: configRevisionOf(shared), shared })
  expect((await commitUnder(activeIn(old), old, current)).kind).toBe("committed")
})

test("R16 what was judged under one config is never committed under another", async () => {
  const old = await openStore()
  const current = await committedCase(old)
  const judgedUnder = activeIn(old)
  await openStore({ installation: old.installation, revision: "rev-2" })

  const refused = await commitUnder(judgedUnder, old, current)

  expect(refused).toEqual({ kind: "config" })
  expect(await old.store.cases.read(current.id)).toEqual(current)
  expect(await old.store.cases.consumed("i-1")).toBe(false)
  // The refusal was a look: the step is made again under what it found.
  expect(activeIn(old).revision).toBe(configRevisionOf(aSharedConfig("rev-2")))
  expect((await commitUnder(activeIn(old), old, current)).kind).toBe("committed")
})

test("R16 a replica that activated nothing decides nothing", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const other = await openStore({ installation: open.installation, revision: null })

  expect(await other.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })).toEqual({ kind: "config" })
  expect(await other.store.config.obstacle()).toBe("no config revision is active here yet")
  expect(activeIn(other).revision).toBe(configRevisionOf(aSharedConfig()))
})

test("R16 a replica whose file was replaced starts, and works under the active config; it comes back only when an operator asks", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.store.config.activate({ ...activation, shared: aSharedConfig("rev-2") })
  const stale = await openStore({ installation: open.installation, revision: null })

  const back = await stale.store.config.activate({ ...activation, shared: aSharedConfig("rev-1") })

  expect(back).toEqual({ kind: "taken-over", active: configRevisionOf(aSharedConfig("rev-2")) })
  expect(activeIn(stale).shared).toEqual(aSharedConfig("rev-2"))
  expect((await commitUnder(activeIn(stale), stale, current)).kind).toBe("committed")

  const asked = await stale.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-1") })
  expect(asked.kind).toBe("activated")
  expect(await lastEvent(open)).toMatchObject({ revision: configRevisionOf(aSharedConfig("rev-1")), again: true })
})

test("R16 what was judged under a config that went and came back counts", async () => {
  const first = await openStore()
  const current = await committedCase(first)
  const judgedUnder = activeIn(first)
  const { store } = await openStore({ installation: first.installation, revision: "rev-2" })

  await store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-1") })

  expect((await commitUnder(judgedUnder, first, current)).kind).toBe("committed")
})

test("R16 a replica whose Slack is another decides nothing under the active config", async () => {
  const open = await openStore()
  const slack = { apiUrl: "http://127.0.0.1:1/api/", sandbox: true }
  const other = await openStore({ installation: open.installation, revision: null })
  await other.store.config.activate({ ...activation, shared: aSharedConfig("rev-2", { slack }) })

  expect(await open.store.config.obstacle()).toBe(
    "the active config has its Slack at http://127.0.0.1:1/api/, and the file of this replica at https://slack.com/api/: this replica decides nothing",
  )
  expect(await activeIn(open).under(async () => ({ kind: "committed", standings: ["fresh"] }))).toEqual({
    kind: "config",
  })
})

test("activating the active config again changes nothing", async () => {
  const open = await openStore()

  expect(await open.store.config.activate({ ...activation, shared: aSharedConfig() })).toEqual({ kind: "unchanged" })
})

test("replicas that start together activate a config once", async () => {
  const first = await openStore({ revision: null })
  const others = await Promise.all([1, 2, 3].map(() => openStore({ installation: first.installation, revision: null })))

  const done = await Promise.all(
    [first, ...others].map((one) => one.store.config.activate({ ...activation, shared: aSharedConfig() })),
  )

  expect(done.filter((one) => one.kind === "activated")).toHaveLength(1)
  expect((await first.store.verifyLedger()).problem).toBeNull()
})

test("R14 a config that is replaced while it is read is no forgery", async () => {
  const { store, installation } = await openStore()
  let number = 1
  const replace = () => store.config.activate({ ...activation, shared: aSharedConfig(`rev-${(number += 1)}`) })

  const reading = await storeWith({ installation, between: replace })

  expect(await reading.config.obstacle()).toBe("no config revision is active here yet")
  await vi.waitFor(async () => expect(await store.config.obstacle()).toBeNull())
  expect(number).toBeGreaterThan(1)
})

test("R14 an installation that is made while it is looked for is no forgery", async () => {
  const installation = anInstallation()
  const made = Promise.withResolvers<void>()
  const make = async () => {
    await openStore({ installation, revision: null })
    made.resolve()
  }

  const looking = await storeWith({ installation, between: make })

  expect(await looking.check()).toBe("absent")
  await made.promise
  expect(await looking.check()).toBe("ours")
})

/** A store whose reads of hashes go one after the other, with something done once after the first. */
async function storeWith(options: {
  readonly installation: string
  readonly between: () => Promise<unknown>
}): Promise<Store> {
  const { installation, between } = options
  const connection = await connectRedis({ url: testRedisUrl(), installation, log: silentLog })
  onTestFinished(() => connection.close())
  let last: Promise<unknown> | null = null
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const mine = last === null ? read() : last.then(read)
    last = last === null ? mine.then(between) : mine
    return mine
  }
  const commands = new Proxy(connection.commands, {
    get: (redis, name) => {
      const member: unknown = Reflect.get(redis, name)
      if (typeof member !== "function") return member
      const call = (...given: unknown[]) => Reflect.apply(member, redis, given)
      return /^hm?get/.test(String(name)) ? (...given: unknown[]) => inTurn(() => call(...given)) : call
    },
  })
  const rest = { installation, seal: aSeal(installation), rulesSchema, log: silentLog, sandbox: false, paceMs: 0 }
  return createStore({ connection: { ...connection, commands }, ...rest })
}

test("R14 a field that nobody reads makes no config a forged one", async () => {
  const open = await openStore()

  await open.connection.commands.hset(open.store.keys.config, "revision", "rev-9")

  expect(await open.store.config.obstacle()).toBeNull()
})

const forged = ["sealed", "token", "version"] as const
const forge = ({ connection, store }: OpenStore, field: string) =>
  connection.commands.hset(store.keys.config, field, "9")

test.each(forged)("R14 a config whose %s was changed lets nobody decide, until it is put right", async (field) => {
  const open = await openStore()
  const current = await committedCase(open)
  const restore = await asItIs(open)
  await forge(open, field)

  expect(await open.store.config.obstacle()).toBe(configTampered)
  expect(await commitUnder(activeIn(open), open, current)).toEqual({ kind: "config" })
  const fresh = openStore({ installation: open.installation })
  await expect(fresh).rejects.toMatchObject({ code: "tampered", message: configTampered })
  expect(await open.store.cases.read(current.id)).toEqual(current)

  await restore()
  expect(await open.store.config.obstacle()).toBeNull()
  expect((await commitUnder(activeIn(open), open, current)).kind).toBe("committed")
})

test.each(forged)(
  "R14 an operator puts right a config whose %s was changed, and everything is stopped",
  async (field) => {
    const open = await aReplica()
    const current = await committedCase(open)
    await forge(open, field)
    const shared = aSharedConfig("rev-1")

    const done = await open.store.config.activate({ activate: true, at: noon, shared })

    expect(done.kind).toBe("activated")
    expect(await open.store.config.obstacle()).toBeNull()
    expect(activeIn(open).shared).toEqual(shared)
    expect(activeIn(open).orders.stops).toMatchObject([{ match: {}, by: unknownOrderer }])
    expect((await commitUnder(activeIn(open), open, current)).kind).toBe("committed")
    expect((await open.store.verifyLedger()).problem).toBeNull()
  },
)

test("R16 what was active before a config with a forged token stays replaced once that is put right", async () => {
  const open = await aReplica()
  await open.store.config.activate({ ...activation, shared: aSharedConfig("rev-2") })
  await forge(open, "token")
  await open.store.config.activate({ activate: true, at: noon, shared: aSharedConfig("rev-2") })

  const back = await open.store.config.activate({ ...activation, shared: aSharedConfig("rev-1") })

  expect(back).toEqual({ kind: "taken-over", active: configRevisionOf(aSharedConfig("rev-2")) })
})

test("R17 an activation that Redis forgot is made again by whoever ran under it, and counts as before", async () => {
  const old = await openStore()
  const current = await committedCase(old)
  const restore = await asItIs(old)
  const fresh = await openStore({ installation: old.installation, revision: "rev-2" })
  await restore()

  const done = await fresh.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  expect(done.kind).toBe("committed")
  expect(await old.store.config.obstacle()).toBeNull()
  expect(activeIn(old).shared).toEqual(aSharedConfig("rev-2"))
  expect((await fresh.store.verifyLedger()).problem).toBeNull()
})

test("R17 who was activated after the forgotten one stays active", async () => {
  const old = await openStore()
  const restore = await asItIs(old)
  const fresh = await openStore({ installation: old.installation, revision: "rev-2" })
  await restore()
  await openStore({ installation: old.installation, revision: "rev-3" })

  expect(await fresh.store.config.obstacle()).toBeNull()
  expect(activeIn(fresh).shared).toEqual(aSharedConfig("rev-3"))
})

test("R17 a forgotten activation is made again also by who only went over to it, and what it had replaced stays replaced", async () => {
  const old = await openStore()
  const restore = await asItIs(old)
  const replaced = await openStore({ installation: old.installation, revision: "rev-2" })
  await openStore({ installation: old.installation, revision: "rev-3" })
  expect(await replaced.store.config.obstacle()).toBeNull()
  await restore()

  expect(await replaced.store.config.obstacle()).toBeNull()

  const third = configRevisionOf(aSharedConfig("rev-3"))
  expect(activeIn(replaced).revision).toBe(third)
  const stale = await openStore({ installation: old.installation, revision: null })
  const back = await stale.store.config.activate({ ...activation, shared: aSharedConfig("rev-2") })
  expect(back).toEqual({ kind: "taken-over", active: third })
})
