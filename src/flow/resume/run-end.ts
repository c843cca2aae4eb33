// How a continued run ended. The answer to the continue says it; if there was none, the run itself does.
import type { Case } from "../../domain/case/case.ts"
import {
  type Continue,
  endRun,
  isRefusing,
  type RunEnd,
  refuseNext,
  type Withheld,
  withhold,
} from "../../domain/case/resumption.ts"
import { deviationsIn, gateRefusalsIn, type Rulings, ranIn } from "../../domain/case/ruling.ts"
import { callId, type Run, type RunAddress, waitingIn } from "../../domain/content/run.ts"
import { advance, readCase, underAnyConfig } from "../case/commit.ts"
import { isPortError, type Ports } from "../ports.ts"
import type { ExaminedCase } from "./examine.ts"
import { rowsOf } from "./find-run.ts"
import { rulingsOf } from "./rulings.ts"
import { hasOwnRecord, refusalsIn } from "./second-pause.ts"

export type EndPorts = Pick<Ports, "store" | "underAny" | "clock" | "alarm" | "jobs" | "platforms" | "runs" | "log">

/** We believe that a run stands still if it waits at the same calls this many ms after the longest continue, … */
const spareMs = 60_000
/** … or after this many ms, if the platform answered that it did nothing. */
const answeredMs = 15_000
/** How long we follow a run that is at work, in ms. */
const followMs = 86_400_000
const shortestLookMs = 1_000
const longestLookMs = 30_000
/** How soon we look again at a case whose run we continue in another case's name, in ms. */
const besideMs = 5_000

/** A run that moved, or a refusal of the platform. */
export interface Ended {
  readonly address: RunAddress
  /** Null if the platform refused. */
  readonly run: Run | null
  readonly by: RunEnd["by"]
  /** The decisions about all calls of the pause. Default: those of the case alone. */
  readonly rulings?: Rulings
  /** The platform's own words for its refusal. */
  readonly refusal?: string
  /** True if the run waits for the very calls that were decided. */
  readonly stuck?: boolean
}

/**
 * Tells how the run ended: in ledger, thread and card, and by an alarm if an operator must look. How it ended rests on
 * no rule, and the answer is heard once, so it is told under any config.
 */
export async function finish(ports: EndPorts, subject: ExaminedCase, ended: Ended): Promise<number | null> {
  const kind = await endKindOf(subject, ended)
  if (kind === null) return shortestLookMs
  const rulings = ended.rulings ?? byCall(subject)
  if (kind === "unasked" && mustRefuse(subject, ended, rulings)) return refusedEnd(ports, subject.current, ended)
  const deviations = ended.run === null ? [] : deviationsIn(ended.run, rulings)
  const refused = ended.run === null ? [] : gateRefusalsIn(ended.run, rulings)
  if (refused.length > 0) ports.log.warn("gate-refused", { caseId: subject.current.id, said: refused })
  // If a cancelled run is continued, it runs its tool all the same (`docs/platform-facts.md`, trap 68).
  const ran = ended.run !== null && (kind === "cancelled" || kind === "failed") ? ranIn(ended.run, rulings) : []
  const detail = detailOf(ended, kind) ?? refused[0] ?? (isRefusing(subject.current) ? refusedWhy : null)
  const end: RunEnd = { kind, by: ended.by, detail, deviations, ...(ran.length === 0 ? {} : { ran }) }
  return say(ports, subject.current, ended.run?.id ?? ended.address.runId, end)
}

const refusedWhy = "it had paused again without asking anybody, and that call was refused"

/** True after a rejection: anybody could run what the run waits for now, and the rejected record would not stop it. */
function mustRefuse({ current, approval }: ExaminedCase, { run, address, by }: Ended, rulings: Rulings): boolean {
  const rejected = [...rulings.values()].some((ruling) => ruling.verb === "reject")
  if (run === null || by !== "us" || !rejected || isRefusing(current) || address.runner === "workflows") return false
  return refusalsIn(run, address.runner, approval).size > 0
}

async function refusedEnd(ports: EndPorts, current: Case, { address }: Ended): Promise<number> {
  const done = await advance(underAnyConfig(ports), current, (now) => refuseNext(now, ports.clock()))
  const { id: caseId, instance, approvalId: approval } = current
  const detail = "it is refused, and continued once more"
  if (done.kind === "committed")
    ports.alarm({ code: alarms.unasked, caseId, instance, approval, run: address.runId, detail })
  return 0
}

function byCall({ approval, decision }: ExaminedCase): Rulings {
  // Nobody reads their notes any more.
  const rulings = rulingsOf(approval, decision, () => true)
  return new Map(rulings.map((ruling) => [ruling.call.id ?? "", ruling]))
}

function detailOf({ refusal, run }: Ended, kind: RunEnd["kind"]): string | null {
  if (kind === "forked") return `run ${run?.id ?? ""} answered`
  return refusal ?? (kind === "refused" ? "it paused again at the same calls" : null)
}

