// Finds the run that an approval paused: through its agent, its team, or the team that handed work to a member
// (`docs/platform-facts.md` 5.6, 5.7).
import type { Approval } from "../../domain/content/approval.ts"
import { memberRunsIn, type Run, type RunAddress } from "../../domain/content/run.ts"
import { isPortError, type Platform, type Runs } from "../ports.ts"

/** The run, or why there is none. `unreadable` is believed only when repeated; `never` is for good. */
export type FoundRun =
  | { readonly kind: "run"; readonly address: RunAddress; readonly run: Run }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "never"; readonly why: string }

/** Finds the run. Throws a `PortError` that may pass. */
export async function findRun(runs: Runs, approval: Approval): Promise<FoundRun> {
  const { sourceType, workflowId, teamId, agentId, sessionId, runId } = approval
  if (sourceType === "workflow" || workflowId !== null) return never("a workflow's run does not go by its approvals")
  const team = sourceType === "team" || agentId === null
  const component = team ? teamId : agentId
  if (component === null) return never("the platform names neither agent nor team")
  const runner = team ? ("teams" as const) : ("agents" as const)
  const address: RunAddress = { runner, component, sessionId, runId }
  return readable(async () => {
    const run = await runs.read(address)
    if (team || (run !== null && run.parentId === null)) return ownRun(address, run)
    return memberRun(runs, approval, run)
  })
}

function ownRun(address: RunAddress, run: Run | null): FoundRun {
  if (run === null) return { kind: "unreadable", why: "the platform does not show the run" }
  if (run.id !== address.runId) return never("the platform shows another run")
  return run.parentId === null ? { kind: "run", address, run } : never("it belongs to another run")
}

/** A member's run is continued through its team's, never by itself: else the team would run the call once more. */
async function memberRun(runs: Runs, approval: Approval, own: Run | null): Promise<FoundRun> {
  const { sessionId, runId } = approval
  const team = await runs.teamOf(sessionId, runId)
  if (team === null && own !== null) return never("it belongs to another run, which is no team's")
  if (team === null)
    return { kind: "unreadable", why: "the platform shows the run neither by its agent nor as a member's" }
  const address: RunAddress = { runner: "teams", component: team.teamId, sessionId, runId: team.runId }
  const found = ownRun(address, await runs.read(address))
  if (found.kind !== "run") return found
  const members = [...memberRunsIn(found.run), ...found.run.members.map((member) => member.id)]
  const listed = found.run.status !== "PAUSED" || members.includes(runId)
  return listed ? found : never("its team's run does not wait for it")
}

/** A credential that may not look can never continue a run; for a run that the platform cannot write, we ask again. */
async function readable(look: () => Promise<FoundRun>): Promise<FoundRun> {
  try {
    return await look()
  } catch (error) {
    if (!isPortError(error)) throw error
    if (error.code === "server")
      return { kind: "unreadable", why: "the platform cannot write the run: a value in it may be no number" }
    if (error.code === "forbidden") return never("the credential for resuming may not read it")
    throw error
  }
}

function never(why: string): FoundRun {
  return { kind: "never", why }
}

/** The approvals of a run and of its members' runs, each once. */
export async function rowsOf(platform: Platform, run: Run): Promise<readonly Approval[]> {
  const lists = await Promise.all([run.id, ...memberRunsIn(run)].map((id) => platform.ofRun(id)))
  return [...new Map(lists.flat().map((row) => [row.id, row])).values()]
}
