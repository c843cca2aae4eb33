// Unasked: runs that stand still while no approval asks anybody. Polls do not see them; a slow look at sessions does.
import type { Approval } from "../../domain/content/approval.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import { largest } from "../../domain/content/largest.ts"
import { executionIn } from "../../domain/content/requirement.ts"
import { callId, isWaiting } from "../../domain/content/run.ts"
import { isPortError, type PausedRun, type Pauses, type Platform, type Ports, type SessionRun } from "../ports.ts"

export type UnaskedPorts = Pick<Ports, "pauses" | "store" | "platforms" | "alarm" | "log">

/** How often all replicas together look at the sessions of an instance, in ms. */
export const unaskedEveryMs = 300_000
/** How long a run must stand still before we tell somebody, in ms. */
const patienceMs = 300_000
/** One look lists this many pages of changed sessions, … */
const maxPages = 5
/** … reads this many sessions, … */
const maxRead = 20
/** … and leaves this many of them to later looks. We drop the sessions that changed longest ago. */
const maxUnread = 500
/** We remember at most this many paused runs of an instance. */
const maxPaused = 500
/** We ask for the approvals of at most this many runs of one pause. */
const maxFamily = 10
/** A session that changed this much earlier than the last listed one will not come into the list any more, in ms. */
const overlapMs = 10_000

const hint =
  "the run waits, and no approval asks anybody: add @approval to the tool, and continue this run yourself, " +
  "with its calls confirmed or refused (a cancel alone leaves it paused)"

/** Looks at each instance whose turn it is. An instance without an answer or sessions waits for its next turn. */
export async function lookForUnasked(ports: UnaskedPorts, everyMs = unaskedEveryMs): Promise<void> {
  await Promise.all(
    [...ports.platforms].map(async ([instance, platform]) => {
      if (await ports.pauses.takeTurn(instance, everyMs)) await lookAtRuns(ports, instance, platform)
    }),
  )
}

/** What one look has come to so far. */
type Look = { -readonly [part in keyof Pauses]: Pauses[part] }

const nothing: Pauses = { listedTo: 0, unread: [], paused: [] }

async function lookAtRuns(ports: UnaskedPorts, instance: string, platform: Platform): Promise<void> {
  const look: Look = { ...((await ports.pauses.read(instance)) ?? nothing) }
  try {
    if (await listChanged(platform, look)) await readSome(ports, { instance, platform, look })
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("sessions-not-read", { instance, error })
  }
  await ports.pauses.save(instance, look)
}

/**
 * Takes in what changed since the last look. False if the credential may not see sessions, or if there are none any
 * more: AgentOS before 3.1 says so while its database is away.
 */
async function listChanged(platform: Platform, look: Look): Promise<boolean> {
  const found = new Map(look.unread.map((one) => [one.sessionId, one.changedAt]))
  const since = look.listedTo - overlapMs
  for (let page = 1; page <= maxPages; page += 1) {
    const sessions = await platform.changedSessions(page)
    if (sessions === null || (page === 1 && sessions.length === 0 && look.listedTo > 0)) return false
    for (const { sessionId, changedAt } of sessions)
      if (changedAt !== null && changedAt >= since) found.set(sessionId, changedAt)
    if (sessions.length === 0 || sessions.some(({ changedAt }) => changedAt !== null && changedAt < since)) break
  }
  const unread = [...found].map(([sessionId, changedAt]) => ({ sessionId, changedAt }))
  look.unread = unread.toSorted((a, b) => b.changedAt - a.changedAt).slice(0, maxUnread)
  look.listedTo = largest(
    look.listedTo,
    unread.map(({ changedAt }) => changedAt),
  )
  return true
}

interface PollReading {
  readonly instance: string
  readonly platform: Platform
  readonly look: Look
}

/** First reads sessions that we may have to tell of, then changed ones, then those that we told of: did they go on? */
async function readSome(ports: UnaskedPorts, { instance, platform, look }: PollReading): Promise<void> {
  const clock = await ports.store.sharedClock()
  const due = look.paused.filter((one) => one.toldAt === null)
  const told = look.paused.filter((one) => one.toldAt !== null)
  const inTurn = [...due, ...look.unread, ...told].map(({ sessionId }) => sessionId)
  for (const sessionId of [...new Set(inTurn)].slice(0, maxRead)) {
    const runs = await platform.session(sessionId)
    if (runs === null || (runs.length === 0 && (await listsNone(platform)))) return
    const changedAt = look.unread.find((one) => one.sessionId === sessionId)?.changedAt ?? clock()
    const before = look.paused.filter((one) => one.sessionId === sessionId)
    const since = Math.min(changedAt, clock())
    const now: PausedRun[] = []
    for (const pause of pausesIn(runs)) {
      const known = before.find((one) => isSamePause(one, pause))
      const asked = known?.toldAt == null && (await asksSomebody(platform, pause))
      if (!asked) now.push(tellStanding(ports, instance, { run: known ?? begun(pause, sessionId, since), at: clock() }))
    }
    look.paused = [...look.paused.filter((one) => one.sessionId !== sessionId), ...now].slice(-maxPaused)
    look.unread = look.unread.filter((one) => one.sessionId !== sessionId)
  }
}

/** True if the platform lists no session: then a session without runs need not be gone. */
async function listsNone(platform: Platform): Promise<boolean> {
  return (await platform.changedSessions(1))?.length === 0
}

function isSamePause(known: PausedRun, { runId, calls }: Pause): boolean {
  return known.runId === runId && known.calls.join() === calls.join()
}

