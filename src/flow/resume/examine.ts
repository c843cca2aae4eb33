// Examines a paused run: may we continue it now, and what do we say about each of its calls? `docs/platform-facts.md`
// 5.8 has the conditions.
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import type { RunEnd } from "../../domain/case/resumption.ts"
import { type Explicit, explicitFor, isTooLong, type Ruling, type Rulings } from "../../domain/case/ruling.ts"
import type { Decision } from "../../domain/case/vote.ts"
import { type Approval, type Call, callsOf, openGatedCalls } from "../../domain/content/approval.ts"
import { inputsOf, missingIn } from "../../domain/content/inputs.ts"
import {
  agentRunOf,
  callId,
  isCall,
  leftToAgnoSlack,
  type Run,
  type RunAddress,
  waitingIn,
} from "../../domain/content/run.ts"
import { reportedEnd } from "../../domain/content/run-report.ts"
import type { Conduct, Platform, Ports, Runs } from "../ports.ts"
import { originOf } from "../resolve/freeze.ts"
import { type FoundRun, findRun, isRowAbout, rowsOf, takingOf, unenforcedWhy } from "./find-run.ts"
import { rulingsOf } from "./rulings.ts"

export type ExaminePorts = Pick<Ports, "installation" | "store" | "seal">

/** A run that we may continue: where it is, our rulings on its calls, and the cases that decided them. */
export interface Ready {
  readonly address: RunAddress
  readonly run: Run
  readonly rulings: Rulings
  readonly cases: readonly Case[]
  /** The form in which we hand over these rulings. */
  readonly explicit: Explicit
}

/** The result of an examination. */
export type Examined =
  | ({ readonly kind: "ready" } & Ready)
  /** Other approvals of the run are pending: their ids. */
  | { readonly kind: "beside"; readonly approvals: readonly string[] }
  /** The run is at work, or another decision about it is about to settle. */
  | { readonly kind: "moving" }
  /** The run waits no longer: somebody else continued or cancelled it. */
  | { readonly kind: "over"; readonly address: RunAddress; readonly run: Run }
  /** We believe `unreadable` only if it repeats. */
  | Exclude<FoundRun, { kind: "run" }>

/** What we examine: a case with its content, and its instance. */
export interface ExaminedCase {
  readonly current: Case
  readonly approval: Approval
  /** The verdict, which we may not have sent yet (R12). */
  readonly decision: Pick<Decision, "verb" | "votes">
  readonly platform: Platform
  readonly runs: Runs
  readonly conduct: Conduct
}

/** Examines the run of a case that is decided, or about to be rejected. Throws a `PortError` that may pass. */
export async function examine(ports: ExaminePorts, subject: ExaminedCase): Promise<Examined> {
  const left = leftToAgnoSlack(subject.approval.sessionId, subject.conduct.besideAgnoSlack)
  if (left !== null) return never(left)
  if (subject.current.around.unenforced) return never(unenforcedWhy)
  const found = await findRun(subject, subject.approval)
  if (found.kind === "unreadable") return believed(subject, found)
  if (found.kind !== "run") return found
  const { address, run } = found
  if (run.status === "RUNNING" || run.status === "PENDING") return { kind: "moving" }
  if (run.status !== "PAUSED") return { kind: "over", address, run }
  const rows = await rowsOf(subject.platform, run, address.runner)
  const own = subject.approval.id
  // If the list is empty, the platform's database may be failing (`docs/platform-facts.md`, trap 1).
  const ownRow = rows.find((row) => row.id === own)
  if (ownRow === undefined) return { kind: "unreadable", why: "the platform's list does not name it" }
  const pending = rows.filter((row) => row.id !== own && row.status === "pending")
  if (pending.length > 0) return { kind: "beside", approvals: pending.map(({ id }) => id) }
  const end = subject.decision.verb === "approve" ? reportedEnd(ownRow) : null
  if (end === "COMPLETED" || end === "CANCELLED") return never(`its record says that the run is over: ${end}`)
  return judgePause(ports, subject, { address, run, rows })
}

