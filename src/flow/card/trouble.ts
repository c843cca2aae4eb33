// Trouble: a route on which Slack accepts nothing at the moment, and when to try again.
import { abandonLease, doubtCard, troubleOn } from "../../domain/case/card-steps.ts"
import { type Case, cardOn, ownPlace, type Step } from "../../domain/case/case.ts"
import type { StepOn } from "../../domain/case/steps.ts"
import { rateLimitBucketOf } from "../ports/pace.ts"
import { type Clock, isPortError, isTokenRefused, type PortError, type Ports } from "../ports.ts"

/** In how many ms the case wants to be presented again; null if nothing is left to show. */
export type AgainInMs = number | null

/** How long we leave alone a route that takes no message, in ms: at first this long, … */
const troubleMs = 60_000
/** … and at most this long, while a settled case waits for the route. */
const longestMs = 3_600_000
/** A settled case waits this long for a route whose card still shows it as open, in ms. */
const settlingMs = 86_400_000
/** How long we leave Slack alone while it refuses our token, in ms. That is no trouble of a route. */
const tokenMs = 3_000
/** Stands for the time of the next try if we never try again. */
const never = Number.MAX_SAFE_INTEGER

/** Failed work on a leased route. */
export interface Failed {
  readonly leased: Case
  readonly route: string
  readonly shared: Clock
  /** True while nobody knows what an earlier presenter left on the route. */
  readonly unsure: boolean
  /** The step that remembers what we did before the failure. */
  readonly made: (now: Case) => Step
  /** Commits a step, if the lease still holds. */
  readonly commit: (step: StepOn) => Promise<Case>
}

/** How long we have to leave Slack alone, in ms: as Slack says, or because it refuses our token. Else null. */
export function restMs(error: PortError): number | null {
  return error.retryAfterMs ?? (isTokenRefused(error) ? tokenMs : null)
}

/**
 * Handles a failure on a route. After a 429, or while Slack refuses our token, we know that Slack took nothing. Then a
 * post makes its channel wait, and any other call makes its method wait. If the failure may pass, or we could not look
 * up what an earlier presenter left, nobody knows what is posted there. Then the expired lease stays, and the next
 * presenter looks first. Else the route is in trouble: we tell the operator, and people reach the case by command.
 */
export async function afterFailure(
  ports: Pick<Ports, "pace" | "clock" | "alarm" | "log">,
  { leased, route, shared, unsure, made, commit }: Failed,
  error: unknown,
): Promise<AgainInMs> {
  if (!isPortError(error)) throw error
  const limited = restMs(error)
  ports.log[levelOf(error)]("present-failed", { caseId: leased.id, route, error })
  if (limited !== null) await holdBucket(ports, route, error, limited)
  const sure = limited !== null && !unsure
  await commit((now) => (sure ? made(now) : keepLease(made(now), now, route, shared())))
  if (limited !== null) return limited
  if (error.retryable) throw error
  const why = error.message
  const known = cardOn(leased, route)?.trouble?.why === why
  if (!known) ports.alarm({ code: "route-in-trouble", caseId: leased.id, route, why })
  const at = ports.clock()
  return againOn(await commit((now) => troubled(now, route, error, at)), route, at)
}

/** The step with the earlier lease kept. That lease ends now, by the shared clock. */
function keepLease({ next, events }: Step, now: Case, route: string, at: number): Step {
  const lease = cardOn(now, route)?.lease ?? null
  const kept = { ...next, cards: next.cards.map((card) => (card.route === route ? { ...card, lease: lease } : card)) }
  return { next: abandonLease(kept, route, at).next, events }
}

/** How loudly we log a failure. A refused token is one alarm, and no news on each route. */
export function levelOf(error: PortError): "debug" | "warn" {
  return isTokenRefused(error) ? "debug" : "warn"
}

/** Makes a channel wait after a 429 to a post: Slack limits posts by channel. Other methods wait where we call them. */
export async function holdBucket(
  ports: Pick<Ports, "pace">,
  route: string,
  error: PortError,
  ms: number,
): Promise<void> {
  const bucket = rateLimitBucketOf(route)
  if (isPost(error) && bucket !== null) await ports.pace.hold(bucket, ms)
}

/** True if the call that failed was a post. */
export function isPost({ method }: PortError): boolean {
  return method === undefined || method === "chat.postMessage"
}

/** Notes that the route takes no message. If another company also reads there, the card is covered now. */
function troubled(now: Case, route: string, error: PortError, at: number): Step {
  const trouble = { why: error.message, retryAt: retryAt(now, error, at) }
  const onlyEdit = error.code === "card-uneditable" || error.code === "card-shut"
  const step = troubleOn(now, route, onlyEdit ? { ...trouble, edit: true } : trouble)
  const covered = error.code === "shared-channel" && ownPlace(cardOn(now, route)) !== null
  return covered ? doubtCard(step.next, route) : step
}

/** When to try again: a settled case ever less often, and never if its card is gone or nobody can ever edit it. */
function retryAt({ outcome, state }: Case, { code }: PortError, at: number): number {
  if (state !== "settled" || outcome === null) return at + troubleMs
  const forGood = code === "card-gone" || code === "card-uneditable"
  return forGood ? never : at + Math.min(longestMs, Math.max(troubleMs, (at - outcome.at) / 2))
}

/**
 * When to try a route in trouble again. At once if Slack refuses nothing but the edit and the thread lacks a line. For
 * a settled case we try for a day at most, and never if it has no card there.
 */
export function againOn(current: Case, route: string, at: number): AgainInMs {
  const card = cardOn(current, route)
  const trouble = card?.trouble ?? null
  if (card === undefined || trouble === null) return null
  if (trouble.edit === true && card.told < current.lines.length) return 0
  const wait = Math.max(0, trouble.retryAt - at)
  if (current.state !== "settled") return wait
  const endedAt = current.outcome?.at ?? at
  const waits = ownPlace(card) !== null && trouble.retryAt !== never && at - endedAt < settlingMs
  return waits ? wait : null
}
