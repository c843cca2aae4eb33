// Summarise: if more new cards wait in a channel than the config allows, one message names their cases, and lets people
// review them one by one. A case gets a card of its own when the pace allows it, or when somebody opens the case. Until
// then the case is a line of the summary.
import { type CardModel, cardModelHash, cardModelOf } from "../../domain/case/card-model.ts"
import { hangOnSummary, leaveSummary } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, ownPlace, type Place } from "../../domain/case/case.ts"
import { hashOf } from "../../domain/content/canonical.ts"
import { advanceCase, readCase } from "../case/commit.ts"
import { postBuckets } from "../ports/pace.ts"
import { type Clock, isPortError, type Ports, type Summary, type SummaryModel } from "../ports.ts"
import { coveredHash, isExposed } from "./exposed.ts"
import { leaseMs } from "./lease.ts"
import { type AgainInMs, holdBucket, isPost, levelOf, restMs } from "./trouble.ts"

/** One summary names at most this many cases; later cases wait for a card, or for the next summary. */
const maxCases = 100
/** How soon we try again after somebody was faster, in ms. */
const soonMs = 100

/** Brings the summary of a route up to date, or makes one if it is needed. May run twice, or again after a crash. */
export async function summarise(ports: Ports, route: string): Promise<AgainInMs> {
  const known = await ports.summaries.read(route)
  const shared = await ports.store.sharedClock()
  const held = (known?.lease?.until ?? 0) - shared()
  if (held > 0) return held
  const plan = await planOf(ports, route, known)
  if (plan === null) return null
  const { modelHash: shows, place } = plan.summary
  if (known !== null && place !== null && known.lease === null && (await isSummaryShown(ports, known, shows))) {
    await hang(ports, plan, place)
    if (plan.model.waiting.length === 0) await ports.summaries.end(known)
    return null
  }
  const wait = await ports.pace.reserve({ buckets: lanesOf(route, place), key: `summary ${route}`, rank: "decision" })
  return wait > 0 ? wait : leaseAndShow(ports, plan, shared)
}

/** True if the summary shows what it may. A covered one stays covered until Slack says that the channel is our own. */
async function isSummaryShown(
  ports: Pick<Ports, "chat" | "log">,
  { route, modelHash }: Summary,
  shows: string | null,
): Promise<boolean> {
  return modelHash === coveredHash ? (await isExposed(ports, route)) !== false : modelHash === shows
}

/** The limits of a call. A new summary is a message of its route. An edit waits, to show several changes at once. */
function lanesOf(route: string, place: Place | null) {
  return place === null ? postBuckets(route) : (["chat.update", `summary ${route}`] as const)
}

interface Plan {
  /** The summary as it will be. */
  readonly summary: Summary
  readonly model: SummaryModel
  readonly shown: readonly Case[]
  /** True if a process died while it worked on the summary. */
  readonly cutOff: boolean
}

/** What the summary has to become; null if there is no summary and none is needed. */
async function planOf(ports: Ports, route: string, known: Summary | null): Promise<Plan | null> {
  const { summaryAbove } = ports
  const waiting = await ports.summaries.uncarded(route, Math.max(maxCases, summaryAbove + 1))
  const many = summaryAbove > 0 && waiting.length > summaryAbove
  if (known === null && !many) return null
  const listed = known?.cases ?? []
  const capacity = Math.max(0, maxCases - listed.length)
  const added = many ? waiting.filter((id) => !listed.includes(id)).slice(0, capacity) : []
  const read = await Promise.all([...listed, ...added].map((id) => readCase(ports, id)))
  const cases = read.filter((one) => one !== null && one !== "frozen")
  const shown = cases.filter((one) => belongs(one, route))
  const fresh = { version: 0, id: ports.newId(), route, begunAt: ports.clock(), place: null, lease: null }
  const base = known ?? fresh
  const moved = listed.length - shown.filter((one) => listed.includes(one.id)).length
  const model = faceOfSummary(shown, { installation: ports.installation, route, id: base.id, moved })
  if (known === null && model.waiting.length === 0) return null
  const named = [...listed, ...shown.map((one) => one.id).filter((id) => !listed.includes(id))]
  const summary = { ...base, cases: named, modelHash: hashOfSummary(model) }
  return { summary, model, shown, cutOff: base.lease !== null }
}

/** True for a case that is named on the summary, or that waits for its first card while nobody posts it. */
function belongs(current: Case, route: string): boolean {
  const card = cardOn(current, route)
  if (card === undefined) return false
  return card.summary || (card.place === null && card.lease === null && current.state === "open")
}

function faceOfSummary(
  shown: readonly Case[],
  about: Pick<SummaryModel, "installation" | "route" | "id" | "moved">,
): SummaryModel {
  const isWaiting = ({ state }: Case) => state === "open" || state === "sending" || state === "frozen"
  const models = (cases: readonly Case[]) => cases.map((one) => cardModelOf(one, about.route))
  return {
    ...about,
    waiting: models(shown.filter(isWaiting)),
    ended: models(shown.filter((one) => !isWaiting(one))),
  }
}

