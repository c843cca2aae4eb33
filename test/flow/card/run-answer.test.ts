// The answer of a resumed run: sent once to whoever asked, where a rule wants that, and kept nowhere.
import { describe, expect, test } from "vitest"
import type { RunAddress } from "../../../src/domain/content/run.ts"
import { present } from "../../../src/flow/card/deliver.ts"
import type { RunAnswer } from "../../../src/flow/ports.ts"
import { aPerson, aPolicy, aRule } from "../../support/builders.ts"
import type { World } from "../../support/memory-ports.ts"
import { agentAddress } from "../../support/memory-runs.ts"
import { decidedAndDone, pairPaused, paused, pressedOn } from "../resuming.ts"
import { caseOf } from "../support.ts"

const sending = aPolicy([aRule({ resultToRequester: true, mask: ["key"] })])
const secret = "The data of Jane is gone."

/** Every answer that was sent, and to which channel. */
function answers(world: World): readonly (readonly [channel: string, answer: RunAnswer])[] {
  return world.chat.messages.flatMap(({ place, lines }) =>
    lines.flatMap(({ answer }) => (answer === undefined ? [] : [[place.channel, answer] as const])),
  )
}

const sent = [["DUASK", { kind: "read", content: secret, mask: ["key"] }]]

test("whoever asked is sent the answer of the run that was resumed, with what is masked in it, and nobody else is", async () => {
  const world = await paused({ policy: sending, run: { content: secret } })

  await decidedAndDone(world)

  expect(answers(world)).toEqual(sent)
  expect(caseOf(world).state).toBe("closed")
})

test("R15 nothing of the answer is kept", async () => {
  const world = await paused({ policy: sending, run: { content: secret } })

  await decidedAndDone(world)

  expect(JSON.stringify([world.server.cases(), world.alarms])).not.toContain("Jane")
})

test("after a rejection the answer is sent as well", async () => {
  const world = await paused({ policy: sending, run: { content: secret } })

  await decidedAndDone(world, { verb: "reject" })

  expect(answers(world)).toEqual(sent)
})

describe("nothing is sent", () => {
  test.each([
    ["no rule wants it", { policy: aPolicy([aRule()]) }],
    ["nothing is resumed", { policy: sending, conduct: { resume: "off" } }],
    ["nobody knows who asked", { policy: sending, approval: { userId: null } }],
    ["who asked decided it", { policy: sending, approval: { userId: "u1@example.com" } }],
  ] as const)("where %s", async (_, options) => {
    const world = await paused(options)

    await decidedAndDone(world)

    expect(answers(world)).toEqual([])
    expect(caseOf(world).state).toBe("closed")
  })

  test("to a guest, who may not see the case", async () => {
    const world = await paused({ policy: sending })
    world.clock.forward(31_000)
    world.people.set(aPerson({ user: "UASK", email: "asker@example.com", guest: true }))

    await decidedAndDone(world)

    expect(answers(world)).toEqual([])
  })

  test.each([
    ["failed", { status: "ERROR" }],
    ["was cancelled", { status: "CANCELLED" }],
  ])("of a run that %s", async (_, change) => {
    const world = await paused({ policy: sending })
    world.runs.leadTo(change)

    await decidedAndDone(world)

    expect(answers(world)).toEqual([])
  })

  test("of a run that somebody else continued", async () => {
    const world = await paused({ policy: sending })
    world.runs.change("run-1", { status: "COMPLETED" })

    await decidedAndDone(world)

    expect(answers(world)).toEqual([])
  })
})

test.each(["missing", "server", "forbidden"] as const)(
  "an answer that cannot be read is said so (%s)",
  async (fault) => {
    const world = await paused({ policy: sending })
    const run = {
      ...world.runs,
      read: async (address: RunAddress) => {
        if (caseOf(world).resumption?.kind === "ended") world.runs.failRead(fault)
        return world.runs.read(address)
      },
    }
    const ports = { ...world.ports, runs: new Map([["main", run]]) }

    await pressedOn({ ...world, ports }, "a-1")
    await world.queue.runAll(ports, 3_600_000)

    expect(answers(world)).toEqual([["DUASK", { kind: "unread" }]])
  },
)

describe("never twice", () => {
  test.each([true, false])("after a line that nobody heard of, carried out or not (%s)", async (accepted) => {
    const world = await paused({ policy: sending, run: { content: secret } })
    world.runs.beforeContinue(async () => {
      await world.queue.runDue(world.ports)
      world.chat.fail("DUASK", { kind: "unheard", accepted })
    })

    await decidedAndDone(world)
    await present(world.ports, caseOf(world).id)

    expect(answers(world)).toEqual(sent)
  })

  test("of a run that two approvals held up, whoever of them wants it", async () => {
    const world = await pairPaused({ resume: "decided" }, sending)

    await pressedOn(world, "a-1")
    await pressedOn(world, "a-2")
    await world.queue.runAll(world.ports, 3_600_000)

    expect(answers(world)).toEqual([["DUASK", { kind: "read", content: "Done.", mask: ["key"] }]])
  })
})

test("the run that is read is the one that was continued", async () => {
  const world = await paused({ policy: sending })
  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", answer: { address: agentAddress } })
})
