// Every step, cut off at every call it makes to the outside, on either side of the call: run again, it ends as if
// nothing had happened.

import { expect, test } from "vitest"
import type { Timing } from "../../../src/domain/rule/rule.ts"
import { checkCards } from "../../../src/flow/card/check.ts"
import { present, show } from "../../../src/flow/card/deliver.ts"
import { summarise } from "../../../src/flow/card/summary.ts"
import { carryOutDeadlines } from "../../../src/flow/deadline/deadlines.ts"
import { announce, poll } from "../../../src/flow/poll/poll.ts"
import { isPortError, type Ports } from "../../../src/flow/ports.ts"
import { reconcile } from "../../../src/flow/resolve/reconcile.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { resume } from "../../../src/flow/resume/resume.ts"
import { carryOut } from "../../../src/flow/vote/interactions.ts"
import { anApproval, aPolicy, aRule, aStep, aTiming } from "../../support/builders.ts"
import { interrupt, runCutOff } from "../../support/cut.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { aPress, aView } from "../../support/presses.ts"
import { aBreaking, aGlassWorld, aReview, brokenWorld } from "../glass.ts"
import { anAnswerSent, aQuestionSent } from "../questions.ts"
import { asksInput, paused } from "../resuming.ts"
import { announced, announcedWorld, carried, caseOf, endOf, takeUp, teamAndMember } from "../support.ts"

/** A step, the world before it, and what runs it again after a crash. */
interface Scenario {
  readonly name: string
  readonly prepare: () => Promise<{ readonly world: World; readonly step: (ports: Ports) => Promise<unknown> }>
}

const fromThread = anApproval({ sessionId: "billing-agent:C7:1700000000.000100" })
const twoChannels = aPolicy([
  aRule({
    routes: [
      { kind: "channel", id: "C1" },
      { kind: "channel", id: "C2" },
    ],
  }),
])

async function hanging(policy = twoChannels): Promise<World> {
  const world = await announcedWorld({ policy })
  return world
}

/** A call of 999 under a rule that lets one person approve 1,000 a day. */
async function limited(): Promise<World> {
  const asks = { quorum: 2, approvers: aRule().approvers, routes: [{ kind: "channel", id: "C2" } as const] }
  const limit = { sum: "args.amount", windowMs: 24 * 3_600_000, above: "1000", asks }
  const world = await announcedWorld({ policy: aPolicy([aRule({ limit })]) }, anApproval({ toolArgs: { amount: 999 } }))
  return world
}

/** A press whose ticket is written; carrying it out is the step. */
async function ticketed(world: World, changes: Parameters<typeof aPress>[2] = {}) {
  const ticket = await world.tickets.write(aPress(world, caseOf(world), changes))
  return { world, step: (ports: Ports) => carryOut(ports, ticket) }
}

/**
 * Five approvals at once in a channel at Slack's pace, of which more wait than go without a summary; it may be posted
 * now.
 */
async function burst(): Promise<World> {
  const world = createWorld({ paceMs: 1_000, summaryAbove: 2 })
  for (const id of ["a-1", "a-2", "a-3", "a-4", "a-5"]) {
    world.platform.put(anApproval({ id }))
    await poll(world.ports, "main")
    world.clock.forward(1)
  }
  await world.queue.runDue(world.ports)
  world.clock.forward(1_000)
  return world
}

/** A press in the modal that walks through the summary, on its last case. */
async function onSummary(world: World) {
  await summarise(world.ports, "channel:C1")
  const current = caseOf(world, "a-5")
  await world.ports.views.remember(aView(current))
  const replyTo = { kind: "view", viewId: "V1", user: "U1", walk: { route: "channel:C1", at: current.id } } as const
  const act = { on: { kind: "view", viewId: "V1" }, surface: "summary", replyTo } as const
  const ticket = await world.tickets.write(aPress(world, current, act))
  return { world, step: (ports: Ports) => carryOut(ports, ticket) }
}

