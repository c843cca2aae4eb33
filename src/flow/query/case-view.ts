// One case as one person may see it (R8): Details, receipt, masks, and the next case of a summary.
import { cardModelOf } from "../../domain/case/card-model.ts"
import { isSamePlace } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, demandAs, maskSummary, type Place } from "../../domain/case/case.ts"
import { noteReveal } from "../../domain/case/steps.ts"
import type { Quota } from "../../domain/case/vote.ts"
import { personKey, type SlackId } from "../../domain/people/person.ts"
import { isAskable, isAskedOut } from "../../domain/question/questions.ts"
import { advanceCase, readCase } from "../case/commit.ts"
import { type KeepPorts, onHold } from "../case/holds.ts"
import { stopWordsFor } from "../case/orders.ts"
import { freshMs, type JudgePorts, judgePerson } from "../people/eligibility.ts"
import { withNames } from "../people/names.ts"
import { readOpenReviews } from "../people/open-reviews.ts"
import { maySee, whyHidden } from "../people/visibility.ts"
import { judgeVoter } from "../people/voters.ts"
import { whomToAsk } from "../people/whom-to-ask.ts"
import type { Details, ReceiptAsk, ReceiptShown, Reviewed, RunRequest } from "../ports/inbound.ts"
import { postBuckets } from "../ports/pace.ts"
import type { Answer } from "../ports/reply.ts"
import { isPortError, type Ports, type SessionRun } from "../ports.ts"
import { ownVote, waitsFor } from "./list.ts"

export type QueryPorts = JudgePorts & KeepPorts & Pick<Ports, "store">

export type DetailsPorts = QueryPorts & RequestPorts

/** A case as one person may see it. Null if there is no such case, or if they may not see it. */
export async function details(
  ports: DetailsPorts,
  caseId: string,
  id: SlackId,
  route: string | null,
): Promise<Details | null> {
  const seen = await visibleCase(ports, caseId, id)
  if (seen === null) return null
  const { current } = seen
  const [shown, request] = await Promise.all([shownTo(ports, current, id, route), requestOf(ports, current)])
  return request === null ? shown : { ...shown, request }
}

/** Details of a case that this person may see. */
export async function shownTo(ports: QueryPorts, current: Case, id: SlackId, route: string | null): Promise<Details> {
  const [approve, reject, callBack, glass, person, whom] = await Promise.all([
    judgePerson(ports, current, id, { verb: "approve" }),
    judgePerson(ports, current, id, { verb: "reject" }),
    judgeVoter(ports, current, id, { verb: "reject", calledBack: true }),
    mayBreakGlass(ports, current, id),
    ports.people.look(id, freshMs),
    isAskable(current) && !isAskedOut(current) ? whomToAsk(ports, current, id) : null,
  ])
  const asked = approve.ok ? asAskedOf(current, approve.quotas) : current
  const model = cardModelOf(asked, route ?? current.cards[0]?.route ?? "")
  return {
    model: await withNames(ports, { ...model, ...onHold(ports, current) }),
    approve: judgementOf(approve),
    reject: judgementOf(reject),
    ...(callBack.ok ? { callBack: true } : {}),
    ...stopWordsFor(person, current),
    ...(glass ? { glass: true } : {}),
    ...(reject.ok && whom !== null ? { mayAsk: true } : {}),
    ...(current.questions && { questions: current.questions }),
    own: ownVote(current, id)?.verb ?? null,
  }
}

/** True if somebody may break the glass of an open case now. We ask nobody if a demanded rule has none. */
async function mayBreakGlass(ports: QueryPorts, current: Case, id: SlackId): Promise<boolean> {
  const { rules } = demandAs(current, ports.policy, {})
  if (current.state !== "open" || rules.length === 0 || rules.some((rule) => rule.breakGlass === undefined))
    return false
  const reviews = await readOpenReviews(ports, rules)
  return (await judgeVoter(ports, current, id, { verb: "approve", glass: true, reviews })).ok
}

