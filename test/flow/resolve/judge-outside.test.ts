// Judge outside: a decision made elsewhere by somebody whom the rules would not admit is told, each case once; one that
// they would is not.

import { expect, test } from "vitest"
import type { Policy } from "../../../src/domain/policy/policy.ts"
import { show } from "../../../src/flow/card/deliver.ts"
import { poll } from "../../../src/flow/poll/poll.ts"
import { anApproval, aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { announced, announcedWorld, caseOf, ledgerKinds, pressed, twoOfThree } from "../support.ts"

interface Elsewhere {
  readonly status?: string
  readonly resolvedBy?: string | null
}

const code = "decided-outside-rules"
/** Somebody who is in Slack and whom no rule lists. */
const stranger = aPerson({ user: "U9" })

/** An approval that somebody decides at the platform itself, and all that follows. */
async function decidedElsewhere(decided: Elsewhere, world: World = createWorld()): Promise<World> {
  world.people.set(stranger)
  if (world.server.cases().length === 0) await announced(world)
  world.platform.change("a-1", { status: "approved", resolvedBy: "u1@example.com", ...decided })
  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)
  return world
}

const underRules = (...rules: Policy["rules"]) => createWorld({ policy: aPolicy(rules) })
const asker = { userId: "asker@example.com" }
const u1 = { kind: "user", id: "U1" } as const

test.each([
  ["their address", { resolvedBy: "u1@example.com" }],
  ["their Slack id, as AgentOS's own Slack interface writes it", { resolvedBy: "U1" }],
  ["their Slack id with the workspace", { resolvedBy: `slack:${team}:U1` }],
  ["their address, rejecting", { status: "rejected", resolvedBy: "U1@Example.com" }],
])("whom the rules admit decides elsewhere, and nothing is raised: by %s", async (_, decided) => {
  const world = await decidedElsewhere(decided)

  expect(world.alarms).toEqual([])
  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "elsewhere" }, noticed: [] })
})

test("whom the config lists under the name that the platform gives is admitted", async () => {
  const policy = aPolicy([aRule()], [{ subject: "boss@corp.example", team, user: "U1" }])

  const world = await decidedElsewhere({ resolvedBy: "boss@corp.example" }, createWorld({ policy }))

  expect(world.alarms).toEqual([])
})

test.each([
  ["somebody whom no rule lists", { resolvedBy: "U9" }, "the rules do not let them approve this: not-approver"],
  [
    "somebody whom no rule lists, rejecting",
    { status: "rejected", resolvedBy: "u9@example.com" },
    "the rules do not let them reject this: not-approver",
  ],
  ["a name that means nobody", { resolvedBy: "boss" }, "the platform gives a name that no rule could list"],
  ["a service account", { resolvedBy: "sa:robot" }, "the platform gives a name that no rule could list"],
  ["nobody by name", { resolvedBy: null }, "the platform names nobody who decided it"],
] as const)("a decision elsewhere is raised, and stands in thread and ledger: by %s", async (_, decided, why) => {
  const world = await decidedElsewhere(decided)

  const { id: caseId } = caseOf(world)
  const { resolvedBy } = decided
  expect(world.alarms).toMatchObject([{ code, caseId, instance: "main", approval: "a-1", resolvedBy, why }])
  for (const { lines } of world.chat.messages)
    expect(lines.filter(({ event }) => event.kind === code)).toMatchObject([{ event: { why } }])
  expect(ledgerKinds(world).filter((kind) => kind === code)).toHaveLength(1)
  expect(caseOf(world)).toMatchObject({ state: "closed", noticed: [code] })
})

test("a decision outside the rules is told once, however often the case is shown and polled", async () => {
  const world = await decidedElsewhere({ resolvedBy: "U9" })

  await show(world.ports, caseOf(world).id)
  await poll(world.ports, "main")
  await world.queue.runAll(world.ports)

  expect(world.alarmCodes()).toEqual([code])
})

