// What people do about their own absence: they go away, and somebody stands in; they come back. Judged as it is done.
// Both people hear of it by `src/flow/order/tell.ts`: the entry counts, whatever becomes of the process that took the
// act.
import { type Orderer, ordererOf } from "../../domain/people/orderer.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { freshMs } from "../people/eligibility.ts"
import { type AskPorts, isSameHuman, whoMayStandIn } from "../people/may-stand-in.ts"
import type { Absence, AbsenceActs, AbsenceBegun, AwayAsk, AwayOutcome, BackOutcome, Ports } from "../ports.ts"

type AbsencePorts = AskPorts & Pick<Ports, "absences" | "freshness" | "homes">

/** What people may ask about absences. `ports` gives the ports of the active config (R16). */
export function createAbsenceActs(ports: () => Ports): AbsenceActs {
  return {
    away: (ask) => goAway(ports(), ask),
    back: (person, absence) => comeBack(ports(), person, absence),
    mayStandIn: (person) => whoMayStandIn(ports(), person),
  }
}

/** Begins an absence of whoever asks. Throws a `PortError` if Slack or Redis does not answer: then nothing begins. */
async function goAway(ports: AbsencePorts, ask: AwayAsk): Promise<AwayOutcome> {
  if (ports.freshness.standing().kind === "rolled-back") return { kind: "rolled-back" }
  if (isSameHuman(ports, ask.person, ask.standIn)) return { kind: "refused", why: "own" }
  const [person, may, all] = await Promise.all([
    ports.people.look(ask.person, freshMs),
    whoMayStandIn(ports, ask.person),
    ports.absences.listAbsences(),
  ])
  const chosen = may.find((one) => personKey(one.id) === personKey(ask.standIn))
  if (chosen === undefined) return { kind: "nobody", may }
  const begun = await begin(ports, ask, person)
  if (begun.kind !== "begun") return begun
  return { kind: "begun", absence: begun.absence, rules: chosen.rules, ...alsoAway(all, begun.absence) }
}

/** The entry by which it begins now. Homes of both then say so. */
async function begin(ports: AbsencePorts, ask: AwayAsk, who: Person): Promise<AbsenceBegun> {
  const { person, standIn, until } = ask
  const at = ports.clock()
  const begun = await ports.absences.beginAbsence({
    person: personKey(person),
    standIn: personKey(standIn),
    by: ordererOf(who),
    from: at,
    until,
    at,
  })
  await ports.homes.changed()
  return begun
}

/** Whether the other person is away, too, at some time of an absence: they can vote then, and perhaps they do not. */
function alsoAway(all: readonly Absence[], { standIn, from, until }: Absence): { readonly alsoAway?: number } {
  const other = all.find(({ person }) => person === standIn)
  return other === undefined || other.until <= from || other.from >= until ? {} : { alsoAway: other.until }
}

/** Ends an absence of whoever asks, or the named one if they are one of its two people. */
async function comeBack(ports: AbsencePorts, id: SlackId, wanted: string | null): Promise<BackOutcome> {
  const key = personKey(id)
  const all = await ports.absences.listAbsences()
  const found = all.find((one) => (wanted === null ? one.person === key : one.id === wanted))
  if (found === undefined) return { kind: "none" }
  if (found.person !== key && found.standIn !== key) return { kind: "not-yours" }
  const by: Orderer = ordererOf(await ports.people.look(id, freshMs))
  const ended = await ports.absences.endAbsence(found.id, { by, at: ports.clock() })
  await ports.homes.changed()
  return ended === null ? { kind: "none" } : { kind: "ended", absence: ended }
}
