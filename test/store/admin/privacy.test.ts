// Privacy: what may be erased lies in erasable records; erased is not broken, and everything else that happens to them
// is found.

import { expect, test } from "vitest"
import { caseIdOf } from "../../../src/domain/case/case.ts"
import type { CaseEvent } from "../../../src/domain/case/event.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { close, miss, settle } from "../../../src/domain/case/verdict.ts"
import { policyOf } from "../../../src/domain/policy/policy.ts"
import { erasePerson } from "../../../src/store/admin/erase.ts"
import { unbounded } from "../../../src/store/freshness/freshness.ts"
import { type Committer, createCommitter } from "../../../src/store/ledger/commit.ts"
import { aRule } from "../../support/builders.ts"
import { keysLike } from "../../support/redis.ts"
import { kinds, opened, sidesOf } from "../opened.ts"
import { aSettledCase } from "../signed-ledger.ts"
import { anApproval, committedCase, configPlaceOf, noon, type OpenStore, openStore, plainLedger } from "../support.ts"

/** What retention asks for on a day when everything is old enough. */
const due = { at: noon, settledBefore: Number.POSITIVE_INFINITY }

const bob = { person: "T1:BOB", names: [], by: "operator", at: noon }

/** Everything that Redis holds, as text. */
async function everything(open: OpenStore): Promise<string> {
  const { connection, store } = open
  const { commands } = connection
  const names = await keysLike(commands, `${store.keys.tag}:*`)
  const read = async (name: string): Promise<unknown> => {
    const type = await commands.type(name)
    if (type === "hash") return commands.hgetall(name)
    if (type === "stream") return plainLedger(open)
    if (type === "list") return commands.lrange(name, 0, -1)
    if (type === "zset") return commands.zrange(name, "0", "-1")
    return type === "set" ? commands.smembers(name) : commands.get(name)
  }
  return JSON.stringify([names, await Promise.all(names.map(read))])
}

test("R15 no reason, name or address stands in the ledger or anywhere in Redis in clear", async () => {
  const open = await openStore()
  await open.store.identityLinks.pin("bob@example.com", { team: "T1", user: "BOB" }, noon)
  await aSettledCase(open, { id: "a-1", user: "BOB" })

  const text = await everything(open)

  expect(text).toContain("T1:BOB")
  for (const secret of ["bob@example.com", "Name of BOB", "because BOB"]) expect(text).not.toContain(secret)
})

test("an entry is opened with its erasable record, whose hash it holds", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })

  const voted = (await opened(open)).find(({ entry }) => entry?.event["kind"] === "voted")

  const text = { name: "Name of BOB", subject: "bob@example.com", reason: "because BOB says so" }
  expect(voted?.erasable).toEqual({ kind: "kept", person: "T1:BOB", text })
  expect(voted?.entry?.event).not.toHaveProperty("reason")
  expect(voted?.entry?.event["erasable"]).toMatch(/^[0-9a-f]{64}$/)
})

test("two entries that say the same have different hashes: nothing can be guessed from one", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  await aSettledCase(open, { id: "a-2", user: "BOB" })

  const hashes = (await opened(open)).flatMap(({ entry }) => entry?.event["erasable"] ?? [])

  expect(new Set(hashes).size).toBe(6)
})

test("an erased person's text and names are gone, the entries say so, and the ledger holds", async () => {
  const open = await openStore()
  await open.store.identityLinks.pin("bob@example.com", { team: "T1", user: "BOB" }, noon)
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  await aSettledCase(open, { id: "a-2", user: "ANN" })

  const erasure = await open.store.erase(bob)

  expect(erasure).toEqual({ erasables: 4, receipts: 1, cases: 1, links: 1, left: [], unread: 0 })
  expect(await open.store.verifyLedger()).toMatchObject({ erased: 5, problem: null })
  expect(await kinds(open)).toEqual([
    "pinned erased",
    "voted erased",
    "decided erased",
    "resolved erased",
    "voted kept",
    "decided kept",
    "resolved kept",
  ])
  const after = await open.store.cases.read(current.id)
  expect(JSON.stringify(after)).not.toMatch(/bob@|Name of|because/)
  expect(after).toMatchObject({ state: "closed", votes: [{ person: { user: "BOB" }, subject: "(erased)" }] })
  expect(await open.store.receipt("decision-a-1")).toBeNull()
  expect(await open.store.receipt("decision-a-2")).not.toBeNull()
  expect(await open.store.identityLinks.read("bob@example.com")).toBeNull()
})

