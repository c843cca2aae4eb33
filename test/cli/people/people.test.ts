// countersign people, as a terminal runs it: whom addresses mean (R7), and the end of what is kept of somebody.

import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { erasureWords, listedIn } from "../../../src/cli/people/people-words.ts"
import { type Sandbox, startSandbox } from "../../../src/sandbox.ts"
import { startRedis } from "../../../src/setup/redis/start-redis.mjs"
import { aSettledCase } from "../../store/signed-ledger.ts"
import { anInstallation, noon, type OpenStore, openStore } from "../../store/support.ts"
import { aRule } from "../../support/builders.ts"
import { aFolder, opened } from "../../support/opened.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { command, type Ended } from "../command.ts"

const key = "a key of the tests that is long enough"
const alice = { team: "T0SANDBOX", user: "U0ALICE" }
const bob = { team: "T0SANDBOX", user: "U0BOB" }

/** The config of the place's file, as a bot makes it the active one. */
const sharedWithStandIns = aSharedConfig("rev-2", {
  rules: [
    aRule({
      approvers: [{ kind: "user", id: "U0ALICE" }],
      standIns: [
        { kind: "user", id: "U0BOB" },
        { kind: "user", id: "U0DAN" },
      ],
    }),
  ],
})

interface Place extends OpenStore {
  readonly sandbox: Sandbox
  readonly countersign: (...args: readonly string[]) => Promise<Ended>
}

/** An installation on a Redis of its own, a Slack, and a terminal. */
async function aPlace(installed = true): Promise<Place> {
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await opened(startSandbox({ clock: Date.now, random, delivery: { mode: "socket" } }))
  const cwd = aFolder("people")
  const env = {
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_API_URL: sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    PLATFORM_URL: "http://127.0.0.1:9",
    COUNTERSIGN_KEY: key,
  }
  const who = "approvers: [alice@sandbox.example, U0ALICE], stand_ins: [U0BOB, U0DAN]"
  const rule = `{name: all, routes: [C0APPROVALS], ${who}, unknown_requester: allow}`
  const installation = anInstallation()
  writeFileSync(join(cwd, "countersign.yaml"), `installation: ${installed ? installation : "none"}\nrules: [${rule}]\n`)
  const redis = await startRedis({ folder: join(cwd, ".countersign", "redis"), env: process.env, log: () => {} })
  onTestFinished(() => redis.stop())
  const open = await openStore({ url: redis.url, installation, key: Buffer.from(key) })
  return { ...open, sandbox, countersign: (...args) => command(args, { env, cwd }).ended }
}

test("R7 people list shows what was pinned, when and by whom, and what is refused", async () => {
  const { store, countersign } = await aPlace()
  expect((await countersign("people", "list")).out).toContain("no address is pinned")
  await store.identityLinks.pin("alice@sandbox.example", alice, noon)
  await store.identityLinks.link("rita@sandbox.example", bob, { by: "root", at: noon })
  await store.identityLinks.contest("alice@sandbox.example", bob, noon + 1_000)

  const { out, code } = await countersign("people", "list")
  const json = JSON.parse((await countersign("people", "list", "--json")).out)

  expect(code).toBe(0)
  expect(out).toContain(
    "alice@sandbox.example  T0SANDBOX:U0ALICE  pinned 2026-11-21T12:00:00.000Z when first met  REFUSED",
  )
  expect(out).toContain("since 2026-11-21T12:00:01.000Z it means T0SANDBOX:U0BOB: nobody decides by it")
  expect(out).toContain("rita@sandbox.example  T0SANDBOX:U0BOB  pinned 2026-11-21T12:00:00.000Z by root")
  expect(json).toMatchObject([
    { email: "alice@sandbox.example", contested: bob },
    { person: bob, by: "root" },
  ])
})