/** The case with the quorums that its rules want for this requester. We may know only now who that is (R6). */
function asAskedOf(current: Case, asked: readonly Quota[]): Case {
  const quotas = current.revision.quotas.map((quota) => {
    const { quorum } = asked.find(({ name, hash }) => name === quota.name && hash === quota.hash) ?? quota
    return { ...quota, quorum }
  })
  return { ...current, revision: { ...current.revision, quotas } }
}

type RequestPorts = Pick<Ports, "platforms" | "log">

/** How many runs may lie between a call's run and the run that a person started. */
const maxLevels = 10

/** What started the run of a case. We keep it nowhere. Null if no rule wants it shown, or if the content is erased. */
async function requestOf(ports: RequestPorts, current: Case): Promise<RunRequest | null> {
  const approval = current.approval ?? current.kept?.approval ?? null
  if (current.revision.look.requestInDetails !== true || approval === null) return null
  const platform = ports.platforms.get(current.instance)
  if (platform === undefined) return unread("unreachable")
  try {
    const runs = await platform.session(approval.sessionId)
    if (runs === null) return unread("not-allowed")
    const first = startedBy(runs, approval.runId)
    return first === null ? unread("unknown-run") : { kind: "read", input: first.input }
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("request-unread", { caseId: current.id, error })
    return unread("unreachable")
  }
}

function unread(why: Extract<RunRequest, { kind: "unread" }>["why"]): RunRequest {
  return { kind: "unread", why }
}

/**
 * The run that a person started: the words that a team or a workflow gave its members are an agent's. Null if the
 * session does not lead to that run.
 */
function startedBy(runs: readonly SessionRun[], runId: string): SessionRun | null {
  let found = runs.find((run) => run.runId === runId || run.steps.some((step) => step.runId === runId))
  for (let level = 0; found !== undefined && found.parentRunId !== null; level += 1) {
    const { parentRunId: parent } = found
    found = level < maxLevels ? runs.find((run) => run.runId === parent) : undefined
  }
  return found ?? null
}

/**
 * What to tell somebody to whom `details` shows nothing. If they pressed the case's card (`place`), they know that the
 * case exists. Anybody else hears that there is no such case.
 */
export async function notShown(ports: QueryPorts, caseId: string, id: SlackId, place: Place | null): Promise<Answer> {
  const current = await readCase(ports, caseId)
  if (current === "frozen") return { kind: "frozen" }
  if (current === null || !current.cards.some((card) => isSamePlace(card.place, place))) return { kind: "unknown-case" }
  const hidden = await whyHidden(ports, current, await ports.people.look(id, freshMs))
  return hidden === null ? { kind: "unknown-case" } : { kind: "hidden", why: hidden }
}

/** A case, if there is one and this person may see it; else null. */
export async function visibleCase(
  ports: QueryPorts,
  caseId: string,
  id: SlackId,
): Promise<{ readonly current: Case } | null> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen") return null
  const person = await ports.people.look(id, freshMs)
  return (await maySee(ports, current, person)) ? { current } : null
}

function judgementOf(judged: Awaited<ReturnType<typeof judgePerson>>): Details["approve"] {
  return judged.ok ? { ok: true, rules: judged.rules } : judged
}

/** Opens the masks of a view. False if it is not the person's, if they may not decide, or if the case moved on. */
export async function reveal(
  ports: JudgePorts & Pick<Ports, "store" | "views">,
  viewId: string,
  person: SlackId,
): Promise<boolean> {
  const view = await ports.views.read(viewId)
  if (view === null || personKey(view.person) !== personKey(person)) return false
  const current = await readCase(ports, view.caseId)
  if (current === null || current === "frozen" || current.state !== "open") return false
  if (current.revision.number !== view.revision || !(await judgePerson(ports, current, person, { verb: "reject" })).ok)
    return false
  const { number } = current.revision
  const noted = await advanceCase(ports, current, (now) =>
    now.revision.number === number ? noteReveal(now, person, ports.clock()) : null,
  )
  if (noted.revision.number !== number) return false
  // From now on the view shows other text than the person has read.
  await ports.views.remember({ ...view, revealed: true, pagesOpened: 0 })
  return true
}

