// Hold: a rejection that the platform would not enforce is not sent (R12), and what may still happen to it.

import { describe, expect, test } from "vitest"
import { reconcile, sweep } from "../../../src/flow/resolve/reconcile.ts"
import { anApproval, aPerson, aPolicy, aRule } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { agentAddress, aRun } from "../../support/memory-runs.ts"
import { aPress } from "../../support/presses.ts"
import { asksInput, asksResult, decidedAndDone, explicitOf, gatedApproval, paused, pressedOn } from "../resuming.ts"
import { announced, carried, caseOf, ledgerKinds, pressed } from "../support.ts"

const off = { resume: "off" } as const
const rejecting = { verb: "reject", reason: "too much" } as const

/** A rejected user_input approval of an instance whose runs are not resumed. */
async function held(policy = aPolicy()): Promise<World> {
  const world = await paused({ conduct: off, execution: asksInput, policy })
  await pressed(world, rejecting)
  await world.queue.runAll(world.ports)
  return world
}

describe("R12 a rejected user_input approval with resume off", () => {
  test("is held: nothing is sent, the record stays pending, card, thread and ledger say so", async () => {
    const world = await paused({ conduct: off, execution: asksInput })

    const { answers, case: after } = await pressed(world, rejecting)
    await world.queue.runAll(world.ports)

    expect(world.platform.bodies).toEqual([])
    expect(world.platform.row("a-1").status).toBe("pending")
    expect(after).toMatchObject({ state: "open", decision: null })
    const [message] = world.chat.messages
    expect(message?.model.status).toEqual({ kind: "held" })
    expect(message?.lines.map((line) => line.event.kind)).toEqual(["opened", "voted", "held"])
    expect(ledgerKinds(world).slice(-2)).toEqual(["voted", "held"])
    // The card that was clicked says it; nobody needs a second message.
    expect(answers).toEqual([])
  })

  test.each([
    ["too large to show", { oversize: { characters: 600_000, values: 9, sha256: "0".repeat(64) } }],
    ["read in two ways", { ambiguous: true }],
  ] as const)("of what nobody can approve, since it is %s, the card says that it is held", async (_, approval) => {
    const world = await paused({ execution: asksInput, approval, conduct: off })
    expect(world.chat.messages[0]?.model.status).toEqual({ kind: "unapprovable" })

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
    expect(world.chat.messages[0]?.model.status).toEqual({ kind: "held" })
  })

  test("R17 stays held where a lost second touched its case", async () => {
    const world = await held()
    const before = caseOf(world)
    world.server.touch(before.id)

    await sweep(world.ports)

    expect(caseOf(world)).toMatchObject({ revision: { number: before.revision.number }, votes: before.votes })
    expect(caseOf(world).lines.at(-1)).toMatchObject({ kind: "renewed", held: true, voided: [] })
    expect(world.platform.bodies).toEqual([])
  })

  test("is held where the run is left to AgentOS's own Slack interface", async () => {
    const sessionId = "agent-1:C0THREAD:1700000000.000100"
    const world = await paused({ execution: asksInput, approval: { sessionId } })
    world.runs.put({ ...agentAddress, sessionId }, aRun({}, "delete_table", asksInput))

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
    expect(caseOf(world)).toMatchObject({ state: "open", decision: null })
  })

  test("is sent where the operator says so", async () => {
    const world = await paused({ conduct: { ...off, rejectUserInput: "send" }, execution: asksInput })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
  })

  test("is sent to a platform that promises to enforce it", async () => {
    const world = await paused({ conduct: off, execution: asksInput })
    world.platform.becomes({ enforcesRejection: true, version: null })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
  })

  test("is held where the platform does not say what it is", async () => {
    const world = await paused({ conduct: off, execution: asksInput })
    world.platform.becomes(null)

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
  })

  test.each([
    ["a confirmation", {}],
    ["what somebody else carries out", asksResult],
  ] as const)("is about that kind alone: a rejection of %s is sent", async (_, execution) => {
    const world = await paused({ conduct: off, execution: execution as typeof asksInput })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
  })

  test("holds an approval that asks for input beside other calls", async () => {
    const world = createWorld()
    const [confirm = {}] = gatedApproval().requirements ?? []
    const [input = {}] = caseOf(await paused({ execution: asksInput })).approval?.requirements ?? []
    await announced(world, gatedApproval({ requirements: [confirm, input] }))

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
  })
})

