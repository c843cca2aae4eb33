// countersign report, as a terminal runs it on a real Redis: in which range cases count, what was erased, and every
// refusal.
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readVerified } from "../../../src/cli/report/verified-entries.ts"
import type { Case, Step } from "../../../src/domain/case/case.ts"
import { castVote, openCase } from "../../../src/domain/case/steps.ts"
import { close, decide, settle } from "../../../src/domain/case/verdict.ts"
import type { Verb } from "../../../src/domain/policy/judge.ts"
import { createMerkleTree, entryLeaf } from "../../../src/domain/proof/merkle.ts"
import type { Anchor } from "../../../src/proof/anchors.ts"
import { extendChain } from "../../../src/store/ledger/entry.ts"
import { fieldsOf } from "../../../src/store/ledger/entry-form.ts"
import type { OpenedEntry } from "../../../src/store/ledger/opened-entries.ts"
import { type OpenStore, openStore } from "../../store/support.ts"
import { anApproval, aPolicy, aVote } from "../../support/builders.ts"
import { aFolder } from "../../support/opened.ts"
import { redisByAddress } from "../../support/redis.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { command } from "../command.ts"

const [minute, day] = [60_000, 86_400_000]
const today = new Date()
/** The middle of the last full month, by UTC, and the first moment of this one. */
const lastMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15, 12)
const thisMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
const installation = "ours"

/** An installation that began 20 days before the middle of the last month. */
interface Here {
  readonly open: OpenStore
  readonly env: Record<string, string>
  readonly folder: string
  run(...words: readonly string[]): ReturnType<typeof command>["ended"]
}

async function here(begunAt = lastMonth - 20 * day): Promise<Here> {
  const [url, key] = [await redisByAddress(), randomBytes(32).toString("hex")]
  const before = async ({ claim }: { readonly claim: (at: number) => Promise<unknown> }) => void (await claim(begunAt))
  const open = await openStore({ url, installation, key: Buffer.from(key), revision: null, before })
  await open.store.config.activate({ shared: aSharedConfig("rev-1"), activate: false, at: begunAt })
  const folder = aFolder("report")
  writeFileSync(join(folder, "countersign.yaml"), `installation: ${installation}\n`)
  const env = { REDIS_URL: url, COUNTERSIGN_KEY: key }
  return { open, env, folder, run: (...words) => command(words, { env, cwd: folder }).ended }
}

/** What one case went through, and when: each step is left out if it has no time. */
interface Course {
  readonly id: string
  readonly at: number
  readonly tool?: string
  readonly user?: string
  readonly verb?: Verb
  readonly decidedAt?: number
}

/** Commits a case step by step, as a bot would. */
async function kept({ open }: Here, { id, at, tool = "pay", user = "ANN", verb = "approve", decidedAt }: Course) {
  const approval = anApproval({ id, toolName: tool })
  let current: Case | null = null
  const go = async ({ next, events }: Step): Promise<Case> => {
    const done = await open.store.cases.commit({ next, events, expectedVersion: current?.version ?? 0 })
    if (done.kind !== "committed") throw new Error(`the case was not committed: ${done.kind}`)
    current = done.case
    return done.case
  }
  let now = await go(openCase({ installation, approval, policy: aPolicy(), epoch: "e", at }))
  if (decidedAt === undefined) return now
  const vote = aVote({ user, verb, caseId: now.id, interaction: `click ${id}`, at: decidedAt })
  const decision = { id: `decision-${id}`, verb, votes: [vote], at: decidedAt }
  const ours = { verb, resolvedBy: "ann@example.com", at: decidedAt }
  now = await go(castVote(now, vote, now.revision.quotas))
  now = await go(decide(now, decision, "{}", `receipt of ${id}`))
  const event = { kind: "resolved" as const, decision: decision.id, sandbox: false, ...ours }
  now = await go(settle(now, { kind: "ours", decisionId: decision.id, ...ours }, event))
  return await go(close(now, decidedAt))
}

/** Three cases of the last month: two decided in it, one only in this month. One more is of this month. */
async function someCases(place: Here): Promise<void> {
  await kept(place, { id: "a", at: lastMonth, decidedAt: lastMonth + minute })
  await kept(place, { id: "b", at: lastMonth, user: "BOB", verb: "reject", decidedAt: lastMonth + 3 * minute })
  await kept(place, { id: "c", at: lastMonth + day, tool: "send", decidedAt: thisMonth + minute })
  await kept(place, { id: "d", at: thisMonth })
}

