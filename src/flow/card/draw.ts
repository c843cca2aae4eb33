// Draws a case on one route, and tells its thread what happened. Each call first looks at what we remember.
import { type CardModel, cardModelOf } from "../../domain/case/card-model.ts"
import { linesDue, noteOrigin, replacingModel } from "../../domain/case/card-steps.ts"
import { type Card, type Case, ownPlace } from "../../domain/case/case.ts"
import type { CaseEvent } from "../../domain/case/event.ts"
import { threadOf } from "../../domain/content/run.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { type Asked, mentionedOnCard } from "../../domain/policy/asked.ts"
import { advanceCase, forgetfulMs } from "../case/commit.ts"
import { whomMeant, withNames } from "../people/names.ts"
import { postBuckets } from "../ports/pace.ts"
import { isPortError, isTokenRefused, type Lines, type Ports } from "../ports.ts"
import { draw, EditRefused } from "./edit.ts"
import type { Work } from "./lease.ts"
import { type LeasedChat, leaseMs } from "./lease.ts"
import { answerFor, type RunAnswerPorts } from "./run-answer.ts"
import type { AgainInMs } from "./trouble.ts"

export type DrawPorts = RunAnswerPorts & Pick<Ports, "pace" | "store"> & { readonly chat: LeasedChat }

/**
 * Draws the case's own card, then its thread, even if Slack refuses the card's edit. If the lease on `before` has
 * expired, a process died at work on the card, and may have left a card or lines.
 */
export async function showCard(ports: DrawPorts, current: Case, before: Card, work: Work): Promise<AgainInMs> {
  const forgotten = await forgottenIn(ports, current, before)
  const cutOff = before.lease !== null || forgotten !== null
  work.unsure = cutOff
  // The process that died may have drawn something that it could not remember.
  if (cutOff) work.modelHash = null
  const plain = await withNames(ports, cardModelOf(current, before.route))
  const find = () => (cutOff ? ports.chat.findCard(plain, sinceOf(current, forgotten)) : Promise.resolve(null))
  const found = work.place === null ? await find() : null
  // Without a card there are no lines to count.
  if (work.place === null && (found === null || found === "unseen")) work.unsure = false
  const model = found === "unseen" ? replacingModel(plain) : plain
  if (found === "unseen") work.reposts += 1
  else work.place ??= found
  const refused = await draw(ports, { model, find }, work)
  // A deleted message has no thread.
  if (refused?.kind === "gone") throw new EditRefused(current.id, refused)
  // First we remember where the card is, because somebody may press it already. The next round draws its thread.
  if (work.place?.ts !== ownPlace(before)?.ts && !cutOff) return null
  if (cutOff && work.place !== null) {
    const counted = await ports.chat.countLines(work.place, model)
    work.told = counted === null ? work.told : (before.from ?? 0) + counted
    looked(work, forgotten)
  }
  const { place } = work
  const again =
    place === null
      ? null
      : await tellLines(ports, { current, model, work }, (lines) => ports.chat.tell(place, model, lines))
  if (refused !== null && again === null) throw new EditRefused(current.id, refused)
  return again
}

interface Forgotten {
  /** The epoch of Redis, which began only a short while ago. */
  readonly epoch: string
  /** True if all calls that were under way to Slack when the epoch began have arrived: one look shows all of them. */
  readonly allArrived: boolean
}

/**
 * Not null if we may have forgotten what we posted for a case (R17): Redis came back a short while ago, this approval
 * is older than that, and nobody has looked since. We use the clock that all replicas share: by a clock that is behind,
 * Redis would seem to have come back before the approval was made.
 */
export async function forgottenIn(ports: DrawPorts, current: Case, { lookedIn }: Card): Promise<Forgotten | null> {
  const upForMs = await ports.store.upForMs()
  if (upForMs >= forgetfulMs) return null
  const epoch = await ports.store.epoch()
  if (lookedIn === epoch) return null
  const shared = await ports.store.sharedClock()
  const bornAt = Math.min(current.openedAt, current.summary.createdAt ?? current.openedAt)
  return bornAt <= shared() - upForMs ? { epoch, allArrived: upForMs >= leaseMs } : null
}

/** The first moment (epoch ms) at which somebody may have posted a card that nobody remembers. */
export function sinceOf({ openedAt }: Case, forgotten: Forgotten | null): number {
  return forgotten === null ? openedAt : openedAt - forgetfulMs
}

/** Notes that Slack has said which messages of the case the route has. */
export function looked(work: Work, forgotten: Forgotten | null): void {
  work.unsure = false
  if (forgotten?.allArrived === true) work.lookedIn = forgotten.epoch
}

