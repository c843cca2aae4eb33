// Sessions: at each poll, finds what approvals do not say themselves: a member's team, a step's workflow, and runs that
// the platform continues whatever their approvals say.
import { caseIdOf } from "../../domain/case/case.ts"
import { stepTo } from "../../domain/case/steps.ts"
import {
  isSameSurroundings,
  type Surroundings,
  type Trace,
  unseen,
  type WorkflowPlace,
} from "../../domain/content/surroundings.ts"
import { advanceCase, readCase } from "../case/commit.ts"
import { type NoticePorts, tellNotice } from "../case/notice.ts"
import { isPortError, type Platform, type Ports, type SessionRun } from "../ports.ts"

export type SessionPorts = NoticePorts & Pick<Ports, "installation" | "platforms" | "log">

/** One look at an instance, for one poll. */
export interface Round {
  /** Takes in one approval of the list. */
  see(approval: Trace): void
  /** Ends the round: brings what it found onto the cards. Logs failures; the next round tries again. */
  end(): Promise<void>
}

/** We read at most this many sessions in one round. The others have their turn in the next. */
const maxRead = 5
/** How soon we read a session with a team again, in ms: the team may have ended. */
const againMs = 15_000
/** How soon we read a session again after each read that found nothing: a workflow is stored after its step. */
const notYetMs = [1_000, againMs]
/** If a credential may not read sessions, we ask again after this many ms. */
const barredMs = 600_000

/** After this many approvals, other work such as clicks has a turn. */
const maxAtOnce = 1_000

/** What we remember of an approval from round to round. */
interface Memo {
  readonly around: Surroundings
  /** How often we read its session, and when last (epoch ms). */
  readonly reads: number
  readonly readAt: number
}

/** Makes the look at sessions, if the credential may read sessions. `current` gives the active ports. */
export function createSessionLook(current: () => SessionPorts): (instance: string) => Round {
  const memos = new Map<string, ReadonlyMap<string, Memo>>()
  const barredUntil = new Map<string, number>()
  const look = async (instance: string, traces: readonly Trace[]): Promise<void> => {
    const ports = current()
    const platform = ports.platforms.get(instance)
    if (platform === undefined) return
    const before = memos.get(instance) ?? new Map<string, Memo>()
    const after = new Map<string, Memo>()
    memos.set(instance, after)
    let reads = (barredUntil.get(instance) ?? 0) > ports.clock() ? maxRead : 0
    for (const [at, trace] of traces.entries()) {
      if (at % maxAtOnce === maxAtOnce - 1) await turn()
      const known = before.get(trace.id)
      const memo = known ?? { around: unseen, reads: 0, readAt: 0 }
      // We do not wait here: nearly all of a long list needs nothing.
      const recorded = trace.knownBy === "record"
      if ((reads >= maxRead && !recorded) || !isDue(trace, memo, ports.clock())) {
        if (known !== undefined) after.set(trace.id, known)
        continue
      }
      // If the record names the workflow, we only ask whether the platform goes by approvals.
      const session = recorded ? [] : await readSessionOf(ports, platform, { instance, trace })
      if (!recorded) reads += 1
      if (session === "barred") {
        barredUntil.set(instance, ports.clock() + barredMs)
        reads = maxRead
      }
      const runs = session === "barred" ? null : session
      const around = runs === null ? null : await judgedFindings(ports, platform, { instance, trace, runs })
      const next = around === null ? memo : { around, reads: memo.reads + 1, readAt: ports.clock() }
      after.set(trace.id, (await bring(ports, { instance, trace, memo, next, runs })) ? next : memo)
    }
  }
  return (instance) => {
    const traces: Trace[] = []
    return {
      see: ({ id, runId, sessionId, knownBy }) => void traces.push({ id, runId, sessionId, knownBy }),
      end: () => look(instance, traces),
    }
  }
}

/** Lets other work that is due run first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * True if we have to read a session: once, and twice more if we found nothing around the run. If there is a team, we
 * read the session now and then, because the team may end without waiting.
 */
function isDue({ knownBy }: Trace, { around, reads, readAt }: Memo, now: number): boolean {
  if (knownBy === null || reads === 0) return knownBy !== null
  const isAlone = knownBy === "session" && around.workflow === undefined
  const wait = around.team === null ? (isAlone ? notYetMs[reads - 1] : undefined) : againMs
  return wait !== undefined && now - readAt >= wait
}

