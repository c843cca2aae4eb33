// Resume: the run of a decided case is continued once, and its end is told.

import { describe, expect, test } from "vitest"
import { present } from "../../../src/flow/card/deliver.ts"
import { resume } from "../../../src/flow/resume/resume.ts"
import type { World } from "../../support/memory-ports.ts"
import { agentAddress, aRun } from "../../support/memory-runs.ts"
import { asksResult, decidedAndDone, explicitOf, gatedApproval, pairPaused, paused, pressedOn } from "../resuming.ts"
import { announced, caseOf, ledgerKinds, pressed } from "../support.ts"

const lastLine = (kinds: readonly string[]) => kinds.at(-1)

test("an approved run is continued once, by its record, and card and thread say how it ended", async () => {
  const world = await paused()

  await decidedAndDone(world)

  expect(world.runs.posts).toMatchObject([{ explicit: null, background: false, address: { runner: "agents" } }])
  expect(world.runs.executions).toEqual(["delete_table"])
  expect(caseOf(world)).toMatchObject({
    state: "closed",
    resumption: { kind: "ended", end: { kind: "completed", by: "us" } },
  })
  const [message] = world.chat.messages
  expect(message?.model.status).toMatchObject({ kind: "settled", run: { kind: "ended", end: { kind: "completed" } } })
  expect(lastLine(message?.lines.map((line) => line.event.kind) ?? [])).toBe("run-ended")
  expect(ledgerKinds(world).slice(-3)).toEqual(["continued", "run-ended", "closed"])
  expect(world.alarms).toEqual([])
})

describe("trap 68: a run that was cancelled while it waited", () => {
  test("a cancelled run runs its tool on our continue: card, thread and an alarm say that it ran", async () => {
    const world = await paused()
    world.runs.leadTo({ status: "CANCELLED" })

    await decidedAndDone(world)

    const end = { kind: "cancelled", by: "us", ran: ["delete_table"] }
    expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end })
    expect(world.alarms).toMatchObject([{ code: "ran-although-cancelled", ran: ["delete_table"] }])
  })

  test("a run that was cancelled and whose tool did not run is just cancelled", async () => {
    const world = await paused()
    world.runs.leadTo({ status: "CANCELLED", tools: [] })

    await decidedAndDone(world)

    expect(caseOf(world).resumption).toMatchObject({ end: { kind: "cancelled" } })
    expect(caseOf(world).resumption).not.toHaveProperty("end.ran")
    expect(world.alarms).toEqual([])
  })

  test("a run that its record shows as cancelled just before the continue is not continued", async () => {
    const world = await paused()
    await pressed(world)
    world.platform.change("a-1", { runStatus: "CANCELLED" })

    await world.queue.runAll(world.ports)

    expect(world.runs.posts).toEqual([])
    expect(caseOf(world).resumption).toMatchObject({
      kind: "withheld",
      why: "its record says that the run is over: CANCELLED",
    })
  })

  test("a run that shows itself as cancelled before the continue is not continued", async () => {
    const world = await paused()
    await pressed(world)
    world.runs.change("run-1", { status: "CANCELLED" })

    await world.queue.runAll(world.ports)

    expect(world.runs.posts).toEqual([])
    expect(caseOf(world).resumption).toMatchObject({ end: { kind: "cancelled", by: "others" } })
  })
})

test("a run that failed after its tool ran says that the tool ran", async () => {
  const world = await paused()
  world.runs.leadTo({ status: "ERROR" })

  await decidedAndDone(world)

  expect(caseOf(world).resumption).toMatchObject({ end: { kind: "failed", ran: ["delete_table"] } })
})

test("the continue is committed before it is sent, and the card says that the run was continued", async () => {
  const world = await paused()
  let seen: unknown
  world.runs.beforeContinue(async () => {
    seen = caseOf(world).resumption?.kind
    await world.queue.runDue(world.ports)
  })

  await decidedAndDone(world)

  expect(seen).toBe("continuing")
})