function begun({ runId, runner, component, calls, tools }: Pause, sessionId: string, since: number): PausedRun {
  return { runId, sessionId, runner, component, calls, tools, since, toldAt: null }
}

async function asksSomebody(platform: Platform, pause: Pause): Promise<boolean> {
  return isAskedAbout(pause, await approvalsOf(platform, pause))
}

async function approvalsOf(platform: Platform, { family }: Pause): Promise<readonly Approval[]> {
  return (await Promise.all(family.slice(0, maxFamily).map((runId) => platform.ofRun(runId)))).flat()
}

/** The calls of a pause that stand in no approval of its family, whether that is decided or not. */
export async function unnamedCalls(platform: Platform, pause: Pause): Promise<readonly string[]> {
  const named = namedIn(await approvalsOf(platform, pause))
  return pause.calls.filter((id) => !named.includes(id))
}

function namedIn(approvals: readonly Approval[]): readonly string[] {
  return approvals.flatMap(({ requirements }) => callIdsIn((requirements ?? []).map(executionIn)))
}

/** Raises the one alarm of a run that stood still for long enough. */
function tellStanding(
  ports: Pick<UnaskedPorts, "alarm">,
  instance: string,
  { run, at }: { readonly run: PausedRun; readonly at: number },
): PausedRun {
  if (run.toldAt !== null || at - run.since < patienceMs) return run
  const { runId, sessionId: session, runner, component, tools } = run
  const kind = { agents: "agent", teams: "team", workflows: "workflow" }[runner]
  ports.alarm({ code: "run-paused-unasked", instance, [kind]: component, run: runId, session, tools, hint })
  return { ...run, toldAt: at }
}

/** For this long after the alarm, `/status` names a run that still stands, in ms. After that we only remember it. */
const shownMs = 86_400_000
/** We name this many runs. */
const maxNamed = 5

/** What `/status` says about an instance; null if we told no operator of a standing run in the last day. */
export async function unaskedRuns(ports: Pick<Ports, "pauses" | "store">, instance: string): Promise<string | null> {
  const [known, clock] = await Promise.all([ports.pauses.read(instance), ports.store.sharedClock()])
  const standing = (known?.paused ?? []).filter(({ toldAt }) => toldAt !== null && clock() - toldAt < shownMs)
  if (standing.length === 0) return null
  const named = standing.slice(0, maxNamed).map(({ runId, component, tools }) => {
    return `${runId} of ${component ?? "an unnamed agent"} (${tools.join(", ") || "no tool is named"})`
  })
  const more = standing.length > maxNamed ? ` and ${standing.length - maxNamed} more` : ""
  return `runs wait and no approval asks anybody: ${named.join("; ")}${more}`
}

/** A paused run and its family: the runs whose approvals would be about it (its own, its members', its steps'). */
export type Pause = Pick<PausedRun, "runId" | "runner" | "component" | "calls" | "tools"> & {
  readonly family: readonly string[]
}

/** The pauses of a session. If a run of the session started another run, the other is part of the same pause. */
export function pausesIn(runs: readonly SessionRun[]): readonly Pause[] {
  const listed = new Set(runs.map(({ runId }) => runId))
  const first = runs.filter(({ parentRunId }) => parentRunId === null || !listed.has(parentRunId))
  return first.filter(({ status }) => status === "PAUSED").map((run) => pauseOf(run, descendantsOf(run, runs)))
}

function pauseOf(run: SessionRun, family: readonly SessionRun[]): Pause {
  const { runId, agentId, teamId, workflowId } = run
  const steps = family.flatMap((one) => one.steps)
  const paused = family.filter(({ status }) => status === "PAUSED")
  const waiting = [...paused, ...steps].flatMap(({ tools }) => tools.filter(isWaiting))
  return {
    runId,
    ...(workflowId !== null
      ? { runner: "workflows", component: workflowId }
      : teamId !== null
        ? { runner: "teams", component: teamId }
        : { runner: "agents", component: agentId }),
    calls: callIdsIn(waiting),
    tools: [...new Set(waiting.map(({ tool_name: tool }) => tool).filter((tool) => typeof tool === "string"))],
    family: [...family, ...steps].map((one) => one.runId),
  }
}

/** The run, the runs that it started, and the runs that those started. */
function descendantsOf(run: SessionRun, runs: readonly SessionRun[]): readonly SessionRun[] {
  const family = new Set([run])
  // A run that is added here is met later in the same loop.
  for (const member of family) for (const one of runs) if (one.parentRunId === member.runId) family.add(one)
  return [...family]
}

function callIdsIn(executions: readonly JsonObject[]): readonly string[] {
  return executions.map(callId).filter((id) => id !== "")
}

/**
 * True if an approval of the pause's family asks, or asked, about what the pause waits for: one is pending, or one
 * names a call that waits. If calls cannot be told apart, any approval counts. `drift.ts` tells of runs that paused
 * again after an approval.
 */
export function isAskedAbout({ calls }: Pick<Pause, "calls">, approvals: readonly Approval[]): boolean {
  if (approvals.some((one) => one.status === "pending" || isPausedAgain(one))) return true
  if (calls.length === 0) return approvals.length > 0
  const named = namedIn(approvals)
  return calls.some((id) => named.includes(id))
}

/**
 * True for an approved record whose run has moved since and is paused: a sign that the run paused again
 * (`docs/platform-facts.md` 5.5, trap 61).
 */
export function isPausedAgain({ status, runStatus, resolvedAt, updatedAt }: Approval): boolean {
  const later = resolvedAt !== null && updatedAt !== null && updatedAt > resolvedAt
  return status === "approved" && runStatus === "PAUSED" && later
}
