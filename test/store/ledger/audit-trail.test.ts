// How far audit rows are in the ledger: mark and entries in one commit, so that each row is told once.

import { expect, test } from "vitest"
import type { AuditMark, AuditRow } from "../../../src/flow/ports.ts"
import { entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const first: AuditMark = { version: 1, readTo: noon, seen: [] }
const row: AuditRow = {
  approval: "a-1",
  run: "run-1",
  agent: "report-agent",
  team: null,
  tool: "export_report",
  status: "approved",
  digest: "d",
  madeAt: noon,
}
const second: AuditMark = { version: 2, readTo: noon, seen: [{ approval: "a-1", madeAt: noon }] }

async function begun(): Promise<OpenStore> {
  const open = await openStore()
  await open.store.audits.enter("main", first, { rows: [], at: noon })
  return open
}

const toldIn = async (open: OpenStore) =>
  (await entriesOf(open)).filter((entry) => entry?.chain === "audits:main").map((entry) => entry?.event)

test("the mark and an entry for each row are written together, and the ledger verifies", async () => {
  const open = await begun()
  expect(await open.store.audits.read("second")).toBeNull()

  expect(await open.store.audits.enter("main", second, { rows: [row], at: noon })).toBe(true)

  expect(await open.store.audits.read("main")).toEqual(second)
  expect(await toldIn(open)).toEqual([
    { kind: "audits-begun", at: noon, instance: "main" },
    { kind: "audited", at: noon, instance: "main", ...row },
  ])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("one of two replicas that know the same mark enters the row", async () => {
  const open = await begun()
  const other = await openStore({ installation: open.installation })

  const done = await Promise.all(
    [open, other].map(({ store }) => store.audits.enter("main", second, { rows: [row], at: noon })),
  )

  expect(done.filter(Boolean)).toHaveLength(1)
  expect(await toldIn(open)).toHaveLength(2)
})

test("R14 a mark that we did not write is refused, and verify finds it", async () => {
  const open = await begun()
  await open.connection.commands.hset(open.store.keys.audits("main"), "sealed", Buffer.alloc(80, 1))

  await expect(open.store.audits.read("main")).rejects.toMatchObject({ code: "tampered" })
  expect((await open.store.verifyLedger()).problem).toMatchObject({ code: "record-tampered", chain: "audits:main" })
})

test("R14 an older mark, a missing one and one without entries are found by verify", async () => {
  const open = await begun()
  const { commands } = open.connection
  const key = open.store.keys.audits("main")
  const older = await commands.hgetallBuffer(key)
  await open.store.audits.enter("main", second, { rows: [row], at: noon })
  const newer = await commands.hgetallBuffer(key)
  const found = async () => (await open.store.verifyLedger()).problem

  await commands.hset(key, older)
  expect(await found()).toMatchObject({ code: "record-behind", chain: "audits:main" })
  await commands.del(key)
  expect(await found()).toMatchObject({ code: "record-missing", chain: "audits:main" })
  await commands.hset(key, newer)
  await commands.hset(open.store.keys.audits("other"), newer)
  expect(await found()).toMatchObject({ code: "record-without-entries", chain: "audits:other" })
})