interface Telling {
  readonly current: Case
  readonly model: CardModel
  readonly work: Work
}

/** Lines that come while nobody does anything: new cards may go before them. */
const patientKinds: ReadonlySet<CaseEvent["kind"]> = new Set(["opened", "reminded", "escalated"])

/** One message holds at most this many lines: all cards and threads of a channel share one message a second. */
const linesAtOnce = 10

/** Tells the lines that the thread lacks, in as many messages as they need. Lines of a decision go before new cards. */
export async function tellLines(
  ports: DrawPorts,
  { current, model, work }: Telling,
  tell: (lines: Lines) => Promise<number>,
): Promise<AgainInMs> {
  const buckets = postBuckets(model.route)
  const rank = current.lines.slice(work.told).every(({ kind }) => patientKinds.has(kind)) ? "reminder" : "decision"
  let shorter = 0
  while (work.told < current.lines.length) {
    const again = shorter > 0
    const wait = again ? 0 : await ports.pace.reserve({ buckets, key: `${current.id} ${work.told}`, rank })
    if (wait > 0) return wait
    const due = current.lines.slice(work.told, work.told + linesAtOnce)
    const answer = await answerFor(ports, current, { route: model.route, events: due })
    const below = answer === null ? {} : { answer }
    const told = await tell({ first: work.told, events: await withAsked(ports, due), shorter, ...below })
    shorter = told === 0 ? shorter + 1 : 0
    work.told += told
  }
  return null
}

/**
 * The events as we tell them. A line says who is asked, but leaves out people who may not decide, and those about whom
 * Slack or Redis are silent. The line gives people whom the card mentions by name only, so nobody is notified twice.
 */
function withAsked(ports: DrawPorts, events: readonly CaseEvent[]): Promise<readonly CaseEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      if (!("asked" in event)) return event
      const asked = await Promise.all(event.asked.map((one) => toldOf(ports, one, event.kind === "opened")))
      return { ...event, asked }
    }),
  )
}

async function toldOf(ports: DrawPorts, asked: Asked, onCard: boolean): Promise<Asked> {
  const rule = withRaisedRules(ports.policy.rules).find(({ name }) => name === asked.rule)
  const whom = await Promise.all(asked.approvers.map((word) => whomMeant(ports, word, rule, ports.people.patient)))
  const mentioned = (at: number) => onCard && at < mentionedOnCard && asked.approvers[at]?.includes("@") === false
  const known = whom.map((one) => (typeof one === "string" ? null : one))
  const names = known.flatMap((one, at) => (one !== null && mentioned(at) ? [one] : []))
  const others = known.flatMap((one, at) => (one === null || mentioned(at) ? [] : [one.id]))
  const named = new Set(names.map(({ id }) => id))
  const approvers = [...new Set(others)].filter((id) => !named.has(id))
  return { ...asked, approvers, names: names.map(({ name }) => name) }
}

/** Looks once where a case's run began. If it was in a thread of Slack, the cards say so. Returns the newest case. */
export async function findOrigin(
  ports: Pick<Ports, "chat" | "store" | "clock" | "alarm">,
  current: Case,
): Promise<Case> {
  const place = current.approval === null ? null : threadOf(current.approval)
  if (place === null || current.origin !== undefined || current.state !== "open") return current
  try {
    const { link, open } = await ports.chat.lookAtThread(place)
    return await advanceCase(ports, current, (now) => noteOrigin(now, { place, link, open }))
  } catch (error) {
    if (!isPortError(error) || error.source !== "slack") throw error
    return current
  }
}

/**
 * Tells the thread in which the run began that we ask people, and how the case ended: one line each, and no more. After
 * a crash it first counts the lines in the thread. If Slack does not let us look, or write, it posts nothing more.
 */
export async function tellOrigin(ports: DrawPorts, current: Case, before: Card, work: Work): Promise<AgainInMs> {
  const { place, route } = before
  const due = linesDue(current)
  if (place === null) return null
  const model = cardModelOf(current, route)
  try {
    const forgotten = await forgottenIn(ports, current, before)
    work.unsure = before.lease !== null || forgotten !== null
    if (work.unsure) work.told = (await ports.chat.countLines(place, model)) ?? due
    looked(work, forgotten)
    if (work.told >= due) return null
    const buckets = postBuckets(`channel:${place.channel}`)
    const wait = await ports.pace.reserve({ buckets, key: `${current.id} ${route}`, rank: "reminder" })
    if (wait > 0) return wait
    await ports.chat.tellThread(place, model, { first: work.told, due })
  } catch (error) {
    if (!isPortError(error) || error.retryable || isTokenRefused(error)) throw error
    work.unsure = false
  }
  work.told = due
  return null
}
