// Traps of AgentOS in the steps: what the platform says or does, and what becomes of the case. In memory, with a clock
// moved by hand.
import { describe, expect, test } from "vitest"
import { poll } from "../../src/flow/poll/poll.ts"
import type { Platform } from "../../src/flow/ports.ts"
import { reconcile } from "../../src/flow/resolve/reconcile.ts"
import { announced, announcedWorld, caseOf, pressed } from "../flow/support.ts"
import { recorded } from "../slack/card-models.ts"
import { anApproval, aPolicy, aRule } from "../support/builders.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { platformFailure } from "../support/port-failure.ts"

async function polled(world: World, platform: Platform = world.platform): Promise<void> {
  await poll({ ...world.ports, platforms: new Map([["main", platform]]) }, "main")
  await world.queue.runAll(world.ports)
}

/** The platform, but its record of every approval can't be read any more; its short form can. */
function unreadable(world: World) {
  const platform: Platform = { ...world.platform, get: () => Promise.reject(platformFailure("server")) }
  return { ...world.ports, platforms: new Map([["main", platform]]) }
}

test("trap 1: empty lists, however many, close no case", async () => {
  const world = await announcedWorld()
  const empty = { ...world.platform, pending: async function* () {} }

  for (let round = 0; round < 5; round += 1) {
    await polled(world, empty)
    world.clock.forward(10_000)
  }

  expect(caseOf(world)).toMatchObject({ state: "open", missing: null })
})

test("trap 2: 404s of a known approval are counted, never taken for a decision, and believed only over 10 s", async () => {
  const world = await announcedWorld()
  world.platform.delete("a-1")

  for (let asked = 0; asked < 9; asked += 1) await reconcile(world.ports, caseOf(world).id)

  expect(caseOf(world)).toMatchObject({ state: "open", decision: null, outcome: null, missing: { times: 3 } })
})

describe("trap 7: a known approval whose record answers 500", () => {
  test("a known approval whose record answers 500 is followed by its status: decided elsewhere settles the case", async () => {
    const world = await announcedWorld()
    world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })

    await reconcile(unreadable(world), caseOf(world).id)

    const outcome = { kind: "elsewhere", status: "approved", resolvedBy: "boss@example.com" }
    expect(caseOf(world)).toMatchObject({ outcome })
    expect(world.alarmCodes()).toEqual(["unverified-resolution"])
  })

  test("a known approval whose record answers 500 and whose status is pending is asked for again, and can't be decided unseen", async () => {
    const world = await announcedWorld()
    const ports = unreadable(world)

    await expect(reconcile(ports, caseOf(world).id)).rejects.toMatchObject({ code: "server", retryable: true })
    await expect(pressed(world, {}, ports)).rejects.toMatchObject({ code: "server" })

    expect(caseOf(world)).toMatchObject({ state: "open", votes: [] })
    expect(world.platform.bodies).toEqual([])
  })

  test("a known approval whose record answers 500, and whose status fails too, is the record's failure", async () => {
    const world = await announcedWorld()
    const platform: Platform = {
      ...world.platform,
      get: () => Promise.reject(platformFailure("server")),
      status: () => Promise.reject(platformFailure("timeout")),
    }

    await expect(
      reconcile({ ...world.ports, platforms: new Map([["main", platform]]) }, caseOf(world).id),
    ).rejects.toMatchObject({ code: "server" })
  })
})

test("trap 10: a poll asks for the list although the count stands still", async () => {
  const world = await announcedWorld()
  const before = await world.platform.count()
  world.platform.change("a-1", { status: "rejected" })
  world.platform.put(anApproval({ id: "a-2" }))
  expect(await world.platform.count()).toBe(before)

  await polled(world)

  expect(caseOf(world, "a-2").state).toBe("open")
  expect(caseOf(world).outcome).toMatchObject({ status: "rejected" })
})

test("trap 11: expires_at from the wire decides nothing", async () => {
  const world = createWorld()
  await announced(world, anApproval({ expiresAt: world.clock.now() - 60_000 }))

  const { case: after } = await pressed(world)

  expect(after.outcome).toMatchObject({ kind: "ours", verb: "approve" })
})

describe("trap 21: nobody knows who asked", () => {
  const strict = aPolicy([aRule({ forbidSelfApproval: true, unknownRequester: "refuse" })])

  test.each([null, "sa:countersign", "nobody@example.com"])(
    "where nobody knows who asked (%s), approving is refused and rejecting is not",
    async (userId) => {
      const world = await announcedWorld({ policy: strict }, anApproval({ userId }))

      const { answers } = await pressed(world)
      world.clock.forward(1_000)
      const { case: after } = await pressed(world, { verb: "reject" })

      expect(answers).toEqual([{ kind: "refused", refusal: { code: "unknown-requester", rule: "all" } }])
      expect(after.outcome).toMatchObject({ kind: "ours", verb: "reject" })
    },
  )
})

