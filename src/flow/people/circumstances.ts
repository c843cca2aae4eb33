// Reads who asked and when, if a rule looks at that. We seal the result in the revision that it helps to make.
import type { Approval } from "../../domain/content/approval.ts"
import { personKey, type SlackId } from "../../domain/people/person.ts"
import type { PolicyNow } from "../../domain/policy/policy.ts"
import { type Circumstances, looksOf } from "../../domain/policy/when.ts"
import { isPortError, type Ports } from "../ports.ts"
import { findRequester, freshMs } from "./eligibility.ts"
import { type NewsPorts, newsNow } from "./fingerprints.ts"
import { type LimitPorts, limitsNow } from "./limits-now.ts"

type AskingPorts = Pick<Ports, "people" | "policy" | "clock">
export type CircumstancesPorts = AskingPorts & LimitPorts & NewsPorts

/**
 * The rules in force with what they look at besides the call, how their limits stand, and what is new about the call.
 * Reads nothing that no rule needs. What Slack does not say counts as unknown, so that the rule is possible: an
 * approval never waits for Slack.
 */
export async function policyFor(ports: CircumstancesPorts, approval: Approval): Promise<PolicyNow> {
  const policy = await withCircumstances(ports, approval)
  const limits = await limitsNow(ports, approval, policy)
  const known = limits === null ? policy : { ...policy, limits: limits.readings }
  const news = await newsNow(ports, approval, known)
  return news === null ? known : { ...known, news }
}

/** Like `policyFor`, but without limits and news. */
export async function withCircumstances(ports: AskingPorts, { userId }: Approval): Promise<PolicyNow> {
  const { policy } = ports
  const { requester, time, groups } = looksOf(policy)
  if (!requester && !time) return policy
  const who = requester ? await ifSlackSays(() => requesterIn(ports, userId, groups), null) : null
  return { ...policy, circumstances: { requester: who, at: time ? ports.clock() : null } }
}

/** The requester. If the claim means nobody, all but the claim is unknown. */
async function requesterIn(
  ports: AskingPorts,
  userId: string | null,
  groups: readonly string[],
): Promise<Circumstances["requester"]> {
  const id = await findRequester(ports, userId, ports.policy.identities)
  if (id === null) return { known: false, guest: null, groups: null }
  const [guest, theirs] = await Promise.all([
    ifSlackSays(async () => (await ports.people.look(id, freshMs)).guest, null),
    ifSlackSays(() => groupsAmong(ports, id, groups), null),
  ])
  return { known: true, guest, groups: theirs }
}

/** The groups that somebody is in; null if Slack does not tell who is in one of the groups. */
async function groupsAmong(
  { people }: Pick<AskingPorts, "people">,
  id: SlackId,
  groups: readonly string[],
): Promise<readonly string[] | null> {
  const found = await Promise.all(groups.map((group) => people.members(group, freshMs)))
  if (found.some(({ trouble }) => trouble !== null)) return null
  return groups.filter((_, index) => found[index]?.keys.includes(personKey(id)))
}

async function ifSlackSays<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isPortError(error)) throw error
    return otherwise
  }
}