test.each([
  ["off", "approve", null],
  ["off", "reject", null],
  ["approved", "approve", "ended"],
  ["approved", "reject", "withheld"],
  ["decided", "approve", "ended"],
  ["decided", "reject", "ended"],
] as const)("with resume %s a run that is decided by %s: %s", async (mode, verb, kind) => {
  const world = await paused({ conduct: { resume: mode } })

  await decidedAndDone(world, { verb })

  expect(caseOf(world).resumption?.kind ?? null).toBe(kind)
  expect(world.chat.messages[0]?.model.status).toMatchObject({ kind: "settled", run: { kind: kind ?? "left" } })
  expect(world.runs.posts).toHaveLength(kind === "ended" ? 1 : 0)
  expect(caseOf(world).state).toBe("closed")
})

test("R16 a run of an instance that another replica has to reach is left to that one, and nothing is given up", async () => {
  const world = await paused()
  await pressed(world)
  const kind = caseOf(world).resumption?.kind
  const elsewhere = { ...world.ports, platforms: new Map(), runs: new Map() }

  await expect(resume(elsewhere, caseOf(world).id)).rejects.toMatchObject({ code: "instance-elsewhere" })

  expect(kind).toBe("waiting")
  expect(caseOf(world).resumption?.kind).toBe("waiting")
  await world.queue.runAll(world.ports)
  expect(caseOf(world).resumption?.kind).toBe("ended")
})

test("where it may not be resumed, card and thread say why and who must", async () => {
  const world = await paused({ conduct: { resume: "approved" } })

  await decidedAndDone(world, { verb: "reject" })

  const [message] = world.chat.messages
  expect(message?.model.status).toMatchObject({
    run: { kind: "withheld", why: "only approved runs are continued here" },
  })
  expect(message?.lines.at(-1)?.event).toMatchObject({ kind: "not-resumed", who: "asker@example.com" })
})

describe("a run of AgentOS's own Slack interface", () => {
  const sessionId = "agent-1:C0THREAD:1700000000.000100"
  const address = { ...agentAddress, sessionId }
  const started = async (besideAgnoSlack: boolean, verb: "approve" | "reject" = "approve") => {
    const world = await paused({ conduct: { resume: "decided", besideAgnoSlack }, approval: { sessionId } })
    world.runs.put(address, aRun())
    await decidedAndDone(world, { verb })
    return world
  }

  test.each(["approve", "reject"] as const)("is decided and not continued (%s): the thread says why", async (verb) => {
    const world = await started(false, verb)

    const why = expect.stringMatching(/AgentOS's own Slack interface/)
    expect(world.runs.posts).toEqual([])
    expect(world.platform.row("a-1").status).toBe(verb === "approve" ? "approved" : "rejected")
    expect(caseOf(world)).toMatchObject({ state: "closed", resumption: { kind: "withheld", why } })
    expect(world.chat.messages[0]?.lines.at(-1)?.event).toMatchObject({ kind: "not-resumed", why })
    expect(ledgerKinds(world)).toContain("not-resumed")
    expect(world.alarms).toEqual([])
  })

  test("is continued where the operator says so", async () => {
    const world = await started(true)

    expect(world.runs.posts).toMatchObject([{ address }])
    expect(caseOf(world).resumption?.kind).toBe("ended")
  })

  test("is not continued where it waited for that under a config that allowed it", async () => {
    const world = await paused({ conduct: { resume: "decided", besideAgnoSlack: true }, approval: { sessionId } })
    world.runs.put(address, aRun())
    await pressed(world)
    const strict = new Map([...world.ports.conduct].map(([name, one]) => [name, { ...one, besideAgnoSlack: false }]))

    await world.queue.runAll({ ...world.ports, conduct: strict })

    expect(world.runs.posts).toEqual([])
    expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  })
})

test("R10 what was decided outside Countersign is never resumed", async () => {
  const world = await paused()
  world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })

  world.queue.forget()
  await announced(world, { ...gatedApproval(), status: "approved", resolvedBy: "boss@example.com" })
  await world.ports.jobs.reconcile(caseOf(world).id)
  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ outcome: { kind: "elsewhere" }, resumption: null })
  expect(world.chat.messages[0]?.model.status).not.toHaveProperty("run")
  expect(world.runs.posts).toEqual([])
})

