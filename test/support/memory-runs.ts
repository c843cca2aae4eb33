// Runs in memory, as dangerous as the real ones: they have no lock. An empty continue goes by the platform's record,
// and runs a user-input call that was rejected.

import type { Explicit } from "../../src/domain/case/ruling.ts"
import type { Approval } from "../../src/domain/content/approval.ts"
import { isJsonArray, isJsonObject, type JsonObject, parseJson } from "../../src/domain/content/json.ts"
import { executionIn } from "../../src/domain/content/requirement.ts"
import { isWaiting, type Run, type RunAddress } from "../../src/domain/content/run.ts"
import type { Continued, Continues, ParentRun, Runs } from "../../src/flow/ports.ts"
import { aRequirement } from "./builders.ts"
import { PortFailure, platformFailure } from "./port-failure.ts"

/** What becomes of one continue: nobody hears of it, though it was carried out or not; or an answer without effect. */
type ContinueFault =
  | { readonly kind: "unheard"; readonly applied: boolean; readonly code?: string }
  | { readonly kind: "answer"; readonly answer: Continued }

/** What becomes of one read. */
type ReadFault = "server" | "missing" | "forbidden"

/** One continue as it arrived. */
export interface Posted {
  readonly address: RunAddress
  readonly explicit: Explicit
  readonly background: boolean
}

/** The runs, and what a test may do to them. */
export interface MemoryRuns extends Runs {
  put(address: RunAddress, run: Run): void
  /** Changes a run past the API, as somebody else's continue would. */
  change(runId: string, changes: Partial<Run>): void
  run(runId: string): Run
  /** The run behind that of a member or a step, or those that may be. */
  hand(runId: string, ...parents: readonly ParentRun[]): void
  /** From now on nobody knows the session. */
  loseSession(sessionId: string): void
  /** Instead of ending, the run that is continued next becomes this. */
  leadTo(...next: readonly Partial<Run>[]): void
  failContinue(...faults: readonly ContinueFault[]): void
  failRead(...faults: readonly ReadFault[]): void
  beforeContinue(act: () => void | Promise<void>): void
  readonly posts: readonly Posted[]
  /** The tools that ran, in order. */
  readonly executions: readonly string[]
}

/** A run that waits for one call, `call-<tool>`, of agent-1. */
export function aRun(changes: Partial<Run> = {}, tool = "delete_table", execution: JsonObject = {}): Run {
  const calls = [executionIn(aRequirement(tool, { tool_args: { table: "customers" }, ...execution }))]
  const base = { id: "run-1", status: "PAUSED", userId: "asker@example.com", parentId: null, content: "Done." }
  return { ...base, tools: calls, requirements: [], members: [], ...changes }
}

/** Where the run of `anApproval()` is. */
export const agentAddress: RunAddress = {
  runner: "agents",
  component: "agent-1",
  sessionId: "session-1",
  runId: "run-1",
}