/** How the run ended; null if nobody can tell yet. */
async function endKindOf({ platform, approval }: ExaminedCase, ended: Ended): Promise<RunEnd["kind"] | null> {
  const { run, address, stuck } = ended
  if (run === null || stuck === true) return "refused"
  if (run.id !== address.runId) return "forked"
  switch (run.status) {
    case "COMPLETED":
      return "completed"
    case "ERROR":
      return "failed"
    case "CANCELLED":
      return "cancelled"
    case "PAUSED": {
      const rows = await rowsOf(platform, run, address.runner)
      // If the list lacks the approval that we know of, the platform's database is failing.
      if (!rows.some((row) => row.runId === approval.runId)) return null
      return hasOwnRecord(rows, approval.id, run, address.runner) ? "paused" : "unasked"
    }
    default:
      return "unknown"
  }
}

async function say(ports: EndPorts, current: Case, run: string, end: RunEnd): Promise<null> {
  const done = await advance(underAnyConfig(ports), current, (now) => endRun(now, run, end, ports.clock()))
  if (done.kind === "committed") alarmOf(ports, current, run, end)
  await ports.jobs.present(current.id)
  return null
}

const alarms = {
  completed: null,
  paused: null,
  cancelled: null,
  failed: "run-failed",
  unasked: "paused-again-unasked",
  forked: "run-forked",
  refused: "resume-not-taken",
  unknown: "resume-unaccounted",
} as const satisfies Readonly<Record<RunEnd["kind"], string | null>>

function alarmOf(ports: EndPorts, current: Case, run: string, end: RunEnd): void {
  const { id: caseId, instance, approvalId: approval } = current
  const { detail, deviations, ran } = end
  const code = alarms[end.kind]
  if (code !== null) ports.alarm({ code, caseId, instance, approval, run, detail })
  if (end.kind === "cancelled" && ran !== undefined)
    ports.alarm({ code: "ran-although-cancelled", caseId, instance, approval, run, ran })
  if (deviations.length > 0) ports.alarm({ code: "ran-otherwise", caseId, instance, approval, run, deviations })
}

/** Looks how a continue went if its answer did not say. Never sends anything again, however long it takes. */
export async function follow(ports: EndPorts, subject: ExaminedCase, sent: Continue): Promise<number | null> {
  const run = await readRunSafely(subject, sent.address)
  // Another replica may have sent the continue, and its clock may differ.
  const elapsed = (await ports.store.sharedClock())() - sent.at
  const later = Math.min(longestLookMs, Math.max(shortestLookMs, elapsed / 4))
  if (run !== null && !standsStill(run, sent) && !isAtWork(run))
    return finish(ports, subject, { address: sent.address, run, by: "us" })
  const restarted = run !== null && standsStill(run, sent) && (await hasRestarted(ports, subject, sent, elapsed))
  if (!restarted && elapsed < patience(run, subject, sent)) return later
  const detail = restarted ? restartedWords : (sent.said ?? "the platform never said")
  const refused = run !== null && sent.said?.startsWith("404") === true
  const kind = refused ? "refused" : "unknown"
  return say(ports, subject.current, sent.address.runId, { kind, by: "us", detail, deviations: [] })
}

const restartedWords = "the platform was restarted meanwhile, and the run waits at the same calls"
/** How much we allow for the platform's clock, which gives whole seconds, in ms. */
const clockMs = 2_000

/** True if the process that worked on a continue is gone: the connection broke, and what answers now began later. */
async function hasRestarted(
  ports: EndPorts,
  { platform, current }: ExaminedCase,
  { broken }: Continue,
  elapsed: number,
): Promise<boolean> {
  if (broken !== true) return false
  try {
    const upForMs = await platform.upForMs()
    return upForMs !== null && upForMs + clockMs < elapsed
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("start-unknown", { caseId: current.id, error })
    return false
  }
}

function patience(run: Run | null, { conduct }: ExaminedCase, { said }: Continue): number {
  if (run !== null && isAtWork(run)) return followMs
  return said === null ? conduct.resumeMs + spareMs : answeredMs
}

function isAtWork({ status }: Run): boolean {
  return status === "RUNNING" || status === "PENDING"
}

/** True while the run waits at the calls that people decided: the continue is still at work, or had no effect. */
function standsStill(run: Run, { address, calls }: Continue): boolean {
  const waiting = waitingIn(run, address.runner).map(callId)
  return run.status === "PAUSED" && calls.length > 0 && calls.every((id) => waiting.includes(id))
}

/** The run, or null if the platform does not show it now. */
async function readRunSafely({ runs }: ExaminedCase, address: RunAddress): Promise<Run | null> {
  try {
    return await runs.read(address)
  } catch (error) {
    if (isPortError(error)) return null
    throw error
  }
}

/** Follows a case whose run we continue in the name of another case of the same pause: both end in the same way. */
export async function followBeside(ports: EndPorts, subject: ExaminedCase, owner: string): Promise<number | null> {
  const other = await readCase(ports, owner)
  const there = other === null || other === "frozen" ? null : other.resumption
  if (there?.kind === "withheld") return withholdToo(ports, subject.current, there)
  if (there === null)
    return withholdToo(ports, subject.current, { why: `nobody knows what became of it in case ${owner}` })
  if (there.kind !== "ended") return besideMs
  return say(ports, subject.current, subject.approval.runId, there.end)
}

async function withholdToo(ports: EndPorts, current: Case, { why, nobody, late }: Withheld): Promise<null> {
  const withheld = { why, ...(nobody && { nobody }), ...(late && { late }) }
  await advance(ports, current, (now) => withhold(now, withheld, ports.clock()))
  await ports.jobs.present(current.id)
  return null
}