test("R10 a record that claims to be ours and is not is never resumed", async () => {
  const world = await paused()
  const countersign = { installation: "test", decision_id: "d", digest: caseOf(world).revision.digest, mac: "bad" }
  world.platform.change("a-1", { status: "approved", resolutionData: { countersign } })

  await world.ports.jobs.reconcile(caseOf(world).id)
  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ outcome: { kind: "elsewhere" }, resumption: null })
  expect(world.runs.posts).toEqual([])
})

test("R10 R17 a decision of ours that Redis lost is not resumed, for nobody knows whether it was", async () => {
  const world = await paused()
  const before = world.server.snapshot()
  await pressed(world)
  world.queue.forget()
  world.server.restart(before)

  await world.ports.jobs.reconcile(caseOf(world).id)
  await world.queue.runAll(world.ports)

  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  expect(world.runs.posts).toEqual([])
})

test("R10 a record that changed hands after it settled is not resumed", async () => {
  const world = await paused()
  await pressed(world)
  world.platform.change("a-1", { resolutionData: null })

  await world.queue.runAll(world.ports)

  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  expect(world.runs.posts).toEqual([])
  expect(world.alarmCodes()).toEqual(["not-resumed"])
})

test("a decision beside it that is sent and not settled yet is waited for", async () => {
  const world = await pairPaused()
  await pressed(world)
  await pressedOn(world, "a-2")
  const [first, second] = [caseOf(world, "a-1").id, caseOf(world, "a-2").id]
  const read = async (id: string) =>
    id === second ? { ...caseOf(world, "a-2"), outcome: null } : world.ports.store.read(id)
  const early = { ...world.ports, store: { ...world.ports.store, read } }

  expect(await resume(early, first)).toBeGreaterThan(0)
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toHaveLength(1)
  expect(caseOf(world, "a-1").resumption).toMatchObject({ kind: "ended", end: { kind: "completed" } })
})

test("a run that works is waited for", async () => {
  const world = await paused({ run: { status: "RUNNING" } })
  await pressed(world)

  expect(await resume(world.ports, caseOf(world).id)).toBeGreaterThan(0)
  world.runs.change("run-1", { status: "PAUSED" })
  await world.queue.runAll(world.ports)

  expect(world.runs.posts).toHaveLength(1)
})

test.each(["unreachable", "no_turn"])("a continue that never left us (%s) is sent later", async (code) => {
  const world = await paused()
  world.runs.failContinue({ kind: "unheard", applied: false, code })

  await decidedAndDone(world)

  expect(world.runs.posts).toHaveLength(2)
  expect(world.runs.executions).toEqual(["delete_table"])
})

test.each([400, 401, 403, 409])(
  "a refusal with %i is told in the platform's own words, and not tried again",
  async (status) => {
    const world = await paused()
    world.runs.failContinue({ kind: "answer", answer: { kind: "refused", status, detail: "no" } })

    await decidedAndDone(world)

    const end = { kind: "refused", detail: `${status} no` }
    expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end })
    expect(world.runs.posts).toHaveLength(1)
    expect(world.alarmCodes()).toEqual(["resume-not-taken"])
  },
)

test("the durable queue's 409 is answered once with background=true, and the end is read from the run", async () => {
  const world = await paused()
  const queued = { kind: "queued", detail: "continue it with background=true" } as const
  world.runs.failContinue({ kind: "answer", answer: queued }, { kind: "answer", answer: { kind: "accepted" } })
  world.runs.beforeContinue(() => undefined)
  world.runs.beforeContinue(() => world.runs.change("run-1", { status: "RUNNING" }))
  await pressed(world)
  await world.queue.runDue(world.ports)
  expect(caseOf(world).resumption?.kind).toBe("continuing")

  world.runs.change("run-1", { status: "COMPLETED" })
  await world.queue.runAll(world.ports)

  expect(world.runs.posts.map((post) => post.background)).toEqual([false, true])
  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "completed" } })
})

test("a second 409 of the durable queue is its lock: the run is read, nothing is sent again", async () => {
  const world = await paused()
  const queued = { kind: "answer", answer: { kind: "queued", detail: "background=true" } } as const
  world.runs.failContinue(queued, queued)

  await decidedAndDone(world)

  expect(world.runs.posts).toHaveLength(2)
  expect(caseOf(world).resumption).toMatchObject({ kind: "ended", end: { kind: "unknown" } })
})

