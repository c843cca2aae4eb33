// Worlds whose runs are resumed: an approval on its card, its paused run, and a press that decides it.
import type { Approval } from "../../src/domain/content/approval.ts"
import type { Run } from "../../src/domain/content/run.ts"
import type { Policy } from "../../src/domain/policy/policy.ts"
import type { Conduct, Ports, SettledCase } from "../../src/flow/ports.ts"
import { anApproval, aPolicy, aRequirement } from "../support/builders.ts"
import { createWorld, type World } from "../support/memory-ports.ts"
import { agentAddress, aRun } from "../support/memory-runs.ts"
import { aPress, type PressChanges } from "../support/presses.ts"
import { announced, carried, caseOf, pressed } from "./support.ts"

/** The approval of `aRun()`: one gated call, as its requirement. */
export function gatedApproval(changes: Partial<Approval> = {}, tool = "delete_table"): Approval {
  const requirements = [aRequirement(tool, { tool_args: { table: "customers" } })]
  return anApproval({ requirements, toolName: tool, ...changes })
}

const fields = [{ name: "recipient", field_type: "str", description: "Who.", value: null }]
/** What a call adds that asks for input. */
export const asksInput = { requires_confirmation: null, requires_user_input: true, user_input_schema: fields }
/** What a call adds that somebody else carries out. */
export const asksResult = { requires_confirmation: null, external_execution_required: true }

/** A world of `resume: decided` whose approval hangs on its card and whose run waits. */
export async function paused(
  options: {
    readonly conduct?: Partial<Conduct>
    readonly approval?: Partial<Approval>
    readonly execution?: Readonly<Record<string, never>> | typeof asksInput | typeof asksResult
    readonly run?: Partial<Run>
    readonly policy?: Policy
  } = {},
): Promise<World> {
  const { conduct = { resume: "decided" }, approval = {}, execution = {}, run = {}, policy } = options
  const world = createWorld({ conduct, ...(policy === undefined ? {} : { policy }) })
  const requirements = [aRequirement("delete_table", { tool_args: { table: "customers" }, ...execution })]
  const pauseType =
    execution === asksInput ? "user_input" : execution === asksResult ? "external_execution" : "confirmation"
  world.runs.put(agentAddress, aRun(run, "delete_table", execution))
  await announced(world, gatedApproval({ requirements, pauseType, ...approval }))
  return world
}

/** Decides `a-1` and lets everything that follows happen. */
export async function decidedAndDone(world: World, changes: PressChanges = {}): Promise<void> {
  await pressed(world, changes)
  await world.queue.runAll(world.ports, 3_600_000)
}

/** Decides `a-1`. Gives what its process knows of it then, if it may go on at once; nobody else is asked to. */
export async function settledNow(world: World, ports: Ports = world.ports): Promise<SettledCase | null> {
  let known: SettledCase | null = null
  const resume: Ports["jobs"]["resume"] = async (_caseId, _delayMs, settled) => {
    known = settled ?? null
  }
  await pressed(world, {}, { ...ports, jobs: { ...ports.jobs, resume } })
  return known
}

/** The explicit calls of a continue, or null where the record speaks. */
export function explicitOf(world: World, post = 0): readonly Readonly<Record<string, unknown>>[] | null {
  const text = world.runs.posts[post]?.explicit?.text
  return text === undefined ? null : (JSON.parse(text) as readonly Readonly<Record<string, unknown>>[])
}

/** Two members of team-1 that wait at once, each with an approval of its own (a-1, a-2). */
export async function pairPaused(
  conduct: Partial<Conduct> = { resume: "decided" },
  policy: Policy = aPolicy(),
): Promise<World> {
  const world = createWorld({ conduct, policy })
  const members = ["one", "two"].map((name) => ({
    tool: `tool-${name}`,
    runId: `run-${name}`,
    agent: `member-${name}`,
  }))
  const requirements = members.map(({ tool, runId, agent }) =>
    aRequirement(tool, { tool_args: { table: "customers" } }, { member_run_id: runId, member_agent_id: agent }),
  )
  const team = { runner: "teams", component: "team-1", sessionId: "session-1", runId: "team-run" } as const
  world.runs.put(team, { ...aRun(), id: "team-run", tools: [], requirements })
  for (const [index, { tool, runId, agent }] of members.entries()) {
    world.runs.hand(runId, { runner: "teams", component: "team-1", runId: "team-run" })
    const own = gatedApproval({ id: `a-${index + 1}`, runId, agentId: agent }, tool)
    await announced(world, own)
  }
  return world
}

/** Decides another approval than `a-1`, a second later. */
export function pressedOn(world: World, approvalId: string, changes: PressChanges = {}) {
  world.clock.forward(1_000)
  return carried(world, aPress(world, caseOf(world, approvalId), changes))
}