describe("R12 a held rejection", () => {
  test("may be withdrawn, and the approval is open again", async () => {
    const world = await held()

    await pressedOn(world, "a-1", { verb: "withdraw" })
    await world.queue.runAll(world.ports)

    expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
    expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "open" })
  })

  test("may be replaced by an approval of the same person", async () => {
    const world = await held()

    await pressedOn(world, "a-1", { values: { values: { recipient: "Ann" } } })

    expect(world.platform.row("a-1").status).toBe("approved")
  })

  test("may be replaced by the same human with another Slack id of theirs", async () => {
    const identities = ["U1", "U2"].map((user) => ({ subject: "jane@corp.example", team: "T1", user }))
    const world = await held(aPolicy([aRule()], identities))

    await pressedOn(world, "a-1", { user: "U2", values: { values: { recipient: "Ann" } } })

    expect(world.platform.row("a-1").status).toBe("approved")
    expect(caseOf(world).decision?.votes.map((vote) => vote.person.user)).toEqual(["U2"])
  })

  test.each(["approve", "reject"] as const)(
    "stands against others: their %s is not counted, and they are told whose it is",
    async (verb) => {
      const world = await held()

      const { answers } = await pressedOn(world, "a-1", { verb, user: "U2", values: { values: { recipient: "Ann" } } })

      expect(answers).toEqual([{ kind: "already", verb: "reject", users: ["U1"], pending: false }])
      expect(caseOf(world).votes.map((vote) => vote.person.user)).toEqual(["U1"])
      expect(world.platform.bodies).toEqual([])
    },
  )

  test("falls when who made it may not decide any more", async () => {
    const world = await held()
    world.people.set(aPerson({ user: "U1", deactivated: true }))
    world.clock.forward(60_000)

    await pressedOn(world, "a-1", { user: "U2", values: { values: { recipient: "Ann" } } })

    expect(world.platform.row("a-1").status).toBe("approved")
    expect(caseOf(world).decision?.votes.map((vote) => vote.person.user)).toEqual(["U2"])
  })

  test("settles when somebody decides outside Countersign, and is never resumed", async () => {
    const world = await held()
    world.platform.change("a-1", { status: "rejected", resolvedBy: "boss@example.com" })

    await reconcile(world.ports, caseOf(world).id)
    await world.queue.runAll(world.ports)

    expect(caseOf(world)).toMatchObject({ outcome: { kind: "elsewhere" }, resumption: null })
  })

  test("is void when what would run changes", async () => {
    const world = await held()
    world.platform.change("a-1", { toolArgs: { table: "orders" } })

    await reconcile(world.ports, caseOf(world).id)

    expect(caseOf(world)).toMatchObject({ state: "open", votes: [], revision: { number: 2 } })
  })

  test("survives a restart, a delivery that comes twice and polls", async () => {
    const world = await held()
    world.server.restart()
    await announced(world, caseOf(world).approval ?? anApproval())

    await pressed(world, rejecting)
    await world.queue.runAll(world.ports)

    expect(caseOf(world).votes).toHaveLength(1)
    expect(world.platform.bodies).toEqual([])
    expect(ledgerKinds(world).filter((kind) => kind === "held")).toHaveLength(1)
  })
})

