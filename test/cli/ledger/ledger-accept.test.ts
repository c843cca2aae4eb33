// countersign ledger accept, as a terminal runs it: nobody takes an older Redis by mistake, and nothing is granted
// before (R17).

import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { sealBound } from "../../../src/proof/bounds.ts"
import { marksFolder, openMarks } from "../../../src/proof/marks.ts"
import { startRedis } from "../../../src/setup/redis/start-redis.mjs"
import {
  anApproval,
  anInstallation,
  asItIs,
  committedCase,
  entriesOf,
  noon,
  type OpenStore,
  openStore,
} from "../../store/support.ts"
import { aFolder } from "../../support/opened.ts"
import { command, type Ended } from "../command.ts"

const key = "a key of the tests that is long enough"
const minutes = 60_000

interface Place extends OpenStore {
  readonly dataFolder: string
  readonly countersign: (...args: readonly string[]) => Promise<Ended>
}

/** An installation with an open case, on a Redis of its own, and a terminal. */
async function aPlace(ledger = ""): Promise<Place> {
  const cwd = aFolder("accept")
  const env = {
    SLACK_BOT_TOKEN: "xoxb-of-nobody",
    SLACK_APP_TOKEN: "xapp-of-nobody",
    // Nobody listens there: the commands say that Slack was not asked.
    SLACK_API_URL: "http://127.0.0.1:9/api/",
    SLACK_SANDBOX: "true",
    PLATFORM_URL: "http://127.0.0.1:9",
    COUNTERSIGN_KEY: key,
  }
  const installation = anInstallation()
  const rule = "{name: all, routes: [C0APPROVALS], approvers: [U0ALICE], unknown_requester: allow}"
  writeFileSync(join(cwd, "countersign.yaml"), `installation: ${installation}\n${ledger}\nrules: [${rule}]\n`)
  const dataFolder = join(cwd, ".countersign")
  const redis = await startRedis({ folder: join(dataFolder, "redis"), env: process.env, log: () => {} })
  onTestFinished(() => redis.stop())
  const open = await openStore({ url: redis.url, installation, key: Buffer.from(key) })
  await committedCase(open)
  return { ...open, dataFolder, countersign: (...args) => command(args, { env, cwd }).ended }
}

/** Redis loses a link that a command said was done: a checkpoint outside Redis knows of it. */
async function rolledBack(place: Place): Promise<void> {
  const rollBack = await asItIs(place)
  expect(await place.countersign("people", "link", "ann@example.com", "T1:U1")).toMatchObject({ code: 0 })
  await rollBack()
}

/** Size and root, from the command that it shows. */
function shownIn({ out, err }: Ended): readonly [string, string] {
  const [, size, root] = /^countersign ledger accept (\d+) ([0-9a-f]{64})$/m.exec(out + err) ?? []
  if (size === undefined || root === undefined) throw new Error(`no command is shown: ${out}${err}`)
  return [size, root]
}

function shownLine(size: string, root: string): string {
  return `countersign ledger accept ${size} ${root}`
}

async function kindsIn(place: Place): Promise<readonly unknown[]> {
  return (await entriesOf(place)).map((entry) => entry?.event["kind"])
}

test("R17 where Redis holds all that is known there is nothing to accept, and nothing is written", async () => {
  const place = await aPlace()
  const before = await kindsIn(place)

  const shown = await place.countersign("ledger", "accept")
  const accepted = await place.countersign("ledger", "accept", "3", "0".repeat(64))

  expect(shown).toMatchObject({
    code: 0,
    out: `Redis holds all that is known of the ledger: ${before.length} entries. There is nothing to accept.\n`,
  })
  expect(accepted).toMatchObject({ code: 1, err: expect.stringContaining("there is nothing to accept") })
  expect(await kindsIn(place)).toEqual(before)
})

test("R17 a roll-back is shown with why, the sizes and the very command; only as shown it is accepted, once", async () => {
  const place = await aPlace()
  const { countersign } = place
  await rolledBack(place)
  const before = await kindsIn(place)

  const shown = await countersign("ledger", "accept")
  const [size, root] = shownIn(shown)
  const otherSize = await countersign("ledger", "accept", String(Number(size) + 1), root)
  const otherRoot = await countersign("ledger", "accept", size, "0".repeat(64))

  expect(shown.code).toBe(1)
  expect(shown.out).toContain(`a checkpoint covers ${before.length + 1} entries, the ledger has ${before.length}`)
  expect(shown.out).toContain(`had at least ${before.length + 1} entries, and has ${before.length} now`)
  expect(shown.out).toContain("all open cases are then asked for again")
  for (const refused of [otherSize, otherRoot])
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Nothing is accepted. This accepts it as it is now:\n${shownLine(size, root)}`),
    })
  expect(await kindsIn(place)).toEqual(before)

  const accepted = await countersign("ledger", "accept", size, root)
  const again = await countersign("ledger", "accept")

  expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining("all open cases are asked for again") })
  const era = (await entriesOf(place)).at(-1)
  expect(era?.event).toMatchObject({ kind: "era", why: "accepted", era: 1, touched: null })
  expect(era?.event).toMatchObject({ accepted: { size: Number(size), root } })
  expect(await kindsIn(place)).toEqual([...before, "era"])
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${before.length + 1} entries. There is nothing`),
  })
  expect((await place.store.verifyLedger()).problem).toBeNull()
})