test("trap 30: 500 on resolve is read back by the status before anything else is sent", async () => {
  const world = await announcedWorld()
  world.platform.failResolve({ kind: "unheard", applied: true })
  let reads = 0
  // Readable for the vote, never again.
  const get: Platform["get"] = (id) =>
    (reads += 1) > 1 ? Promise.reject(platformFailure("server")) : world.platform.get(id)

  await pressed(world, {}, { ...world.ports, platforms: new Map([["main", { ...world.platform, get }]]) })

  expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status: "approved", resolvedBy: "u1@example.com" })
  expect(world.platform.bodies).toHaveLength(1)
})

describe("traps 34 and 43: 404 on resolve although the approval is pending", () => {
  test("404 on resolve although the approval is pending names the credential, and is not tried for ever", async () => {
    const world = await announcedWorld()
    const answer = { kind: "refused", status: 404, detail: "Approval not found" } as const
    world.platform.failResolve({ kind: "answer", answer })

    const { answers } = await pressed(world)
    await world.queue.runAll(world.ports)

    expect(answers.at(-1)).toMatchObject({ why: expect.stringContaining("may see it and not resolve it") as string })
    expect(world.alarmCodes()).toEqual(["credential-may-not-resolve", "resolve-refused"])
    expect(world.platform.bodies).toHaveLength(1)
    expect(caseOf(world).state).toBe("open")
  })

  test("404 on resolve of an approval that is gone when it is read back is not blamed on the credential", async () => {
    const world = await announcedWorld()
    world.platform.beforeResolve(() => world.platform.delete("a-1"))

    await pressed(world)

    expect(world.alarmCodes()).not.toContain("credential-may-not-resolve")
  })
})

test("trap 36: a resolved_by of more than 255 characters is refused before anything is sent", async () => {
  const world = await announcedWorld()

  const { answers } = await pressed(world, {}, { ...world.ports, resolvedBy: `{email}${"x".repeat(250)}` })

  expect(answers).toMatchObject([{ kind: "subject-too-long" }])
  expect(world.platform.bodies).toEqual([])
})

test("trap 37: inputs stand under values and ours under countersign, whatever a field is called", async () => {
  const world = await announcedWorld()
  const values = { countersign: "mine", values: "too", status: "rejected", result: "no" }

  await pressed(world, { values: { values } })

  const sent = JSON.parse(world.platform.bodies[0] ?? "") as Record<string, Record<string, unknown>>
  expect(sent).toMatchObject({ status: "approved", resolution_data: { values } })
  expect(sent["resolution_data"]?.["countersign"]).toMatchObject({ decision_id: expect.any(String) as string })
})

describe("trap 38: what the platform would run without", () => {
  test.each([
    ["get-pending-user-input", { values: { amount: 50, note: "lunch" } }, ["recipient"]],
    ["get-pending-external-execution", null, ["result"]],
    ["get-pending-external-execution", { result: "" }, ["result"]],
  ])(
    "%s with %j is refused by us, though the platform would run without it, and nothing is sent",
    async (name, values, names) => {
      const world = await announcedWorld({}, { ...recorded(name), instance: "main", id: "a-1" })

      const { answers } = await pressed(world, { values })

      expect(answers).toEqual([{ kind: "input-missing", names }])
      expect(world.platform.bodies).toEqual([])
    },
  )
})

test.each(["COMPLETED", "CANCELLED"])(
  "trap 40: a resolve of a run that is %s already is announced as without effect",
  async (runStatus) => {
    const world = await announcedWorld()
    world.platform.beforeResolve(() => world.platform.change("a-1", { runStatus }))

    await pressed(world)

    expect(world.alarms).toEqual([
      { code: "resolved-without-effect", caseId: caseOf(world).id, run: "run-1", runStatus },
    ])
  },
)

test.each(["expired", "cancelled"])(
  "trap 41: %s by somebody else closes the case as decided elsewhere",
  async (status) => {
    const world = await announcedWorld()
    world.platform.beforeResolve(() => world.platform.change("a-1", { status }))

    await pressed(world)

    expect(caseOf(world).outcome).toMatchObject({ kind: "elsewhere", status })
  },
)
