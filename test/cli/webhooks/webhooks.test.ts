// countersign webhooks, as a terminal runs it: what waits and what was given up, and how it is sent again.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { beginOutbox } from "../../../src/flow/webhook/outbox.ts"
import { startRedis } from "../../../src/setup/redis/start-redis.mjs"
import { anInstallation, noon, type OpenStore, openStore } from "../../store/support.ts"
import { aFolder } from "../../support/opened.ts"
import { command, type Ended } from "../command.ts"

const key = "a key of the tests that is long enough"

interface Place extends OpenStore {
  readonly countersign: (...args: readonly string[]) => Promise<Ended>
}

/** An installation on a Redis of its own, whose file has a webhook, and whose environment lacks its secret. */
async function aPlace(): Promise<Place> {
  const cwd = aFolder("webhooks")
  const installation = anInstallation()
  const webhook = '{name: siem, url: "https://siem.example.com", secret: "${NOT_SET}"}'
  const rules = "rules: [{name: all, routes: [C0A], approvers: [U0A], unknown_requester: allow}]"
  writeFileSync(join(cwd, "countersign.yaml"), `installation: ${installation}\nwebhooks: [${webhook}]\n${rules}\n`)
  const redis = await startRedis({ folder: join(cwd, ".countersign", "redis"), env: process.env, log: () => {} })
  onTestFinished(() => redis.stop())
  const open = await openStore({ url: redis.url, installation, key: Buffer.from(key) })
  return { ...open, countersign: (...args) => command(args, { env: { COUNTERSIGN_KEY: key }, cwd }).ended }
}

const letter = (number: number) => ({ number, chain: "config", at: noon, why: "answered 500" })

/** A place whose webhook gave up the first entry, and has not dealt with what came later. */
async function aPlaceWithTrouble(): Promise<Place> {
  const place = await aPlace()
  const next = { ...beginOutbox(1), lastFailure: { at: noon, why: "answered 500" } }
  await place.store.outboxes.save("siem", { before: { mark: null, outbox: null }, next, died: [letter(1)] })
  return place
}

test("webhooks says that none has run, and any other word on one that did not run is refused", async () => {
  const { countersign } = await aPlace()

  expect(await countersign("webhooks")).toEqual({
    code: 0,
    out: "no webhook has run yet: webhooks of the config begin when the bot starts\n",
    err: "",
  })
  expect(await countersign("webhooks", "--json")).toMatchObject({ code: 0, out: "[]\n" })
  for (const words of [
    ["retry", "siem"],
    ["replay", "siem", "--from", "1"],
    ["on", "siem"],
  ])
    expect(await countersign("webhooks", ...words)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("no webhook siem has run here: no webhook has run here yet"),
    })
})

test("webhooks lists what waits since when, the last failure and each dead letter, as text and for programs", async () => {
  const { countersign, store } = await aPlaceWithTrouble()
  const waiting = (await store.outboxes.ledgerEnd()) - 1
  const time = new Date(noon).toISOString()

  const { out } = await countersign("webhooks")
  const json = JSON.parse((await countersign("webhooks", "--json")).out)

  expect(waiting).toBeGreaterThan(0)
  expect(out).toContain(
    `siem  on  ${waiting} waiting, the oldest since ${time}, 1 dead letters, dealt with up to entry 1`,
  )
  expect(out).toContain(`  last failure ${time}: it answered 500`)
  expect(out).toContain(`  dead letter: entry 1, given up ${time}: it answered 500`)
  expect(out).toContain("  to send them again: countersign webhooks retry siem")
  expect(json).toEqual([
    {
      webhook: "siem",
      state: "on",
      waiting,
      oldest_at: time,
      cursor: 1,
      last_failure: { at: time, why: "answered 500" },
      dead_letters: [{ entry: 1, at: time, why: "answered 500" }],
    },
  ])
})

test("retry makes dead letters wait again, those that are named or all, and says so if there are none", async () => {
  const { countersign, store } = await aPlaceWithTrouble()

  const unknown = await countersign("webhooks", "retry", "siem", "1", "2")
  const wrong = await countersign("webhooks", "retry", "siem", "first")
  const named = await countersign("webhooks", "retry", "siem", "1")
  const none = await countersign("webhooks", "retry", "siem")

  expect(unknown).toMatchObject({
    code: 1,
    err: expect.stringContaining("siem has no dead letter 2. Nothing has changed"),
  })
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringContaining("must be a whole number of 1 or more, not first"),
  })
  expect(named).toMatchObject({ code: 0, out: "1 dead letter of siem wait again, and are sent within seconds\n" })
  expect(none).toMatchObject({ code: 0, out: "siem has no dead letters\n" })
  expect((await store.outboxes.read("siem")).outbox?.waiting).toMatchObject([{ entries: [{ number: 1 }] }])
})

test("retry takes no more than may wait at once, and says how many are left", async () => {
  const { countersign, store } = await aPlace()
  const died = Array.from({ length: 1_005 }, (_, at) => letter(at + 1))
  await store.outboxes.save("siem", { before: { mark: null, outbox: null }, next: beginOutbox(2_000), died })

  const first = await countersign("webhooks", "retry", "siem")
  const second = await countersign("webhooks", "retry", "siem")

  expect(first.out).toContain("1000 dead letters of siem wait again")
  expect(first.out).toContain("5 are left")
  expect(second).toMatchObject({ code: 0, out: "too much waits already: run this again when less does\n" })
  expect(await store.outboxes.countDead("siem")).toBe(5)
})

