// Installation, links and views: what a judgement reads from Redis is ours or refused.

import { expect, test } from "vitest"
import type { OpenedView } from "../../../src/flow/ports.ts"
import { keysLike } from "../../support/redis.ts"
import { entriesOf, noon, openStore } from "../support.ts"

const ann = { team: "T1", user: "U1" }
const bob = { team: "T1", user: "U2" }
const view: OpenedView = {
  viewId: "V1",
  person: ann,
  caseId: "c-1",
  route: "channel:C1",
  revision: 1,
  digest: "d",
  purpose: "form",
  verb: "reject",
  reviewed: false,
  revealed: false,
  pagesOpened: null,
  pageSize: "small",
  place: { channel: "C1", ts: "1.2" },
}

test("R14 another key than the installation's refuses to start", async () => {
  const { installation, seal } = await openStore()

  const other = openStore({ installation, key: Buffer.alloc(32, 8) })

  await expect(other).rejects.toMatchObject({ code: "other-key", retryable: false })
  await expect(other).rejects.toThrow(new RegExp(`was made with key ${seal.keyId}.*Set COUNTERSIGN_KEY`))
})

test("R14 an installation record that was changed refuses to start", async () => {
  const { installation, store, connection } = await openStore()
  await connection.commands.hset(store.keys.installation, "version", "2")

  await expect(openStore({ installation })).rejects.toMatchObject({ code: "tampered" })
})

test("the same key starts again, and claims nothing twice", async () => {
  const { store } = await openStore()

  expect(await store.claim(noon)).toBe("ours")
  expect((await store.verifyLedger()).problem).toBeNull()
})

test("R7 an e-mail stays pinned to whom it meant first, whatever its case", async () => {
  const { store } = await openStore()
  expect(await store.identityLinks.read("ann@example.com")).toBeNull()

  expect(await store.identityLinks.pin("ann@example.com", ann, noon)).toEqual({ person: ann, contested: null })

  expect(await store.identityLinks.pin("Ann@Example.com", bob, noon)).toEqual({ person: ann, contested: null })
  expect(await store.identityLinks.read("ANN@example.com")).toEqual({ person: ann, contested: null })
  expect(await store.verifyLedger()).toMatchObject({ chains: 3, problem: null })
})

test("R7 two replicas that pin an e-mail at once agree on one person", async () => {
  const one = await openStore()
  const two = await openStore({ installation: one.installation })

  const pinned = await Promise.all([
    one.store.identityLinks.pin("ann@example.com", ann, noon),
    two.store.identityLinks.pin("ann@example.com", bob, noon),
  ])

  expect(pinned[0]).toEqual(pinned[1])
})

test("R14 a pin that was changed or deleted is refused, not made anew", async () => {
  const { store, connection } = await openStore()
  await store.identityLinks.pin("ann@example.com", ann, noon)
  const [key = ""] = await keysLike(connection.commands, `${store.keys.tag}:link:*`)

  await connection.commands.hset(key, "sealed", Buffer.alloc(60, 1))
  await expect(store.identityLinks.read("ann@example.com")).rejects.toMatchObject({ code: "tampered" })
  await connection.commands.del(key)
  await expect(store.identityLinks.pin("ann@example.com", bob, noon)).rejects.toMatchObject({ code: "ledger-damaged" })

  expect(key).not.toContain("@")
})

test("R7 a contested e-mail stays so until an operator links it; each change is an entry", async () => {
  const open = await openStore()
  const { identityLinks } = open.store
  await identityLinks.pin("ann@example.com", ann, noon)
  await identityLinks.contest("ann@example.com", bob, noon + 1)
  await identityLinks.contest("ann@example.com", bob, noon + 2)
  const contested = await identityLinks.list()

  await identityLinks.link("Ann@example.com", bob, { by: "root", at: noon + 3 })

  expect(contested).toEqual([
    { email: "ann@example.com", person: ann, at: noon, by: null, contested: bob, contestedAt: noon + 1 },
  ])
  expect(await identityLinks.list()).toEqual([
    { email: "ann@example.com", person: bob, at: noon + 3, by: "root", contested: null, contestedAt: null },
  ])
  const events = (await entriesOf(open)).map((entry) => entry?.event).slice(2)
  expect(events).toEqual([
    { kind: "pinned", at: noon, person: "T1:U1", erasable: expect.any(String) },
    { kind: "contested", at: noon + 1, person: "T1:U1", now: "T1:U2", erasable: expect.any(String) },
    { kind: "linked", at: noon + 3, person: "T1:U2", before: "T1:U1", by: "root", erasable: expect.any(String) },
  ])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("R7 an unlinked e-mail is pinned anew, on the same chain", async () => {
  const { store } = await openStore()
  await store.identityLinks.pin("ann@example.com", ann, noon)

  expect(await store.identityLinks.unlink("ann@example.com", { by: "root", at: noon })).toBe(true)
  expect(await store.identityLinks.unlink("ann@example.com", { by: "root", at: noon })).toBe(false)
  expect(await store.identityLinks.unlink("nobody@example.com", { by: "root", at: noon })).toBe(false)
  expect(await store.identityLinks.read("ann@example.com")).toBeNull()
  expect(await store.identityLinks.list()).toEqual([])
  await store.identityLinks.contest("ann@example.com", bob, noon)
  expect(await store.identityLinks.pin("ann@example.com", bob, noon)).toEqual({ person: bob, contested: null })

  expect(await store.verifyLedger()).toMatchObject({ entries: 5, problem: null })
})

test("R18 a view that we opened is remembered for a day, any other is unknown", async () => {
  const { store, connection } = await openStore()

  await store.views.remember(view)

  expect(await store.views.read("V1")).toEqual(view)
  expect(await store.views.read("V2")).toBeNull()
  const ttl = await connection.commands.ttl(store.keys.view("V1"))
  expect(ttl).toBeGreaterThan(86_000)
  expect(ttl).toBeLessThanOrEqual(86_400)
})

test("R14 a view that was copied to another id, or changed, is unknown and logged", async () => {
  const logged: string[] = []
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (e: string) => logged.push(e),
  }
  const { store, connection } = await openStore({ log })
  await store.views.remember(view)
  const sealed = await connection.commands.getBuffer(store.keys.view("V1"))

  await connection.commands.set(store.keys.view("V2"), sealed ?? "")

  expect(await store.views.read("V2")).toBeNull()
  expect(logged).toEqual(["view-tampered"])
})
