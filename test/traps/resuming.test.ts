// Traps of AgentOS in resuming, over runs in memory that are as dangerous as the real ones.
import { describe, expect, test } from "vitest"
import { resume } from "../../src/flow/resume/resume.ts"
import { asksInput, asksResult, decidedAndDone, explicitOf, pairPaused, paused, pressedOn } from "../flow/resuming.ts"
import { caseOf, pressed } from "../flow/support.ts"
import { anApproval, aRequirement } from "../support/builders.ts"
import type { World } from "../support/memory-ports.ts"
import { agentAddress, aRun } from "../support/memory-runs.ts"

const endOf = (world: Parameters<typeof caseOf>[0], id = "a-1") => {
  const { resumption } = caseOf(world, id)
  return resumption?.kind === "ended" ? resumption.end : resumption
}

test.each([
  ["ERROR", "failed", ["run-failed"]],
  ["CANCELLED", "cancelled", ["ran-although-cancelled"]],
])("trap 49: 200 with %s is no success: the run %s", async (status, kind, alarms) => {
  const world = await paused()
  world.runs.leadTo({ status })

  await decidedAndDone(world)

  expect(endOf(world)).toMatchObject({ kind })
  expect(world.alarmCodes()).toEqual(alarms)
})

test("trap 51: the continue names the row's session", async () => {
  const world = await paused({ approval: { sessionId: "session-1" } })

  await decidedAndDone(world)

  expect(world.runs.posts[0]?.address).toEqual(agentAddress)
})

describe("trap 52: nothing is continued", () => {
  test.each([
    ["that is not shown", "missing", "does not show"],
    ["that can't be written", "server", "may be no number"],
  ] as const)("nothing is continued of a run %s, asked for more than once", async (_, fault, why) => {
    const world = await paused()
    world.runs.failRead(fault, fault, fault, fault, fault, fault, fault, fault)

    await decidedAndDone(world)

    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", why: expect.stringMatching(why) as string })
    expect(world.runs.posts).toEqual([])
  })

  test("a run that is shown again after a failure is continued", async () => {
    const world = await paused()
    world.runs.failRead("missing")

    await decidedAndDone(world)

    expect(world.runs.executions).toEqual(["delete_table"])
  })

  test.each([
    ["other arguments", { tool_args: { table: "orders" } }],
    ["another tool", { tool_name: "drop_database" }],
    ["another call", { tool_call_id: "call-other" }],
  ])("nothing is continued with %s than were shown", async (_, execution) => {
    const world = await paused()
    world.runs.put(agentAddress, aRun({}, "delete_table", execution))

    await decidedAndDone(world)

    expect(caseOf(world).resumption).toMatchObject({
      kind: "withheld",
      why: expect.stringContaining("not those") as string,
    })
    expect(world.runs.posts).toEqual([])
  })

  test("nothing is continued with one more open call than was shown", async () => {
    const world = await paused()
    world.runs.put(agentAddress, aRun({ tools: [...aRun().tools, ...aRun({}, "send_email").tools] }))

    await decidedAndDone(world)

    expect(world.runs.posts).toEqual([])
  })

  test("nothing is continued where the credential may not look", async () => {
    const world = await paused()
    world.runs.failRead("forbidden", "forbidden")

    await decidedAndDone(world)

    expect(caseOf(world).resumption).toMatchObject({ why: "the credential for resuming may not read it" })
  })

  test("nothing is continued where an empty list may be a database that fails", async () => {
    const world = await paused()
    await pressed(world)
    const platforms = new Map([["main", { ...world.platform, ofRun: async () => [] }]])

    await world.queue.runAll({ ...world.ports, platforms })

    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld", why: "the platform's list does not name it" })
    expect(world.runs.posts).toEqual([])
  })
})