test("replay goes on at an entry, with dead letters from there on among it, and never beyond the ledger's end", async () => {
  const { countersign, store } = await aPlaceWithTrouble()
  const end = await store.outboxes.ledgerEnd()

  const beyond = await countersign("webhooks", "replay", "siem", "--from", String(end + 2))
  const nowhere = await countersign("webhooks", "replay", "siem")
  const done = await countersign("webhooks", "replay", "siem", "--from", "1")

  expect(beyond).toMatchObject({
    code: 1,
    err: expect.stringContaining(`--from takes at most ${end + 1}. Nothing has changed`),
  })
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("--from") })
  expect(done.out).toContain(`siem sends entries 1 to ${end} from now on`)
  expect((await store.outboxes.read("siem")).outbox).toMatchObject({ cursor: 0, waiting: [] })
  expect(await store.outboxes.countDead("siem")).toBe(0)
  expect((await countersign("webhooks", "replay", "siem", "--from", String(end + 1))).out).toContain(
    "siem goes on behind the last entry",
  )
})

test("on switches a webhook on that a 410 switched off, and the list says that it is off", async () => {
  const { countersign, store } = await aPlace()
  const next = { ...beginOutbox(1), off: { at: noon, address: "abc" } }
  await store.outboxes.save("siem", { before: { mark: null, outbox: null }, next })

  expect((await countersign("webhooks")).out).toContain(
    "  its receiver answered 410: give it another url, or countersign webhooks on siem",
  )
  expect((await countersign("webhooks", "on", "siem")).out).toBe("siem is on: what waits is sent within seconds\n")
  expect((await countersign("webhooks", "on", "siem")).out).toBe("siem is on already\n")
  expect((await store.outboxes.read("siem")).outbox?.off).toBeNull()
})

test("an outbox that somebody else wrote is said to be, and only a replay begins it anew", async () => {
  const { countersign, store, connection } = await aPlace()
  await connection.commands.hset(store.keys.webhooks, "siem", "forged")

  expect((await countersign("webhooks")).out).toContain("siem  tampered")
  for (const words of [["on", "siem"]])
    expect(await countersign("webhooks", ...words)).toMatchObject({
      code: 1,
      err: expect.stringContaining("countersign webhooks replay siem --from NUMBER says where it goes on"),
    })
  expect(await countersign("webhooks", "replay", "siem", "--from", "1")).toMatchObject({ code: 0 })
  expect((await countersign("webhooks")).out).toContain("siem  on")
})

/** A place whose config has `siem`, while `old` ran here as well and gave up an entry. */
async function aPlaceWithRemoved(): Promise<Place> {
  const place = await aPlace()
  for (const [name, died] of [
    ["siem", []],
    ["old", [letter(1)]],
  ] as const)
    await place.store.outboxes.save(name, { before: { mark: null, outbox: null }, next: beginOutbox(1), died })
  return place
}

test("a webhook that the config does not have any more is listed as that, without a number that grows for ever", async () => {
  const { countersign } = await aPlaceWithRemoved()

  const { out } = await countersign("webhooks")
  const json = JSON.parse((await countersign("webhooks", "--json")).out)

  expect(out).toContain("old  no longer in the config  1 dead letters, dealt with up to entry 1\n")
  expect(out).toContain("  to remove what is kept of it: countersign webhooks forget old\n")
  expect(out).not.toContain("retry old")
  expect(out).toMatch(/^siem  on  \d+ waiting/m)
  expect(json).toMatchObject([
    { webhook: "old", state: "removed", waiting: null, oldest_at: null, cursor: 1 },
    { webhook: "siem", state: "on" },
  ])
})

test("nothing is promised about a webhook that the config does not have any more", async () => {
  const { countersign, store } = await aPlaceWithRemoved()

  for (const words of [
    ["retry", "old"],
    ["replay", "old", "--from", "1"],
    ["on", "old"],
  ])
    expect(await countersign("webhooks", ...words)).toMatchObject({
      code: 1,
      err: expect.stringContaining("old is no longer in the config, so nothing of it is sent"),
    })
  expect(await store.outboxes.countDead("old")).toBe(1)
})

test("forget removes all that is kept of a webhook, and refuses one that the config has or that never ran", async () => {
  const { countersign, store } = await aPlaceWithRemoved()

  const kept = await countersign("webhooks", "forget", "siem")
  const unknown = await countersign("webhooks", "forget", "nobody")
  const done = await countersign("webhooks", "forget", "old")

  expect(kept).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      "siem is in the config: take it out of each replica's file and start the replicas anew, then run this again",
    ),
  })
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("those that ran are old, siem") })
  expect(done).toMatchObject({
    code: 0,
    out: "old is forgotten, and 1 dead letter with it. A webhook of that name would begin with what happens after its first start.\n",
  })
  expect(await store.outboxes.names()).toEqual(["siem"])
  expect(await store.outboxes.read("old")).toEqual({ mark: null, outbox: null })
  expect(await store.outboxes.countDead("old")).toBe(0)
})