test("erasing twice does nothing more, and writes nothing", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  await open.store.erase(bob)
  const { entries } = await open.store.verifyLedger()

  const again = await open.store.erase(bob)

  expect(again).toEqual({ erasables: 0, receipts: 0, cases: 0, links: 0, left: [], unread: 0 })
  expect((await open.store.verifyLedger()).entries).toBe(entries)
})

test("names are found wherever the platform told them, also where the person never voted", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "ANN", resolvedBy: "Bob@Example.com" })
  await aSettledCase(open, { id: "a-2", user: "ANN", resolvedBy: "robert@old.example" })
  await aSettledCase(open, { id: "a-3", user: "BOB" })

  const erasure = await open.store.erase({ ...bob, names: ["Robert@old.example"] })

  expect(erasure).toMatchObject({ erasables: 5, cases: 3 })
  const first = await open.store.cases.read(caseIdOf(open.installation, "main", "a-1"))
  expect(first).toMatchObject({ outcome: { resolvedBy: "(erased)" }, votes: [{ subject: "ann@example.com" }] })
})

test("the claim of a requester is erased too", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })

  await open.store.erase({ person: "T1:U9", names: ["ANN@example.com"], by: "operator", at: noon })

  expect(await open.store.cases.read(current.id)).toMatchObject({ summary: { requester: "(erased)" } })
  expect(await kinds(open)).toEqual(["voted kept", "decided kept", "resolved kept"])
})

test("a case that still waits is left, said so, and erased once it is closed", async () => {
  const open = await openStore()
  const current = await committedCase(open, anApproval({ userId: "T1:BOB" }))

  expect(await open.store.erase(bob)).toMatchObject({ cases: 0, left: [{ caseId: current.id, why: "open" }] })
})

test("a frozen case is left to the operator", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  await open.connection.commands.hset(open.store.keys.case(current.id), "sealed", "x")

  expect(await open.store.erase(bob)).toMatchObject({ cases: 0, left: [{ caseId: current.id, why: "frozen" }] })
})

test.each([0, 1, 2])(
  "an erasure that was cut short after %i commits ends the same when it is run again",
  async (cut) => {
    const open = await openStore()
    const { store } = open
    const redis = open.connection.commands
    await store.identityLinks.pin("bob@example.com", { team: "T1", user: "BOB" }, noon)
    await aSettledCase(open, { id: "a-1", user: "BOB" })
    await aSettledCase(open, { id: "a-2", user: "ANN", resolvedBy: "bob@example.com" })
    const commit = createCommitter(redis, store.keys, unbounded)
    let left = cut
    const cutShort: Committer = async (one) => {
      if (left === 0) throw new Error("cut")
      left -= 1
      return commit(one)
    }

    const first = erasePerson(
      {
        ...configPlaceOf(open, cutShort),
        installation: open.installation,
        freshness: store.freshness,
        config: configPlaceOf(open, cutShort),
      },
      bob,
    )
    await expect(first).rejects.toThrow("cut")
    await store.erase(bob)

    expect(await store.verifyLedger()).toMatchObject({ entries: 16, erased: 6, problem: null })
    for (const { id } of [{ id: "a-1" }, { id: "a-2" }]) {
      const after = await store.cases.read(caseIdOf(open.installation, "main", id))
      expect(JSON.stringify(after)).not.toContain("bob@example.com")
    }
    expect(await kinds(open)).not.toContain("pinned kept")
  },
)

test("an erasable record that was changed, deleted or moved is found and named", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  const { commands } = open.connection
  const [[key = "", first = ""] = [], [, second = ""] = []] = await sidesOf(open)
  const whole = (await commands.hgetBuffer(key, first)) ?? Buffer.alloc(0)

  await commands.hset(key, first, (await commands.hgetBuffer(key, second)) ?? "")
  expect((await open.store.verifyLedger()).problem).toMatchObject({
    code: "erasable-changed",
    number: 4,
    message: "the erasable record of entry 4 is not the one that entry names",
  })
  expect((await kinds(open))[0]).toBe("voted changed")
  await commands.hdel(key, first)
  expect((await open.store.verifyLedger()).problem).toMatchObject({
    code: "erasable-missing",
    number: 4,
    message: "the erasable record of entry 4 is gone, and nobody erased it",
  })
  expect((await kinds(open))[0]).toBe("voted missing")
  await commands.hset(key, first, whole)
  expect((await open.store.verifyLedger()).problem).toBeNull()
  await open.store.erase(bob)
  await commands.hset(key, first, whole)
  expect((await open.store.verifyLedger()).problem).toMatchObject({
    code: "erasable-returned",
    number: 4,
    message: "the erasable record of entry 4 was erased, and is there again",
  })
})