test("trap 53: a member's row is continued through its team's run", async () => {
  const world = await pairPaused()
  await pressed(world)
  await world.queue.runDue(world.ports)
  expect(caseOf(world).resumption).toMatchObject({ kind: "waiting", beside: 1, links: [expect.any(String)] })
  expect(world.runs.posts).toEqual([])

  await pressedOn(world, "a-2")
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toMatchObject([{ address: { runner: "teams", component: "team-1", runId: "team-run" } }])
  expect(world.runs.executions).toEqual(["tool-one", "tool-two"])
  expect(endOf(world, "a-1")).toMatchObject({ kind: "completed" })
  expect(endOf(world, "a-2")).toMatchObject({ kind: "completed" })
})

test("trap 53: a run that says it belongs to another, which is no team's, is not continued", async () => {
  const world = await paused({ run: { parentId: "workflow-run" } })

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  expect(world.runs.posts).toEqual([])
})

test("trap 54: two processes and a retry continue once", async () => {
  const world = await paused()
  await pressed(world)
  const { id } = caseOf(world)

  await Promise.all([resume(world.ports, id), resume(world.ports, id)])
  await resume(world.ports, id)
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toHaveLength(1)
  expect(world.runs.executions).toEqual(["delete_table"])
})

test("trap 54: two cases of one pause that are decided at once continue its run once", async () => {
  const world = await pairPaused()
  await pressed(world)
  await pressedOn(world, "a-2")

  await Promise.all(["a-1", "a-2"].map((id) => resume(world.ports, caseOf(world, id).id)))
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toHaveLength(1)
  expect([endOf(world, "a-1"), endOf(world, "a-2")]).toMatchObject([{ kind: "completed" }, { kind: "completed" }])
})

describe("trap 55: a continue whose answer never came", () => {
  test.each(["timeout", "cut"])(
    "a continue that ended in a %s is never sent again; the run tells how it ended",
    async (code) => {
      const world = await paused()
      world.runs.failContinue({ kind: "unheard", applied: true, code })

      await decidedAndDone(world)

      expect(world.runs.posts).toHaveLength(1)
      expect(endOf(world)).toMatchObject({ kind: "completed", by: "us" })
    },
  )

  describe("the platform was killed while it worked on a continue", () => {
    const killed = async (code = "cut") => {
      const world = await paused()
      world.runs.failContinue({ kind: "unheard", applied: false, code })
      await pressed(world)
      await world.queue.runDue(world.ports)
      return world
    }
    const later = async (world: World, ms: number) => {
      world.clock.forward(ms)
      await world.queue.runDue(world.ports)
    }

    test("a platform that is not back leaves a card that says since when it is being continued", async () => {
      const world = await killed()
      const since = world.clock.now()

      await later(world, 10_000)

      expect(world.chat.messages[0]?.model.status).toMatchObject({ run: { kind: "continuing", since } })
    })

    test("a platform that is back with the run at the same calls is told at once, and nothing is sent again", async () => {
      const world = await killed()
      world.platform.starts(world.clock.now() + 5_000)

      await later(world, 10_000)

      expect(endOf(world)).toMatchObject({
        kind: "unknown",
        detail: "the platform was restarted meanwhile, and the run waits at the same calls",
      })
      expect(world.alarmCodes()).toEqual(["resume-unaccounted"])
      expect(world.runs.posts).toHaveLength(1)
    })

    test.each([
      ["ran before the continue", "cut", -60_000],
      ["does not say since when it runs", "cut", null],
      ["was another worker that began later, since nothing broke", "timeout", 5_000],
    ])("a process that answers and %s may still work on it", async (_, code, began) => {
      const world = await killed(code)
      world.platform.starts(began === null ? null : world.clock.now() + began)

      await later(world, 10_000)

      expect(caseOf(world).resumption?.kind).toBe("continuing")
    })

    test.each([40_000, -40_000])("another replica, whose clock differs by %i ms, judges alike", async (differsMs) => {
      const world = await paused()
      const ports = (aheadMs: number) => ({ ...world.ports, clock: () => world.clock.now() + aheadMs })
      world.runs.failContinue({ kind: "unheard", applied: false, code: "cut" })
      await pressed(world)
      await resume(ports(-differsMs), caseOf(world).id)
      world.platform.starts(world.clock.now() - 5_000)

      world.clock.forward(10_000)
      await resume(ports(differsMs), caseOf(world).id)
      expect(caseOf(world).resumption?.kind).toBe("continuing")

      world.platform.starts(world.clock.now() - 5_000)
      await resume(ports(differsMs), caseOf(world).id)
      expect(endOf(world)).toMatchObject({ kind: "unknown" })
    })
  })

  test("a continue without an answer, after which the run stands still, is not sent again: an operator must look", async () => {
    const world = await paused()
    world.runs.failContinue({ kind: "unheard", applied: false })

    await decidedAndDone(world)

    expect(world.runs.posts).toHaveLength(1)
    expect(endOf(world)).toMatchObject({ kind: "unknown" })
    expect(world.alarmCodes()).toEqual(["resume-unaccounted"])
  })

  test.each([
    [404, "refused"],
    [500, "unknown"],
  ])("a continue that was answered with %i is asked of the run, and nothing is sent again", async (status, kind) => {
    const world = await paused()
    world.runs.failContinue({ kind: "answer", answer: { kind: "unsure", status, detail: "No runs found" } })

    await decidedAndDone(world)

    expect(endOf(world)).toMatchObject({ kind, detail: `${status} No runs found` })
    expect(world.runs.posts).toHaveLength(1)
  })
})

