// The request that started a run: read when Details opens, where a rule wants it, and kept nowhere.
import { expect, test } from "vitest"
import type { SessionRun } from "../../../src/flow/ports.ts"
import { details } from "../../../src/flow/query/case-view.ts"
import { why } from "../../../src/flow/query/why.ts"
import { aPolicy, aRule, aSessionRun, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { announced, caseOf, pressed } from "../support.ts"

const me = { team, user: "U1" }
const quoting = aPolicy([aRule({ requestInDetails: true })])

/** A world with a case of run-1, of session-1. */
async function aWorld(runs: readonly SessionRun[] | null, options: WorldOptions = {}): Promise<World> {
  const world = createWorld({ policy: quoting, ...options })
  world.platform.sessions(runs === null ? null : { "session-1": runs })
  await announced(world)
  return world
}

const requestIn = async (world: World) => (await details(world.ports, caseOf(world).id, me, null))?.request

test("Details quote what started the run, and nothing of it is kept", async () => {
  const world = await aWorld([aSessionRun({ input: "Please drop the table." })])

  expect(await requestIn(world)).toEqual({ kind: "read", input: "Please drop the table." })
  expect(JSON.stringify(world.server.cases())).not.toContain("Please drop")
})

test("no rule wants it: nobody reads the session for it", async () => {
  const world = await aWorld([aSessionRun()], { policy: aPolicy([aRule()]) })
  const before = world.platform.sessionReads

  expect(await requestIn(world)).toBeUndefined()
  expect(world.platform.sessionReads).toBe(before)
})

test("for a member's run it is what its team was asked, never what the team told its member", async () => {
  const member = aSessionRun({ parentRunId: "team-run", input: "Drop customers, I think that is best." })
  const teamRun = aSessionRun({ runId: "team-run", teamId: "ops", input: "Clean up." })

  expect(await requestIn(await aWorld([member, teamRun]))).toEqual({ kind: "read", input: "Clean up." })
})

test("for a workflow's step it is what the workflow was started with", async () => {
  const workflow = aSessionRun({
    runId: "w",
    workflowId: "close",
    input: "Close May.",
    steps: [{ runId: "run-1", tools: [] }],
  })

  expect(await requestIn(await aWorld([workflow]))).toEqual({ kind: "read", input: "Close May." })
})

test.each<readonly [string, readonly SessionRun[]]>([
  ["the session does not name the run", [aSessionRun({ runId: "another" })]],
  ["the run that began it is not there", [aSessionRun({ parentRunId: "gone" })]],
  ["runs begin each other", [aSessionRun({ parentRunId: "b" }), aSessionRun({ runId: "b", parentRunId: "run-1" })]],
])("nothing is quoted where %s", async (_, runs) => {
  expect(await requestIn(await aWorld(runs))).toEqual({ kind: "unread", why: "unknown-run" })
})

test("a credential that may not read sessions is named as the reason", async () => {
  expect(await requestIn(await aWorld(null))).toEqual({ kind: "unread", why: "not-allowed" })
})

test("Details open all the same while the platform does not answer, or another replica reaches it", async () => {
  const world = await aWorld([aSessionRun()])
  const failing = async () => {
    throw platformFailure()
  }
  const { id } = caseOf(world)
  const down = { ...world.ports, platforms: new Map([["main", { ...world.platform, session: failing }]]) }
  const apart = { ...world.ports, platforms: new Map() }

  for (const ports of [down, apart])
    expect(await details(ports, id, me, null)).toMatchObject({
      approve: { ok: true },
      request: { kind: "unread", why: "unreachable" },
    })
})

test.each([
  ["quoted while the arguments are kept", 60_000, { kind: "read", input: "please" }],
  ["not quoted where they are erased", 0, undefined],
] as const)("R15 once a case is closed its request is %s", async (_, retainArgumentsMs, request) => {
  const world = await aWorld([aSessionRun()], { retainArgumentsMs })
  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(caseOf(world).state).toBe("closed")
  expect(await requestIn(world)).toEqual(request)
})

test("the digest is the same with and without it", async () => {
  const [one, other] = [await aWorld([aSessionRun({ input: "a" })]), await aWorld(null)]

  expect(caseOf(one).revision.digest).toBe(caseOf(other).revision.digest)
})

test("who asks why is told without reading the session", async () => {
  const world = await aWorld([aSessionRun()])
  const before = world.platform.sessionReads

  await why(world.ports, caseOf(world).id, me)

  expect(world.platform.sessionReads).toBe(before)
})