/** The hash of what a summary shows, without what we erase when a case closes. */
function hashOfSummary({ waiting, ended, moved }: SummaryModel): string {
  const line = ({ caseId, revision, status, votes }: CardModel) => [
    caseId,
    revision,
    JSON.stringify(status),
    votes.length,
  ]
  return hashOf([waiting.map(line), ended.map(line), moved]).slice(0, 16)
}

async function leaseAndShow(ports: Ports, plan: Plan, shared: Clock): Promise<AgainInMs> {
  const { summary } = plan
  const lease = { by: ports.newId(), until: shared() + leaseMs }
  // We remember what the summary shows only after Slack shows it.
  const leased: Summary = { ...summary, version: summary.version + 1, modelHash: null, lease: lease }
  if (!(await ports.summaries.save(leased))) return soonMs
  try {
    const place = await drawSummary(ports, plan)
    if (place === "lost") return await dissolve(ports, leased, plan)
    const shown: Summary = { ...leased, version: leased.version + 1, lease: null, ...place }
    if (!(await ports.summaries.save(shown))) return soonMs
    if (shown.modelHash === null) return soonMs
    await hang(ports, plan, place.place)
    return plan.model.waiting.length === 0 ? soonMs : null
  } catch (error) {
    return afterSummaryFailed(ports, leased, { error, shared, looking: plan.cutOff && plan.summary.place === null })
  }
}

interface Drawn {
  readonly place: Place
  /** Null if the summary still has to be edited. */
  readonly modelHash: string | null
}

async function drawSummary(ports: Ports, { summary, model, cutOff }: Plan): Promise<Drawn | "lost"> {
  const { place } = summary
  if (place !== null) {
    const { kind } = await ports.chat.updateSummary(place, model)
    return kind === "updated" ? { place, modelHash: summary.modelHash } : "lost"
  }
  const found = cutOff ? await ports.chat.findSummary(model, summary.begunAt) : null
  if (found !== null) return { place: found, modelHash: null }
  // People decided all its cases before the summary was ever posted.
  if (model.waiting.length === 0) return "lost"
  return { place: await ports.chat.postSummary(model), modelHash: summary.modelHash }
}

/** Notes in each case that the summary names it, and what its line shows. */
async function hang(ports: Ports, { shown, summary }: Plan, place: Place): Promise<void> {
  for (const one of shown) {
    if (one.state === "closed") continue
    const modelHash = cardModelHash(cardModelOf(one, summary.route))
    const after = await advanceCase(ports, one, (now) =>
      hangStep(now, one, { route: summary.route, place, modelHash }, ports),
    )
    if (one.state !== "open" && after !== one) await ports.jobs.present(one.id)
  }
}

function hangStep(
  now: Case,
  shown: Case,
  { route, place, modelHash }: { readonly route: string; readonly place: Place; readonly modelHash: string },
  ports: Pick<Ports, "clock">,
) {
  const card = cardOn(now, route)
  if (card === undefined || card.lease !== null || ownPlace(card) !== null || now.state === "closed") return null
  if (card.place === null && now.state !== "open") return null
  if (card.place?.ts === place.ts && card.modelHash === modelHash) return null
  return hangOnSummary(now, route, { place, revision: shown.revision.number, modelHash }, ports.clock())
}

/** Ends a summary whose message is gone or cannot be edited: its cases wait for cards, as if there were no summary. */
async function dissolve(ports: Ports, leased: Summary, { shown }: Plan): Promise<AgainInMs> {
  await ports.summaries.end(leased)
  for (const one of shown) {
    await advanceCase(ports, one, (now) => {
      const card = cardOn(now, leased.route)
      return card?.summary === true && card.lease === null && now.state === "open"
        ? leaveSummary(now, leased.route)
        : null
    })
    await ports.jobs.present(one.id)
  }
  return null
}

interface Failure {
  readonly error: unknown
  readonly shared: Clock
  /** True if we look for a summary that a dead process left behind. */
  readonly looking: boolean
}

/**
 * Does the same as `afterFailure` does for cards. After a 429 we wait. If Slack may have taken the message, the next
 * presenter looks first. Else the cards of its cases say what is wrong.
 */
async function afterSummaryFailed(
  ports: Ports,
  leased: Summary,
  { error, shared, looking }: Failure,
): Promise<AgainInMs> {
  if (!isPortError(error)) throw error
  const { route } = leased
  ports.log[levelOf(error)]("summarise-failed", { route, error })
  const limited = restMs(error)
  const unheard = limited === null && error.retryable
  // If Slack answers the post itself with 429, we have looked already.
  const unknown = unheard || (limited !== null && looking && !isPost(error))
  const lease = unknown && leased.lease !== null ? { ...leased.lease, until: shared() } : null
  const modelHash = error.code === "shared-channel" && leased.place !== null ? coveredHash : null
  const next = { ...leased, version: leased.version + 1, modelHash, lease }
  if (limited === null && !unheard && leased.place === null) await ports.summaries.end(leased)
  else await ports.summaries.save(next)
  if (unheard) throw error
  if (limited !== null) await holdBucket(ports, route, error, limited)
  return limited
}