describe("countersign report", () => {
  test("tells of the last full month, as Markdown and for programs", async () => {
    const place = await here()
    await someCases(place)

    const { code, out, err } = await command(["report"], { env: place.env, cwd: place.folder }).ended
    const told = JSON.parse((await place.run("report", "--json")).out)

    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain(`From ${told.range.from} up to, not including, ${told.range.to}. All times are UTC.`)
    expect(out).toMatch(/^\| \+ Asked in it \| 3 \|$/m)
    expect(out).toMatch(/^\| Still open when it ended \| 1 \|$/m)
    expect(out).toContain("Of 2 cases that people decided, half took at most 1 min (median)")
    expect(out).toMatch(/^\| pay \| 2 \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 1 min \| 3 min \|$/m)
    expect(out).toMatch(/^\| send \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 1 \| {2}\| {2}\|$/m)
    expect(out).toContain("Nothing of these cases was erased.")
    expect(out).toContain("No checkpoint is at hand")
    expect(out).not.toContain("By person")
    expect(told).toMatchObject({
      installation,
      zone: "UTC",
      range: { to: new Date(thisMonth).toISOString(), over: true },
      ledger: { first: 3, last: 13, count: 11, entries: 18, sandbox: 0, checkpoint: null },
      cases: { carried: 0, asked: 3, again: 0, approved: 1, rejected: 1, open: 1 },
    })
    expect(told.cases.time).toEqual({ count: 2, median: minute, p95: 3 * minute })
    expect(told).not.toHaveProperty("people")
  })

  test("takes up in the next range what was open at the end of this one, and nothing twice", async () => {
    const place = await here()
    await someCases(place)

    const from = new Date(thisMonth).toISOString()
    const { out } = await place.run("report", "--from", from, "--to", from.slice(0, 10), "--people", "--json")

    expect(JSON.parse(out)).toMatchObject({
      cases: { carried: 1, asked: 1, again: 0, approved: 1, rejected: 0, open: 1 },
      people: [{ person: "T1:ANN", name: "Name of ANN", approved: 1, rejected: 0, calledBack: 0, withdrawn: 0 }],
    })
  })

  test("counts what was erased or removed as before, and says so", async () => {
    const place = await here()
    await someCases(place)
    const plain = JSON.parse((await place.run("report", "--json")).out)
    const { store } = place.open
    await store.erase({ person: "T1:ANN", names: [], by: "operator", at: Date.now() })
    const bob = (await store.reading.cases({ after: null, until: null, limit: 10 })).find(
      ({ found }) => "approvalId" in found && found.approvalId === "b",
    )
    await store.retention.remove(bob?.place.caseId ?? "", { at: Date.now(), settledBefore: Number.POSITIVE_INFINITY })

    const told = JSON.parse((await place.run("report", "--json", "--people")).out)
    const { out } = await command(["report", "--people"], { env: place.env, cwd: place.folder }).ended

    const { erased, people, ledger, madeAt: _made, ...counted } = told
    expect(plain).toMatchObject(counted)
    expect(erased).toEqual({ removed: 1, cases: 3, texts: 7, receipts: 2 })
    expect(people).toMatchObject([
      { person: "T1:ANN", name: null, approved: 1 },
      { person: "T1:BOB", name: null, rejected: 1 },
    ])
    expect(ledger).toMatchObject({ first: plain.ledger.first, last: plain.ledger.last, root: plain.ledger.root })
    expect(out).toContain("The names of 2 people were erased, or removed with their cases.")
    expect(out).toContain("1 of these cases are past retention: their records, texts and receipts are gone.")
    expect(out).toContain("Of 3 of these cases 7 texts and 2 receipts were erased. Their entries stay and count.")
    expect(out).toContain("| (name erased) (T1:ANN) | 1 |")
  })

  test("says so if nothing happened in the range, and what is open all the same", async () => {
    const place = await here()
    await kept(place, { id: "a", at: lastMonth })
    const days = [
      "--from",
      new Date(lastMonth + day).toISOString(),
      "--to",
      new Date(lastMonth + 2 * day).toISOString(),
    ]

    const { code, out } = await place.run("report", ...days)

    expect(code).toBe(0)
    expect(out).toContain("Nothing happened: no entry of the ledger lies in this range.")
    expect(out).toMatch(/^\| Open when the range began \| 1 \|$/m)
    expect(out).not.toContain("First entry of the range")
  })

  test("refuses a ledger that does not verify, and says where", async () => {
    const place = await here()
    await someCases(place)
    const { commands } = place.open.connection
    await commands.xdel(place.open.store.keys.ledger, "5-0")

    const { code, out, err } = await place.run("report")

    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain("there is no report on a ledger that does not verify")
    expect(err).toContain("entry 5 is not there")
    expect(err).toContain("Run countersign ledger verify")
  })

  test("refuses a ledger whose end is missing", async () => {
    const place = await here()
    await someCases(place)
    await place.open.connection.commands.xdel(place.open.store.keys.ledger, "18-0")

    const { code, err } = await place.run("report")

    expect(code).toBe(1)
    expect(err).toContain("the ledger ends at entry 17, the sequence says 18")
  })

  test.each([
    ["a range before the ledger", ["--from", "2001-01-01", "--to", "2001-12-31"], "the ledger begins at"],
    ["a beginning after the end", ["--from", "2026-01-02", "--to", "2026-01-01"], "exchange them"],
    ["a day that is none", ["--from", "2026-02-31"], "--from must be a day such as"],
  ])("refuses %s, and says what to do", async (_, words, said) => {
    const place = await here()

    const { code, out, err } = await place.run("report", ...words)

    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain(said)
  })

  test("says that the last full month is before the ledger, where an installation is young", async () => {
    const place = await here(thisMonth)

    const { code, err } = await place.run("report")

    expect(code).toBe(1)
    expect(err).toContain("give --from and --to for a later one")
  })

  test("says so if Redis does not answer, or holds no such installation", async () => {
    const place = await here()
    const other = aFolder("report")
    writeFileSync(join(other, "countersign.yaml"), "installation: theirs\n")

    const silent = await command(["report"], { env: { ...place.env, REDIS_URL: "redis://127.0.0.1:9" }, cwd: other })
      .ended
    const stranger = await command(["report"], { env: place.env, cwd: other }).ended

    expect(silent.code).toBe(1)
    expect(silent.err).toContain("Redis at redis://127.0.0.1:9 cannot be used")
    expect(stranger.code).toBe(1)
    expect(stranger.err).toContain("there is no installation theirs in this Redis yet")
  })
})

