// What a Countersign wrote that had chains in lists and its ledger as text: read for ever, and gone on with.
import { readFileSync } from "node:fs"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { miss } from "../../src/domain/case/verdict.ts"
import { numbersField } from "../../src/store/ledger/commit-script.ts"
import { keysLike } from "../support/redis.ts"
import { anApproval, entriesOf, noon, type OpenStore, openingOf, openStore, plainLedger } from "./support.ts"

const installation = "written-before"
const fixture = new URL("../fixtures/store/written-before.json", import.meta.url)
const written: readonly (readonly [key: string, command: string, ...args: string[]])[] = JSON.parse(
  readFileSync(fixture, "utf8"),
)

/** A store on what was written then: cases `a-1` (open), `a-2` (sending), `a-3` and `a-4` (closed). */
async function openOld(): Promise<OpenStore> {
  return openStore({
    installation,
    before: async (store, { commands }) => {
      const own = () => keysLike(commands, `${store.keys.tag}:*`)
      const clear = async () => void ((await own()).length > 0 && (await commands.del(...(await own()))))
      await clear()
      onTestFinished(clear)
      for (const [key, command, ...args] of written)
        await commands.call(command, key, ...args.map((arg) => Buffer.from(arg, "base64")))
    },
  })
}

const caseNamed = (approval: string) => caseIdOf(installation, "main", approval)

async function read(open: OpenStore, approval: string) {
  const found = await open.store.cases.read(caseNamed(approval))
  if (found === null || "kind" in found) throw new Error(`no case of ${approval}`)
  return found
}

let open: OpenStore
beforeEach(async () => {
  open = await openOld()
})

test("what an older version wrote is read and verified, with receipts and erasable records", async () => {
  const [waits, sending, closed] = [await read(open, "a-1"), await read(open, "a-2"), await read(open, "a-3")]

  expect([waits.state, sending.state, closed.state]).toEqual(["open", "sending", "closed"])
  expect(await open.store.receipt("decision-2")).toBe("receipt of a-2")
  const entries = await open.store.reading.entriesOf(caseNamed("a-3"), { after: 1, limit: 1 })
  expect(entries[0]?.said?.event).toMatchObject({ kind: "voted", name: expect.any(String) })
  expect(await open.store.verifyLedger()).toMatchObject({ cases: 4, problem: null })
})

test("a case goes on in today's form: what was written stays as it is, and its numbers stand in its record", async () => {
  const before = await plainLedger(open)
  const waits = await read(open, "a-1")
  const { keys } = open.store
  const { commands } = open.connection

  const done = await open.store.cases.commit({ ...miss(waits, noon), expectedVersion: waits.version })

  expect(done.kind).toBe("committed")
  expect((await plainLedger(open)).slice(0, before.length)).toEqual(before)
  expect((await commands.hget(keys.case(waits.id), numbersField))?.split(" ")).toHaveLength(3)
  expect(await commands.exists(keys.chain(`case:${waits.id}`))).toBe(0)
  const [[, fields] = []] = await commands.xrevrangeBuffer(keys.ledger, "+", "-", "COUNT", 1)
  expect(fields?.map(String)[0]).toBe("e")
  expect(await open.store.verifyLedger()).toMatchObject({ problem: null })
})

test("brought up to date, what is settled is no more among the known approvals, and is known all the same", async () => {
  const { keys, cases } = open.store
  const { commands } = open.connection

  await open.store.migrate(noon)

  expect((await commands.hkeys(keys.known("main"))).toSorted()).toEqual(["a-1", "a-2"])
  expect((await cases.known("main", ["a-2", "a-3", "a-9"])).get("a-3")).toBe("")
  expect(await commands.exists(`${keys.tag}:open:main`, `${keys.tag}:roomed:main`)).toBe(0)
  const named = ["a-1", "a-2"].flatMap((id) => [caseNamed(id), `${id}:${caseNamed(id)}`])
  expect(await commands.zrange(keys.beginnings, "0", "-1")).toEqual(named.toSorted())
  const { next, events } = openingOf(installation, anApproval({ id: "a-6" }))
  const opening = { next, events, expectedVersion: 0 }
  expect(await cases.commit({ ...opening, within: { perInstance: 2, perAgent: 9 } })).toEqual({ kind: "full" })
  expect(await cases.commit({ ...opening, within: { perInstance: 3, perAgent: 9 } })).toMatchObject({
    kind: "committed",
  })
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("people are erased, and old cases removed, from what was written before", async () => {
  await open.store.erase({ person: "T1:BOB", names: [], by: "operator", at: noon })
  const order = { at: noon, settledBefore: Number.POSITIVE_INFINITY }
  const removed = await open.store.retention.remove(caseNamed("a-4"), order)

  expect(removed).toMatchObject({ sides: 3, receipts: 1 })
  expect((await entriesOf(open)).map((entry) => entry?.event["kind"])).toContain("erased")
  expect((await open.store.verifyLedger()).problem).toBeNull()
})