/**
 * Like `examine`, for an agent's run whose approval the platform has just resolved: works from the answer to the
 * resolve. It is enough if the run waits for just the calls of that approval: no other row is about these, and
 * AgentOS's gate stops a run that has another pending approval. Null if the answer does not tell enough; then `examine`
 * looks.
 */
export async function examineAtOnce(
  ports: ExaminePorts,
  subject: ExaminedCase,
  { record, run }: { readonly record: Approval; readonly run: Run | null },
): Promise<Ready | null> {
  const { approval, conduct, current } = subject
  const address = agentRunOf(record)
  if (run === null || address === null || run.id !== record.runId || run.parentId !== null) return null
  if (run.status !== "PAUSED" || leftToAgnoSlack(approval.sessionId, conduct.besideAgnoSlack) !== null) return null
  if (current.around.unenforced || !waitsForJust(run, approval)) return null
  const judged = await judgePause(ports, subject, { address, run, rows: [record] })
  return judged.kind === "ready" ? judged : null
}

function waitsForJust(run: Run, approval: Approval): boolean {
  const [waiting, own] = [waitingIn(run, "agents").map(callId), openGatedCalls(approval).map(({ id }) => id)]
  return waiting.length === own.length && waiting.every((id) => own.includes(id))
}

/** Believes `gone` only if the approval is listed: a failing database lists none (`docs/platform-facts.md`, trap 2). */
async function believed({ platform, approval }: ExaminedCase, found: Unreadable): Promise<Examined> {
  if (found.gone === undefined) return found
  const rows = await platform.ofRun(approval.runId)
  return rows.some(({ id }) => id === approval.id) ? found : { kind: "unreadable", why: found.why }
}

interface Pause {
  readonly address: RunAddress
  readonly run: Run
  readonly rows: readonly Approval[]
}

async function judgePause(
  ports: ExaminePorts,
  subject: ExaminedCase,
  { address, run, rows }: Pause,
): Promise<Examined> {
  const waiting = waitingIn(run, address.runner)
  const ids = new Set(waiting.map(callId))
  const decided: Decided[] = []
  for (const row of rows.filter((one) => one.id === subject.approval.id || isRowAbout(one, ids))) {
    const one = row.id === subject.approval.id ? ownOf(ports, subject, row) : await besideOf(ports, row)
    if (one.kind !== "decided") return one
    decided.push(one)
  }
  const taking = await takingOf(subject.platform)
  const rulings = joinedRulings(decided, (one, call) => taking.asksAgain || isOfMember(run, one, call))
  if (rulings === null) return never("two of its approvals decide one call differently")
  const problem = callsProblem(waiting, decided, rulings) ?? inputProblem(decided)
  if (problem !== null) return never(problem)
  const odd = verdictProblem(address, decided, { strict: taking.strict, conduct: subject.conduct })
  if (odd !== null) return never(odd)
  const explicit = explicitFor(run, address.runner, rulings, taking)
  if (isTooLong(explicit)) return never("its calls are longer than the 1 MiB that the platform takes back")
  return { kind: "ready", address, run, rulings, cases: decided.map((one) => one.current), explicit }
}

/** A case of the pause, with the content that people decided. */
interface Decided {
  readonly kind: "decided"
  readonly current: Case
  readonly approval: Approval
  readonly decision: Pick<Decision, "verb" | "votes">
}

type Unreadable = Extract<Examined, { kind: "unreadable" }>
type Unfit = Extract<Examined, { kind: "moving" | "unreadable" | "never" }>

/** The case if its decision is ours: after any other we resume nothing (R10). If pending, we are to reject it (R12). */
function ownOf(ports: ExaminePorts, subject: ExaminedCase, row: Approval): Decided | Unfit {
  const { current, approval, decision } = subject
  const ours = row.status === "pending" || originOf(ports.seal, current, row).kind === "ours"
  return ours ? { kind: "decided", current, approval, decision } : notOurs(row)
}