const scenarios: readonly Scenario[] = [
  {
    name: "announce",
    prepare: async () => {
      const world = createWorld({ policy: twoChannels })
      world.platform.put(anApproval())
      return { world, step: (ports) => announce(ports, anApproval()) }
    },
  },
  {
    name: "poll of three approvals",
    prepare: async () => {
      const world = createWorld({ policy: twoChannels, pageSize: 2 })
      world.platform.put(anApproval(), anApproval({ id: "a-2" }), anApproval({ id: "a-3" }))
      return { world, step: (ports) => poll(ports, "main") }
    },
  },
  {
    name: "present of a new case",
    prepare: async () => {
      const world = createWorld({ policy: twoChannels })
      world.platform.put(anApproval())
      await poll(world.ports, "main")
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "present after a decision",
    prepare: async () => {
      const world = await hanging()
      const { step } = await ticketed(world)
      await step(world.ports)
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "present of lines that take several messages, each made shorter",
    prepare: async () => {
      const world = await hanging()
      const { step } = await ticketed(world)
      await step(world.ports)
      world.chat.narrow({ lines: 1, shorter: 1 })
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "present of a card that was deleted",
    prepare: async () => {
      const world = await hanging()
      const place = caseOf(world).cards[0]?.place
      if (place === null || place === undefined) throw new Error("no card hangs")
      const { step } = await ticketed(world)
      world.chat.delete(place)
      await step(world.ports)
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "present of a case that ended, on a card that nobody can edit",
    prepare: async () => {
      const world = await hanging()
      const { step } = await ticketed(world, { route: "channel:C2" })
      world.chat.freeze(caseOf(world).cards[0]?.place ?? { channel: "", ts: "" }, "cant_update_message")
      await step(world.ports)
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "present of new content, on a card that nobody can edit",
    prepare: async () => {
      const world = await hanging()
      world.chat.freeze(caseOf(world).cards[0]?.place ?? { channel: "", ts: "" }, "edit_window_closed")
      world.platform.change("a-1", { toolArgs: { table: "orders" } })
      const jobs = { ...world.ports.jobs, present: async () => undefined }
      await reconcile({ ...world.ports, jobs }, caseOf(world).id)
      return { world, step: (ports) => present(ports, caseOf(world).id) }
    },
  },
  {
    name: "blank of a closed case's cards",
    prepare: async () => {
      const world = await announcedWorld({ policy: twoChannels, blankAfterMs: 60_000 })
      const { step } = await ticketed(world)
      await step(world.ports)
      await takeUp(world)
      world.clock.forward(60_000)
      return { world, step: (ports) => carryOutDeadlines(ports) }
    },
  },
  {
    name: "show of a case that ended, to whoever asked for it too",
    prepare: async () => {
      const world = await hanging()
      const { step } = await ticketed(world)
      await step(world.ports)
      return { world, step: (ports) => show(ports, caseOf(world).id) }
    },
  },
  {
    name: "show of a member's row beside its team's",
    prepare: async () => {
      const world = createWorld({ policy: twoChannels })
      const [team, member] = teamAndMember()
      await announced(world, team)
      world.platform.put(member)
      await poll(world.ports, "main")
      return { world, step: (ports) => show(ports, caseOf(world, member.id).id) }
    },
  },
  {
    name: "show of a case whose run began in a thread",
    prepare: async () => {
      const world = createWorld({ policy: twoChannels })
      world.platform.put(fromThread)
      await poll(world.ports, "main")
      return { world, step: (ports) => show(ports, caseOf(world).id) }
    },
  },
  {
    name: "decide and resolve what began in a thread",
    prepare: async () => {
      const world = await announcedWorld({ policy: twoChannels }, fromThread)
      await takeUp(world)
      return ticketed(world)
    },
  },
  {
    name: "check of a card that was deleted",
    prepare: async () => {
      const world = await hanging()
      world.chat.delete(caseOf(world).cards[0]?.place ?? { channel: "", ts: "" })
      return { world, step: checkCards }
    },
  },
  { name: "decide and resolve an approval", prepare: async () => ticketed(await hanging()) },
  {
    name: "decide within a limit, which counts it",
    prepare: async () => ticketed(await limited()),
  },
  {
    name: "decide and resolve a rejection with a reason",
    prepare: async () => ticketed(await hanging(), { verb: "reject", reason: "not today" }),
  },
  {
    name: "decide a first of two votes",
    prepare: async () => ticketed(await hanging(aPolicy([aRule({ quorum: 2 })]))),
  },
  {
    name: "decide the second of two votes",
    prepare: async () => {
      const world = await hanging(aPolicy([aRule({ quorum: 2 })]))
      await (await ticketed(world)).step(world.ports)
      return ticketed(world, { user: "U2" })
    },
  },
  { name: "refuse a stranger", prepare: async () => ticketed(await hanging(), { user: "U3" }) },
  {
    name: "resolve after a time-out",
    prepare: async () => {
      const world = await hanging()
      world.platform.failResolve({ kind: "unheard", applied: false })
      await (await ticketed(world)).step(world.ports)
      return { world, step: (ports) => resolve(ports, caseOf(world).id) }
    },
  },
  {
    name: "resolve after a time-out of a resolve that took effect",
    prepare: async () => {
      const world = await hanging()
      world.platform.failResolve({ kind: "unheard", applied: true })
      const made = await ticketed(world)
      world.platform.beforeResolve(() => world.platform.failGet("timeout"))
      await made.step(world.ports)
      return { world, step: (ports) => resolve(ports, caseOf(world).id) }
    },
  },
  {
    name: "hold a rejection (R12)",
    prepare: async () =>
      ticketed(await paused({ conduct: { resume: "off" }, execution: asksInput }), { verb: "reject" }),
  },
  {
    name: "withdraw a held rejection (R12)",
    prepare: async () => {
      const world = await paused({ conduct: { resume: "off" }, execution: asksInput })
      await (await ticketed(world, { verb: "reject" })).step(world.ports)
      await world.queue.runAll(world.ports)
      world.clock.forward(1_000)
      return ticketed(world, { verb: "withdraw" })
    },
  },
  {
    name: "decide and resolve where the run is resumed",
    prepare: async () => ticketed(await paused()),
  },
  {
    name: "see how a run ended whose continue was not heard",
    prepare: async () => {
      const world = await paused()
      world.runs.failContinue({ kind: "unheard", applied: true })
      await (await ticketed(world)).step(world.ports)
      await resume(world.ports, caseOf(world).id)
      return { world, step: (ports) => resume(ports, caseOf(world).id) }
    },
  },
  {
    name: "tell whoever asked what their resumed run answered",
    prepare: async () => {
      const world = await paused({ policy: aPolicy([aRule({ resultToRequester: true })]) })
      await (await ticketed(world)).step(world.ports)
      await resume(world.ports, caseOf(world).id)
      return { world, step: (ports) => show(ports, caseOf(world).id) }
    },
  },
  {
    name: "withhold a run that may not be resumed",
    prepare: async () => {
      const world = await paused({ run: { parentId: "workflow-run" } })
      await (await ticketed(world)).step(world.ports)
      return { world, step: (ports) => resume(ports, caseOf(world).id) }
    },
  },
  {
    name: "reconcile what was decided elsewhere",
    prepare: async () => {
      const world = await hanging()
      world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })
      return { world, step: (ports) => reconcile(ports, caseOf(world).id) }
    },
  },
  {
    name: "reconcile what was deleted",
    prepare: async () => {
      const world = await hanging()
      world.platform.delete("a-1")
      return { world, step: (ports) => reconcile(ports, caseOf(world).id) }
    },
  },
  {
    name: "reconcile what had vanished and is pending again",
    prepare: async () => {
      const world = await hanging()
      world.platform.delete("a-1")
      await poll(world.ports, "main")
      await world.queue.runAll(world.ports)
      world.platform.put(anApproval())
      return { world, step: (ports) => reconcile(ports, caseOf(world).id) }
    },
  },
  {
    name: "poll that gives admission to a case that waited",
    prepare: async () => {
      const world = await announcedWorld({ policy: twoChannels, admission: { perInstance: 9, perAgent: 1 } })
      await announced(world, anApproval({ id: "a-2" }))
      world.platform.change("a-1", { status: "approved", resolvedBy: "boss@example.com" })
      await reconcile(world.ports, caseOf(world).id)
      return { world, step: (ports) => poll(ports, "main") }
    },
  },
  {
    name: "summarise a burst",
    prepare: async () => {
      const world = await burst()
      return { world, step: (ports) => summarise(ports, "channel:C1") }
    },
  },
  {
    name: "present of a case that hangs on a summary",
    prepare: async () => {
      const world = await burst()
      await summarise(world.ports, "channel:C1")
      world.clock.forward(1_000)
      return { world, step: (ports) => present(ports, caseOf(world, "a-2").id) }
    },
  },
  {
    name: "decide a case that hangs on a summary",
    prepare: async () => onSummary(await burst()),
  },
  {
    name: "summarise after a decision",
    prepare: async () => {
      const { world, step } = await onSummary(await burst())
      await step(world.ports)
      world.clock.forward(3_000)
      return { world, step: (ports) => summarise(ports, "channel:C1") }
    },
  },
  {
    name: "present of a case that settled on a summary",
    prepare: async () => {
      const { world, step } = await onSummary(await burst())
      await step(world.ports)
      world.clock.forward(3_000)
      await summarise(world.ports, "channel:C1")
      return { world, step: (ports) => present(ports, caseOf(world, "a-5").id) }
    },
  },
  {
    name: "reconcile new content",
    prepare: async () => {
      const world = await hanging()
      world.platform.change("a-1", { toolArgs: { table: "orders" } })
      return { world, step: (ports) => reconcile(ports, caseOf(world).id) }
    },
  },
  { name: "remind", prepare: async () => due(aTiming({ remindAfter: [60_000] })) },
  {
    name: "escalate to another route and approver",
    prepare: async () => {
      const others = { routes: [channel("C3")], approvers: [{ kind: "user", id: "U3" }] } as const
      return due(aTiming({ escalate: [aStep(60_000, others)] }))
    },
  },
  { name: "R13 expire and leave", prepare: async () => due(aTiming({ expireAfter: 60_000 })) },
  { name: "R13 expire and reject", prepare: async () => due(aTiming({ expireAfter: 60_000, onExpiry: "reject" })) },
  {
    name: "R13 expire and reject what has one vote of two",
    prepare: async () => {
      const made = await due(aTiming({ expireAfter: 60_000, onExpiry: "reject" }), 2, async (world) => {
        await (await ticketed(world)).step(world.ports)
      })
      return made
    },
  },
  {
    name: "an approval by breaking glass, with the review that it owes",
    prepare: async () => {
      const world = aGlassWorld()
      await announced(world)
      const ticket = await world.tickets.write(await aBreaking(world))
      return { world, step: (ports) => carryOut(ports, ticket) }
    },
  },
  {
    name: "the review of broken glass",
    prepare: async () => {
      const world = await brokenWorld()
      const ticket = await world.tickets.write(aReview(world))
      return { world, step: (ports) => carryOut(ports, ticket) }
    },
  },
  {
    name: "a question to two places",
    prepare: async () => {
      const ask = [channel("C7"), { kind: "person", id: "U3" } as const]
      const world = createWorld({ policy: aPolicy([aRule({ ask })]) })
      await announced(world, anApproval({ userId: null }))
      const ticket = await world.tickets.write(await aQuestionSent(world, { id: "asks" }))
      return { world, step: (ports) => carryOut(ports, ticket) }
    },
  },
  {
    name: "the answer to a question",
    prepare: async () => {
      const world = await hanging()
      await carried(world, await aQuestionSent(world, { id: "asks" }))
      const ticket = await world.tickets.write(await anAnswerSent(world, { id: "answers" }))
      return { world, step: (ports) => carryOut(ports, ticket) }
    },
  },
  {
    name: "R13 reject after the platform did not answer",
    prepare: async () => {
      const made = await due(aTiming({ expireAfter: 60_000, onExpiry: "reject" }))
      made.world.platform.failGet("timeout")
      await made.step(made.world.ports)
      made.world.clock.forward(60_000)
      return made
    },
  },
]

function channel(id: string) {
  return { kind: "channel", id } as const
}

function timedPolicy(timing: Timing, quorum = 1) {
  return aPolicy([aRule({ routes: [channel("C1"), channel("C2")], quorum, timing })])
}

/** A case on which something is due after a minute, and the step that does it. */
async function due(timing: Timing, quorum = 1, before: (world: World) => Promise<void> = async () => undefined) {
  const world = await hanging(timedPolicy(timing, quorum))
  await before(world)
  world.clock.forward(60_000)
  return { world, step: (ports: Ports) => carryOutDeadlines(ports) }
}

/** No step makes more calls than this. */
const mostCalls = 200

async function endUncut(scenario: Scenario): Promise<unknown> {
  const { world, step } = await scenario.prepare()
  await step(world.ports)
  await finish(world)
  return endOf(world)
}

/** Polls go on all the time, and so do sweeps. */
async function finish(world: World): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await poll(world.ports, "main")
    await takeUp(world)
    world.clock.forward(10_000)
  }
}

test.for(scenarios)("cut off anywhere, $name ends in the same state, with every effect once", async (scenario) => {
  const wanted = await endUncut(scenario)

  for (const side of ["before", "after"] as const) {
    for (let call = 1; call <= mostCalls; call += 1) {
      const { world, step } = await scenario.prepare()
      if (!(await runCutOff(world.ports, { call, side }, async (ports) => void (await step(ports))))) break
      expect(call, "the step makes ever more calls").toBeLessThan(mostCalls)
      await step(world.ports)
      await finish(world)
      expect(endOf(world), `cut ${side} call ${call}`).toEqual(wanted)
    }
  }
})

test.for(scenarios)("run twice, $name ends in the same state", async (scenario) => {
  const wanted = await endUncut(scenario)

  const { world, step } = await scenario.prepare()
  await step(world.ports)
  await step(world.ports)
  await finish(world)

  expect(endOf(world)).toEqual(wanted)
})

test.for(scenarios)("run by two processes at once, $name ends in the same state", async (scenario) => {
  const wanted = await endUncut(scenario)

  const { world, step } = await scenario.prepare()
  await Promise.all([step(world.ports), step(world.ports)])
  await finish(world)

  expect(endOf(world)).toEqual(wanted)
})

test.for(scenarios)("overtaken anywhere by another process, $name ends in the same state", async (scenario) => {
  const wanted = await endUncut(scenario)

  for (let call = 1; call <= mostCalls; call += 1) {
    const { world, step } = await scenario.prepare()
    const overtaken = interrupt(world.ports, call, async () => {
      await step(world.ports)
      await world.queue.runDue(world.ports)
    })
    await step(overtaken.ports)
    if (!overtaken.acted()) break
    await finish(world)
    expect(endOf(world), `overtaken before call ${call}`).toEqual(wanted)
  }
})

test.for(scenarios)(
  "asleep anywhere for a minute while another process works, $name ends in the same state",
  async (scenario) => {
    const wanted = await endUncut(scenario)

    for (let call = 1; call <= mostCalls; call += 1) {
      const { world, step } = await scenario.prepare()
      const works = async () => {
        world.clock.forward(60_000)
        await step(world.ports)
        await world.queue.runDue(world.ports)
      }
      // A call to Slack itself is never asleep for so long: it has a limit that is shorter than a lease.
      const asleep = interrupt(world.ports, call, works, world.chat)
      await step(asleep.ports).catch((error: unknown) => {
        if (!isPortError(error)) throw error
      })
      if (!asleep.acted()) break
      await step(world.ports)
      await finish(world)
      expect(endOf(world), `asleep before call ${call}`).toEqual(wanted)
    }
  },
)
