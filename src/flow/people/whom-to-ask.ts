// Whom a question about a case goes to: whoever asked for its run or, where nobody knows for certain who that is, those
// whom its rules list for that.
import { type Case, demandNow, type Question, routeKey } from "../../domain/case/case.ts"
import { type Person, personKey, type SlackId } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import { refusalOfSlack } from "../ports.ts"
import { freshMs, type JudgePorts, judgePerson, oneRequester } from "./eligibility.ts"
import { personIf } from "./names.ts"
import { isOn, maySee, rulesOf, shutOut } from "./visibility.ts"

/** Whom to ask, and on which routes (`routeKey`), at least one. */
export interface WhomToAsk extends Pick<Question, "to"> {
  readonly routes: readonly string[]
}

/** True if somebody may vote on the case now, and so may ask about it. Throws if Slack does not say who they are. */
export async function mayAsk(ports: JudgePorts, current: Case, id: SlackId): Promise<boolean> {
  return (await judgePerson(ports, current, id, { verb: "reject" })).ok
}

/** Whom a person asks. Null if nobody can be asked, and for the requester. Throws if Slack does not say who is who. */
export async function whomToAsk(ports: JudgePorts, current: Case, asker: SlackId): Promise<WhomToAsk | null> {
  const known = await certainRequester(ports, current)
  const person = await ports.people.look(asker, freshMs)
  const { identities } = ports.policy
  const same = matchRequester({ userId: current.summary.requester, voter: person, identities, known }) === "same"
  if (same) return null
  if (known !== null && (await mayLook(ports, current, known)))
    return { to: "requester", routes: [`person:${known.user}`] }
  const routes = listedRoutes(ports, current).filter((route) => route !== `person:${asker.user}`)
  return routes.length === 0 ? null : { to: "listed", routes }
}

/** True if a person may answer a question that was posted on this route. Throws if Slack does not say who they are. */
export async function mayAnswer(
  ports: JudgePorts,
  current: Case,
  id: SlackId,
  { to, route }: Pick<Question, "to"> & { readonly route: string },
): Promise<boolean> {
  const person = await ports.people.look(id, freshMs)
  if (to === "requester") {
    const known = await certainRequester(ports, current)
    return known !== null && personKey(known) === personKey(person) && maySee(ports, current, person)
  }
  return listedRoutes(ports, current).includes(route) && isAdmitted(ports, current, person, route)
}

/** False also for an account of `identities` that Slack does not know. */
async function mayLook(ports: JudgePorts, current: Case, id: SlackId): Promise<boolean> {
  const person = await personIf(ports, personKey(id))
  return person !== null && maySee(ports, current, person)
}

async function isAdmitted(ports: JudgePorts, current: Case, person: Person, route: string): Promise<boolean> {
  return shutOut(person, rulesOf(ports, current)) === null && isOn(ports, [route], person)
}

/** The one account that the requester's claim means for certain; null also if Slack will never say. */
function certainRequester(ports: JudgePorts, { summary }: Case): Promise<SlackId | null> {
  return oneRequester(ports, summary.requester, ports.policy.identities).catch((error: unknown) => {
    if (refusalOfSlack(error) === null) throw error
    return null
  })
}

/** Where the demanded rules want questions to go, each once. */
function listedRoutes(ports: Pick<JudgePorts, "policy">, current: Case): readonly string[] {
  const routes = demandNow(current, ports.policy).rules.flatMap(({ ask = [] }) => ask)
  return [...new Set(routes.map(routeKey))]
}