/** Another approval of the pause. If its case is closed, the end of its run holds for all cases of the pause. */
async function besideOf(ports: ExaminePorts, row: Approval): Promise<Decided | Unfit> {
  const current = await ports.store.read(caseIdOf(ports.installation, row.instance, row.id))
  if (current === null || "kind" in current || current.decision === null) return notOurs(row)
  const { approval, decision, outcome, resumption } = current
  if (resumption?.kind === "withheld") return never(resumption.why, resumption.late)
  if (resumption?.kind === "ended") return afterEnd(row, resumption.end)
  if (approval === null || originOf(ports.seal, current, row).kind !== "ours") return notOurs(row)
  // The platform's record has our decision, and the case will say so soon.
  if (outcome === null) return { kind: "moving" }
  return outcome.kind === "ours" ? { kind: "decided", current, approval, decision } : notOurs(row)
}

/**
 * What we say if the run went on by another approval, and nobody told this case. If we can read the run, it says more.
 */
function afterEnd({ id }: Approval, { kind }: RunEnd): Unfit {
  const open = kind === "refused" || kind === "forked" || kind === "unknown"
  return open
    ? never(`it was continued with its approval ${id}, and how that ended is said there`)
    : { kind: "unreadable", why: `it went on with its approval ${id}` }
}

function notOurs({ id }: Approval): Unfit {
  return never(`its approval ${id} was not decided through Countersign as it is now`)
}

/**
 * One ruling for each call; null if two rulings differ. A team's row may repeat its member's (`docs/platform-facts.md`,
 * trap 22).
 */
function joinedRulings(
  decided: readonly Decided[],
  mayAskAgain: (one: Decided, call: Call) => boolean,
): Rulings | null {
  const rulings = new Map<string, Ruling>()
  const all = decided.flatMap((one) => rulingsOf(one.approval, one.decision, (call) => mayAskAgain(one, call)))
  for (const ruling of all) {
    const id = ruling.call.id ?? ""
    if ((rulings.get(id)?.verb ?? ruling.verb) !== ruling.verb) return null
    rulings.set(id, ruling)
  }
  return rulings
}

/** True for a call of a team's member: its second call has a row at each version (`docs/platform-facts.md` 5.5). */
function isOfMember(run: Run, { approval }: Decided, { memberName }: Call): boolean {
  return memberName !== null || approval.runId !== run.id
}

/** What is wrong with the calls. Exactly the decided ones must wait, beside ungated ones that people were shown. */
function callsProblem(waiting: readonly Execution[], decided: readonly Decided[], rulings: Rulings): string | null {
  const shown = decided.flatMap((one) => callsOf(one.approval))
  const known = waiting.every((execution) => shown.some((call) => isCall(execution, call)))
  const all = [...rulings.keys()].every((id) => waiting.some((execution) => callId(execution) === id))
  return known && all ? null : "the calls that wait are not those that were decided"
}

type Execution = ReturnType<typeof waitingIn>[number]

function inputProblem(decided: readonly Decided[]): string | null {
  const approved = decided.filter((one) => one.decision.verb === "approve")
  const missing = approved.flatMap((one) =>
    missingIn(inputsOf(one.approval), one.decision.votes.at(-1)?.values ?? null),
  )
  return missing.length === 0 ? null : `${missing.join(", ")} was not filled in`
}

/** What is wrong with the verdicts: before 2.9.0 a team takes only one (`docs/platform-facts.md` 5.6, trap 64). */
function verdictProblem(
  address: RunAddress,
  decided: readonly Decided[],
  { strict, conduct }: { readonly strict: boolean; readonly conduct: Conduct },
): string | null {
  const rejected = decided.filter((one) => one.decision.verb === "reject")
  if (rejected.length === 0) return null
  if (conduct.resume === "approved")
    return "one of its approvals was rejected, and only approved runs are continued here"
  if (decided.length === 1) return null
  if (address.runner === "agents" && rejected.length < decided.length) return "its approvals were decided differently"
  if (strict) return null
  const plain = rejected.every((one) => openGatedCalls(one.approval).every((call) => call.pauseType === "confirmation"))
  const alike = rejected.length === decided.length
  return alike && plain ? null : "this version of the platform would take one verdict for all of its calls"
}

function never(why: string, late?: true): Unfit {
  return { kind: "never", why, ...(late && { late }) }
}
