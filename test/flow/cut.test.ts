// Every step, cut off at every call it makes to the outside, on either side of the call: run again, it ends as if nothing had happened.
import { expect, test } from "vitest"
import { announce } from "../../src/flow/announce.ts"
import { carryOut } from "../../src/flow/intake.ts"
import { poll } from "../../src/flow/poll.ts"
import { isPortError, type Ports } from "../../src/flow/ports.ts"
import { present } from "../../src/flow/present.ts"
import { reconcile } from "../../src/flow/reconcile.ts"
import { resolve } from "../../src/flow/resolve.ts"
import { anApproval, aPolicy, aRule } from "../support/builders.ts"
import { interrupt, runCutOff } from "../support/cut.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { aPress } from "../support/presses.ts"
import { announced, caseOf, endOf, takeUp } from "./support.ts"

/** A step, the world before it, and what runs it again after a crash. */
interface Scenario {
  readonly name: string
  readonly prepare: () => Promise<{ readonly world: World; readonly step: (ports: Ports) => Promise<unknown> }>
}

const twoChannels = aPolicy([
  aRule({
    routes: [
      { kind: "channel", id: "C1" },
      { kind: "channel", id: "C2" },
    ],
  }),
])

async function hanging(policy = twoChannels): Promise<World> {
  const world = createWorld({ policy })
  await announced(world)
  return world
}

/** A press whose ticket is written; carrying it out is the step. */
async function ticketed(world: World, changes: Parameters<typeof aPress>[2] = {}) {
  const ticket = await world.tickets.write(aPress(world, caseOf(world), changes))
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
  { name: "decide and resolve an approval", prepare: async () => ticketed(await hanging()) },
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
    name: "reconcile new content",
    prepare: async () => {
      const world = await hanging()
      world.platform.change("a-1", { toolArgs: { table: "orders" } })
      return { world, step: (ports) => reconcile(ports, caseOf(world).id) }
    },
  },
]

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
      // A call to Slack itself is never asleep for so long: it has a limit that is shorter than a claim.
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
