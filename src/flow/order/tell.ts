// Tells people of orders, whoever gave them: of a new stop, and of an absence that begins or is over. Each message is
// sent by one replica; if that one dies before it sent it, another one does.
import { isThread } from "../../domain/case/card-steps.ts"
import type { Absence } from "../../domain/order/absence.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { personKey, slackIdOf } from "../../domain/people/person.ts"
import { type AskPorts, whoMayStandIn } from "../people/may-stand-in.ts"
import {
  type AbsenceNews,
  isPortError,
  isTokenRefused,
  type NotedAbsence,
  type Ports,
  refusalOfSlack,
} from "../ports.ts"
import { findUnder, type UnderPorts } from "./under.ts"

type TellPorts = Pick<Ports, "orders" | "toldOrders" | "chat" | "pace" | "log" | "clock">
type StopPorts = TellPorts & UnderPorts & Pick<Ports, "stopRoles">
type AbsencePorts = TellPorts & AskPorts & Pick<Ports, "absences" | "ordersSeen">

/** The most places in which a stop is told. */
const maxTold = 20

/** Makes the step that tells people of each new stop: one message a place. If it is cut off, places may hear twice. */
export function createStopTeller(): (ports: StopPorts) => Promise<void> {
  const told = new Set<string>()
  return async (ports) => {
    for (const stop of ports.orders().stops) {
      if (told.has(stop.id)) continue
      const message = `stop ${stop.id}`
      const turn = await ports.toldOrders.claim(message, ports.clock())
      if (turn === "busy") continue
      if (turn === "yours") {
        for (const route of await placesOf(ports, stop)) await tellIn(ports, route, stop)
        await ports.toldOrders.done(message)
      }
      told.add(stop.id)
    }
  }
}

/** Where a stop is told: where the config says, else where the cases that it covers have their cards. */
async function placesOf(ports: StopPorts, stop: Stop): Promise<readonly string[]> {
  const { routes } = ports.stopRoles
  if (routes.length > 0) return routes.map(({ kind, id }) => `${kind}:${id}`).slice(0, maxTold)
  const { open } = await findUnder(ports, stop)
  const places = open.flatMap(({ current }) =>
    current.cards.filter((card) => !isThread(card)).map(({ route }) => route),
  )
  return [...new Set(places)].slice(0, maxTold)
}

async function tellIn({ chat, pace, log }: TellPorts, route: string, stop: Stop): Promise<void> {
  try {
    await pace.count("chat.postMessage")
    await chat.tellStop(route, stop)
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("stop-not-told", { stop: stop.id, route, error })
  }
}

/**
 * Makes the step that tells both people of an absence, directly, that it begins and that it is over, whatever ended it.
 * Reads nothing while everything is told. An installation without stand-ins has none of it.
 */
export function createAbsenceTeller(): (ports: AbsencePorts) => Promise<void> {
  let used = false
  /** What this process had seen of orders when everything about absences had been told. */
  let settled: unknown = null
  return async (ports) => {
    used ||= isUsed(ports)
    const seen = ports.ordersSeen()
    if (!used || settled === seen) return
    try {
      if (await tellAll(ports)) settled = seen
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("absences-not-told", { error })
    }
  }
}

function isUsed({ orders, policy }: Pick<AbsencePorts, "orders" | "policy">): boolean {
  return (orders().absences ?? []).length > 0 || policy.rules.some(({ standIns = [] }) => standIns.length > 0)
}

/** True if both people of each absence were told of it, and of the end of each that is over. */
async function tellAll(ports: AbsencePorts): Promise<boolean> {
  const inForce = await ports.absences.listAbsences()
  const noted = await ports.toldOrders.noted()
  const over = noted.filter(({ id }) => inForce.every((one) => one.id !== id))
  const done: boolean[] = []
  for (const one of inForce) done.push(await tellBegun(ports, one, noted))
  for (const one of over) done.push(await tellOver(ports, one))
  return done.every(Boolean)
}

async function tellBegun(ports: AbsencePorts, absence: Absence, noted: readonly NotedAbsence[]): Promise<boolean> {
  if (noted.every(({ id }) => id !== absence.id)) await ports.toldOrders.note(absence)
  return tellBoth(ports, absence, { kind: "begun", news: async () => begunOf(ports, absence) })
}

async function tellOver(ports: AbsencePorts, absence: NotedAbsence): Promise<boolean> {
  const whole = await tellBoth(ports, absence, { kind: "over", news: async () => ({ kind: "over", absence }) })
  if (whole)
    await ports.toldOrders.forget(absence.id, [...messagesOf("begun", absence), ...messagesOf("over", absence)])
  return whole
}

/** Says under which rules the other person may vote by now. Throws if Slack does not say who somebody is. */
async function begunOf(ports: AbsencePorts, absence: Absence): Promise<AbsenceNews> {
  const may = await whoMayStandIn(ports, slackIdOf(absence.person)).catch((error: unknown) => {
    if (isForGood(error)) return []
    throw error
  })
  const rules = may.find(({ id }) => personKey(id) === absence.standIn)?.rules ?? []
  return { kind: "begun", absence, rules }
}

interface AbsenceTelling {
  readonly kind: AbsenceNews["kind"]
  readonly news: () => Promise<AbsenceNews>
}

/** True if both were told, now or earlier. False: another process is at it, or Slack takes nothing now. */
async function tellBoth(ports: AbsencePorts, absence: NotedAbsence, telling: AbsenceTelling): Promise<boolean> {
  const [one, other] = messagesOf(telling.kind, absence)
  const first = await tellOne(ports, { message: one, to: absence.person, ...telling })
  const second = await tellOne(ports, { message: other, to: absence.standIn, ...telling })
  return first && second
}

/** The names of the messages to both people. They say nothing of who these are (R15). */
function messagesOf(kind: AbsenceNews["kind"], { id }: NotedAbsence): readonly [string, string] {
  return [`${kind} ${id} away`, `${kind} ${id} stand-in`]
}

/** Tells one person, if nobody did. If Slack will never take the message, that is logged, and it counts as told. */
async function tellOne(
  { toldOrders, chat, pace, log, clock }: TellPorts,
  { message, to, news }: AbsenceTelling & { readonly message: string; readonly to: string },
): Promise<boolean> {
  const turn = await toldOrders.claim(message, clock())
  if (turn !== "yours") return turn === "told"
  try {
    const told = await news()
    await pace.count("chat.postMessage")
    await chat.tellAbsence(to, told)
  } catch (error) {
    if (!isPortError(error)) throw error
    log.warn("absence-not-told", { message, error })
    if (!isForGood(error)) return false
  }
  await toldOrders.done(message)
  return true
}

function isForGood(error: unknown): boolean {
  return refusalOfSlack(error) !== null && !isTokenRefused(error)
}