test("the ledger holds while somebody is erased", async () => {
  const open = await openStore()
  for (let round = 0; round < 12; round += 1) await aSettledCase(open, { id: `a-${round}`, user: "BOB" })

  const erasing = open.store.erase(bob)
  const found: unknown[] = []
  for (let round = 0; round < 6; round += 1) found.push((await open.store.verifyLedger()).problem)
  await erasing

  expect(found.filter((problem) => problem !== null)).toEqual([])
  expect((await open.store.verifyLedger()).erased).toBe(48)
})

test("a removed case leaves its entries and the end of its chain, and nothing else", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })

  const removed = await open.store.retention.remove(current.id, due)

  expect(removed).toEqual({ approval: "a-1", instance: "main", erasables: 3, receipts: 1 })
  expect(await open.store.verifyLedger()).toMatchObject({ entries: 8, cases: 1, erased: 4, problem: null })
  expect(await kinds(open)).toEqual(["voted erased", "decided erased", "resolved erased"])
  expect(await open.store.cases.read(current.id)).toBeNull()
  expect(await open.store.cases.listSettled({ offset: 0, limit: 9 })).toEqual({ cases: [], total: 0 })
  expect(await open.store.receipt("decision-a-1")).toBeNull()
  expect((await opened(open)).at(-1)?.entry?.event).toMatchObject({ kind: "removed", approval: "a-1", erasables: 3 })
  expect(await open.store.retention.remove(current.id, due)).toBeNull()
})

test("a removed case whose cards were to be rewritten is due no more", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const next = { ...current, time: { ...current.time, blankAt: noon } }
  await open.store.cases.commit({ next, expectedVersion: current.version, events: [] })
  expect(await open.store.cases.deadlines(5)).toEqual([{ caseId: current.id, at: noon }])

  await open.store.retention.remove(current.id, due)

  expect(await open.store.cases.deadlines(5)).toEqual([])
})

test("a case that is not closed is not removed", async () => {
  const open = await openStore()
  const current = await committedCase(open)

  expect(await open.store.retention.remove(current.id, due)).toBeNull()
  expect(await open.store.retention.remove("unknown", due)).toBeNull()
  expect(await open.store.cases.read(current.id)).toMatchObject({ state: "open" })
})

test("an approval that is pending again after its case was removed opens a case that goes on with the chain", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  await open.store.retention.remove(current.id, due)

  const again = await committedCase(open, anApproval({ id: "a-1" }))
  await open.store.cases.commit({ ...miss(again, noon), expectedVersion: again.version })

  expect(again).toMatchObject({ state: "open", chain: { count: 7 } })
  expect(await open.store.cases.known("main", ["a-1"])).toEqual(new Map([["a-1", expect.stringMatching(/./)]]))
  expect(await open.store.verifyLedger()).toMatchObject({ entries: 10, cases: 1, problem: null })
})

test("a removed case that is brought back is found", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const { commands } = open.connection
  const key = open.store.keys.case(current.id)
  const before = await commands.dumpBuffer(key)
  await open.store.retention.remove(current.id, due)

  await commands.restore(key, 0, before, "REPLACE")

  expect((await open.store.verifyLedger()).problem).toMatchObject({
    code: "record-behind",
    chain: `case:${current.id}`,
  })
})

test("retention removes no case before its time, whatever Redis says of when it settled", async () => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "BOB" })
  const { keys, retention } = open.store
  await open.connection.commands.zadd(keys.settled, 0, current.id)

  const due = await retention.due(noon - 1, { offset: 0, limit: 9 })
  const removed = await retention.remove(current.id, { at: noon, settledBefore: noon - 1 })

  expect(due).toEqual([current.id])
  expect(removed).toBeNull()
  expect(await open.store.cases.read(current.id)).toMatchObject({ state: "closed" })
  expect(await open.store.receipt("decision-a-1")).not.toBeNull()
  expect(await kinds(open)).toEqual(["voted kept", "decided kept", "resolved kept"])
})