describe("traps 56, 57 and 58: a rejection is carried out explicitly, and the model reads the reason", () => {
  test.each([
    ["a confirmation", {}],
    ["user input", asksInput],
    ["what somebody else carries out", asksResult],
  ] as const)("a rejection of %s is carried out explicitly, and the model reads the reason", async (_, execution) => {
    const world = await paused({ execution: execution as typeof asksInput })

    await decidedAndDone(world, { verb: "reject", reason: "not on a Friday" })

    expect(explicitOf(world)).toMatchObject([
      {
        tool_call_id: "call-delete_table",
        requires_confirmation: true,
        confirmed: false,
        requires_user_input: false,
        external_execution_required: false,
        answered: true,
        confirmation_note: "A human rejected this call: not on a Friday",
      },
    ])
    expect(world.runs.executions).toEqual([])
    expect(endOf(world)).toMatchObject({ kind: "completed", deviations: [] })
  })
})

test("trap 59: before 3.0 explicit calls are the stored ones, and only the open gated ones are changed", async () => {
  const done = {
    tool_call_id: "call-done",
    tool_name: "look_up",
    tool_args: { limit: 50 },
    result: "7",
    confirmed: null,
  }
  const open = { tool_call_id: "call-open", tool_name: "clear_cache", requires_confirmation: true, approval_type: null }
  const requirements = [
    aRequirement("delete_table", { tool_args: { table: "customers" } }),
    { id: "r", tool_execution: { ...open, tool_args: {}, confirmed: null, result: null, tool_call_error: null } },
  ]
  const world = await paused({ approval: { requirements }, run: { tools: [done, ...aRun().tools, open] } })
  world.platform.becomes({ enforcesRejection: false, version: "2.9.0" })

  await decidedAndDone(world, { verb: "reject" })

  const [first, , third] = explicitOf(world) ?? []
  expect(world.runs.posts[0]?.explicit?.name).toBe("tools")
  expect(first).toEqual(done)
  expect(third).toEqual(open)
})

test("trap 60: a run that paused again without a new approval raises the alarm, and nothing more is continued", async () => {
  const world = await paused()
  world.runs.leadTo({ status: "PAUSED", tools: aRun({}, "send_email").tools })

  await decidedAndDone(world)

  expect(endOf(world)).toMatchObject({ kind: "unasked" })
  expect(world.alarmCodes()).toEqual(["paused-again-unasked"])
  expect(world.runs.posts).toHaveLength(1)
})

test("trap 60: a run that paused again with an approval of its own is a new case and no alarm", async () => {
  const world = await paused()
  world.runs.leadTo({ status: "PAUSED", tools: aRun({}, "send_email").tools })
  world.runs.beforeContinue(() => world.platform.put(anApproval({ id: "a-2" })))

  await decidedAndDone(world)

  expect(endOf(world)).toMatchObject({ kind: "paused" })
  expect(world.alarms).toEqual([])
})