describe("R12 a rejection that is to be held", () => {
  const twoOf = aPolicy([aRule({ quorum: 2 })])
  const filled = { values: { values: { recipient: "Ann" } } }

  test("is not sent by somebody else's approval that was judged while its voter still approved", async () => {
    const world = await paused({ conduct: off, execution: asksInput, policy: twoOf })
    await pressed(world, filled)
    let first = true
    const commit: typeof world.ports.store.commit = async (one) => {
      if (first) {
        first = false
        await pressedOn(world, "a-1", rejecting)
      }
      return world.ports.store.commit(one)
    }

    const { case: after } = await pressed(
      world,
      { user: "U2", ...filled },
      { ...world.ports, store: { ...world.ports.store, commit } },
    )
    await world.queue.runAll(world.ports)

    expect(world.platform.bodies).toEqual([])
    expect(after.votes.map((vote) => `${vote.verb} ${vote.person.user}`)).toEqual(["reject U1"])
  })

  test("is not replaced by an approval that the same person pressed before it and that is carried out late", async () => {
    const world = await paused({ conduct: off, execution: asksInput })
    const older = aPress(world, caseOf(world), filled)
    await pressedOn(world, "a-1", rejecting)

    const { answers } = await carried(world, older)

    expect(answers).toEqual([{ kind: "late" }])
    expect(caseOf(world).votes.map((vote) => vote.verb)).toEqual(["reject"])
    expect(world.platform.bodies).toEqual([])
  })

  test("is not replaced by an older approval of the same human with another Slack id", async () => {
    const identities = ["U1", "U2"].map((user) => ({ subject: "jane@corp.example", team: "T1", user }))
    const world = await paused({ conduct: off, execution: asksInput, policy: aPolicy([aRule()], identities) })
    const older = aPress(world, caseOf(world), { user: "U2", ...filled })
    await pressedOn(world, "a-1", rejecting)

    const { answers } = await carried(world, older)

    expect(answers).toEqual([{ kind: "late" }])
    expect(world.platform.bodies).toEqual([])
  })

  test("is held again by whichever other approver rejects once its voter took it back", async () => {
    const world = await held()
    await pressedOn(world, "a-1", { verb: "withdraw" })

    await pressedOn(world, "a-1", { user: "U2", ...rejecting })
    await world.queue.runAll(world.ports)

    expect(caseOf(world).votes.map((vote) => vote.person.user)).toEqual(["U2"])
    expect(world.platform.bodies).toEqual([])
  })
})

describe("R12 with resume on", () => {
  test("the rejection is sent and carried out explicitly: nothing runs, and the model reads why", async () => {
    const world = await paused({ execution: asksInput })

    await decidedAndDone(world, rejecting)

    expect(world.platform.row("a-1").status).toBe("rejected")
    expect(explicitOf(world)).toMatchObject([
      { confirmed: false, confirmation_note: "A human rejected this call: too much" },
    ])
    expect(world.runs.executions).toEqual([])
  })

  test.each([
    ["the run is not there", (world: World) => world.runs.failRead("missing", "missing")],
    ["the run can't be read", (world: World) => world.runs.failRead("forbidden")],
    ["the run waits for something else", (world: World) => world.runs.change("run-1", { tools: [] })],
    ["another approval of the run is pending", (world: World) => world.platform.put(gatedApproval({ id: "a-9" }))],
  ])("a rejection is held all the same where %s", async (_, disturb) => {
    const world = await paused({ execution: asksInput })
    disturb(world)

    await pressed(world, rejecting)

    expect(world.platform.bodies).toEqual([])
    expect(world.runs.posts).toEqual([])
  })

  test("approved alone does not carry rejections out, so they are held", async () => {
    const world = await paused({ conduct: { resume: "approved" }, execution: asksInput })

    await decidedAndDone(world, rejecting)

    expect(world.platform.bodies).toEqual([])
    expect(world.runs.run("run-1").status).toBe("PAUSED")
    expect(world.runs.posts).toEqual([])
    expect(await world.runs.read(agentAddress)).not.toBeNull()
  })
})
