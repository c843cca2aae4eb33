// What the port `CaseStore` promises, once for the store in Redis and once for the one in memory that the flow's tests
// stand on.

import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { freeze, miss, settle } from "../../../src/domain/case/verdict.ts"
import { isJsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { markOf } from "../../../src/domain/content/run-report.ts"
import { type FingerprintId, fingerprintName } from "../../../src/domain/fingerprint/call-fields.ts"
import { nothingKept } from "../../../src/domain/fingerprint/fingerprint.ts"
import { type SumId, type SumState, sumName } from "../../../src/domain/limit/sum.ts"
import { noTime } from "../../../src/domain/policy/timing.ts"
import type { CaseStore, FingerprintAsRead, SumAsRead } from "../../../src/flow/ports.ts"
import { createMemoryServer } from "../../support/memory-store.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { anApproval, noon, openingOf, openStore } from "../support.ts"

/** A store under test. */
interface Subject {
  readonly cases: CaseStore
  readonly installation: string
  /** Changes the record of a case without our key. */
  tamper(caseId: string): Promise<unknown>
  /** Makes another config active than the one that `cases` commits under. */
  replaceConfig(): Promise<unknown>
  /** Changes a sum without our key. */
  tamperSum(id: SumId): Promise<unknown>
  tamperFingerprint(id: FingerprintId): Promise<unknown>
  /** The same store as another process has it, which remembers nothing. */
  another(): Promise<CaseStore>
}

async function inRedis(): Promise<Subject> {
  const { store, connection, installation } = await openStore()
  const active = store.config.active()
  if (active === null) throw new Error("no config is active")
  return {
    another: async () => store.casesUnder(active),
    cases: store.casesUnder(active),
    installation,
    tamper: (caseId) => connection.commands.hset(store.keys.case(caseId), "sealed", Buffer.alloc(64)),
    replaceConfig: () => store.config.activate({ shared: aSharedConfig("rev-2"), activate: false, at: noon }),
    tamperFingerprint: (id) =>
      connection.commands.hset(store.keys.fingerprint(fingerprintName(id)), "sealed", Buffer.alloc(64)),
    tamperSum: (id) => connection.commands.hset(store.keys.sum(sumName(id)), "sealed", Buffer.alloc(64)),
  }
}

async function inMemory(): Promise<Subject> {
  const server = createMemoryServer("rev-1", () => noon)
  return {
    another: async () => server.store("rev-1"),
    cases: server.store("rev-1"),
    installation: "test",
    tamper: async (caseId) => server.tamper(caseId),
    replaceConfig: async () => server.activate("rev-2"),
    tamperFingerprint: async () => server.fingerprints.tamper(),
    tamperSum: async (id) => server.sums.tamper(id),
  }
}

const aPrint: FingerprintId = { instance: "main", caller: "agent:a", tool: "pay" }
const elsewhere = { kind: "elsewhere", status: "approved", resolvedBy: "bob", at: noon } as const
const elsewhereEvent = { ...elsewhere, claimsToBeOurs: false }

const aSum: SumId = { instance: "main", sum: "args.amount", per: "args.recipient" }
const begun = { kind: "sum-begun", at: noon, why: "none", blindUntil: 0 } as const

function sumOf(amount: string): SumState {
  return { windowMs: 3_600_000, at: noon, blindUntil: 0, amounts: { bob: { "7": amount } } }
}

/** A commit of a case that adds to a sum as it was read. */
function adding(current: Case, read: SumAsRead | undefined) {
  if (read === undefined) throw new Error("no sum was read")
  const events = [{ kind: "sum-added", at: noon, case: current.id, decision: "d-1" }] as const
  const sums = [{ read, next: sumOf("999"), events }]
  return { ...miss(current, noon), expectedVersion: current.version, sums }
}

/** Opens the case of an approval, with whatever else of it is to be so. */
async function opened(
  { cases, installation }: Subject,
  approval: Parameters<typeof anApproval>[0] = {},
  changes: Partial<Case> = {},
): Promise<Case> {
  const { next, events } = openingOf(installation, anApproval(approval))
  return committed(cases, { next: { ...next, ...changes }, events, expectedVersion: 0 })
}

async function committed(cases: CaseStore, commit: Parameters<CaseStore["commit"]>[0]): Promise<Case> {
  const done = await cases.commit(commit)
  if (done.kind !== "committed") throw new Error(`the case was not committed: ${done.kind}`)
  return done.case
}

function settled(cases: CaseStore, current: Case): Promise<Case> {
  return committed(cases, { ...settle(current, elsewhere, elsewhereEvent), expectedVersion: current.version })
}

function idsOf(found: { readonly cases: readonly Case[] }): readonly string[] {
  return found.cases.map(({ approvalId }) => approvalId)
}

describe.each([
  ["Redis", inRedis],
  ["memory", inMemory],
])("a store of cases in %s", (_name, make) => {
  test("reads a committed case back as it was written, with its new version and chain", async () => {
    const subject = await make()

    const written = await opened(subject)

    expect(written).toMatchObject({ version: 1, chain: { count: 1 } })
    expect(await subject.cases.read(written.id)).toEqual(written)
    expect(await subject.cases.read("nobody")).toBeNull()
  })

  test("R14 gives an act its case, read now or just before, unless that is unknown, not ours or behind the act", async () => {
    const subject = await make()
    const { cases, installation } = subject
    const current = await opened(subject)
    const { id, version } = current
    const target = { installation, caseId: id, route: "channel:C1", revision: 1, digest: "" }
    const actOn = (caseId: string, count = 1) => ({
      interaction: "i-1",
      target: { ...target, caseId, bound: { era: 0, count } },
    })

    await committed(cases, { ...miss(current, noon), expectedVersion: version })
    expect(await cases.readFor(actOn(id), {})).toMatchObject({ kind: "case", case: { id, version: version + 1 } })
    expect(await cases.readFor(actOn(id), { read: current })).toEqual({ kind: "case", case: current })
    expect(await cases.readFor(actOn(id, 9), {})).toMatchObject({ kind: "tampered", caseId: id })
    expect(await cases.readFor(actOn("nobody"), {})).toEqual({ kind: "unknown-case" })
    await subject.tamper(id)
    expect(await cases.readFor(actOn(id), {})).toMatchObject({ kind: "tampered", caseId: id })
  })

  test("writes a fingerprint with a case that changes, all or nothing, and begins one anew that is not ours", async () => {
    const subject = await make()
    const { cases } = subject
    const current = await opened(subject)
    const learn = async (from: Case, calls: number, read?: FingerprintAsRead) => {
      const [found = read] = read === undefined ? await cases.fingerprints([aPrint]) : []
      if (found === undefined) throw new Error("no fingerprint was read")
      const told = { at: noon, case: from.id }
      const event =
        found.doubt === null
          ? ({ kind: "fingerprint-changed", ...told } as const)
          : ({ kind: "fingerprint-begun", why: found.doubt, ...told } as const)
      const change = { read: found, next: { ...nothingKept, calls }, event }
      const step = miss(from, noon)
      return cases.commit({ ...step, expectedVersion: from.version, fingerprints: [change] })
    }
    const caseAfter = async (done: Promise<Awaited<ReturnType<CaseStore["commit"]>>>): Promise<Case> => {
      const made = await done
      if (made.kind !== "committed") throw new Error(`not committed: ${made.kind}`)
      return made.case
    }
    const [none] = await cases.fingerprints([aPrint])

    const first = await caseAfter(learn(current, 1))
    const second = await caseAfter(learn(first, 2))
    const late = await learn(second, 9, none)
    const [known] = await cases.fingerprints([aPrint])
    await subject.tamperFingerprint(aPrint)

    expect(none).toMatchObject({ state: null, doubt: "none" })
    expect(late).toEqual({ kind: "sum" })
    expect(known).toMatchObject({ state: { calls: 2 }, doubt: null })
    const [found] = await (await subject.another()).fingerprints([aPrint])
    expect(found).toMatchObject({ state: null, doubt: "behind" })
    await caseAfter(learn(second, 1, found))
    expect((await (await subject.another()).fingerprints([aPrint]))[0]).toMatchObject({
      state: { calls: 1 },
      doubt: null,
    })
  })

  test("reads back how the limits of a case were read, and what its decision added", async () => {
    const subject = await make()
    const { next } = openingOf(subject.installation, anApproval())
    const limit = { sum: "args.amount", per: "args.recipient", windowMs: 3_600_000, above: "5000" }
    const sums = [{ call: 0, before: "12345678901234567890.5", adds: "0.25", at: 0 }]
    const limits = [{ rule: "all", limit, passed: true, doubt: "unknown", sums } as const]
    const added = [{ whose: "bob", amount: "0.25", slot: 7 }]
    const reserved = { decision: "d-1", sums: [{ id: aSum, windowMs: 3_600_000, added }] }

    const written = await opened(subject, {}, { revision: { ...next.revision, limits }, reserved })

    expect(await subject.cases.read(written.id)).toEqual(written)
    expect(written).toMatchObject({ reserved, revision: { limits } })
  })

  test("commits several cases together, each with its entries, or none of them", async () => {
    const subject = await make()
    const { cases } = subject
    const [one, other] = [await opened(subject, { id: "a-1" }), await opened(subject, { id: "a-2" })]
    const change = (current: Case) => ({ ...miss(current, noon), expectedVersion: current.version })

    const done = await cases.commit({ ...change(one), besides: [change(other)] })
    const again = await cases.commit({ ...change(one), besides: [{ ...change(other), expectedVersion: 2 }] })

    expect(done).toMatchObject({
      kind: "committed",
      case: { id: one.id, version: 2, missing: { times: 1 } },
      besides: [{ id: other.id, version: 2, missing: { times: 1 } }],
    })
    expect(again).toMatchObject({ kind: "stale", caseId: one.id, case: { version: 2 } })
    expect(await cases.read(other.id)).toMatchObject({ version: 2 })
  })

  test("writes nothing of several cases where the last of them is another by now, and says which", async () => {
    const subject = await make()
    const { cases } = subject
    const [one, other] = [await opened(subject, { id: "a-1" }), await opened(subject, { id: "a-2" })]
    const moved = await settled(cases, other)
    const change = (current: Case) => ({ ...miss(current, noon), expectedVersion: current.version })

    const done = await cases.commit({ ...change(one), besides: [change(other)], interaction: "i-1" })

    expect(done).toEqual({ kind: "stale", caseId: other.id, case: moved })
    expect(await cases.read(one.id)).toEqual(one)
    expect(await cases.consumed("i-1")).toBe(false)
  })

  test("writes nothing of several cases where one of them is frozen", async () => {
    const subject = await make()
    const { cases } = subject
    const [one, other] = [await opened(subject, { id: "a-1" }), await opened(subject, { id: "a-2" })]
    await cases.freeze(other.id, [{ kind: "frozen", at: noon, why: "bad seal" }])
    const change = (current: Case) => ({ ...miss(current, noon), expectedVersion: current.version })

    const done = await cases.commit({ ...change(one), besides: [change(other)] })

    expect(done).toEqual({ kind: "frozen", caseId: other.id })
    expect(await cases.read(one.id)).toEqual(one)
  })

  test("writes a sum with the case that adds to it, and reads it back", async () => {
    const subject = await make()
    const { cases } = subject
    const current = await opened(subject)
    const [read] = await cases.sums([aSum])

    const done = await cases.commit({ ...adding(current, read), interaction: "i-1" })
    const [now] = await cases.sums([aSum])

    expect(read).toMatchObject({ state: null, doubt: "none", version: "0" })
    expect(done).toMatchObject({ kind: "committed", case: { version: 2 } })
    expect(now).toMatchObject({ state: sumOf("999"), doubt: null, chain: { count: 1 } })
    expect(await cases.sums([{ ...aSum, per: null }])).toMatchObject([{ doubt: "none" }])
  })

  test("writes nothing of a case whose sum is another by now, nor of a sum whose case is", async () => {
    const subject = await make()
    const { cases } = subject
    const [one, other] = [await opened(subject, { id: "a-1" }), await opened(subject, { id: "a-2" })]
    const [read] = await cases.sums([aSum])
    await cases.commit(adding(one, read))
    const [second] = await cases.sums([aSum])

    const outrun = await cases.commit({ ...adding(other, read), interaction: "i-1" })
    const stale = await cases.commit(adding(one, second))

    expect(outrun).toEqual({ kind: "sum" })
    expect([await cases.read(other.id), await cases.consumed("i-1")]).toEqual([other, false])
    expect(stale).toMatchObject({ kind: "stale", caseId: one.id })
    expect(await cases.sums([aSum])).toEqual([second])
  })

  test("writes a sum by itself, only on the one that was read and under the active config", async () => {
    const subject = await make()
    const { cases } = subject
    const [read] = await cases.sums([aSum])
    if (read === undefined) throw new Error("no sum was read")
    const change = { read, next: sumOf("5"), events: [begun] }

    const first = await cases.putSum(change)
    const again = await cases.putSum(change)
    const [now] = await cases.sums([aSum])
    await subject.replaceConfig()

    expect([first, again]).toEqual([true, false])
    expect(now).toMatchObject({ state: sumOf("5"), doubt: null })
    expect(await cases.putSum({ ...change, read: now ?? read })).toBe(false)
  })

  test("R14 believes no sum that we did not seal, and begins one anew above it", async () => {
    const subject = await make()
    const { cases } = subject
    const current = await opened(subject)
    const [read] = await cases.sums([aSum])
    await cases.commit(adding(current, read))
    await subject.tamperSum(aSum)
    const [wrong] = await cases.sums([aSum])
    if (wrong === undefined) throw new Error("no sum was read")

    const renewed = await cases.putSum({ read: wrong, next: sumOf("7"), events: [begun] })

    expect(wrong).toMatchObject({ state: null, doubt: "behind" })
    expect(renewed).toBe(true)
    expect(await cases.sums([aSum])).toMatchObject([{ state: sumOf("7"), doubt: null }])
  })

  test("tells which cases were decided or settled since a moment", async () => {
    const subject = await make()
    const { cases } = subject
    const one = await opened(subject, { id: "a-1" })
    await opened(subject, { id: "a-2" })
    await settled(cases, one)

    expect(await cases.decidedSince(noon - 1)).toEqual({ cases: [one.id] })
    expect(await cases.decidedSince(noon + 3_600_000)).toEqual({ cases: [] })
  })

  test("keeps a number that a double cannot hold digit by digit", async () => {
    const subject = await make()
    const args = parseJson('{"amount":12345678901234567890.123}')

    const written = await opened(subject, { toolArgs: isJsonObject(args) ? args : null })

    expect(JSON.stringify(await subject.cases.read(written.id))).toContain("12345678901234567890.123")
  })

  test("tells the slower of two commits what the case is now", async () => {
    const subject = await make()
    const step = miss(await opened(subject), noon)

    const winner = await subject.cases.commit({ ...step, expectedVersion: 1 })
    const loser = await subject.cases.commit({ ...step, expectedVersion: 1 })

    expect(winner).toMatchObject({ kind: "committed", case: { version: 2 } })
    expect(loser).toMatchObject({ kind: "stale", case: { version: 2, missing: { times: 1 } } })
  })

  test("R11 counts an interaction once, and consumes none with a commit that loses", async () => {
    const subject = await make()
    const { cases } = subject
    const step = miss(await opened(subject), noon)

    const lost = await cases.commit({ ...step, expectedVersion: 7, interaction: "i-1" })
    const consumedByLoser = await cases.consumed("i-1")
    const first = await cases.commit({ ...step, expectedVersion: 1, interaction: "i-1" })
    const second = await cases.commit({ ...step, expectedVersion: 2, interaction: "i-1" })

    expect([lost.kind, consumedByLoser]).toEqual(["stale", false])
    expect([first.kind, second.kind]).toEqual(["committed", "duplicate"])
    expect(await cases.read(step.next.id)).toMatchObject({ version: 2 })
    expect([await cases.consumed("i-1"), await cases.consumed("i-2")]).toEqual([true, false])
  })

  test("R16 commits nothing under a config that is not active any more", async () => {
    const subject = await make()
    const current = await opened(subject)
    await subject.replaceConfig()

    const late = await subject.cases.commit({ ...miss(current, noon), expectedVersion: 1 })

    expect(late).toEqual({ kind: "config" })
    expect(await subject.cases.read(current.id)).toEqual(current)
  })

  test("R20 admits none beyond what an instance or an agent may have", async () => {
    const subject = await make()
    const open = (id: string, agent: string, within: { readonly perInstance: number; readonly perAgent: number }) => {
      const { next, events } = openingOf(subject.installation, anApproval({ id }))
      return subject.cases.commit({
        next: { ...next, admission: { agent, given: true } },
        events,
        expectedVersion: 0,
        within,
      })
    }

    const kinds = [
      await open("a-1", "mailer", { perInstance: 2, perAgent: 1 }),
      await open("a-2", "mailer", { perInstance: 2, perAgent: 1 }),
      await open("a-3", "other", { perInstance: 2, perAgent: 1 }),
      await open("a-4", "third", { perInstance: 2, perAgent: 1 }),
    ].map(({ kind }) => kind)

    expect(kinds).toEqual(["committed", "full", "committed", "full"])
  })

  test("R14 tells what we did not seal from a case, and takes no commit to it once it is frozen", async () => {
    const subject = await make()
    const { cases } = subject
    const current = await opened(subject)
    const tampered = { kind: "tampered", why: expect.any(String), caseId: current.id }
    await subject.tamper(current.id)

    expect(await cases.read(current.id)).toEqual(tampered)
    for (const why of ["bad seal", "once more"]) await cases.freeze(current.id, [{ kind: "frozen", at: noon, why }])

    expect(await cases.read(current.id)).toEqual(tampered)
    expect(await cases.commit({ ...miss(current, noon), expectedVersion: 1 })).toEqual({
      kind: "frozen",
      caseId: current.id,
    })
    expect(await cases.unfinished(9)).toEqual([])
  })

  test("reads a case that its own step froze", async () => {
    const subject = await make()
    const step = freeze(await opened(subject), "a vote's MAC is bad", noon)

    await committed(subject.cases, { ...step, expectedVersion: 1 })

    expect(await subject.cases.read(step.next.id)).toMatchObject({ state: "frozen" })
  })

  test("knows approvals by what they were compared with, settled ones by an empty text", async () => {
    const subject = await make()
    const { cases } = subject
    const { revision } = await opened(subject, { id: "a-1" })
    await settled(cases, await opened(subject, { id: "a-2" }))

    const known = await cases.known("main", ["a-1", "a-2", "a-3"])

    expect(Object.fromEntries(known)).toEqual({ "a-1": markOf(revision.digest, revision.policy, null), "a-2": "" })
    expect(await cases.known("main", [])).toEqual(new Map())
    expect((await Array.fromAsync(cases.openApprovals("main"))).flat()).toEqual(["a-1"])
  })

  test("lists open cases oldest first and page by page, and settled ones apart", async () => {
    const subject = await make()
    const { cases } = subject
    for (const minute of [0, 1, 2]) await opened(subject, { id: `a-${minute}`, createdAt: noon + minute * 60_000 })
    await settled(cases, await opened(subject, { id: "b-1" }))

    const page = await cases.listOpen({ offset: 1, limit: 2 })
    const past = await cases.listSettled({ offset: 0, limit: 9 })

    expect([idsOf(page), page.total]).toEqual([["a-1", "a-2"], 3])
    expect([idsOf(past), past.total]).toEqual([["b-1"], 1])
    expect(idsOf(await cases.listOpen({ offset: 0, limit: 0 }))).toEqual([])
  })

  test("finds what waits by how its id or its approval's begins, and nothing else", async () => {
    const subject = await make()
    const { cases } = subject
    const find = async (beginning: string) => idsOf(await cases.listOpen({ offset: 0, limit: 9, beginning })).toSorted()
    const { id } = await opened(subject, { id: "abcd-1" })
    for (const approval of ["abcd-2", "abc:é😀", "b"]) await opened(subject, { id: approval })
    await settled(cases, await opened(subject, { id: "abcd-3" }))

    expect(await find("abcd")).toEqual(["abcd-1", "abcd-2"])
    expect(await find("abcd-2")).toEqual(["abcd-2"])
    expect(await find("abc:é")).toEqual(["abc:é😀"])
    expect(await find(id.slice(0, 12))).toEqual(["abcd-1"])
    expect([await find("abcd-3"), await find("bcd"), await find("a-1")]).toEqual([[], [], []])
  })

  test("names what is unfinished, oldest first, until it is closed", async () => {
    const subject = await make()
    const { cases } = subject
    const later = await opened(subject, { id: "a-2" }, { openedAt: noon + 1 })
    const older = await opened(subject)

    expect(await cases.unfinished(10)).toEqual([older.id, later.id])
    expect([await cases.unfinished(1), await cases.unfinished(1, 1)]).toEqual([[older.id], [later.id]])
    expect(await cases.unfinished(0)).toEqual([])

    await settled(cases, older)
    expect(await cases.unfinished(1)).toEqual([older.id])
  })

  test("says on which case something is due first", async () => {
    const subject = await make()
    const due = (ms: number) => ({ time: { ...noTime, deadlines: [{ kind: "remind", at: noon + ms }] as const } })
    const late = await opened(subject, { id: "a-1" }, due(2_000))
    const early = await opened(subject, { id: "a-2" }, due(1_000))
    await opened(subject, { id: "a-3" })

    const next = [early, late].map(({ id }, at) => ({ caseId: id, at: noon + 1_000 * (at + 1) }))

    expect(await subject.cases.deadlines(5)).toEqual(next)
    expect([await subject.cases.deadlines(1), await subject.cases.deadlines(0)]).toEqual([next.slice(0, 1), []])
  })

  test("finds the cases that are about one of some calls", async () => {
    const subject = await make()
    const one = await opened(subject, { id: "a-1" }, { calls: ["call-1"] })
    const two = await opened(subject, { id: "a-2" }, { calls: ["call-1", "call-2"] })

    expect((await subject.cases.about("main", ["call-1"])).toSorted()).toEqual([one.id, two.id].toSorted())
    expect(await subject.cases.about("main", ["call-2", "call-9"])).toEqual([two.id])
    expect([await subject.cases.about("main", []), await subject.cases.about("other", ["call-1"])]).toEqual([[], []])
  })
})
