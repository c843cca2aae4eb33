// What people do about their own absence: they go away, and somebody stands in; they come back. Judged as it is done.

import { humanKey } from "../../domain/people/human.ts"
import { type Orderer, ordererOf } from "../../domain/people/orderer.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { mayDecideUnder } from "../../domain/policy/judge.ts"
import { demandAtLast } from "../../domain/policy/timing.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { approversOf, freshMs, type JudgePorts } from "../people/eligibility.ts"
import { asStandIns } from "../people/stand-ins.ts"
import {
  type Absence,
  type AbsenceActs,
  type AwayAsk,
  type AwayOutcome,
  type BackOutcome,
  isPortError,
  type Ports,
  type PossibleStandIn,
} from "../ports.ts"

/** What tells who may stand in for whom. */
export type AskPorts = Omit<JudgePorts, "orders">
type AbsencePorts = AskPorts & Pick<Ports, "absences" | "freshness" | "homes">

/** What people may ask about absences. `ports` gives the ports of the active config (R16). */
export function createAbsenceActs(ports: () => Ports): AbsenceActs {
  return {
    away: (ask) => goAway(ports(), ask),
    back: (person, absence) => comeBack(ports(), person, absence),
    mayStandIn: (person) => whoMayStandIn(ports(), person),
  }
}

async function goAway(ports: AbsencePorts, { person: id, standIn, until }: AwayAsk): Promise<AwayOutcome> {
  if (ports.freshness.standing().kind === "rolled-back") return { kind: "rolled-back" }
  if (isSameHuman(ports, id, standIn)) return { kind: "refused", why: "own" }
  const [person, may, all] = await Promise.all([
    ports.people.look(id, freshMs),
    whoMayStandIn(ports, id),
    ports.absences.listAbsences(),
  ])
  const chosen = may.find((one) => personKey(one.id) === personKey(standIn))
  if (chosen === undefined) return { kind: "nobody", may }
  const at = ports.clock()
  const who = { person: personKey(id), standIn: personKey(standIn), by: ordererOf(person) }
  const begun = await ports.absences.beginAbsence({ ...who, from: at, until, at })
  await ports.homes.changed()
  if (begun.kind !== "begun") return begun
  return { kind: "begun", absence: begun.absence, rules: chosen.rules, ...alsoAway(all, begun.absence) }
}

function isSameHuman({ policy }: AskPorts, one: SlackId, other: SlackId): boolean {
  return humanKey(one, policy.identities) === humanKey(other, policy.identities)
}

/** Whether the other person is away, too, at some time of an absence: they can vote then, and perhaps they do not. */
function alsoAway(all: readonly Absence[], { standIn, from, until }: Absence): { readonly alsoAway?: number } {
  const other = all.find(({ person }) => person === standIn)
  return other === undefined || other.until <= from || other.from >= until ? {} : { alsoAway: other.until }
}

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

/**
 * Who may stand in for a person: whom a rule names that lists the person, and that admits both. Throws if Slack does
 * not say who somebody is.
 */
export async function whoMayStandIn(ports: AskPorts, id: SlackId): Promise<readonly PossibleStandIn[]> {
  const rules = ports.policy.rules.filter(({ standIns = [] }) => standIns.length > 0)
  if (rules.length === 0) return []
  const [own, others, person] = await Promise.all([
    approversOf(ports, demandAtLast(rules)),
    approversOf(ports, demandAtLast(rules.map(asStandIns))),
    ports.people.look(id, freshMs),
  ])
  const theirs = rules.filter((rule) => own.byRule.get(rule.name)?.has(personKey(id)) && mayDecideUnder(rule, person))
  const keys = [...new Set(theirs.flatMap(({ name }) => [...(others.byRule.get(name) ?? [])]))]
  // Another id of the same human is nobody else (R7).
  const different = keys.filter((key) => !isSameHuman(ports, id, slackIdOf(key)))
  const found = await Promise.all(different.map((key) => lookIf(ports, key)))
  return found.flatMap((one) => {
    if (one === null) return []
    const under = theirs.filter((rule) => {
      const key = personKey(one)
      return others.byRule.get(rule.name)?.has(key) && !own.byRule.get(rule.name)?.has(key) && mayDecideUnder(rule, one)
    })
    return under.length === 0 ? [] : [{ id: slackIdOf(personKey(one)), name: one.name, rules: under.map(nameOf) }]
  })
}

const nameOf = ({ name }: Pick<Rule, "name">) => name

/** Somebody as Slack knows them; null if Slack does not know them: they stand in for nobody. */
async function lookIf(ports: AskPorts, key: string): Promise<Person | null> {
  return ports.people.look(slackIdOf(key), freshMs).catch((error: unknown) => {
    if (isPortError(error) && error.source === "slack" && error.notFound === true) return null
    throw error
  })
}
