// Proposals of another config, where the active one has `rules_change` (R16): made, replaced, and resolved once.
import { describe, expect, test, vi } from "vitest"
import { configRevisionOf, type SharedConfig } from "../../../src/domain/policy/shared-config.ts"
import { type Proposal, readProposalOver } from "../../../src/domain/rule/proposal.ts"
import type { RulesChange } from "../../../src/domain/rule/rules-change.ts"
import { configBehind } from "../../../src/store/config/config-record.ts"
import type { ProposalWanted, Proposed } from "../../../src/store/config/proposal-book.ts"
import { createProposalPlatform } from "../../../src/store/config/proposal-platform.ts"
import { anOperator } from "../../support/orders.ts"
import { aSharedConfig } from "../../support/shared-config.ts"
import { aReplica } from "../freshness-support.ts"
import { asItIs, entriesOf, noon, type OpenStore, openStore } from "../support.ts"

const rulesChange: RulesChange = {
  approvers: [{ kind: "group", id: "S1" }],
  quorum: 2,
  route: { kind: "channel", id: "C1" },
  expireAfterMs: 3_600_000,
}
const guarded = (name: string, change: Partial<RulesChange> = {}): SharedConfig =>
  aSharedConfig(name, { rulesChange: { ...rulesChange, ...change } })
const [first, second, third] = [guarded("first"), guarded("second"), guarded("third")] as const
const dayMs = 24 * 3_600_000

/** A store whose active config has `rules_change`, and a clock of all replicas that is set by hand. */
async function aGuarded(active = first) {
  let ahead = 0
  const open = await openStore({ revision: null, sharedClock: () => noon + ahead })
  await open.store.config.activate({ shared: active, activate: false, at: noon })
  const forward = (ms: number) => {
    ahead += ms
  }
  return { ...open, forward, now: () => noon + ahead }
}

function wanted(shared: SharedConfig, change: Partial<ProposalWanted> = {}): ProposalWanted {
  const shown = { to_revision: configRevisionOf(shared) }
  return {
    shared,
    from: configRevisionOf(first),
    shown,
    host: "bot-1",
    file: "f".repeat(64),
    at: noon,
    again: false,
    ...change,
  }
}

function propose({ store }: Pick<OpenStore, "store">, shared: SharedConfig, change: Partial<ProposalWanted> = {}) {
  return store.config.proposals.propose(wanted(shared, change))
}

function proposalOf(done: Proposed): Proposal {
  if (done.kind !== "proposed") throw new Error(`nothing was proposed: ${done.kind}`)
  return done.proposal
}

const approved = { status: "approved", resolvedBy: "jane", data: { note: 1 }, decision: "d-1", at: noon } as const

async function activeIn({ store }: Pick<OpenStore, "store">): Promise<string> {
  return (await store.config.proposals.active()).revision
}

async function lastEvents(open: OpenStore, count: number) {
  return (await entriesOf(open)).slice(-count).map((entry) => entry?.event ?? {})
}