async function readSessionOf(
  ports: SessionPorts,
  platform: Platform,
  { instance, trace }: { readonly instance: string; readonly trace: Trace },
): Promise<readonly SessionRun[] | "barred" | null> {
  try {
    return (await platform.session(trace.sessionId)) ?? "barred"
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("survey-failed", { instance, error })
    return null
  }
}

/** What we found, and whether the platform goes by approvals; null if it does not say now. */
async function judgedFindings(
  ports: SessionPorts,
  platform: Platform,
  { instance, trace, runs }: { readonly instance: string; readonly trace: Trace; readonly runs: readonly SessionRun[] },
): Promise<Surroundings | null> {
  const around = aroundOf(trace, runs)
  if (trace.knownBy === "session" && around.workflow === undefined) return around
  try {
    const { enforcesRejection } = await platform.capabilities()
    return { ...around, unenforced: !enforcesRejection }
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("nature-unknown", { instance, error })
    return error.retryable ? null : { ...around, unenforced: true }
  }
}

function aroundOf({ runId, knownBy }: Trace, runs: readonly SessionRun[]): Surroundings {
  const own = runs.find((run) => run.runId === runId)
  const parent = runs.find((run) => own !== undefined && run.runId === own.parentRunId)
  const workflow = workflowPlaceIn(runs, { runId, own, parent })
  return {
    seen: knownBy === "record" || own !== undefined || workflow !== undefined,
    team: parent?.teamId ?? null,
    ...(workflow === undefined ? {} : { workflow }),
    unenforced: false,
  }
}

interface OwnRuns {
  readonly runId: string
  readonly own: SessionRun | undefined
  readonly parent: SessionRun | undefined
}

/** The workflow with a step that names the run. If the session does not name the run at all: its last workflow. */
function workflowPlaceIn(runs: readonly SessionRun[], { runId, own, parent }: OwnRuns): WorkflowPlace | undefined {
  const workflows = runs.filter((run) => run.workflowId !== null)
  const named = workflows.find((run) => run === parent || run.steps.some((step) => step.runId === runId))
  const waiting = workflows.findLast(({ status }) => status === "PAUSED") ?? workflows.at(-1)
  const found = named ?? (own === undefined ? waiting : undefined)
  const id = found?.workflowId ?? null
  return id === null ? undefined : { id, name: null, step: found?.pausedStep ?? null }
}

/** Brings what we found onto the case. False if there is no case yet: the next round tries again. */
async function bring(
  ports: SessionPorts,
  found: {
    readonly instance: string
    readonly trace: Trace
    readonly memo: Memo
    readonly next: Memo
    readonly runs: readonly SessionRun[] | null
  },
): Promise<boolean> {
  const { instance, trace, memo, next, runs } = found
  const caseId = caseIdOf(ports.installation, instance, trace.id)
  if (runs !== null) await tellIfOver(ports, { caseId, instance, trace, runs })
  if (isSameSurroundings(memo.around, next.around)) return true
  const current = await readCase(ports, caseId)
  if (current === null) return false
  if (current === "frozen") return true
  const { around } = next
  await advanceCase(ports, current, (now) =>
    now.state !== "open" || isSameSurroundings(now.around, around) ? null : stepTo({ ...now, around }, []),
  )
  await ports.jobs.present(caseId)
  return true
}

/**
 * Tells of a team that ended while its member's approval is pending: a decision then has no effect
 * (`docs/platform-facts.md` 5.6, trap 65).
 */
async function tellIfOver(
  ports: SessionPorts,
  {
    caseId,
    instance,
    trace,
    runs,
  }: {
    readonly caseId: string
    readonly instance: string
    readonly trace: Trace
    readonly runs: readonly SessionRun[]
  },
): Promise<void> {
  const own = runs.find((run) => run.runId === trace.runId)
  const parent = runs.find((run) => own !== undefined && run.runId === own.parentRunId)
  const over = parent?.status === "COMPLETED" || parent?.status === "CANCELLED"
  if (parent?.teamId == null || !over) return
  const { teamId: team, status, runId: run } = parent
  const news = await tellNotice(ports, caseId, { kind: "run-over", at: ports.clock(), team, status })
  if (news) ports.alarm({ code: "team-ended-without-waiting", caseId, instance, approval: trace.id, team, run, status })
}
