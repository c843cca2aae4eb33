// The one place of the flow that looks at orders: whether a stop covers a case (R21). Judging, posting, continuing and
// drawing ask here.
import { type Case, demandNow, type StandInNote, type Step } from "../../domain/case/case.ts"
import { joined } from "../../domain/case/steps.ts"
import { type Absence, awayFor, isAway, standInsUnder } from "../../domain/order/absence.ts"
import {
  type CoveringStop,
  endSince,
  noOrders,
  noteHeldRun,
  noteStandIns,
  noteStop,
  stopOn,
} from "../../domain/order/orders.ts"
import { agentWords, type Stop, wordsOfStop } from "../../domain/order/stop.ts"
import { ordererWords } from "../../domain/people/orderer.ts"
import { type Person, personKey, type SlackId, unfitness } from "../../domain/people/person.ts"
import type { Answer } from "../ports/reply.ts"
import type { Alarm, MayLeave, Ports } from "../ports.ts"

type OrderPorts = Pick<Ports, "orders">

/** The stop that covers a case, by what this process knows now; null if none does. Reads nothing. */
export function stopOf({ orders }: OrderPorts, current: Case): CoveringStop | null {
  const now = orders()
  return now.stops.length === 0 ? null : stopOn(now, current)
}

/** When a stop that covered a case ended, if that was at this moment (epoch ms) or later; null if none did. */
export function stopEndedSince({ orders }: OrderPorts, current: Case, since: number): number | null {
  return endSince(orders(), current, since)
}

/** True for a verdict to approve that a stop covers: it is not posted (R9). */
export function isHeldBack(ports: OrderPorts, current: Case): boolean {
  return current.decision?.verb === "approve" && stopOf(ports, current) !== null
}

/**
 * Makes what a POST of a verdict is asked when it is about to leave. One to approve stays here if a stop covers it, or
 * if anything was ordered since it began to wait: a stop may have come and gone.
 */
export function leaveOf(ports: OrderPorts & Pick<Ports, "ordersSeen">, current: Case): MayLeave {
  const seen = ports.ordersSeen()
  const approves = current.decision?.verb === "approve"
  return () => !approves || (ports.ordersSeen() === seen && !isHeldBack(ports, current))
}

type NotePorts = OrderPorts & Pick<Ports, "policy" | "clock">

/** The step by which a case says which stop covers it and who may stand in; null if it says so already. */
export function ordersNoted(ports: NotePorts, current: Case): Step | null {
  return joined(current, [
    (now) => noteStop(now, stopOf(ports, now)),
    (now) => noteStandIns(now, standInsOf(ports, now)),
  ])
}

function standInsOf({ orders, policy, clock }: NotePorts, current: Case): readonly StandInNote[] {
  const { absences = [] } = orders()
  return absences.length === 0 ? [] : standInsUnder(demandNow(current, policy), absences, clock())
}

/** A step, whose case then says what is ordered about it. */
export function underOrders(ports: NotePorts, step: Step): Step {
  const noted = ordersNoted(ports, step.next)
  return noted === null ? step : { ...step, next: noted.next }
}

/** The people for whom this person stands in now, by entry and by the clock, as `team:user`. Reads nothing. */
export function peopleAwayFor({ orders, clock }: OrderPorts & Pick<Ports, "clock">, id: SlackId): readonly string[] {
  const { absences = [] } = orders()
  return absences.length === 0 ? [] : awayFor(absences, id, clock())
}

/** The absences in force or to come in which somebody is away or stands in. Reads nothing. */
export function absencesWith({ orders }: OrderPorts, id: SlackId): readonly Absence[] {
  const key = personKey(id)
  return (orders().absences ?? []).filter(({ person, standIn }) => person === key || standIn === key)
}

/** Who stands in now for somebody (`team:user`); null if nobody does. Reads nothing. */
export function standInFor({ orders, clock }: OrderPorts & Pick<Ports, "clock">, away: string): string | null {
  const absence = orders().absences?.find(({ person }) => person === away)
  return absence !== undefined && isAway(absence, clock()) ? absence.standIn : null
}