test("R7 people link names the id anew, if Slack says the same; people unlink forgets it; both are entries", async () => {
  const { store, countersign } = await aPlace()
  await store.identityLinks.pin("alice@sandbox.example", bob, noon)
  await store.identityLinks.contest("alice@sandbox.example", alice, noon)

  const wrong = await countersign("people", "link", "alice@sandbox.example", "U0BOB")
  const right = await countersign("people", "link", "Alice@sandbox.example", "U0ALICE")
  const linked = await store.identityLinks.read("alice@sandbox.example")
  const unlinked = await countersign("people", "unlink", "alice@sandbox.example")
  const again = await countersign("people", "unlink", "alice@sandbox.example")

  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("means T0SANDBOX:U0ALICE, not T0SANDBOX:U0BOB") })
  expect(right).toMatchObject({ code: 0, out: expect.stringContaining("means T0SANDBOX:U0ALICE from now on") })
  expect(linked).toEqual({ person: alice, contested: null })
  expect(unlinked).toMatchObject({ code: 0, out: expect.stringContaining("is pinned to nobody") })
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("is not pinned") })
  const kinds: unknown[] = []
  for await (const { entry } of store.entries(2)) kinds.push([entry?.event["kind"], entry?.sandbox])
  expect(kinds).toEqual([
    ["pinned", false],
    ["contested", false],
    ["linked", true],
    ["unlinked", true],
  ])
  expect((await store.verifyLedger()).problem).toBeNull()
})

test("people erase removes a person by address, says where the config names them, and the export says erased", async () => {
  const open = await aPlace()
  const { store, countersign } = open
  await store.identityLinks.pin("alice@sandbox.example", { team: "T1", user: "ALICE" }, noon)
  await aSettledCase(open, { id: "a-1", user: "ALICE" })
  await aSettledCase(open, { id: "a-2", user: "BOB" })

  const { out, code } = await countersign("people", "erase", "alice@sandbox.example", "--also", "ally")
  const verified = await countersign("ledger", "verify")
  const exported = await countersign("ledger", "export")

  expect(code).toBe(0)
  expect(out).toContain("erased of T1:ALICE: 4 texts and 1 receipts, in 1 cases and 1 pinned addresses")
  expect(out).toContain("rule all still lists them")
  expect(verified.out).toContain("5 texts and receipts beside it are erased")
  const rows = exported.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(rows.filter(({ kind }) => kind === "voted").map(({ text }) => text)).toEqual([
    "erased",
    { name: "Name of BOB", subject: "bob@example.com", reason: "because BOB says so" },
  ])
  expect(exported.out).not.toMatch(/alice@|Name of ALICE/)
})

test("people erase ends with 1 while a case of theirs waits", async () => {
  const open = await aPlace()
  const current = await aSettledCase(open, { id: "a-1", user: "UALICE" })
  await open.connection.commands.hset(open.store.keys.case(current.id), "sealed", "x")

  const { out, code } = await open.countersign("people", "erase", "T1:UALICE")

  expect(code).toBe(1)
  expect(out).toContain(`left: case ${current.id} is frozen`)
})

test("who cannot be told is refused with words", async () => {
  const { countersign } = await aPlace()
  const refused = [
    [["erase", "Alice"], "is neither a person's id (T…:U…) nor an address"],
    [["erase", "nobody@example.com"], "the ledger knows nobody by nobody@example.com"],
    [["link", "alice", "U0ALICE"], "alice is no e-mail address"],
    [["link", "alice@sandbox.example", "alice"], "alice is no Slack id"],
  ] as const

  for (const [args, words] of refused)
    expect(await countersign("people", ...args)).toMatchObject({ code: 1, err: expect.stringContaining(words) })
})

test("an address that was two people's has to be told by id", async () => {
  const open = await aPlace()
  await open.store.identityLinks.pin("ann@example.com", alice, noon)
  await aSettledCase(open, { id: "a-1", user: "ANN" })

  const { err } = await open.countersign("people", "erase", "ann@example.com")

  expect(err).toContain("ann@example.com was T0SANDBOX:U0ALICE and T1:ANN: name the one you mean by id")
})

test("nothing is written where there is no installation", async () => {
  const { countersign } = await aPlace(false)

  const { err, code } = await countersign("people", "unlink", "ann@example.com")

  expect(code).toBe(1)
  expect(err).toContain("there is no installation none in this Redis yet")
})