test("an erased vote whose erasable record was spoiled before is found when it comes back", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  const { commands } = open.connection
  const [[key = "", field = ""] = []] = await sidesOf(open)
  const whole = (await commands.hgetBuffer(key, field)) ?? Buffer.alloc(0)
  await commands.hset(key, field, "spoiled")

  await open.store.erase(bob)
  await commands.hset(key, field, whole)

  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "erasable-returned" })
})

test.each([
  ["spoiled", (open: OpenStore, key: string, field: string) => open.connection.commands.hset(key, field, "spoiled")],
  ["taken away", (open: OpenStore, key: string, field: string) => open.connection.commands.hdel(key, field)],
])("a text of nobody in particular that was %s cannot be erased, and the erasure says so", async (_, spoil) => {
  const open = await openStore()
  const current = await aSettledCase(open, { id: "a-1", user: "ANN", resolvedBy: "bob@example.com" })
  const [, , [key = "", field = ""] = []] = await sidesOf(open)
  await spoil(open, key, field)

  const erasure = await open.store.erase({ ...bob, names: ["bob@example.com"] })

  expect(erasure.left).toEqual([{ caseId: current.id, why: "unreadable" }])
})

test("entries that are gone or not ours any more keep the erasure from saying that all is done", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  const { commands } = open.connection
  const [voted] = (await opened(open)).filter(({ entry }) => entry?.event["kind"] === "voted")
  await commands.xdel(open.store.keys.ledger, `${voted?.number}-0`)
  await commands.xadd(open.store.keys.ledger, "1000-0", "body", "{}", "mac", "x")
  await commands.set(open.store.keys.sequence, "1000")

  const { unread } = await open.store.erase(bob)

  expect(unread).toBeGreaterThanOrEqual(2)
})

/** A case whose rule asks by address, and whose platform names people in its words. */
async function aTalkativeCase(open: OpenStore) {
  const approvers = ["boss@corp.example", "bob@example.com"].map((email) => ({ kind: "email" as const, email }))
  const policy = policyOf([aRule({ approvers: [...approvers, { kind: "user", id: "U7" }] })], [])
  const approval = anApproval({ id: "a-1", userId: "asker@corp.example" })
  const opening = openCase({ installation: open.installation, approval, policy, epoch: "e-1", at: noon })
  const events: readonly CaseEvent[] = [
    ...opening.events,
    { kind: "attempted", at: noon, decision: "d", attempt: 1, result: "403 bob@example.com may not resolve" },
    { kind: "reopened", at: noon, decision: "d", why: "the platform refused: 403 bob@example.com may not resolve" },
    { kind: "run-ended", at: noon, run: "r", end: "refused", by: "us", detail: "said-of-the-run", deviations: [] },
    { kind: "not-resumed", at: noon, why: "said-of-the-resume", who: "asker@corp.example" },
  ]
  const done = await open.store.cases.commit({ next: opening.next, expectedVersion: 0, events })
  if (done.kind !== "committed") throw new Error(done.kind)
  return done.case
}

test("R15 whom a rule asks by address, who asked, and the platform's words do not stand in the ledger in clear", async () => {
  const open = await openStore()
  const current = await aTalkativeCase(open)

  const text = await everything(open)

  expect(text).toContain("U7")
  for (const secret of ["@corp.example", "@example.com", "may not resolve", "said-of"])
    expect(text).not.toContain(secret)
  const shown = await open.store.reading.entriesOf(current.id, { after: 0, limit: 9 })
  const told = shown.map(({ said }) => said?.event)
  expect(told[0]).toMatchObject({
    asked: [{ approvers: ["address 1", "address 2", "U7"] }],
    "address 1": "boss@corp.example",
    "address 2": "bob@example.com",
  })
  expect(told[1]).toMatchObject({ result: "403 bob@example.com may not resolve" })
  expect(told[4]).toMatchObject({ why: "said-of-the-resume", who: "asker@corp.example" })
})

