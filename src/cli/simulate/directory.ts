// The directory of a simulation: who may decide under a rule, and who people are, as Slack says now.
import { setTimeout as passed } from "node:timers/promises"
import type { Approval } from "../../domain/content/approval.ts"
import type { Identity } from "../../domain/people/human.ts"
import { oneIdentity, type Person, personKey, type SlackId, slackIdOf, unfitness } from "../../domain/people/person.ts"
import type { Policy } from "../../domain/policy/policy.ts"
import type { Circumstances } from "../../domain/policy/when.ts"
import type { Approver, Rule } from "../../domain/rule/rule.ts"
import { withCircumstances } from "../../flow/people/circumstances.ts"
import { findRequester, newestLink } from "../../flow/people/eligibility.ts"
import { type IdentityLinks, isPortError } from "../../flow/ports.ts"
import type { SlackProbe } from "../../slack/probe.ts"

/** What a rule says about who may decide. */
export type WhoDecides = Pick<Rule, "approvers" | "allowGuests" | "allowExternal">

/** Who is who. Every call throws `ChatError` if Slack does not answer, and `StoreError` if Redis does not. */
export interface Directory {
  /** The people who may decide under a rule, as `personKey`s. */
  peopleUnder(rule: WhoDecides): Promise<ReadonlySet<string>>
  /** The person, or null if Slack does not know them. */
  person(id: SlackId): Promise<Person | null>
  /** The person that a requester's claim means; null: nobody. */
  requester(claim: string | null, identities: readonly Identity[]): Promise<SlackId | null>
  /** What we know of the requester now, as far as the conditions of these rules look at it. */
  circumstances(approval: Approval, policy: Policy): Promise<Circumstances["requester"]>
}

/** What the directory asks. */
export interface DirectoryOptions {
  /** This probe's clock stands still, so that no answer grows old. */
  readonly slack: SlackProbe
  readonly links: Pick<IdentityLinks, "read">
  readonly clock: () => number
  /** Called with why a group stands for nobody. */
  readonly note: (words: string) => void
}

/** Makes the directory. It never pins an address. */
export function createDirectory(options: DirectoryOptions): Directory {
  const { slack, clock } = options
  const person = (id: SlackId) => patiently(() => slack.person(id))
  const requester: Directory["requester"] = (claim, identities) =>
    patiently(() => findRequester(slack, claim, identities))
  return {
    person,
    requester,
    peopleUnder: async (rule) => {
      const fit = new Set<string>()
      for (const approver of rule.approvers)
        for (const key of await keysOf(options, approver)) {
          const found = await person(slackIdOf(key))
          if (found !== null && mayDecide(rule, found)) fit.add(key)
        }
      return fit
    },
    circumstances: async (approval, policy) => {
      // This asks Slack with patience, so that nothing stays unknown only because Slack made us wait.
      const known = await requester(approval.userId, policy.identities)
      if (known !== null) await person(known)
      const { circumstances } = await withCircumstances({ people: slack.people, policy, clock }, approval)
      return circumstances?.requester ?? null
    },
  }
}

function mayDecide({ allowGuests, allowExternal }: WhoDecides, person: Person): boolean {
  return unfitness(person) === null && (!person.guest || allowGuests) && (!person.external || allowExternal)
}

async function keysOf(options: DirectoryOptions, approver: Approver): Promise<readonly string[]> {
  const { slack, note } = options
  const { home } = slack.people
  switch (approver.kind) {
    case "user":
      return [personKey(oneIdentity(home, { team: approver.team ?? home.team, user: approver.id }))]
    case "group": {
      const { keys, trouble } = await patiently(() => slack.members(approver.id))
      if (trouble !== null) note(`user group ${approver.id} stands for nobody: ${trouble}`)
      return keys
    }
    case "email":
      return linkedTo(options, approver.email)
  }
}

/** The person that an address means, as in a vote (R7): the one it was pinned to; nobody while it is contested. */
async function linkedTo({ slack, links, note }: DirectoryOptions, email: string): Promise<readonly string[]> {
  const { home } = slack.people
  const link = await newestLink(
    { alarm: () => note(`what ${email} means is older than the ledger, or was not written by Countersign`) },
    email,
    () => links.read(email),
  )
  const now = await patiently(() => slack.people.holderOf(email, 0))
  if (link === "behind" || now.trouble !== null || link?.contested != null) return []
  const pinned = link?.person ?? now.person
  if (pinned === null) return []
  const key = personKey(oneIdentity(home, pinned))
  return now.person !== null && personKey(now.person) !== key ? [] : [key]
}

/** How long we wait if Slack does not say, in ms; and how often we ask. */
const [usualWaitMs, maxTries] = [1_000, 20]

/** Asks again if Slack limits how often we ask. */
async function patiently<T>(ask: () => Promise<T>, tried = 1): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isPortError(error) || error.code !== "rate-limited" || tried === maxTries) throw error
    await passed(error.retryAfterMs ?? usualWaitMs)
    return patiently(ask, tried + 1)
  }
}
