// Finds the run that an approval paused: through its agent, its team, or the team or workflow that handed work on
// (`docs/platform-facts.md` 5.6, 5.7).
import type { Withheld } from "../../domain/case/resumption.ts"
import type { Taking } from "../../domain/case/ruling.ts"
import { type Approval, openGatedCalls } from "../../domain/content/approval.ts"
import { memberRunsIn, type Run, type RunAddress, type Runner } from "../../domain/content/run.ts"
import { type Capabilities, isPortError, type Platform, type Runs } from "../ports.ts"

/** The run, or why there is none. We believe `unreadable` only if it repeats; `never` is for good. */
export type FoundRun =
  | { readonly kind: "run"; readonly address: RunAddress; readonly run: Run }
  /** `gone`: as far as we can believe the platform, there is no such run. */
  | { readonly kind: "unreadable"; readonly why: string; readonly gone?: "run" | "session" }
  /** `nobody`: nobody else can continue it, either. */
  | ({ readonly kind: "never" } & Withheld)

/** The ports that find a run. */
interface RunSearch {
  readonly runs: Runs
  readonly platform: Platform
}

/** Why we do not continue a workflow if the platform ignores its approvals. */
export const unenforcedWhy = "the platform does not let a workflow go by its approvals"

/** Finds the run. Throws a `PortError` that may pass. */
export async function findRun(search: RunSearch, approval: Approval): Promise<FoundRun> {
  const { sourceType, workflowId, teamId, agentId, sessionId, runId } = approval
  const { runs } = search
  if (sourceType === "workflow" || workflowId !== null) return readable(() => workflowRun(search, approval))
  const team = sourceType === "team" || agentId === null
  const component = team ? teamId : agentId
  if (component === null) return neverFound("the platform names neither agent nor team")
  const runner = team ? ("teams" as const) : ("agents" as const)
  const address: RunAddress = { runner, component, sessionId, runId }
  return readable(async () => {
    const run = await runs.read(address)
    if (run !== null && run.parentId === null) return ownRun(address, run)
    return parentRun(search, approval, run)
  })
}

/** A workflow's run, by what the record says: its own run, or the run that carries out its step. */
async function workflowRun(search: RunSearch, approval: Approval): Promise<FoundRun> {
  const { sourceType, workflowId, sessionId, runId } = approval
  if (sourceType !== "workflow") return parentRun(search, approval, null)
  if (workflowId === null) return neverFound("the platform does not name the workflow")
  return runOfParent(search, approval, { runner: "workflows", component: workflowId, sessionId, runId })
}

function ownRun(address: RunAddress, run: Run | null): FoundRun {
  if (run === null) return { kind: "unreadable", why: "the platform does not show the run" }
  if (run.id !== address.runId) return neverFound("the platform shows another run")
  return run.parentId === null ? { kind: "run", address, run } : neverFound("it belongs to another run")
}

/**
 * Finds the run of the team or workflow to which a member or a step belongs. We continue the run of a member or step
 * only through that run: by itself it would run the call once more.
 */
async function parentRun(search: RunSearch, approval: Approval, own: Run | null): Promise<FoundRun> {
  const { sessionId, runId, workflowId } = approval
  if (workflowId !== null && !(await enforces(search.platform))) return neverFound(unenforcedWhy)
  const parents = await search.runs.parentsOf(sessionId, runId)
  if (parents === null) return { kind: "unreadable", why: "its session is gone from the platform", gone: "session" }
  for (const { guessed, ...parent } of parents) {
    const found = await runOfParent(search, approval, { ...parent, sessionId }, guessed === true)
    const holds = found.kind === "run" || (found.kind === "never" && found.nobody === true)
    if (holds || guessed !== true) return found
  }
  if (own !== null) return neverFound("it belongs to another run, which is no team's")
  return { kind: "unreadable", why: "the platform does not show it to Countersign", gone: "run" }
}