/** The step by which a case says which stop keeps its run from going on; null if it says so already. */
export function runHeldUp(current: Case, covering: CoveringStop): Step | null {
  return noteHeldRun(current, covering)
}

/** Those who stand in for one of these accounts, or the other way round, now or by an absence to come. */
export function linkedByAbsence({ orders }: OrderPorts, ids: readonly SlackId[]): readonly string[] {
  const { absences = [] } = orders()
  const keys = ids.map(personKey)
  return absences.flatMap(({ person, standIn }) => {
    if (keys.includes(person)) return [standIn]
    return keys.includes(standIn) ? [person] : []
  })
}

/** What somebody hears who approves what a stop covers. */
export function stoppedBy({ stop: { by, at, reason }, cover }: CoveringStop): Answer {
  return { kind: "stopped", by, at, reason, perhaps: cover === "perhaps" }
}

function stopAlarm({ id, match, by, reason }: Stop): Alarm {
  const hint = `nothing of it is approved until countersign stops end ${id}`
  return { code: "stopped", stop: id, covers: wordsOfStop(match), by: ordererWords(by), reason, hint }
}

/** What is stopped, in one sentence for `/status`; null if nothing is. */
export function stopTrouble({ orders }: OrderPorts): string | null {
  const told = orders().stops.map(
    ({ id, match, by, reason }) => `${wordsOfStop(match)} by ${ordererWords(by)} (${reason}), stop ${id}`,
  )
  return told.length === 0 ? null : `stopped: ${told.join("; ")}`
}

/** Why somebody has no part in stops, whoever lists them: they neither see, make nor end one. Null: they may have. */
export function outsideness(person: Person): "bot" | "deactivated" | "guest" | "external" | null {
  const unfit = unfitness(person)
  if (unfit !== null) return unfit
  if (person.guest) return "guest"
  return person.external ? "external" : null
}

/** The stops in force, oldest first, as this person may see them. */
export function stopsSeenBy({ orders }: OrderPorts, person: Person): readonly Stop[] {
  return outsideness(person) === null ? orders().stops : []
}

/** What this person may type to stop whoever asks for this, as a part of their Details. */
export function stopWordsFor(person: Person, { approval }: Case): { readonly stopWords?: string } {
  const typed = outsideness(person) === null ? agentWords(approval) : null
  return typed === null ? {} : { stopWords: typed }
}

export type OrderCheckPorts = NotePorts & Pick<Ports, "store" | "jobs" | "alarm" | "homes">

/** We read this many open cases at once. */
const pageSize = 100

/**
 * Makes the check that raises an alarm for each stop and for its end, and draws open cases anew when the orders change,
 * or when an absence begins or ends by the clock. Until then it reads nothing. A stop that came and went since the last
 * check raises no alarm, but cards may say that it is there: they are drawn anew, too.
 */
export function createOrderCheck(): (ports: OrderCheckPorts) => Promise<void> {
  let drawn: ReturnType<Ports["orders"]> | null = null
  let away = ""
  let told = noOrders.stops
  return async (ports) => {
    const now = ports.orders()
    const ended = told.filter(({ id }) => now.stops.every((stop) => stop.id !== id))
    for (const stop of ended) ports.alarm({ code: "stop-ended", stop: stop.id, covers: wordsOfStop(stop.match) })
    told = now.stops
    for (const stop of now.stops) ports.alarm(stopAlarm(stop))
    const { absences = [] } = now
    const at = ports.clock()
    const awayNow = absences.flatMap((one) => (isAway(one, at) ? [one.id] : [])).join()
    if (drawn === null && now.stops.length + absences.length === 0) drawn = now
    if (now === drawn && away === awayNow) return
    await ports.homes.changed()
    for (let offset = 0; ; offset += pageSize) {
      const { cases } = await ports.store.listOpen({ offset, limit: pageSize })
      for (const one of cases) if (ordersNoted(ports, one) !== null) await ports.jobs.present(one.id)
      if (cases.length < pageSize) break
    }
    drawn = now
    away = awayNow
  }
}
