// Cases and ledger read back from a real Redis: in order, page by page, also where somebody else wrote.

import { expect, test } from "vitest"
import { settle } from "../../../src/domain/case/verdict.ts"
import type { CasePlace } from "../../../src/flow/ports.ts"
import { readChain } from "../../../src/store/ledger/read-ledger.ts"
import { anApproval, committedCase, noon, openStore, plainLedger } from "../support.ts"

const elsewhere = { kind: "elsewhere", status: "approved", resolvedBy: "bob", at: noon } as const
const event = { ...elsewhere, claimsToBeOurs: false }

async function manyCases(open: Awaited<ReturnType<typeof openStore>>, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) ids.push((await committedCase(open, anApproval({ id: `a-${at}` }))).id)
  return ids
}

test("pages hold every case once, also those of one moment, and wherever a case moved meanwhile", async () => {
  const open = await openStore()
  const ids = await manyCases(open, 23)
  const { reading, cases } = open.store
  const seen: string[] = []

  let after: CasePlace | null = null
  for (;;) {
    const page = await reading.cases({ after, until: null, limit: 5 })
    seen.push(...page.map(({ place }) => place.caseId))
    after = page.at(-1)?.place ?? null
    if (page.length < 5) break
    const first = page[0]?.found
    if (first !== undefined && !("kind" in first))
      await cases.commit({ ...settle(first, elsewhere, event), expectedVersion: first.version })
  }

  expect(seen.toSorted()).toEqual([...ids].toSorted())
  expect(new Set(seen).size).toBe(23)
})

test("a case that somebody else wrote is told as such, and one that is gone is left out", async () => {
  const open = await openStore()
  const [first = "", second = "", third = ""] = await manyCases(open, 3)
  const { reading, keys } = open.store
  await open.connection.commands.hset(keys.case(first), "sealed", "nonsense")
  await open.connection.commands.del(keys.case(second))

  const page = await reading.cases({ after: null, until: null, limit: 3 })

  expect(page.map(({ place }) => place.caseId).toSorted()).toEqual([first, third].toSorted())
  expect(page.find(({ place }) => place.caseId === first)?.found).toEqual({
    kind: "tampered",
    why: expect.any(String),
    caseId: first,
  })
  expect(await reading.case(first)).toEqual({ kind: "tampered", why: expect.any(String), caseId: first })
  expect(await reading.case(second)).toBeNull()
})

test("until leaves out what was seen later", async () => {
  const open = await openStore()
  const made = await committedCase(open)
  const { reading } = open.store

  const before = await reading.cases({ after: null, until: made.openedAt - 1, limit: 5 })
  const then = await reading.cases({ after: null, until: made.openedAt, limit: 5 })

  expect([before.length, then.length]).toEqual([0, 1])
})

test("an entry that was changed is shown as not ours, and nothing of it is told", async () => {
  const open = await openStore()
  const made = await committedCase(open)
  const { reading, keys } = open.store
  const { commands } = open.connection
  const [number = ""] = await readChain({ redis: commands, keys }, `case:${made.id}`)
  const [, fields = []] = (await plainLedger(open)).find(([id]) => id === `${number}-0`) ?? []
  await commands.xdel(keys.ledger, `${number}-0`)
  const [, body = "", , mac = ""] = fields
  await commands.xadd(
    `${keys.ledger}`,
    `${Number(number) + 100}-0`,
    "body",
    body.replace("opened", "closed"),
    "mac",
    mac,
  )

  const all = await reading.ledger({ after: 0, limit: 50 })

  expect(all.at(-1)).toEqual({ number: Number(number) + 100, mac, said: null })
  expect(await reading.entriesOf(made.id, { after: 0, limit: 5 })).toEqual([])
})

test("what waits is counted, with the moment since when the oldest does", async () => {
  const open = await openStore()
  const { reading, cases } = open.store
  expect(await reading.waiting()).toEqual({ pending: 0, unfinished: 0, oldestAt: null })
  const [first] = await manyCases(open, 2)
  const waiting = await reading.waiting()

  const found = await cases.read(first ?? "")
  if (found !== null && !("kind" in found))
    await cases.commit({ ...settle(found, elsewhere, event), expectedVersion: found.version })

  expect(waiting).toMatchObject({ pending: 2, oldestAt: expect.any(Number) })
  expect((await reading.waiting()).pending).toBe(1)
})
