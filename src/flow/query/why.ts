// Who may decide a case, and how: approvers, stand-ins, whoever may break the glass; and whether this person may.
import { cardStatusOf } from "../../domain/case/card-model.ts"
import { type Case, demandAs } from "../../domain/case/case.ts"
import type { SlackId } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import { judgeBreaker, mayDecideUnder, type Refusal } from "../../domain/policy/judge.ts"
import type { Rule } from "../../domain/rule/rule.ts"
import { isProposedBy } from "../../domain/send-back/proposals.ts"
import { ordersNoted } from "../case/orders.ts"
import { approversOf, findRequester } from "../people/eligibility.ts"
import { limitsNow } from "../people/limits-now.ts"
import { lockOut } from "../people/lock-out.ts"
import { personIf } from "../people/names.ts"
import { fullRules, readOpenReviews, toBreakers } from "../people/open-reviews.ts"
import { demandToSee, rulesOf } from "../people/visibility.ts"
import type { GlassNow, Why } from "../ports/inbound.ts"
import type { Ports } from "../ports.ts"
import { type QueryPorts, shownTo, visibleCase } from "./case-view.ts"

export type WhyPorts = QueryPorts & Pick<Ports, "proposedConfigs">

/** Who may decide a case and why this person may or may not; null like `details`. */
export async function why(ports: WhyPorts, caseId: string, id: SlackId): Promise<Why | null> {
  const seen = await visibleCase(ports, caseId, id)
  if (seen === null) return null
  // The card may not say yet what was ordered a moment ago.
  const current = ordersNoted(ports, seen.current)?.next ?? seen.current
  const [shown, limits] = await Promise.all([shownTo(ports, current, id, null), readingsNow(ports, current)])
  const rules = limits === null ? rulesOf(ports, current) : demandAs(current, ports.policy, { limits }).rules
  const { byRule } = await approversOf(ports, demandToSee(current, rules))
  const looked = [...new Set([...byRule.values()].flatMap((keys) => [...keys]))].slice(0, maxLooked)
  const people = new Map(await Promise.all(looked.map(async (key) => [key, await personIf(ports, key)] as const)))
  const asked = rules.map((rule) => {
    const keys = [...(byRule.get(rule.name) ?? [])]
    const users = keys.flatMap((key) => {
      const person = people.get(key) ?? null
      return person !== null && mayDecideUnder(rule, person) ? [person.user] : []
    })
    const { when } = current.revision.quotas.find(({ name }) => name === rule.name) ?? {}
    const more = keys.filter((key) => !people.has(key)).length
    const { standIns } = shown.model.rules.find(({ name }) => name === rule.name) ?? {}
    return { name: rule.name, quorum: rule.quorum, users, more, ...(when && { when }), ...(standIns && { standIns }) }
  })
  const isOpen = cardStatusOf(current).kind === "open"
  const [glass, locked] = await Promise.all([
    glassNow(ports, current, rules),
    isOpen ? lockOut(ports, current) : Promise.resolve(null),
  ])
  const model = limits === null ? shown.model : { ...shown.model, limits }
  return { details: { ...shown, model }, rules: asked, ...(glass && { glass }), ...(locked && { lockedOut: locked }) }
}

/** Who could break the glass of an open case, or why nobody may; null if none of its rules lets anybody. */
async function glassNow(ports: WhyPorts, current: Case, rules: readonly Rule[]): Promise<GlassNow | null> {
  const { kind } = cardStatusOf(current)
  if (kind === "stopped") return rules.some(hasGlass) ? { kind: "nobody", why: "stopped" } : null
  return kind === "open" ? whoMayBreak(ports, current, rules) : null
}

function hasGlass({ breakGlass }: Rule): boolean {
  return breakGlass !== undefined
}

/** We look up at most this many people whom all rules list for that. */
const maxBreakers = 20

/**
 * Who could break the glass of an open case under these rules, judged as their vote would be; or why nobody may. Null
 * if none of the rules lets anybody. Throws if Slack does not say who is listed.
 */
async function whoMayBreak(ports: WhyPorts, current: Case, rules: readonly Rule[]): Promise<GlassNow | null> {
  if (!rules.some(hasGlass)) return null
  const shut = rules.find((rule) => !hasGlass(rule))
  if (shut !== undefined) return { kind: "nobody", why: "no-glass", rule: shut.name }
  const demand = { rules, covered: current.revision.covered }
  const userId = current.approval?.userId ?? null
  const { identities } = ports.policy
  const [breakers, known, reviews] = await Promise.all([
    approversOf(ports, { ...demand, rules: rules.map(toBreakers) }),
    findRequester(ports, userId, identities),
    readOpenReviews(ports, rules),
  ])
  const full = fullRules(reviews)
  const [first, ...others] = [...breakers.byRule.values()]
  const keys = [...(first ?? [])].filter((key) => others.every((listed) => listed.has(key)))
  const people = await Promise.all(keys.slice(0, maxBreakers).map((key) => personIf(ports, key)))
  const judged = people.flatMap((person) => {
    if (person === null) return []
    const requester = matchRequester({ userId, voter: person, identities, known })
    const proposer = isProposedBy(current, person, identities)
    return [{ person, judgement: judgeBreaker({ person, demand, breakers, requester, proposer, full }) }]
  })
  const users = judged.flatMap(({ person, judgement }) => (judgement.ok ? [person.user] : []))
  const more = Math.max(0, keys.length - maxBreakers)
  if (users.length + more > 0) return { kind: "people", users, more }
  return nobodyBecause(judged.flatMap(({ judgement }) => (judgement.ok ? [] : [judgement.refusal])))
}

/** Why nobody may. What holds for the case, whoever asks, comes before what holds for the people listed. */
function nobodyBecause(refusals: readonly Refusal[]): GlassNow {
  const general = refusals.find(({ code }) => code === "unknown-requester" || code === "open-reviews")
  if (general?.code === "unknown-requester" || general?.code === "open-reviews")
    return { kind: "nobody", why: general.code, rule: general.rule }
  return { kind: "nobody", why: "nobody-listed" }
}

/** The limits of an open case as they are now; null if none applies. */
async function readingsNow(ports: QueryPorts, { state, approval, revision }: Case) {
  if (state !== "open" || approval === null) return null
  return (await limitsNow(ports, approval, revision))?.readings ?? null
}

/** We look up at most this many approvers of a case, to name them. We only count the others. */
const maxLooked = 100