type ReceiptPorts = JudgePorts & Pick<Ports, "installation" | "store" | "keptReceipts">

/**
 * The receipt for people who may see the case (R8), if they press the card on record (R18). A receipt that does not
 * verify raises an alarm.
 */
export async function showReceipt(ports: ReceiptPorts, ask: ReceiptAsk): Promise<ReceiptShown> {
  const { target, person } = ask
  const current = target.installation === ports.installation ? await readCase(ports, target.caseId) : null
  if (current === null) return receiptTold({ kind: "unknown-case" })
  if (current === "frozen") return receiptTold({ kind: "frozen" })
  const hidden = await whyHidden(ports, current, await ports.people.look(person, freshMs))
  const on = isOnCard(current, ask)
  if (hidden !== null) return receiptTold(on ? { kind: "hidden", why: hidden } : { kind: "unknown-case" })
  if (!on && !isBeingShown(current, ask)) return receiptTold({ kind: "replaced" })
  if (current.outcome?.kind !== "ours") return { kind: "gone" }
  const { decisionId } = current.outcome
  const kept = await ports.keptReceipts.read(decisionId)
  if (kept.kind === "broken") ports.alarm({ code: "receipt-broken", caseId: current.id, decision: decisionId })
  if (kept.kind !== "kept") return kept
  const reasons = (current.decision?.votes ?? []).flatMap(({ person: { user }, reason }) =>
    reason === null ? [] : [{ user, reason }],
  )
  return { ...kept, summary: maskSummary(current.summary, current.revision.look.mask), reasons }
}

function receiptTold(answer: Answer): ReceiptShown {
  return { kind: "told", answer }
}

function isOnCard(current: Case, { target, place }: ReceiptAsk): boolean {
  return isSamePlace(cardOn(current, target.route)?.place ?? null, place)
}

/** True while a presenter works on the card: somebody may press before we have noted where the card is. */
function isBeingShown(current: Case, { target }: ReceiptAsk): boolean {
  return (cardOn(current, target.route)?.lease ?? null) !== null
}

/** Who reviews which summary, and after which case; null: from the first. */
export interface ReviewStep {
  readonly route: string
  readonly person: SlackId
  readonly after: string | null
}

/** The next case that waits for this person and that they may see (R8), or null. The case's own card comes forward. */
export async function review(ports: Ports, { route, person: id, after }: ReviewStep): Promise<Reviewed | null> {
  const named = (await ports.summaries.read(route))?.cases ?? []
  const ahead = after === null ? named : named.slice(named.indexOf(after) + 1)
  const read = await Promise.all(ahead.map((caseId) => readCase(ports, caseId)))
  const waiting = read.filter((one) => one !== null && one !== "frozen").filter((one) => one.state === "open")
  const person = await ports.people.look(id, freshMs)
  for (const [index, current] of waiting.entries()) {
    if (!(await isNext(ports, current, person))) continue
    const shown = await details(ports, current.id, id, route)
    if (shown === null) continue
    await bringForward(ports, current, route)
    return { details: shown, left: waiting.length - index - 1 }
  }
  return null
}

async function isNext(ports: Ports, current: Case, person: Parameters<typeof maySee>[2]): Promise<boolean> {
  return (await maySee(ports, current, person)) && (await waitsFor(ports, current, person))
}

/** Moves a case's own card before the cards of cases that nobody has opened yet. */
async function bringForward(ports: Ports, current: Case, route: string): Promise<void> {
  if (cardOn(current, route)?.summary !== true) return
  for (const bucket of postBuckets(route)) await ports.pace.hurry(bucket, current.id)
  await ports.jobs.present(current.id)
}