/** Makes an instance without runs. `recordOf`: the approval of a run, which an empty continue goes by. */
export function createMemoryRuns(recordOf: (runId: string) => Approval | undefined): MemoryRuns {
  const runs = new Map<string, Run>()
  const parents = new Map<string, readonly ParentRun[]>()
  const goneSessions = new Set<string>()
  const [posts, executions]: [Posted[], string[]] = [[], []]
  const continueFaults: ContinueFault[] = []
  const readFaults: ReadFault[] = []
  const next: Partial<Run>[] = []
  const before: (() => void | Promise<void>)[] = []
  const found = (runId: string): Run => {
    const run = [...runs.entries()].find(([key]) => key.endsWith(`/${runId}`))?.[1]
    if (run === undefined) throw new Error(`no run ${runId}`)
    return run
  }
  const replace = (runId: string, run: Run) => {
    for (const key of runs.keys()) if (key.endsWith(`/${runId}`)) runs.set(key, run)
  }
  const apply = (posted: Posted): Continued => {
    const run = runs.get(keyOf(posted.address))
    if (run === undefined) return { kind: "unsure", status: 404, detail: "Run not found" }
    if (run.status !== "PAUSED") return { kind: "refused", status: 409, detail: "run is already completed" }
    const ended = { ...ranWith(run, posted.explicit, recordOf), ...next.shift() }
    for (const one of [...ended.tools, ...ended.requirements].map(executionIn)) {
      const { result, tool_name: tool } = one
      if (typeof result === "string" && typeof tool === "string" && !hadRun(run, one)) executions.push(tool)
    }
    replace(posted.address.runId, ended)
    return { kind: "run", run: ended }
  }
  return {
    read: async (address) => {
      const fault = readFaults.shift()
      if (fault === "server") throw platformFailure("server")
      if (fault === "forbidden") throw new PortFailure({ name: "PlatformError", code: fault, retryable: false })
      return fault === "missing" ? null : (runs.get(keyOf(address)) ?? null)
    },
    parentsOf: async (sessionId, runId) => (goneSessions.has(sessionId) ? null : (parents.get(runId) ?? [])),
    continue: async (address, form, mayLeave) => {
      const posted = { address, ...form }
      await before.shift()?.()
      if (!mayLeave()) return { kind: "held-back" }
      posts.push(posted)
      const fault = continueFaults.shift()
      if (fault?.kind === "answer") return fault.answer
      if (fault?.kind === "unheard") {
        if (fault.applied) apply(posted)
        throw platformFailure(fault.code)
      }
      return apply(posted)
    },
    put: (address, run) => void runs.set(keyOf(address), run),
    change: (runId, changes) => replace(runId, { ...found(runId), ...changes }),
    run: found,
    hand: (runId, ...behind) => void parents.set(runId, behind),
    loseSession: (sessionId) => void goneSessions.add(sessionId),
    leadTo: (...to) => void next.push(...to),
    failContinue: (...faults) => void continueFaults.push(...faults),
    failRead: (...faults) => void readFaults.push(...faults),
    beforeContinue: (act) => void before.push(act),
    posts,
    executions,
  }
}

function keyOf({ runner, component, runId }: RunAddress): string {
  return `${runner}/${component}/${runId}`
}

function hadRun(run: Run, execution: JsonObject): boolean {
  const same = run.tools.map(executionIn).find((one) => one["tool_call_id"] === execution["tool_call_id"])
  return typeof same?.["result"] === "string"
}

function ranWith(run: Run, explicit: Explicit, recordOf: (runId: string) => Approval | undefined): Run {
  const claimed = explicit === null ? null : parseJson(explicit.text)
  const entries = isJsonArray(claimed) ? claimed.filter(isJsonObject) : null
  const rejected = recordOf(run.id)?.status === "rejected"
  const settle = (entry: JsonObject): JsonObject => {
    const execution = executionIn(entry)
    const done = outcomeOf(execution, { explicit: entries !== null, rejected })
    return entry === execution ? done : { ...entry, tool_execution: done }
  }
  const isTeam = run.requirements.length > 0
  return {
    ...run,
    status: "COMPLETED",
    tools: isTeam ? run.tools : (entries ?? run.tools).map(settle),
    requirements: isTeam ? (entries ?? run.requirements).map(settle) : [],
  }
}

function outcomeOf(execution: JsonObject, how: { readonly explicit: boolean; readonly rejected: boolean }): JsonObject {
  if (typeof execution["result"] === "string") return execution
  if (execution["confirmed"] === false) return { ...execution, tool_call_error: true }
  if (!isWaiting(execution) && !how.explicit) return execution
  const refused = how.rejected && !how.explicit && execution["requires_user_input"] !== true
  if (refused) return { ...execution, confirmed: false, tool_call_error: true }
  return { ...execution, confirmed: true, result: "ran", tool_call_error: false }
}

/** In whose name runs are continued, in memory. */
export function createMemoryContinues(): Continues {
  const owners = new Map<string, string>()
  return {
    take: async (decisions, caseId) => {
      if (decisions.some((one) => (owners.get(one) ?? caseId) !== caseId)) return false
      for (const one of decisions) owners.set(one, caseId)
      return true
    },
    takenBy: async (decision) => owners.get(decision) ?? null,
  }
}
