// Whoever stopped something rejects what waits under it, case by case, where the rules let them (R21, R1).
import { expect, test } from "vitest"
import { createOrderActs } from "../../../src/flow/order/acts.ts"
import type { Ports, RejectOutcome } from "../../../src/flow/ports.ts"
import { anApproval, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, caseOf, ledgerKinds, minute, takeUp } from "../support.ts"

const listed = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }) as const)
const mine = aRule({ name: "mine", match: { tool: ["refund"] }, approvers: listed("U1", "U2") })
const theirs = aRule({ name: "theirs", match: { tool: ["deploy"] }, approvers: listed("U2") })

const me = { team, user: "U1" }

/** A world in which U1 stopped everything, and these tools wait; each approval is named after its tool. */
async function stoppedWorld(...tools: readonly string[]) {
  const world = createWorld({ policy: aPolicy([mine, theirs]) })
  for (const [at, toolName] of tools.entries())
    await announced(world, anApproval({ id: `${toolName}-${at}`, toolName, requirements: null }))
  const acts = createOrderActs(() => world.ports)
  const made = await acts.stop({ person: me, stop: { match: {}, reason: "runaway refunds", forMs: null } })
  if (made.kind !== "stopped") throw new Error("nothing was stopped")
  return { world, stop: made.stop.id }
}

interface Pressing {
  readonly user?: string
  readonly interaction?: string
  readonly ports?: () => Ports
  readonly waitMs?: number
}

/** Asks for the number and confirms it. */
async function rejectAll(world: World, stop: string, pressing: Pressing = {}): Promise<RejectOutcome> {
  const { user = "U1", interaction = "press-1", ports = () => world.ports, waitMs = 0 } = pressing
  const acts = createOrderActs(ports)
  const person = { team, user }
  const offer = await acts.rejecting({ person, stop })
  if (offer.kind !== "may") return offer
  const pressedAt = world.clock.now()
  world.clock.forward(waitMs)
  return acts.rejectWaiting({ person, stop, interaction, shownAt: offer.at, pressedAt })
}

test("R21 each case under the stop is rejected by itself, with the reason, and what is not theirs is listed", async () => {
  const { world, stop } = await stoppedWorld("refund", "refund", "deploy")
  expect(await createOrderActs(() => world.ports).rejecting({ person: me, stop })).toMatchObject({ waiting: 3 })

  const outcome = await rejectAll(world, stop)

  expect(outcome).toMatchObject({ kind: "done", rejected: [{ tool: "refund" }, { tool: "refund" }], left: [], gone: 0 })
  for (const id of ["refund-0", "refund-1"]) {
    expect(caseOf(world, id).outcome).toMatchObject({ kind: "ours", verb: "reject" })
    expect(caseOf(world, id).decision?.votes).toMatchObject([{ person: me, reason: "runaway refunds", verb: "reject" }])
  }
  expect(ledgerKinds(world, "deploy-2")).not.toContain("refused")
  expect(caseOf(world, "deploy-2").state).toBe("open")
  expect("others" in outcome ? outcome.others.length + outcome.hidden : 0).toBe(1)
})

test("R21 nobody else rejects so, nor after the end of the stop, nor by a press that is old", async () => {
  const { world, stop } = await stoppedWorld("refund")

  expect(await rejectAll(world, stop, { user: "U2" })).toEqual({ kind: "not-yours" })
  expect(await rejectAll(world, stop, { waitMs: 120_001 })).toEqual({ kind: "late" })
  await world.ports.orderBook.end(stop, { by: { kind: "operator", name: "ops" }, at: world.clock.now() })
  expect(await rejectAll(world, stop)).toEqual({ kind: "gone" })
  expect(caseOf(world, "refund-0").votes).toEqual([])
})

test("R21 what came after the number was shown is not rejected", async () => {
  const { world, stop } = await stoppedWorld("refund")
  const acts = createOrderActs(() => world.ports)
  const shownAt = world.clock.now()
  world.clock.forward(1_000)
  await announced(world, anApproval({ id: "later", toolName: "refund", requirements: null }))

  const order = { person: me, stop, interaction: "press-1", shownAt, pressedAt: world.clock.now() }
  const outcome = await acts.rejectWaiting(order)

  expect(outcome).toMatchObject({ rejected: [{ tool: "refund" }] })
  expect(caseOf(world, "later").state).toBe("open")
})

test.each([0, 1, 2, 3])(
  "R21 cut off at commit %i, no case is half done, and pressing again goes on with what is left",
  async (commits) => {
    const { world, stop } = await stoppedWorld("refund", "refund", "refund")
    let left = commits
    const commit: Ports["store"]["commit"] = async (change) => {
      if (left === 0) throw new Error("killed")
      left -= 1
      return world.ports.store.commit(change)
    }
    const dying = { ...world.ports, store: { ...world.ports.store, commit } }
    await expect(rejectAll(world, stop, { ports: () => dying })).rejects.toThrow("killed")
    const ids = ["refund-0", "refund-1", "refund-2"]
    for (const id of ids) expect([0, 1]).toContain(ledgerKinds(world, id).filter((kind) => kind === "voted").length)

    await rejectAll(world, stop, { interaction: "press-2" })
    world.clock.forward(minute)
    await takeUp(world)

    for (const id of ids) {
      expect(caseOf(world, id).outcome).toMatchObject({ kind: "ours", verb: "reject" })
      expect(ledgerKinds(world, id).filter((kind) => kind === "decided")).toHaveLength(1)
    }
  },
)