test("R7 where Slack cannot be asked the operator is believed, and told so", async () => {
  const { store, countersign, sandbox } = await aPlace()
  const down = () => sandbox.faults.web("auth.test", { kind: "status", status: 503 })

  down()
  const short = await countersign("people", "link", "ann@example.com", "U1")
  down()
  const full = await countersign("people", "link", "ann@example.com", "T1:U1")

  expect(short).toMatchObject({ code: 1, err: expect.stringContaining("name the workspace too") })
  expect(full).toMatchObject({ code: 0, err: expect.stringContaining("Slack was not asked") })
  expect(await store.identityLinks.read("ann@example.com")).toEqual({
    person: { team: "T1", user: "U1" },
    contested: null,
  })
})

test("an erasure says what it could not reach, and what to do about it", () => {
  const none = { erasables: 0, receipts: 0, cases: 0, links: 0 }
  const left = (["open", "frozen", "unreadable", "gone"] as const).map((why) => ({ caseId: "c-1", why }))

  const words = erasureWords("T1:U1", { ...none, left, unread: 2 }).filter((line) => line.startsWith("left:"))

  expect(words).toEqual([
    "left: case c-1 is not closed yet; run this again when it is",
    "left: case c-1 is frozen; an operator has to look at it first",
    "left: case c-1 has a text that cannot be read and may be theirs; countersign ledger verify names it",
    "left: case c-1 has lost its record, and its texts are still there; see countersign ledger verify",
    "left: 2 entries of the ledger are gone or not ours, and what they told of; see countersign ledger verify",
  ])
})

test("an erasure names the other Slack ids of the same human", () => {
  const identities = ["U1", "U2"].map((user) => ({ subject: "jane", team: "T1", user }))

  expect(listedIn({ rules: [], identities }, { person: "T1:U1", names: ["jane"] })).toEqual([
    "note: identities of the config still name them",
    "note: identities list T1:U2 as theirs too: erase that id by itself",
  ])
})

test("people away says who is away; people back ends it; each act is an entry, of which a running Countersign tells both", async () => {
  const place = await aPlace()
  const { store, countersign } = place
  await store.config.activate({ activate: false, at: noon, shared: sharedWithStandIns })
  expect((await countersign("people", "away")).out).toContain("nobody is away")

  const made = await countersign("people", "away", "U0ALICE", "U0BOB", "--until", "tomorrow", "--zone", "Asia/Tokyo")
  const again = await countersign("people", "away", "U0ALICE", "U0BOB", "--until", "tomorrow")
  const [absence] = JSON.parse((await countersign("people", "away", "--json")).out)
  const ended = await countersign("people", "back", "U0ALICE")
  const gone = await countersign("people", "back", "U0ALICE")

  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("T0SANDBOX:U0BOB for T0SANDBOX:U0ALICE from ") })
  expect(made.out).toContain("under all")
  for (const { out } of [made, ended]) expect(out).toContain("Countersign tells both by direct message")
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("they are away already") })
  expect(absence).toMatchObject({ person: "T0SANDBOX:U0ALICE", by: { kind: "operator" } })
  expect(ended.out).toContain("Back: ")
  expect(gone).toMatchObject({ code: 1, err: expect.stringContaining("U0ALICE is not away") })
  const kinds = (await store.config.orders.list()).absences
  expect(kinds).toBeUndefined()
})

test.each([
  [["U0ALICE"], "say who stands in, and until when"],
  [["U0ALICE", "bob", "--until", "tomorrow"], "bob is no Slack id"],
  [["U0ALICE", "U0BOB", "--until", "soon"], "soon is no day"],
  [["U0ALICE", "U0DAN", "--until", "tomorrow"], "no rule lets T0SANDBOX:U0DAN stand in"],
  [["U0ALICE", "U0BOB", "--until", "2020-01-01"], "that day has begun already"],
])("people away %j is refused with what to do", async (words, why) => {
  const { store, countersign } = await aPlace()
  await store.config.activate({ activate: false, at: noon, shared: sharedWithStandIns })

  expect(await countersign("people", "away", ...words)).toMatchObject({ code: 1, err: expect.stringContaining(why) })
})
