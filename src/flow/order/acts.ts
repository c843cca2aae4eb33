// What people do with orders in Slack: they stop, list stops and end them (R21). Each act is judged as it is made.
import { isOutdated } from "../../domain/case/resumption.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { ordererOf } from "../../domain/people/orderer.ts"
import type { Person, SlackId } from "../../domain/people/person.ts"
import { stopsSeenBy } from "../case/orders.ts"
import { freshMs } from "../people/eligibility.ts"
import {
  type EndAsk,
  type EndOutcome,
  type NotAllowed,
  type OrderActs,
  type Ports,
  type StopAsk,
  type StopEnding,
  type StopOutcome,
  type TypedStop,
  type UnderStop,
  type UnknownValue,
} from "../ports.ts"
import { offerRejection, rejectWaiting } from "./reject-waiting.ts"
import { countUnder, type Found, findUnder, namedAs, type UnderPorts, unknownValues } from "./under.ts"
import { judgeEnder, judgeStopper, type WhoPorts } from "./who.ts"

type StopPorts = WhoPorts &
  UnderPorts &
  Pick<Ports, "orderBook" | "orders" | "revision" | "toldGates" | "freshness" | "log">

/** What people may ask about orders. `ports` gives the ports of the active config (R16). */
export function createOrderActs(ports: () => Ports): OrderActs {
  return {
    stop: (ask) => stop(ports(), ask),
    stops: (person) => stopsFor(ports(), person),
    ending: (ask) => showEnding(ports(), ask),
    endStop: (ask) => endUnderActive(ports, ask),
    rejecting: (ask) => offerRejection(ports(), ask),
    rejectWaiting: (order) => rejectWaiting(ports, order),
  }
}

/** Stops what was typed. Throws a `PortError` if Slack never said who this is, or if Redis does not take the stop. */
async function stop(ports: StopPorts, { person: id, stop: typed }: StopAsk): Promise<StopOutcome> {
  const judged = await judgeStopper(ports, id)
  if (!judged.ok) return { kind: "not-allowed", why: judged.why }
  const made = await ports.orderBook.stop({ ...wantedOf(typed, ports.clock()), by: ordererOf(judged.person) })
  if (made.kind === "too-many") return made
  return { ...made, ...(await countedFor(ports, made.stop)) }
}

/** A stop as it was typed at a moment (epoch ms), still without who made it. */
function wantedOf({ match, reason, forMs }: TypedStop, at: number): Omit<Stop, "id" | "by"> {
  return { match, reason, at, until: forMs === null ? null : at + forMs }
}

/** What whoever stopped is told. The stop holds already, so a failure here takes nothing back. */
async function countedFor(
  ports: StopPorts,
  made: Stop,
): Promise<{ readonly under: UnderStop | null; readonly unknown: readonly UnknownValue[] }> {
  try {
    const [under, unknown] = await Promise.all([countUnder(ports, made), unknownValues(ports, made.match)])
    return { under, unknown }
  } catch (error) {
    ports.log.warn("stop-not-counted", { stop: made.id, error })
    return { under: null, unknown: [] }
  }
}

/** The stops in force, oldest first. Guests and people of other companies see none. */
async function stopsFor(ports: Pick<StopPorts, "people" | "orders">, id: SlackId): Promise<readonly Stop[]> {
  return stopsSeenBy(ports, await ports.people.patient.look(id, freshMs))
}

/** What goes on if a stop ends, if this person may end it. Throws a `PortError` if Slack or Redis does not answer. */
async function showEnding(ports: StopPorts, ask: EndAsk): Promise<StopEnding> {
  const judged = await judgeEnd(ports, ask)
  if (judged.kind !== "may") return judged
  const { stop, others } = judged
  const { open, waiting } = await findUnder(ports, stop, others)
  const late = waiting.filter((one) => isOutdated(one, ports.clock()))
  const runs = waiting.filter((one) => !late.includes(one))
  return { kind: "may", stop, waiting: open.length, runs: runs.map(namedAs), late: late.map(namedAs) }
}

/** How often somebody who ends a stop is judged before they have to press again. */
const maxJudged = 5

/** Ends a stop. If another config became active meanwhile, judges the person by that (R5, R16). */
async function endUnderActive(ports: () => StopPorts, ask: EndAsk): Promise<EndOutcome> {
  for (let times = 1; ; times += 1) {
    const now = ports()
    const outcome = await endStop(now, ask)
    if (outcome.kind !== "other-config" || times === maxJudged || ports() === now) return outcome
  }
}

/** Ends a stop. Judges the person from scratch. */
async function endStop(ports: StopPorts, ask: EndAsk): Promise<EndOutcome> {
  const judged = await judgeEnd(ports, ask)
  if (judged.kind !== "may") return judged
  const { clock, revision } = ports
  const ended = await ports.orderBook.end(ask.stop, { by: ordererOf(judged.person), at: clock(), revision })
  if (ended === null) return { kind: "gone" }
  return ended === "other-config" ? { kind: ended } : { kind: "ended", stop: ended }
}

type ToEndNow =
  | { readonly kind: "may"; readonly person: Person; readonly stop: Stop; readonly others: readonly Stop[] }
  | { readonly kind: "not-allowed"; readonly why: NotAllowed; readonly stop: Stop }
  | { readonly kind: "gone" | "rolled-back" }

/** Goes by the orders as Redis has them now, not by what this process saw a moment ago. */
async function judgeEnd(ports: StopPorts, { person: id, stop: wanted }: EndAsk): Promise<ToEndNow> {
  if (ports.freshness.standing().kind === "rolled-back") return { kind: "rolled-back" }
  const { stops } = await ports.orderBook.list()
  const stop = stops.find((one) => one.id === wanted)
  if (stop === undefined) return { kind: "gone" }
  const requesters = requestersIn(await findUnder(ports, stop))
  const judged = await judgeEnder(ports, id, { stop, requesters })
  if (!judged.ok) return { kind: "not-allowed", why: judged.why, stop }
  return { kind: "may", person: judged.person, stop, others: stops.filter((one) => one.id !== wanted) }
}

/** Who asked for what is under a stop: open, on its way, or with a run that waits. */
function requestersIn({ open, sending, waiting }: Found): readonly string[] {
  const all = [...open.map(({ current }) => current), ...sending, ...waiting]
  return [...new Set(all.flatMap(({ summary }) => (summary.requester === null ? [] : [summary.requester])))]
}