/** A checkpoint over the first entries, with their root unless another is given. */
async function aCheckpoint({ open }: Here, size: number, change: Partial<Anchor> = {}): Promise<Anchor> {
  const tree = createMerkleTree()
  for await (const entry of open.store.entries(0)) if (entry.number <= size) tree.append(entryLeaf(entry))
  const root = tree.root().toString("hex")
  return { installation, size, root, at: lastMonth + 2 * day, checkpoint: "", leaves: [], ...change }
}

describe("the checkpoints of a report", () => {
  const inRange = (last: number) => (entry: { readonly number: number }) => entry.number <= last

  test("the newest one vouches for the range if it reaches its last entry", async () => {
    const place = await here()
    await someCases(place)
    const anchors = [await aCheckpoint(place, 4), await aCheckpoint(place, 9)]

    const covered = await readVerified(place.open, anchors, inRange(9))
    const uncovered = await readVerified(place.open, anchors, inRange(10))

    expect(covered).toMatchObject({ entries: 18, root: anchors[1]?.root, checkpoint: { size: 9, covers: true } })
    expect(uncovered).toMatchObject({
      root: (await aCheckpoint(place, 10)).root,
      checkpoint: { size: 9, covers: false },
    })
  })

  test("one that does not agree with the ledger, or reaches beyond it, says that it does not verify", async () => {
    const place = await here()
    await someCases(place)
    const other = await aCheckpoint(place, 4, { root: "0".repeat(64) })
    const longer = await aCheckpoint(place, 19)

    await expect(readVerified(place.open, [other], inRange(9))).rejects.toThrow("its first 4 entries are not those")
    await expect(readVerified(place.open, [longer], inRange(9))).rejects.toThrow("its first 19 entries are not those")
  })

  test("one from before an operator accepted a restored Redis need not agree, and vouches for nothing then", async () => {
    const place = await here()
    await someCases(place)
    const other = await aCheckpoint(place, 4, { root: "0".repeat(64) })
    await accepted(place, other.at)

    const read = await readVerified(place.open, [other], inRange(9))

    expect(read).toMatchObject({ entries: 19, checkpoint: null })
    const later = { ...other, at: other.at + 1 }
    await expect(readVerified(place.open, [later], inRange(9))).rejects.toThrow("its first 4 entries are not those")
  })
})

/** Appends the entry by which an operator accepts a restored Redis. */
async function accepted({ open }: Here, at: number): Promise<void> {
  const { store, connection, seal } = open
  const all: OpenedEntry[] = []
  for await (const entry of store.entries(0)) all.push(entry)
  const chain = "installation"
  const before = all.findLast(({ entry }) => entry?.chain === chain)
  const head = { count: before?.entry?.n ?? 0, mac: before?.mac ?? "" }
  const told = { kind: "era", era: 1, why: "accepted", touched: null, at } as const
  for (const sealed of extendChain(seal, { chain, head, sandbox: false }, [told]).entries)
    await connection.commands.xadd(store.keys.ledger, `${all.length + 1}-0`, ...fieldsOf(sealed))
  await connection.commands.set(store.keys.sequence, all.length + 1)
}
