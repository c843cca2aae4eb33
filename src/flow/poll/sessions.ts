// Sessions: beside each poll, finds what approvals do not say themselves: the team behind a member, runs that nobody
// guards.
import { caseIdOf } from "../../domain/case/case.ts"
import { stepTo } from "../../domain/case/steps.ts"
import { isSameSurroundings, type Surroundings, type Trace, unseen } from "../../domain/content/surroundings.ts"
import { advanceCase, readCase } from "../case/commit.ts"
import { type NoticePorts, tellNotice } from "../case/notice.ts"
import { isPortError, type Platform, type Ports, type SessionRun } from "../ports.ts"

export type SessionPorts = NoticePorts & Pick<Ports, "installation" | "platforms" | "log">

/** One poll's look at an instance. */
export interface Round {
  /** One approval of the list. */
  see(approval: Trace): void
  /** The list was read: brings what was found onto the cards. Failures are logged and left to the next round. */
  end(): Promise<void>
}

/** So many sessions are read in one round; the rest has its turn in the next. */
const maxRead = 5
/** How soon a session is read again whose team may have ended meanwhile, in ms. */
const againMs = 15_000
/** If a credential may not read sessions, we ask again after so many ms. */
const barredMs = 600_000

/** After so many approvals, whoever clicks has a turn. */
const maxAtOnce = 1_000

/** What is remembered of an approval from round to round. */
interface Memo {
  readonly around: Surroundings
  /** Epoch ms; 0 before. */
  readonly readAt: number
}

/** Makes the look at sessions, if the reading credential may (`sessions:read`). `current` gives the active ports. */
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
      const memo = known ?? { around: unseen, readAt: 0 }
      // Without a wait: of a long list nearly all pass here.
      if (reads >= maxRead || !isDue(trace, memo, ports.clock())) {
        if (known !== undefined) after.set(trace.id, known)
        continue
      }
      const session = await sessionOf(ports, platform, { instance, trace })
      reads += 1
      if (session === "barred") {
        barredUntil.set(instance, ports.clock() + barredMs)
        reads = maxRead
      }
      const runs = session === "barred" ? null : session
      const next = runs === null ? memo : { around: aroundOf(trace, runs), readAt: ports.clock() }
      after.set(trace.id, (await bring(ports, { instance, trace, memo, next, runs })) ? next : memo)
    }
  }
  return (instance) => {
    const traces: Trace[] = []
    return {
      see: ({ id, runId, sessionId, ofAgent }) => void traces.push({ id, runId, sessionId, ofAgent }),
      end: () => look(instance, traces),
    }
  }
}

/** Lets everything else that is due run first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * An agent's session is read once. If there is a team behind it, it is read again now and then, since the team may end
 * without waiting.
 */
function isDue({ ofAgent }: Trace, { around, readAt }: Memo, now: number): boolean {
  return ofAgent && (readAt === 0 || (around.team !== null && now - readAt >= againMs))
}

async function sessionOf(
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

function aroundOf({ runId }: Trace, runs: readonly SessionRun[]): Surroundings {
  const own = runs.find((run) => run.runId === runId)
  const parent = runs.find((run) => own !== undefined && run.runId === own.parentRunId)
  const unenforced = own === undefined && runs.some((run) => run.workflowId !== null)
  return { seen: own !== undefined || unenforced, team: parent?.teamId ?? null, unenforced }
}

/** Brings what was found onto the case. False if there is no case yet, so the next round tries again. */
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
 * A team may end while its member's approval is pending: a decision then has no effect (`docs/platform-facts.md` 5.6,
 * trap 65).
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