describe("R16 once the active config has rules_change,", () => {
  test("a start with another config, and --activate of an earlier one, only may propose", async () => {
    const open = await openStore({ revision: "plain" })
    await open.store.config.activate({ shared: first, activate: false, at: noon })

    const start = await open.store.config.activate({ shared: second, activate: false, at: noon })
    const back = await open.store.config.activate({ shared: aSharedConfig("plain"), activate: true, at: noon })
    const plain = await open.store.config.activate({ shared: aSharedConfig("plain"), activate: false, at: noon })

    const active = configRevisionOf(first)
    expect([start, back, plain]).toEqual([
      { kind: "needs-approval", active },
      { kind: "needs-approval", active },
      { kind: "taken-over", active },
    ])
    expect(await open.store.config.obstacle()).toBeNull()
    expect(await activeIn(open)).toBe(active)
  })

  test("a config is proposed with an entry that says who, and from what to what", async () => {
    const open = await aGuarded()

    const proposal = proposalOf(await propose(open, second))

    expect(await lastEvents(open, 1)).toEqual([
      {
        kind: "proposed",
        at: noon,
        proposal: proposal.id,
        revision: configRevisionOf(second),
        before: configRevisionOf(first),
        host: "bot-1",
        file: "f".repeat(64),
      },
    ])
    expect(proposal.expiresAt).toBe(noon + 3_600_000)
    expect(await activeIn(open)).toBe(configRevisionOf(first))
  })

  test("the same revision is the same proposal, whatever the file is called", async () => {
    const open = await aGuarded()
    const proposal = proposalOf(await propose(open, second))
    const before = (await entriesOf(open)).length

    expect(await propose(open, second, { host: "bot-2", again: true })).toEqual({ kind: "waiting", proposal })
    expect((await entriesOf(open)).length).toBe(before)
  })

  test("another revision takes the place of the one that waits, which nobody can resolve any more", async () => {
    const open = await aGuarded()
    const old = proposalOf(await propose(open, second))

    const done = await propose(open, third)

    expect(done).toMatchObject({ kind: "proposed", replaced: { id: old.id } })
    expect(await lastEvents(open, 2)).toMatchObject([
      { kind: "proposal-ended", proposal: old.id, how: "replaced" },
      { kind: "proposed", revision: configRevisionOf(third) },
    ])
    expect(await open.store.config.proposals.resolve(old.id, approved)).toBe("conflict")
    expect(await activeIn(open)).toBe(configRevisionOf(first))
  })

  test("the record of one that ended without votes says how, and names the newer one", async () => {
    const open = await aGuarded()
    const platform = createProposalPlatform(open.store.config.proposals, () => noon)
    const [old, newer] = [proposalOf(await propose(open, second)), proposalOf(await propose(open, third))]
    const recordOf = async (id: string) => {
      const { status, resolvedBy, resolutionData } = (await platform.get(id)) ?? {}
      return { status, resolvedBy, over: readProposalOver(resolutionData ?? null) }
    }
    expect(await recordOf(old.id)).toEqual({
      status: "cancelled",
      resolvedBy: "countersign:replaced",
      over: { how: "replaced", newer: newer.id },
    })

    open.forward(3_600_000)
    const last = proposalOf(await propose(open, second, { again: true }))
    open.forward(dayMs)
    await open.store.config.proposals.activateUnapproved({ shared: second, by: "ops", at: noon + 2 * dayMs })

    expect(await recordOf(newer.id)).toEqual({
      status: "cancelled",
      resolvedBy: "countersign:expired",
      over: { how: "expired", newer: null },
    })
    expect(await recordOf(last.id)).toEqual({
      status: "cancelled",
      resolvedBy: "countersign:unapproved",
      over: { how: "unapproved", newer: null },
    })
  })

  test("nothing is proposed that was worked out against another active config", async () => {
    const open = await aGuarded()

    expect(await propose(open, third, { from: configRevisionOf(second) })).toEqual({ kind: "moved" })
  })

  test("nothing is proposed that is the active config, and nothing where nobody has to approve", async () => {
    const open = await aGuarded()
    const free = await openStore()

    expect(await propose(open, first)).toEqual({ kind: "not-needed" })
    expect(await propose(free, second)).toEqual({ kind: "not-needed" })
  })

  test.each([
    ["200 kB", { text: "x".repeat(200_000) }],
    ["the values that a card may have", { list: Array.from({ length: 4_500 }, () => 1) }],
  ])("more than %s is not proposed", async (_what, shown) => {
    const open = await aGuarded()

    expect(await propose(open, second, { shown })).toEqual({ kind: "too-large" })
  })
})

describe("R16 an approved proposal", () => {
  test("becomes the active config, once, in an entry that names its decision", async () => {
    const open = await aGuarded()
    const { id } = proposalOf(await propose(open, second))
    const before = (await entriesOf(open)).length

    const done = [
      await open.store.config.proposals.resolve(id, approved),
      await open.store.config.proposals.resolve(id, approved),
    ]

    expect(done).toEqual(["resolved", "conflict"])
    expect((await entriesOf(open)).length).toBe(before + 1)
    expect(await lastEvents(open, 1)).toMatchObject([
      { kind: "activated", revision: configRevisionOf(second), proposal: id, decision: "d-1", again: false },
    ])
    await open.store.config.obstacle()
    expect(open.store.config.active()).toMatchObject({ revision: configRevisionOf(second), shared: second })
    expect((await open.store.verifyLedger()).problem).toBeNull()
  })

  test("brings an earlier config back, and the entry says so", async () => {
    const open = await aGuarded()
    await open.store.config.proposals.resolve(proposalOf(await propose(open, second)).id, approved)
    const { id } = proposalOf(await propose(open, first, { from: configRevisionOf(second) }))

    await open.store.config.proposals.resolve(id, approved)

    expect(await activeIn(open)).toBe(configRevisionOf(first))
    expect(await lastEvents(open, 1)).toMatchObject([{ kind: "activated", again: true }])
  })

  test("a proposal that two replicas resolve at once becomes active once", async () => {
    const open = await aGuarded()
    const other = await openStore({ installation: open.installation, revision: null })
    const { id } = proposalOf(await propose(open, second))

    const done = await Promise.all([open, other].map(({ store }) => store.config.proposals.resolve(id, approved)))

    expect(done.toSorted()).toEqual(["conflict", "resolved"])
  })

  test("reads as its platform's record, with what the resolve brought", async () => {
    const open = await aGuarded()
    const { id } = proposalOf(await propose(open, second))
    const platform = createProposalPlatform(open.store.config.proposals, () => noon)
    const data = { countersign: { decision_id: "d-2" } }
    const body = JSON.stringify({ status: "approved", resolved_by: "jane", resolution_data: data })

    expect(await platform.resolve(id, body, { subject: "jane", decision: "d-2" }, () => false)).toEqual({
      kind: "held-back",
    })
    const done = await platform.resolve(id, body, { subject: "jane", decision: "d-2" }, () => true)

    expect(done).toMatchObject({
      kind: "row",
      approval: { status: "approved", resolvedBy: "jane", resolutionData: data },
    })
    expect(await platform.get(id)).toMatchObject({ status: "approved", resolutionData: data })
    expect(await platform.resolve("nothing", body, { subject: "jane", decision: "d-2" }, () => true)).toMatchObject({
      kind: "refused",
      status: 404,
    })
  })
})

