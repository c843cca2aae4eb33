// The one step that must never be repeated: a continue, cut off at every call around it. The tool runs at most once,
// and it is always told.

import { expect, test } from "vitest"
import type { Ports } from "../../../src/flow/ports.ts"
import { resume, resumeAtOnce } from "../../../src/flow/resume/resume.ts"
import { interrupt, runCutOff } from "../../support/cut.ts"
import type { World } from "../../support/memory-ports.ts"
import { pairPaused, paused, pressedOn, settledNow } from "../resuming.ts"
import { caseOf, pressed, takeUp } from "../support.ts"

const mostCalls = 60

const scenarios: readonly {
  readonly name: string
  readonly prepare: () => Promise<World>
  readonly ran: readonly string[]
  /** What is cut off, where it is not the job: made for a world. */
  readonly step?: (world: World) => Promise<(ports: Ports) => Promise<unknown>>
}[] = [
  {
    name: "of one approval",
    prepare: async () => {
      const world = await paused()
      await pressed(world)
      return world
    },
    ran: ["delete_table"],
  },
  {
    name: "of two approvals of a team's run",
    prepare: async () => {
      const world = await pairPaused()
      await pressed(world)
      await pressedOn(world, "a-2")
      return world
    },
    ran: ["tool-one", "tool-two"],
  },
  {
    name: "at once, by the process that settled the case,",
    prepare: () => paused(),
    step: async (world) => {
      const settled = await settledNow(world)
      if (settled === null) throw new Error("nobody is to continue it at once")
      return (ports) => resumeAtOnce(ports, settled)
    },
    ran: ["delete_table"],
  },
]

function ofJob(world: World): (ports: Ports) => Promise<unknown> {
  const { id } = caseOf(world)
  return (ports) => resume(ports, id)
}

/** How every case ended, and what ran. */
function ends(world: World) {
  const cases = world.server.cases().map(({ state, resumption }) => {
    const end = resumption?.kind === "ended" ? resumption.end.kind : resumption?.kind
    return `${state} ${end}`
  })
  return { cases: [...new Set(cases)], ran: world.runs.executions, posts: world.runs.posts.length }
}

async function finish(world: World): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await takeUp(world)
    world.clock.forward(60_000)
  }
}

test.for(scenarios)(
  "cut off anywhere, a continue $name is sent at most once, and its end is told",
  async ({ prepare, ran, step }) => {
    const unknown: string[] = []
    for (const side of ["before", "after"] as const) {
      for (let call = 1; call <= mostCalls; call += 1) {
        const world = await prepare()
        const act = (await step?.(world)) ?? ofJob(world)
        if (!(await runCutOff(world.ports, { call, side }, async (ports) => void (await act(ports))))) break
        await finish(world)
        const end = ends(world)
        if (end.posts === 0) unknown.push(`${side} ${call}`)
        const never = { cases: ["closed unknown"], ran: [], posts: 0 }
        expect(end, `cut ${side} call ${call}`).toEqual(
          end.posts === 0 ? never : { cases: ["closed completed"], ran, posts: 1 },
        )
      }
    }
    // Only what is cut between the commit and the POST ends so: nobody can tell it from a continue that is at work.
    expect(unknown.length).toBeGreaterThan(0)
    expect(unknown.length).toBeLessThanOrEqual(4)
  },
)

test.for(scenarios)(
  "overtaken anywhere by another process, a continue $name is sent once",
  async ({ prepare, ran, step }) => {
    for (let call = 1; call <= mostCalls; call += 1) {
      const world = await prepare()
      const act = (await step?.(world)) ?? ofJob(world)
      const overtaken = interrupt(world.ports, call, async () => {
        await ofJob(world)(world.ports)
        await world.queue.runDue(world.ports)
      })
      await act(overtaken.ports)
      if (!overtaken.acted()) break
      await finish(world)
      expect(ends(world), `overtaken before call ${call}`).toEqual({ cases: ["closed completed"], ran, posts: 1 })
    }
  },
)

test.for([
  { heard: "the run itself", fault: null, left: { kind: "ended", end: { kind: "completed" } } },
  {
    heard: "a refusal",
    fault: { kind: "answer", answer: { kind: "refused", status: 409, detail: "run is already completed" } },
    left: { kind: "ended", end: { kind: "refused" } },
  },
  {
    heard: "a 500",
    fault: { kind: "answer", answer: { kind: "unsure", status: 500, detail: "oops" } },
    left: { kind: "continuing", sent: { said: "500 oops" } },
  },
  {
    heard: "that the connection broke",
    fault: { kind: "unheard", applied: false, code: "cut" },
    left: { kind: "continuing", sent: { broken: true } },
  },
  {
    heard: "that nobody was reached",
    fault: { kind: "unheard", applied: false, code: "unreachable" },
    left: { kind: "waiting" },
  },
] as const)(
  "what a continue heard, $heard, is noted though another config is active by then",
  async ({ fault, left }) => {
    const world = await paused()
    if (fault !== null) world.runs.failContinue(fault)
    world.runs.beforeContinue(() => world.server.activate("another revision"))

    await pressed(world)
    await ofJob(world)(world.ports)

    expect(caseOf(world).resumption).toMatchObject(left)
  },
)