test("an approved call that somebody else carried out goes by the result in the record", async () => {
  const world = await paused({ execution: asksResult })

  await decidedAndDone(world, { values: { result: "restarted by Ann" } })

  expect(world.runs.posts).toMatchObject([{ explicit: null }])
})

test("R14 an owner of the run that we did not write stops everything", async () => {
  const world = await paused()
  const tampered = Object.assign(new Error("not ours"), { code: "tampered", retryable: false })
  const continues = { ...world.ports.continues, takenBy: () => Promise.reject(tampered) }
  await pressed(world)

  await resume({ ...world.ports, continues }, caseOf(world).id)

  expect(caseOf(world).resumption).toMatchObject({
    kind: "withheld",
    why: expect.stringContaining("not written") as string,
  })
})

test("a mode that was switched off meanwhile withholds what waits", async () => {
  const world = await paused()
  await pressed(world)

  await resume({ ...world.ports, runs: new Map() }, caseOf(world).id)

  expect(caseOf(world).resumption).toMatchObject({ kind: "withheld" })
  expect(explicitOf(world)).toBeNull()
})

test("a case that is kept open for its run keeps what it needs, and forgets it when the run has ended (R15)", async () => {
  const world = await paused({ run: { status: "RUNNING" } })
  await pressed(world)
  await world.queue.runDue(world.ports)
  expect(caseOf(world)).toMatchObject({ state: "settled", approval: { id: "a-1" } })

  world.runs.change("run-1", { status: "PAUSED" })
  await world.queue.runAll(world.ports)

  expect(caseOf(world)).toMatchObject({ state: "closed", approval: null })
})

/** The case of `a-1` gets as far as it can before anybody looks at that of `a-2` again. */
async function firstCloses(world: World) {
  await resume(world.ports, caseOf(world).id)
  await present(world.ports, caseOf(world).id)
  expect(caseOf(world)).toMatchObject({ state: "closed", approval: null })
}

test("an approval of a pause that is not continued says the same why after the other's case has closed", async () => {
  const world = await pairPaused()
  world.platform.becomes({ enforcesRejection: false, version: "2.7.2" })
  await pressed(world)
  await pressedOn(world, "a-2", { verb: "reject" })
  await firstCloses(world)

  await resume(world.ports, caseOf(world, "a-2").id)

  expect(caseOf(world, "a-2").resumption).toMatchObject({
    kind: "withheld",
    why: expect.stringContaining("one verdict for all") as string,
  })
})

test("an approval whose run goes on in another's name while it looks itself ends as that one", async () => {
  const world = await pairPaused()
  await pressed(world)
  await pressedOn(world, "a-2")
  const runs = world.ports.runs.get("main")
  if (runs === undefined) throw new Error("no runs")
  // The run is read as it waits; until the other's case is read, that one has continued it and closed.
  const slow: typeof runs = {
    ...runs,
    read: async (address) => {
      const run = structuredClone(await runs.read(address))
      if (address.runId === "team-run" && caseOf(world).state !== "closed") await firstCloses(world)
      return run
    },
  }
  await resume({ ...world.ports, runs: new Map([["main", slow]]) }, caseOf(world, "a-2").id)
  expect(caseOf(world, "a-2").resumption).toMatchObject({ kind: "waiting" })

  await world.queue.runAll(world.ports)

  expect(caseOf(world, "a-2").resumption).toMatchObject({ kind: "ended", end: { kind: "completed", by: "us" } })
  expect(world.runs.posts).toHaveLength(1)
  expect(world.alarms).toEqual([])
})

test("an approval beside one that was continued in vain is given up at once, and says where the rest stands", async () => {
  const world = await pairPaused()
  await pressed(world)
  await pressedOn(world, "a-2")
  const end = { kind: "refused", by: "us", detail: null, deviations: [] } as const
  world.server.overwrite({ ...caseOf(world), resumption: { kind: "ended", at: world.clock.now(), end } })

  await resume(world.ports, caseOf(world, "a-2").id)

  expect(caseOf(world, "a-2").resumption).toMatchObject({
    kind: "withheld",
    why: expect.stringContaining("continued with its approval a-1") as string,
  })
})