describe("R16 a start does not propose again", () => {
  test("what was rejected, until an operator does", async () => {
    const open = await aGuarded()
    const { id } = proposalOf(await propose(open, second))
    await open.store.config.proposals.resolve(id, { ...approved, status: "rejected" })

    expect(await lastEvents(open, 1)).toMatchObject([{ kind: "proposal-ended", how: "rejected", decision: "d-1" }])
    expect(await propose(open, second)).toEqual({ kind: "refused" })
    expect(await propose(open, second, { again: true })).toMatchObject({ kind: "proposed" })
    // It waits again, and a start finds it.
    expect(await propose(open, second)).toMatchObject({ kind: "waiting" })
  })

  test("what expired, also after another took its place", async () => {
    const open = await aGuarded()
    proposalOf(await propose(open, second))
    open.forward(3_600_000)

    expect(await propose(open, second)).toEqual({ kind: "refused" })
    expect(await propose(open, third)).toMatchObject({ kind: "proposed", replaced: null })
    expect(await propose(open, second)).toEqual({ kind: "refused" })
    expect(await propose(open, second, { again: true })).toMatchObject({ kind: "proposed" })
  })
})

describe("R16 without approval a config becomes active", () => {
  const order = { shared: second, by: "ops", at: noon + dayMs }

  test("a day after its proposal by both clocks, and not before", async () => {
    const open = await aGuarded()
    const { proposals } = open.store.config
    expect(await proposals.activateUnapproved(order)).toEqual({ kind: "not-proposed" })
    const { id } = proposalOf(await propose(open, second))

    expect(await proposals.activateUnapproved(order)).toEqual({ kind: "early", until: noon + dayMs })
    open.forward(dayMs)
    const late = await proposals.activateUnapproved({ ...order, at: noon + dayMs - 1 })
    expect(late).toEqual({ kind: "early", until: noon + dayMs })

    expect(await proposals.activateUnapproved(order)).toEqual({ kind: "activated" })
    expect(await lastEvents(open, 1)).toMatchObject([{ kind: "activated", proposal: id, unapproved: true }])
    expect((await lastEvents(open, 1))[0]).not.toHaveProperty("decision")
  })

  test("from the later of the proposer's clock and the one of all, so that no clock that is behind helps", async () => {
    const open = await aGuarded()
    await propose(open, second, { at: noon - 10 * dayMs })

    const done = await open.store.config.proposals.activateUnapproved(order)

    expect(done).toEqual({ kind: "early", until: noon + dayMs })
  })

  test("only if it waits: not if it was rejected, or if another is proposed", async () => {
    const open = await aGuarded()
    const { id } = proposalOf(await propose(open, second))
    await open.store.config.proposals.resolve(id, { ...approved, status: "rejected" })
    open.forward(dayMs)

    expect(await open.store.config.proposals.activateUnapproved(order)).toEqual({ kind: "not-proposed" })
    await propose(open, third, { at: noon - dayMs })
    expect(await open.store.config.proposals.activateUnapproved(order)).toEqual({ kind: "not-proposed" })
  })

  test("a config that became active without approval is remembered until a later change was approved", async () => {
    const open = await aGuarded()
    const unapproved = async () => (await open.store.config.proposals.active()).proposals.unapproved
    await propose(open, second)
    open.forward(dayMs)
    await open.store.config.proposals.activateUnapproved(order)
    expect(await unapproved()).toEqual({ revision: configRevisionOf(second), at: noon + dayMs })

    const { id } = proposalOf(await propose(open, third, { from: configRevisionOf(second) }))
    expect(await unapproved()).not.toBeNull()
    await open.store.config.proposals.resolve(id, approved)

    expect(await unapproved()).toBeNull()
  })
})