test("an erased person is gone from those who were asked, and from the platform's words", async () => {
  const open = await openStore()
  const current = await aTalkativeCase(open)
  const event = { kind: "elsewhere" as const, status: "rejected", resolvedBy: null, claimsToBeOurs: false, at: noon }
  const outcome = { kind: "elsewhere" as const, status: "rejected" as const, resolvedBy: null, at: noon }
  const resumption = { kind: "withheld" as const, at: noon, why: "for Bob@Example.com, it was not continued" }
  const settled = settle({ ...current, resumption }, outcome, event)
  const done = await open.store.cases.commit({ ...settled, expectedVersion: 1 })
  if (done.kind !== "committed") throw new Error(done.kind)
  await open.store.cases.commit({ ...close(done.case, noon), expectedVersion: 2 })

  const erasure = await open.store.erase({ ...bob, names: ["bob@example.com"] })

  expect(erasure).toMatchObject({ erasables: 3, cases: 1, left: [] })
  expect(await kinds(open)).toEqual([
    "opened erased",
    "attempted erased",
    "reopened erased",
    "run-ended kept",
    "not-resumed kept",
  ])
  expect(JSON.stringify(await open.store.cases.read(current.id))).not.toMatch(/bob@example/i)
  expect(await open.store.verifyLedger()).toMatchObject({ erased: 3, problem: null })
})

test("R15 a receipt, with names and a hash that values can be guessed from, does not stand in Redis in clear", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })

  const text = await everything(open)

  expect(text).not.toContain("receipt of a-1")
  expect(await open.store.receipt("decision-a-1")).toBe("receipt of a-1")
})

test("a receipt that was moved to another decision, spoiled or put back after an erasure is found", async () => {
  const open = await openStore()
  await aSettledCase(open, { id: "a-1", user: "BOB" })
  await aSettledCase(open, { id: "a-2", user: "BOB" })
  const { commands } = open.connection
  const [one, other] = ["decision-a-1", "decision-a-2"].map((decision) => open.store.keys.receipt(decision))
  const whole = await commands.dumpBuffer(one ?? "")

  await commands.restore(other ?? "", 0, whole, "REPLACE")
  const moved = await open.store.receipt("decision-a-2")
  const found = await open.store.verifyLedger()
  await open.store.erase(bob)
  await commands.restore(one ?? "", 0, whole, "REPLACE")
  await commands.del(other ?? "")

  expect(moved).not.toContain("receipt of")
  expect(found.problem).toMatchObject({ code: "receipt-changed" })
  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "receipt-returned" })
})

const stop = { match: { agent: ["billing"] }, until: null, at: noon }
const byBob = { kind: "person", team: "T1", user: "BOB", name: "Bob Example" } as const

test("R21 a person is erased from orders: the record is written anew, and what they ordered stays in force", async () => {
  const open = await openStore()
  const { orders } = open.store.config
  await orders.stop({ ...stop, by: byBob, reason: "because BOB says so" })
  await orders.stop({ ...stop, match: {}, by: { kind: "operator", name: "ann" }, reason: "because ANN says so" })
  const over = await orders.stop({ ...stop, match: { team: ["t"] }, by: byBob, reason: "for a moment" })
  await orders.end("stop" in over ? over.stop.id : "", { by: byBob, at: noon })

  const done = await open.store.erase(bob)

  expect(done).toMatchObject({ erasables: 3, left: [] })
  const [first, second] = (await orders.list()).stops
  expect(first).toMatchObject({ match: { agent: ["billing"] }, by: { ...byBob, name: null }, reason: "(erased)" })
  expect(second).toMatchObject({ by: { kind: "operator", name: "ann" }, reason: "because ANN says so" })
  expect(await open.store.verifyLedger()).toMatchObject({ erased: 3, problem: null })
  const texts = (await opened(open)).map(({ erasable }) => (erasable?.kind === "kept" ? JSON.stringify(erasable) : ""))
  expect(texts.join()).toContain("because ANN says so")
  expect(texts.join()).not.toMatch(/Bob Example|because BOB|for a moment/)
})

test("R21 an operator is erased from orders by the name of their account, and a second erasure finds nothing left over", async () => {
  const open = await openStore()
  await open.store.config.orders.stop({ ...stop, by: { kind: "operator", name: "bob" }, reason: "because BOB says so" })
  await open.store.erase({ ...bob, names: ["bob"] })

  const again = await open.store.erase({ ...bob, names: ["bob"] })

  expect((await open.store.config.orders.list()).stops).toMatchObject([{ by: { name: null }, reason: "(erased)" }])
  expect(again).toMatchObject({ erasables: 0, left: [] })
})