test("a decision outside the rules is told once by two replicas that look at the same moment", async () => {
  const world = createWorld()
  world.people.set(stranger)
  await announced(world)
  world.platform.change("a-1", { status: "approved", resolvedBy: "U9" })
  await poll(world.ports, "main")
  await world.ports.jobs.reconcile(caseOf(world).id)

  await Promise.all([world.queue.runAll(world.ports), show(world.ports, caseOf(world).id)])

  expect(world.alarmCodes()).toEqual([code])
})

test("one decision elsewhere is one vote: where two are wanted it is raised, and beside another approval here it is not", async () => {
  const alone = await decidedElsewhere({ resolvedBy: "U2" }, underRules(twoOfThree))
  const beside = underRules(twoOfThree)
  await announced(beside)
  await pressed(beside)
  await decidedElsewhere({ resolvedBy: "U2" }, beside)

  expect(alone.alarms).toMatchObject([{ code, why: "the rules want more votes than there are" }])
  expect(beside.alarms).toEqual([])
})

test("one human's vote here and decision elsewhere are one", async () => {
  const world = underRules(twoOfThree)
  await announced(world)
  await pressed(world)

  await decidedElsewhere({ resolvedBy: "U1" }, world)

  expect(world.alarmCodes()).toEqual([code])
})

test("a vote here with values does not add up with a decision elsewhere", async () => {
  const world = underRules(twoOfThree)
  await announced(world)
  await pressed(world, { values: { values: { recipient: "ann" } } })
  expect(caseOf(world).votes).toHaveLength(1)

  await decidedElsewhere({ resolvedBy: "U2" }, world)

  expect(world.alarmCodes()).toEqual([code])
})

test("the vote here of somebody who may not vote any more does not count beside it", async () => {
  const world = underRules(twoOfThree)
  await announced(world)
  await pressed(world)
  world.people.set(aPerson({ deactivated: true }))
  world.clock.forward(60_000)

  await decidedElsewhere({ resolvedBy: "U2" }, world)

  expect(world.alarmCodes()).toEqual([code])
})

test("who asked and may not approve their own is raised elsewhere too", async () => {
  const own = aRule({
    forbidSelfApproval: true,
    unknownRequester: "refuse",
    approvers: [u1, { kind: "user", id: "UASK" }],
  })
  const world = underRules(own)
  await announced(world, anApproval(asker))

  await decidedElsewhere({ resolvedBy: "UASK" }, world)

  expect(world.alarms).toMatchObject([{ code, why: "the rules do not let them approve this: requester" }])
})

test.each(["expired", "cancelled"])("what nobody decided is nobody's decision: %s", async (status) => {
  const world = await decidedElsewhere({ status, resolvedBy: null })

  expect(world.alarms).toEqual([])
  expect(caseOf(world)).toMatchObject({ state: "closed", outcome: { kind: "elsewhere" } })
})

test("while Slack does not say who it was the case settles and is not closed; it is told when Slack does", async () => {
  const world = createWorld()
  world.people.set(stranger)
  await announced(world)
  world.clock.forward(60_000)
  world.people.fail(chatFailure("internal_error"))
  world.platform.change("a-1", { status: "approved", resolvedBy: "U9" })
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)
  const before = [caseOf(world).state, world.alarmCodes()]

  world.people.fail(null)
  await world.queue.runAll(world.ports)

  expect(before).toEqual(["settled", []])
  expect(world.alarmCodes()).toEqual([code])
  expect(caseOf(world).state).toBe("closed")
})

test("somebody whom Slack will never tell of is nobody whom the rules admit", async () => {
  const world = await announcedWorld()
  world.clock.forward(60_000)
  world.people.fail(chatFailure("missing_scope", { retryable: false }))
  world.platform.change("a-1", { status: "approved", resolvedBy: "u1@example.com" })
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)

  expect(world.alarms).toMatchObject([{ code, why: "Slack does not say who decided it" }])
})
