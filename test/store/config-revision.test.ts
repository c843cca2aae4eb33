// The active config revision: who may commit, and what the ledger says of a change.
import { expect, onTestFinished, test, vi } from "vitest"
import { miss } from "../../src/domain/verdict.ts"
import { connectRedis } from "../../src/store/connection.ts"
import { createStore, type Store } from "../../src/store/store.ts"
import { testRedisUrl } from "../support/redis.ts"
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
} from "./support.ts"

const activation = { rules: [], activate: false, at: noon }

async function lastEvent(open: OpenStore) {
  return (await entriesOf(open)).at(-1)?.event
}

test("R16 activating a revision writes an entry that shows the difference", async () => {
  const open = await openStore({ revision: null })
  const rules = [
    { name: "payments", hash: "1" },
    { name: "all", hash: "2" },
  ]
  await open.store.config.activate({ ...activation, revision: "rev-1", rules })

  const after = [
    { name: "payments", hash: "9" },
    { name: "deletes", hash: "3" },
  ]
  const done = await open.store.config.activate({ ...activation, revision: "rev-2", rules: after })

  const difference = { added: ["deletes"], removed: ["all"], changed: ["payments"] }
  expect(done).toEqual({ kind: "activated", difference })
  expect(await open.store.config.obstacle()).toBeNull()
  const event = { kind: "activated", at: noon, revision: "rev-2", before: "rev-1", ...difference, again: false }
  expect(await lastEvent(open)).toEqual(event)
})

test("R16 a replica with another revision decides nothing", async () => {
  const old = await openStore()
  const current = await committedCase(old)
  await openStore({ installation: old.installation, revision: "rev-2" })

  const refused = await old.store.cases.commit({ ...miss(current, noon), expectedVersion: 1, interaction: "i-1" })

  expect(refused).toEqual({ kind: "config" })
  expect(await old.store.cases.read(current.id)).toEqual(current)
  expect(await old.store.cases.consumed("i-1")).toBe(false)
  expect(await old.store.config.obstacle()).toBe(
    "another config revision is active (rev-2): this replica decides nothing",
  )
})

test("R16 a replica that activated nothing decides nothing", async () => {
  const open = await openStore()
  const current = await committedCase(open)
  const other = await openStore({ installation: open.installation, revision: null })

  expect(await other.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })).toEqual({ kind: "config" })
  expect(await other.store.config.obstacle()).toBe("no config revision is active here yet")
})

test("R16 a revision that was replaced comes back only when an operator asks for it", async () => {
  const open = await openStore()
  await open.store.config.activate({ ...activation, revision: "rev-2" })

  const back = open.store.config.activate({ ...activation, revision: "rev-1" })
  await expect(back).rejects.toMatchObject({ code: "config-active-before", retryable: false })
  await expect(back).rejects.toThrow(/To go back to it start with --activate/)

  const asked = await open.store.config.activate({ ...activation, revision: "rev-1", activate: true })
  expect(asked.kind).toBe("activated")
  expect(await lastEvent(open)).toMatchObject({ revision: "rev-1", again: true })
})

test("R16 a replica whose revision came back decides again", async () => {
  const first = await openStore()
  const current = await committedCase(first)
  const { store } = await openStore({ installation: first.installation, revision: "rev-2" })
  expect(await first.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })).toEqual({ kind: "config" })

  await store.config.activate({ ...activation, revision: "rev-1", activate: true })

  const done = await first.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })
  expect(done.kind).toBe("committed")
})

test("activating the active revision again changes nothing", async () => {
  const open = await openStore()

  expect(await open.store.config.activate({ ...activation, revision: "rev-1" })).toEqual({ kind: "unchanged" })
})

test("replicas that start together activate a revision once", async () => {
  const first = await openStore({ revision: null })
  const others = await Promise.all([1, 2, 3].map(() => openStore({ installation: first.installation, revision: null })))

  const done = await Promise.all(
    [first, ...others].map((one) => one.store.config.activate({ ...activation, revision: "rev-1" })),
  )

  expect(done.filter((one) => one.kind === "activated")).toHaveLength(1)
  expect((await first.store.verifyLedger()).problem).toBeNull()
})

test("R14 a config that is replaced while it is read is no forgery", async () => {
  const { store, installation } = await openStore()
  let number = 1
  const replace = () => store.config.activate({ ...activation, revision: `rev-${(number += 1)}` })

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
  const connection = await connectRedis({ url: testRedisUrl(), log: silentLog })
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
  const rest = { installation, seal: aSeal(installation), log: silentLog, sandbox: false, paceMs: 0 }
  return createStore({ connection: { ...connection, commands }, ...rest })
}

test.each(["revision", "sealed", "token", "version"])("R14 a config whose %s was changed is refused", async (field) => {
  const open = await openStore()
  const current = await committedCase(open)
  await open.connection.commands.hset(open.store.keys.config, field, field === "revision" ? "rev-9" : "9")

  if (field === "revision") {
    expect(await open.store.config.obstacle()).toBeNull()
    return
  }
  await expect(open.store.config.obstacle()).rejects.toMatchObject({ code: "tampered" })
  const fresh = openStore({ installation: open.installation })
  await expect(fresh).rejects.toMatchObject({ code: "tampered" })
  expect(await open.store.cases.read(current.id)).toEqual(current)
})

test("R17 an activation that Redis forgot is made again by the replica that made it, and counts as before", async () => {
  const old = await openStore()
  const current = await committedCase(old)
  const restore = await asItIs(old)
  const fresh = await openStore({ installation: old.installation, revision: "rev-2" })
  await restore()

  const done = await fresh.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  expect(done.kind).toBe("committed")
  expect([await fresh.store.config.obstacle(), await old.store.config.obstacle()]).toEqual([
    null,
    "another config revision is active (rev-2): this replica decides nothing",
  ])
  expect((await fresh.store.verifyLedger()).problem).toBeNull()
})

test("R17 who was activated after the forgotten one stays active", async () => {
  const old = await openStore()
  const restore = await asItIs(old)
  const fresh = await openStore({ installation: old.installation, revision: "rev-2" })
  await restore()
  await openStore({ installation: old.installation, revision: "rev-3" })

  expect(await fresh.store.config.obstacle()).toBe(
    "another config revision is active (rev-3): this replica decides nothing",
  )
})

test("R17 who was replaced before the forgotten second does not come back by it", async () => {
  const old = await openStore()
  const restore = await asItIs(old)
  const replaced = await openStore({ installation: old.installation, revision: "rev-2" })
  await openStore({ installation: old.installation, revision: "rev-3" })
  expect(await replaced.store.config.obstacle()).toContain("(rev-3)")
  await restore()

  expect(await replaced.store.config.obstacle()).toContain("another config revision is active (rev-1)")
  expect(await old.store.config.obstacle()).toBeNull()
})