describe("R16 R17 a proposal and what became of it", () => {
  /** A replica with marks, whose active config has `rules_change`. */
  async function aGuardedReplica() {
    const open = await aReplica()
    await open.store.config.activate({ shared: first, activate: false, at: noon })
    return open
  }

  test("are put back by whoever knew of them, if Redis lost its last second", async () => {
    const open = await aGuardedReplica()
    const restore = await asItIs(open)
    const { id } = proposalOf(await propose(open, second))
    await open.store.config.obstacle()
    await restore()

    await open.store.freshness.look()
    await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
    expect(await open.store.config.obstacle()).toBeNull()

    expect(open.store.config.active()?.proposals.list).toMatchObject([{ id, end: null }])
    expect((await open.store.verifyLedger()).problem).toBeNull()
  })

  test("stay beside an activation that Redis forgot", async () => {
    const open = await aGuardedReplica()
    const { id } = proposalOf(await propose(open, second))
    await open.store.config.obstacle()
    const restore = await asItIs(open)
    await open.store.config.proposals.resolve(id, approved)
    await open.store.config.obstacle()
    await restore()

    await open.store.freshness.look()
    await vi.waitFor(() => expect(open.codes()).toContain("era-begun"))
    expect(await open.store.config.obstacle()).toBeNull()

    const active = open.store.config.active()
    expect(active?.revision).toBe(configRevisionOf(second))
    expect(active?.proposals.list).toMatchObject([{ id, end: { how: "approved", decision: "d-1" } }])
    const activated = (await entriesOf(open)).flatMap((entry) =>
      entry?.event["kind"] === "activated" ? [entry.event] : [],
    )
    expect(activated.at(-1)).toMatchObject({ revision: configRevisionOf(second), proposal: id, decision: "d-1" })
  })
})

test("R16 R21 where a record is behind, another file than the one that was active last is proposed", async () => {
  const open = await aReplica()
  await open.store.config.activate({ shared: first, activate: false, at: noon })
  const { id } = proposalOf(await propose(open, third))
  const { commands } = open.connection
  const before = await commands.dumpBuffer(open.store.keys.config)
  await open.store.config.orders.stop({ match: {}, by: anOperator(), reason: "look", at: noon, until: null })
  await commands.del(open.store.keys.config)
  await commands.restore(open.store.keys.config, 0, before)
  expect(await open.store.config.obstacle()).toBe(configBehind)

  const done = await open.store.config.activate({ shared: second, activate: true, at: noon })

  expect(done).toEqual({ kind: "needs-approval", active: configRevisionOf(first) })
  expect(await open.store.config.obstacle()).toBeNull()
  const { shared, orders } = await open.store.config.proposals.active()
  expect(shared).toEqual(first)
  expect(orders.stops).toMatchObject([{ by: { kind: "countersign", why: "unknown" } }])
  // Nobody knows what became of the proposal that waited: it is over, and nobody can approve it any more.
  const platform = createProposalPlatform(open.store.config.proposals, () => noon)
  expect(await platform.get(id)).toMatchObject({ status: "cancelled", resolvedBy: "countersign:outdated" })
  expect(await open.store.config.proposals.resolve(id, approved)).toBe("conflict")
})

test("R15 who decided a proposal is erased with the person", async () => {
  const open = await aGuarded()
  const { proposals } = open.store.config
  const [mine, other] = [approved, { ...approved, resolvedBy: "bob" }]
  const { id } = proposalOf(await propose(open, second))
  await proposals.resolve(id, { ...mine, resolvedBy: "Jane@Corp.example" })
  const next = proposalOf(await propose(open, third, { from: configRevisionOf(second) }))
  await proposals.resolve(next.id, other)

  await open.store.erase({ person: "T1:U1", names: ["jane@corp.example"], by: "ops", at: noon })

  expect((await proposals.read(id))?.kept.resolution).toBeNull()
  expect((await proposals.read(next.id))?.kept.resolution).toMatchObject({ resolvedBy: "bob" })
})

test("R14 a proposal that somebody changed in Redis is not read, and nothing becomes active", async () => {
  const open = await aGuarded()
  const { id } = proposalOf(await propose(open, second))
  const other = proposalOf(await propose(open, third))
  const { commands } = open.connection
  const copied = await commands.hgetBuffer(open.store.keys.proposals, id)
  await commands.hset(open.store.keys.proposals, other.id, copied ?? "")

  await expect(open.store.config.proposals.resolve(other.id, approved)).rejects.toMatchObject({ code: "tampered" })
  expect(await activeIn(open)).toBe(configRevisionOf(first))
})