test("trap 62: other arguments than the approved ones raise an alarm, whoever continued", async () => {
  const world = await paused()
  const ran = { tool_args: { table: "orders" }, confirmed: true, result: "ran", tool_call_error: false }
  world.runs.put(agentAddress, aRun({ status: "COMPLETED" }, "delete_table", ran))

  await decidedAndDone(world)

  const deviations = ["delete_table ran with other arguments than were approved"]
  expect(endOf(world)).toMatchObject({ kind: "completed", by: "others", deviations })
  expect(world.alarms).toMatchObject([{ code: "ran-otherwise", deviations }])
})

test("trap 63: a call that ran after its rejection raises an alarm", async () => {
  const world = await paused()
  world.runs.put(agentAddress, aRun({ status: "COMPLETED" }, "delete_table", { confirmed: true, result: "ran" }))

  await decidedAndDone(world, { verb: "reject" })

  expect(endOf(world)).toMatchObject({ deviations: ["delete_table ran although it was rejected"] })
  expect(world.alarmCodes()).toEqual(["ran-otherwise"])
})

describe("trap 64: a team whose members were decided differently", () => {
  async function split(version: string | null) {
    const world = await pairPaused()
    world.platform.becomes({ enforcesRejection: false, version })
    await pressed(world)
    await pressedOn(world, "a-2", { verb: "reject" })
    await world.queue.runAll(world.ports)
    return world
  }

  test.each(["2.7.2", "2.8.7", "0.0.0", null])(
    "a team whose members were decided differently is not resumed at %s",
    async (version) => {
      const world = await split(version)

      expect(world.runs.posts).toEqual([])
      expect(caseOf(world).resumption).toMatchObject({ why: expect.stringContaining("one verdict for all") as string })
    },
  )

  test.each(["2.9.0", "3.1.10"])(
    "a team whose members were decided differently is resumed at %s, each call by its own verdict",
    async (version) => {
      const world = await split(version)

      expect(explicitOf(world)).toMatchObject([
        { confirmation: true, tool_execution: { confirmed: true } },
        { confirmation: false, tool_execution: { confirmed: false } },
      ])
      expect(world.runs.executions).toEqual(["tool-one"])
    },
  )
})

test("trap 65: a team's run that ended while a member's approval was pending is noticed and said", async () => {
  const world = await pairPaused()
  world.runs.change("team-run", { status: "COMPLETED" })

  await pressed(world)
  await world.queue.runAll(world.ports)

  expect(endOf(world)).toMatchObject({ kind: "completed", by: "others" })
})

test("trap 66: below 2.9.0 an approved team gets its requirements back with both copies set", async () => {
  const world = await pairPaused()
  world.platform.becomes({ enforcesRejection: false, version: "2.7.2" })
  await pressed(world)
  await pressedOn(world, "a-2")

  await world.queue.runAll(world.ports)

  expect(world.runs.posts[0]?.explicit?.name).toBe("requirements")
  expect(explicitOf(world)).toMatchObject([
    { confirmation: true, tool_execution: { confirmed: true } },
    { confirmation: true, tool_execution: { confirmed: true } },
  ])
})

test("trap 66: a run that paused again at the very calls that were decided is said to stand still", async () => {
  const world = await paused()
  world.runs.leadTo(aRun())

  await decidedAndDone(world)

  expect(endOf(world)).toMatchObject({ kind: "refused" })
})

test("trap 67: a completed run is not continued, and another run in the answer is reported as a fork", async () => {
  const over = await paused({ run: { status: "COMPLETED" } })
  await decidedAndDone(over)
  expect(over.runs.posts).toEqual([])

  const forked = await paused()
  forked.runs.leadTo({ id: "run-2" })
  await decidedAndDone(forked)

  expect(endOf(forked)).toMatchObject({ kind: "forked", detail: "run run-2 answered" })
  expect(forked.alarmCodes()).toEqual(["run-forked"])
})
