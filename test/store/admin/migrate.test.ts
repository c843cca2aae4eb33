// The version of the data: what an older Countersign wrote is brought up to date once, and what a newer one wrote is
// left alone.

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { tookOver } from "../../../src/store/config/config-revision.ts"
import { type DataSchema, migrateCase, ourSchema } from "../../../src/store/redis/data-schema.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { anApproval, committedCase, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const older: DataSchema = { version: 1, migrations: [] }
/** A newer version, which marks every case that it reads. */
const newer: DataSchema = {
  version: 2,
  migrations: [{ to: 2, change: (stored) => ({ ...stored, epoch: "migrated" }) }],
}

async function someCases(open: OpenStore, count: number): Promise<readonly Case[]> {
  const made: Case[] = []
  for (let at = 0; at < count; at += 1) made.push(await committedCase(open, anApproval({ id: `a-${at}` })))
  return made
}

async function read(open: OpenStore, id: string): Promise<Case> {
  const found = await open.store.cases.read(id)
  if (found === null || "kind" in found) throw new Error(`no case ${id}`)
  return found
}

test("a newer Countersign reads what an older one wrote, and writes all of it anew once, with an entry", async () => {
  const old = await openStore({ schema: older })
  const [first] = await someCases(old, 120)
  const next = await openStore({ installation: old.installation, schema: newer })
  expect(await read(next, first?.id ?? "")).toMatchObject({ epoch: "migrated", version: 1 })

  const done = await next.store.migrate(noon)

  expect(done).toEqual({ from: 1, to: 2, cases: 120 })
  expect(await read(next, first?.id ?? "")).toMatchObject({ epoch: "migrated", version: 2 })
  expect((await entriesOf(next)).at(-1)?.event).toEqual({ kind: "migrated", at: noon, from: 1, to: 2, cases: 120 })
  expect(await next.store.migrate(noon)).toBeNull()
  expect((await next.store.verifyLedger()).problem).toBeNull()
})

test("what 0.1.0 wrote means the same today, and is written anew once", async () => {
  const old = await openStore({ schema: older })
  const [first] = await someCases(old, 3)
  const now = await openStore({ installation: old.installation })

  expect(await read(now, first?.id ?? "")).toEqual(first)
  expect(await now.store.migrate(noon)).toEqual({ from: 1, to: ourSchema.version, cases: 3 })
  expect(await read(now, first?.id ?? "")).toMatchObject({ ...first, version: 2, chain: expect.anything() })
})

test("a migration that was cut off goes on where it was, and two at once do it once", async () => {
  const old = await openStore({ schema: older })
  const cases = await someCases(old, 30)
  const { commands } = old.connection
  const one = await openStore({ installation: old.installation, schema: newer })
  // As a process that died after some of them leaves it: the case is new, the installation's record is not.
  const half = await read(one, cases[3]?.id ?? "")
  await one.store.cases.commit({ next: half, expectedVersion: half.version, events: [] })
  const two = await openStore({ installation: old.installation, schema: newer })

  const done = await Promise.all([one.store.migrate(noon), two.store.migrate(noon)])

  expect(done.filter((migrated) => migrated !== null)).toHaveLength(1)
  const entries = (await entriesOf(one)).filter((entry) => entry?.event["kind"] === "migrated")
  expect(entries).toHaveLength(1)
  for (const { id } of cases) expect(await read(one, id)).toMatchObject({ epoch: "migrated", version: 2 })
  expect(await commands.zcard(one.store.keys.list)).toBe(30)
  expect((await one.store.verifyLedger()).problem).toBeNull()
})

test("R16 from the moment that a newer Countersign takes over, an older replica decides nothing and says so", async () => {
  const old = await openStore({ schema: older })
  const [current] = await someCases(old, 1)
  if (current === undefined) throw new Error("no case")
  const next = await openStore({ installation: old.installation, schema: newer })

  const refused = await old.store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

  expect(refused).toEqual({ kind: "config" })
  expect(await old.store.config.obstacle()).toBe(tookOver)
  expect(await next.store.config.obstacle()).toBeNull()
  expect(await read(old, current.id)).toEqual(current)
})

test("R16 a replica that is asked knows at once that a newer Countersign took over", async () => {
  const old = await openStore({ schema: older })
  await old.store.config.demandNewest()
  const next = await openStore({ installation: old.installation, schema: newer })

  const asked = old.store.config.demandNewest()

  await expect(asked).rejects.toMatchObject({ code: "newer-data", message: tookOver, retryable: true })
  await next.store.config.demandNewest()
})

test("a case that a newer Countersign wrote is neither read nor frozen by an older one", async () => {
  const old = await openStore({ schema: older })
  const [current] = await someCases(old, 1)
  const next = await openStore({ installation: old.installation, schema: newer })
  await next.store.migrate(noon)

  const reading = old.store.cases.read(current?.id ?? "")

  await expect(reading).rejects.toMatchObject({ code: "newer-data", retryable: true })
  await expect(reading).rejects.toThrow(/data version 2; this one knows 1.*run the newer one, or restore the backup/)
  expect(await read(next, current?.id ?? "")).toMatchObject({ state: "open" })
})

test("an older Countersign refuses to start on newer data, and changes nothing", async () => {
  const next = await openStore({ schema: newer })
  const before = (await entriesOf(next)).length

  const starting = openStore({ installation: next.installation, schema: older })

  await expect(starting).rejects.toMatchObject({ code: "newer-data" })
  await expect(starting).rejects.toThrow(/installation test-\w+ was written by a newer Countersign/)
  expect(await entriesOf(next)).toHaveLength(before)
})

test("an older Countersign cannot activate its config while the newer one still writes", async () => {
  const old = await openStore({ schema: older })
  await openStore({ installation: old.installation, schema: newer })

  const activating = old.store.config.activate({ shared: aSharedConfig("rev-9"), activate: true, at: noon })

  await expect(activating).rejects.toMatchObject({ code: "newer-data" })
})

test("a step that is no more refuses what it led on from, and says what to do", async () => {
  const old = await openStore({ schema: older })
  const [current] = await someCases(old, 1)
  const later: DataSchema = {
    version: 4,
    migrations: [
      { to: 3, change: (stored) => stored },
      { to: 4, change: (stored) => stored },
    ],
  }

  const starting = openStore({ installation: old.installation, schema: later })
  const reading = () => migrateCase(later, { ...(current as unknown as JsonObject), data: 1 })

  await expect(starting).rejects.toMatchObject({ code: "older-data", retryable: false })
  await expect(starting).rejects.toThrow(/data version 1; this one reads from 2 on.*start this one on an empty Redis/)
  expect(reading).toThrow(/this case was written by an older Countersign/)
})