test("R17 if something was appended since, that is said, with the command that accepts what is there by now", async () => {
  const place = await aPlace()
  const { countersign } = place
  await rolledBack(place)
  const [size, root] = shownIn(await countersign("ledger", "accept"))
  await committedCase(place, anApproval({ id: "meanwhile" }))
  const entries = await kindsIn(place)

  const refused = await countersign("ledger", "accept", size, root)
  expect(await kindsIn(place)).toEqual(entries)
  const accepted = await countersign("ledger", "accept", ...shownIn(refused))

  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("appended something since you looked") })
  expect(shownIn(refused)[0]).toBe(String(entries.length))
  expect(accepted).toMatchObject({ code: 0 })
  const verified = await countersign("ledger", "verify")
  expect(verified.code).toBe(0)
  expect(verified.out).toMatch(new RegExp(`none of them vouches for entries \\d+ to ${entries.length}$`, "m"))
})

test("R17 before a roll-back is accepted the ledger verifies as broken, and the command that accepts it is named", async () => {
  const place = await aPlace()
  await rolledBack(place)

  expect(await place.countersign("ledger", "verify")).toMatchObject({
    code: 1,
    out: expect.stringMatching(/ledger BROKEN .*If you restored Redis, accept that first: countersign ledger accept/),
  })
})

test("R17 what is no size and root is refused with what to do", async () => {
  const place = await aPlace()
  await rolledBack(place)
  const before = await kindsIn(place)
  const root = "0".repeat(64)

  for (const args of [["3"], ["many", root], ["-1", root], ["3", "root"], ["3", root.toUpperCase().replace("0", "A")]])
    expect(await place.countersign("ledger", "accept", "--", ...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining("give size and root just as countersign ledger accept shows them"),
    })

  expect(await kindsIn(place)).toEqual(before)
})

test("R7 R17 nobody is linked or unlinked while Redis is rolled back", async () => {
  const place = await aPlace()
  await rolledBack(place)
  const before = await kindsIn(place)

  for (const args of [
    ["link", "bob@example.com", "T1:U2"],
    ["unlink", "bob@example.com"],
  ])
    expect(await place.countersign("people", ...args)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Redis is older than what is known of it: .*countersign ledger accept shows/),
    })

  expect(await kindsIn(place)).toEqual(before)
})

/** Leaves marks of a process that ended and knew the ledger otherwise from an entry on, in an era. */
async function markedBy({ dataFolder, installation, seal }: Place, era: number, from = 90): Promise<void> {
  const alarm = () => expect.unreachable()
  const marks = openMarks({ folder: marksFolder(dataFolder), installation, replica: "ended", seal, alarm })
  marks.note({ number: from, mac: "a", at: noon - minutes, era, heads: { "case:x": [9, "a"] } })
  marks.note({ number: from + 1, mac: "b", at: noon, era, heads: { "case:y": [9, "b"] } })
  await marks.close()
}

test.each([
  ["which is shorter", 90],
  ["though the ledger has outgrown them since", 1],
])("R17 marks of a process that ended say too that Redis was rolled back, %s", async (_, from) => {
  const place = await aPlace()
  await markedBy(place, 4, from)

  const shown = await place.countersign("ledger", "accept")
  const accepted = await place.countersign("ledger", "accept", ...shownIn(shown))

  expect(shown).toMatchObject({
    code: 1,
    out: expect.stringContaining(`entry ${from} was noted by a process, and is gone`),
  })
  expect(accepted.code).toBe(0)
  // After all that was heard of before.
  expect((await entriesOf(place)).at(-1)?.event).toMatchObject({ kind: "era", era: 5 })
  expect(await place.countersign("ledger", "accept")).toMatchObject({ code: 0 })
  expect(await place.countersign("ledger", "verify")).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      "no checkpoint from before an operator accepted a restored Redis vouches for entries 1",
    ),
  })
})

test("R17 where no checkpoint is kept an accepted roll-back counts, and the operator is told what is missing", async () => {
  const place = await aPlace("ledger: { checkpoint_file: none }")
  await markedBy(place, 0)

  const shown = await place.countersign("ledger", "accept")
  const accepted = await place.countersign("ledger", "accept", ...shownIn(shown))

  expect(accepted).toMatchObject({ code: 0, err: expect.stringContaining("set ledger.checkpoint_file") })
})

test("R17 a checkpoint of another key ends the command, and names the line", async () => {
  const place = await aPlace()
  const { dataFolder, installation } = place
  const { seal } = await openStore({ installation: anInstallation(), key: randomBytes(32) })
  const bound = { size: 2, mac: "m", root: "r", peaks: [], heads: "h", era: 0, at: noon }
  mkdirSync(dataFolder, { recursive: true })
  const file = join(dataFolder, "checkpoints.jsonl")
  writeFileSync(file, `${JSON.stringify({ sealed: sealBound(seal, installation, bound) })}\n`)

  expect(await place.countersign("ledger", "accept")).toMatchObject({
    code: 1,
    err: expect.stringContaining(`line 1 of ${file}`),
  })
})