/** Reads the run at an address. If the address is only `guessed`, checks that it really holds the approval's run. */
async function runOfParent(
  { runs, platform }: RunSearch,
  approval: Approval,
  address: RunAddress,
  guessed = false,
): Promise<FoundRun> {
  if (address.runner === "workflows" && !(await enforces(platform))) return neverFound(unenforcedWhy)
  const found = ownRun(address, await runs.read(address))
  if (found.kind !== "run") return found
  const listed = (!guessed && found.run.status !== "PAUSED") || familyOf(found.run).includes(approval.runId)
  if (!listed) return neverFound("the run that it belongs to does not wait for it")
  const lost = isNested(found, approval) && !(await takingOf(platform)).strict
  return lost ? { ...neverFound(lostWhy), nobody: true } : found
}

const lostWhy = "before 2.9.0 the platform loses what a team within a team waits for"

/** True for a call of a team within a team, or of a member of such a team. */
function isNested({ address, run }: Extract<FoundRun, { kind: "run" }>, { runId, sourceType }: Approval): boolean {
  if (address.runner !== "teams" || run.id === runId) return false
  return sourceType === "team" || run.members.some((member) => runsBelow(member).includes(runId))
}

function familyOf(run: Run): readonly string[] {
  return [run.id, ...memberRunsIn(run), ...runsBelow(run)]
}

function runsBelow({ members }: Run): readonly string[] {
  return members.flatMap((member) => [member.id, ...runsBelow(member)])
}

async function enforces(platform: Platform): Promise<boolean> {
  return (await capabilitiesOf(platform)).enforcesRejection
}

/** What the platform says about itself. If it says nothing, it promises nothing. Throws a `PortError` that may pass. */
export async function capabilitiesOf(platform: Platform): Promise<Capabilities> {
  try {
    return await platform.capabilities()
  } catch (error) {
    if (!isPortError(error) || error.retryable) throw error
    return { enforcesRejection: false, version: null }
  }
}

/** True for this version of AgentOS and later ones; false if the platform names no version. */
export function isSince({ version }: Capabilities, first: readonly [number, number, number]): boolean {
  const parts = (version ?? "").split(".").map(Number.parseFloat)
  const differs = first.findIndex((part, at) => (parts[at] ?? 0) !== part)
  return version !== null && (differs === -1 || (parts[differs] ?? 0) > (first[differs] ?? 0))
}

/** How a platform takes our rulings, by its AgentOS version; if it enforces rejections, teams follow each record. */
export async function takingOf(platform: Platform): Promise<Taking> {
  const capabilities = await capabilitiesOf(platform)
  const strict = capabilities.enforcesRejection || isSince(capabilities, [2, 9, 0])
  const asksAgain = capabilities.enforcesRejection || isSince(capabilities, [3, 1, 2])
  return { strict, keeps: isSince(capabilities, [3, 0, 0]), asksAgain }
}

/** Looks for a run. If the credential may not read it, we never continue it. If the platform fails, we ask again. */
async function readable(look: () => Promise<FoundRun>): Promise<FoundRun> {
  try {
    return await look()
  } catch (error) {
    if (!isPortError(error)) throw error
    if (error.code === "server")
      return { kind: "unreadable", why: "the platform cannot write the run: a value in it may be no number" }
    if (error.code === "forbidden") return neverFound("the credential for resuming may not read it")
    throw error
  }
}

function neverFound(why: string): Extract<FoundRun, { kind: "never" }> {
  return { kind: "never", why }
}

/** The approvals of a run and of its members' runs, each once. For a workflow, also those of all its steps. */
export async function rowsOf(platform: Platform, run: Run, runner: Runner): Promise<readonly Approval[]> {
  const below = runner === "workflows" ? runsBelow(run) : []
  const ids = new Set([run.id, ...memberRunsIn(run), ...below])
  const lists = await Promise.all([...ids].map((id) => platform.ofRun(id)))
  return [...new Map(lists.flat().map((row) => [row.id, row])).values()]
}

/** True if a record is about one of these calls. */
export function isRowAbout(row: Approval, ids: ReadonlySet<string>): boolean {
  return openGatedCalls(row).some((call) => call.id !== null && ids.has(call.id))
}
