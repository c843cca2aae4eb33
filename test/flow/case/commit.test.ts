// Steps of several cases in one commit: all of them or none, made anew after a lost race.
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { miss } from "../../../src/domain/case/verdict.ts"
import { advanceCase, advanceTogether } from "../../../src/flow/case/commit.ts"
import type { Commit, Ports } from "../../../src/flow/ports.ts"
import { anApproval } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, caseOf } from "../support.ts"

async function two(world: World): Promise<readonly [Case, Case]> {
  return [await announced(world), await announced(world, anApproval({ id: "a-2", runId: "run-2" }))]
}

/** The ports, and each commit that goes through them; `before` is done before the first. */
function watched(world: World, before: () => Promise<unknown> = async () => undefined) {
  const commits: Commit[] = []
  const commit: Ports["store"]["commit"] = async (made) => {
    commits.push(made)
    if (commits.length === 1) await before()
    return world.ports.store.commit(made)
  }
  return { commits, ports: { ...world.ports, store: { ...world.ports.store, commit } } }
}

const missOnce = (at: number) => (cases: readonly Case[]) =>
  cases.map((one) => (one.missing === null ? miss(one, at) : null))

test("steps of two cases are one commit, and a case without a step is left out of it", async () => {
  const world = createWorld()
  const [one, other] = await two(world)
  const { commits, ports } = watched(world)

  const after = await advanceTogether(ports, [one, other], missOnce(1))
  const again = await advanceTogether(ports, after, missOnce(2))
  const alone = await advanceTogether(ports, again, ([, last]) => [null, last === undefined ? null : miss(last, 3)])

  expect(commits.map(({ besides }) => besides?.length)).toEqual([1, 0])
  expect(again).toEqual(after)
  expect(alone.map(({ missing }) => missing?.times)).toEqual([1, 2])
  expect([caseOf(world), caseOf(world, "a-2")]).toEqual(alone)
})

test("after a lost race on one of them the steps of both are made anew", async () => {
  const world = createWorld()
  const [one, other] = await two(world)
  const { commits, ports } = watched(world, () => advanceCase(world.ports, other, (now) => miss(now, 7)))

  const after = await advanceTogether(ports, [one, other], (cases) => cases.map((now) => miss(now, 8)))

  expect(commits).toHaveLength(2)
  expect(after.map(({ missing }) => missing?.times)).toEqual([1, 2])
})

test("where one of them is frozen meanwhile none of the steps is made", async () => {
  const world = createWorld()
  const [one, other] = await two(world)
  const { ports } = watched(world, () => world.ports.store.freeze(other.id, [{ kind: "frozen", at: 1, why: "a test" }]))

  const after = await advanceTogether(ports, [one, other], missOnce(1))

  expect(after).toEqual([one, other])
  expect(caseOf(world)).toEqual(one)
})

test("under another config nothing is committed, and the error says so", async () => {
  const world = createWorld()
  const [one, other] = await two(world)
  world.server.activate("rev-2")

  const refused = advanceTogether(world.ports, [one, other], missOnce(1))

  await expect(refused).rejects.toMatchObject({ code: "other-config", retryable: true })
  expect(caseOf(world)).toEqual(one)
})

test("a case that never stands still is left to a later try", async () => {
  const world = createWorld()
  const [one, other] = await two(world)
  const commit: Ports["store"]["commit"] = async (made) => {
    await advanceCase(world.ports, caseOf(world), (now) => miss(now, 1))
    return world.ports.store.commit(made)
  }
  const ports = { ...world.ports, store: { ...world.ports.store, commit } }

  const lost = advanceTogether(ports, [one, other], (cases) => cases.map((now) => miss(now, 2)))

  await expect(lost).rejects.toMatchObject({ code: "contention", retryable: true })
  expect(caseOf(world, "a-2")).toEqual(other)
})
