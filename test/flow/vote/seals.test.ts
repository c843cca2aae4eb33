// Nothing that Redis holds is believed unless we sealed it, and nothing secret stays there (R14, R15).

import { expect, test } from "vitest"
import { withVotes } from "../../../src/domain/case/vote.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { aPolicy, aRule } from "../../support/builders.ts"
import { createWorld } from "../../support/memory-ports.ts"
import { aPress } from "../../support/presses.ts"
import { announced, announcedWorld, caseOf, decideOn, ledgerKinds, pressed, takeUp, unheard } from "../support.ts"

test("R14: a vote whose seal is broken freezes the case, and nothing is sent", async () => {
  const world = await announcedWorld({ policy: aPolicy([aRule({ quorum: 2 })]) })
  await pressed(world)
  const current = caseOf(world)
  const votes = current.votes.map((vote) => ({ ...vote, mac: vote.mac.replace(/^./, (c) => (c === "A" ? "B" : "A")) }))
  world.server.overwrite({ ...current, votes })

  const { answers, case: after } = await pressed(world, { user: "U2" })
  await world.queue.runAll(world.ports)

  expect(after.state).toBe("frozen")
  expect(answers).toEqual([{ kind: "frozen" }])
  expect(world.platform.bodies).toEqual([])
  expect(world.alarmCodes()).toContain("frozen-case")
  expect(world.chat.messages[0]?.model.status).toEqual({ kind: "frozen" })
})

test.for([
  { what: "person", change: { person: { team: "T1", user: "U3" } } },
  { what: "revision", change: { revision: 0 } },
  { what: "values", change: { values: { amount: 7 } } },
  { what: "case", change: { caseId: "0".repeat(20) } },
])(
  "R14: the recount refuses a decision whose vote has another $what than the one that was sealed",
  async ({ change }) => {
    const world = await unheard()
    const current = caseOf(world)
    if (current.decision === null) throw new Error("no decision")
    const decision = withVotes(current.decision, (vote) => ({ ...vote, ...change }))
    world.server.overwrite({ ...current, decision })

    await resolve(world.ports, current.id)

    expect(caseOf(world).state).toBe("frozen")
    expect(world.platform.bodies).toHaveLength(1)
  },
)

test("R14: the recount refuses a decision that its votes do not reach", async () => {
  const world = await unheard()
  const current = caseOf(world)
  const quotas = current.revision.quotas.map((quota) => ({ ...quota, quorum: 2 }))
  world.server.overwrite({ ...current, revision: { ...current.revision, quotas } })

  await resolve(world.ports, current.id)

  expect(caseOf(world).state).toBe("frozen")
})

test("R14: a case that was changed in Redis is frozen: no press counts, nothing is sent, an alarm is raised", async () => {
  const world = createWorld()
  const current = await announced(world)
  world.server.tamper(current.id)

  const { answer } = await decideOn(world.ports, aPress(world, current))
  await takeUp(world)

  expect(answer).toEqual({ kind: "frozen" })
  expect(world.platform.bodies).toEqual([])
  expect(world.alarmCodes()).toContain("tampered-case")
  expect(ledgerKinds(world).at(-1)).toBe("frozen")
})

test("R15: what a person filled in is erased once the case is closed", async () => {
  const world = await announcedWorld()
  await pressed(world, { values: { values: { secret: "hunter2" } } })

  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe("closed")
  expect(JSON.stringify(caseOf(world))).not.toContain("hunter2")
  expect(JSON.stringify(caseOf(world))).not.toContain("customers")
})
