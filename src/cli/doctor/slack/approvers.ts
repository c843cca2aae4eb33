// The doctor on who may decide: each approver of each rule, and whether all of them together can reach its quorum.

import { countHumans, type Identity } from "../../../domain/people/human.ts"
import { personKey, type SlackId, slackIdOf } from "../../../domain/people/person.ts"
import { laterApprovers } from "../../../domain/policy/timing.ts"
import type { Approver, Rule } from "../../../domain/rule/rule.ts"
import type { SlackProbe } from "../../../slack/probe.ts"
import { asking, type Diagnosis, type Finding, type Notes, notesOn } from "../finding.ts"
import { lookAtPerson } from "./person.ts"

/** Looks at a rule's approvers, and counts the humans among them who can decide. */
export async function lookAtApprovers(
  { rule, identities }: { readonly rule: Rule; readonly identities: readonly Identity[] },
  probe: SlackProbe,
): Promise<readonly Finding[]> {
  const notes = notesOn(`rule ${rule.name}`)
  const eligible = new Map<string, SlackId>()
  // The approvers of the escalation, stand-ins, and those who break the glass or look at that, must exist; but the rule
  // has to work without them.
  const escalation = { rule: { ...rule, quorum: 1 }, counting: { probe, eligible: new Map<string, SlackId>() } }
  const { approvers: breakers = [], reviewers = [] } = rule.breakGlass ?? {}
  const looks = [
    ...rule.approvers.map((approver) => ({ approver, rule, counting: { probe, eligible } })),
    ...[...laterApprovers(rule.timing), ...(rule.standIns ?? []), ...breakers, ...reviewers].map((approver) => ({
      approver,
      ...escalation,
    })),
  ]
  const findings: Finding[] = []
  for (const look of looks) {
    const found = await asking(notes, unread, () => lookAtApprover(notes, look.rule, look.approver, look.counting))
    if (found !== null) findings.push(found)
  }
  // If one of the approvers could not be read, we do not know how many there are.
  return findings.some(({ level }) => level === "fail")
    ? findings
    : [...findings, ...judgeQuorum(notes, rule, countHumans([...eligible.values()], identities))]
}

const unread = {
  why: "where Slack does not say who somebody is, nobody decides",
  todo: "see what Slack says, and the scopes above",
}

interface Counting {
  readonly probe: SlackProbe
  /** Collects those who can decide, by `personKey`. */
  readonly eligible: Map<string, SlackId>
}

async function lookAtApprover(
  notes: Notes,
  rule: Rule,
  approver: Approver,
  counting: Counting,
): Promise<Finding | null> {
  const { probe } = counting
  switch (approver.kind) {
    case "group":
      return lookAtGroup(notes, rule, approver.id, counting)
    case "email": {
      const id = await probe.byEmail(approver.email)
      if (id === null) return nobody(notes, approver.email, "belongs to nobody active in this workspace")
      return lookAtOne(notes, rule, { ...id, called: approver.email }, counting)
    }
    case "user": {
      const team = approver.team ?? probe.identity.team
      return lookAtOne(notes, rule, { team, user: approver.id, called: approver.id }, counting)
    }
  }
}

async function lookAtOne(
  notes: Notes,
  rule: Rule,
  who: { readonly team: string; readonly user: string; readonly called: string },
  { probe, eligible }: Counting,
): Promise<Finding | null> {
  const { problem } = await lookAtPerson(probe, who, rule)
  if (problem !== null) return nobody(notes, who.called, problem)
  eligible.set(personKey(who), who)
  return null
}

function nobody(notes: Notes, called: string, problem: string): Finding {
  const what = `approver ${called} ${problem}`
  const why = "they can never decide, and whoever counts on them waits"
  const todo = "correct or remove that approver"
  return notes.fail({ what, why, todo })
}

/** We look at no more members of a group than this: each costs a call to Slack, and the bot needs its part, too. */
const maxLooked = 50

/** Looks at a group, and counts its members who may decide under this rule: an on-call group often holds a bot, too. */
async function lookAtGroup(notes: Notes, rule: Rule, group: string, counting: Counting): Promise<Finding | null> {
  const { keys, trouble } = await counting.probe.members(group)
  if (trouble !== null)
    return notes.fail({
      what: `user group ${group} stands for nobody: ${trouble}`,
      why: needsMembers,
      todo: "correct its id (S…), switch it on again, or give the app the scope usergroups:read",
    })
  if (keys.length === 0) return notes.fail({ what: `user group ${group} is empty`, why: needsMembers, todo: fillGroup })
  const problems = await problemsIn(keys.slice(0, maxLooked), rule, counting.probe)
  const fit = keys.filter((key) => !problems.has(key))
  for (const member of fit) counting.eligible.set(member, slackIdOf(member))
  if (fit.length === 0) return notes.fail(nobodyIn(group, problems))
  if (fit.length >= rule.quorum) return null
  const what = `user group ${group} has ${fit.length} of the ${rule.quorum} people that the rule needs`
  return notes.warn({ what, why: needsMembers, todo: `${fillGroup}, or lower the quorum` })
}

const needsMembers = "a rule counts on the members of its groups: too few of them, and nothing is ever approved"
const fillGroup =
  "add people to it in Slack, or in the schedule of the on-call tool that keeps it (docs/how-to/on-call.md)"

/**
 * Members who may not decide, each with the reason. Looks until it has found one more who may than the rule needs: the
 * others count as they stand there.
 */
async function problemsIn(
  keys: readonly string[],
  rule: Rule,
  probe: SlackProbe,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  for (const [looked, key] of keys.entries()) {
    if (looked - problems.size > rule.quorum) break
    const { problem } = await lookAtPerson(probe, slackIdOf(key), rule)
    if (problem !== null) problems.set(key, problem)
  }
  return problems
}

function nobodyIn(group: string, problems: ReadonlyMap<string, string>): Diagnosis {
  const each = [...problems].map(([key, problem]) => `${slackIdOf(key).user} ${problem}`)
  const shown = each.slice(0, maxShown).join("; ")
  const more = each.length > maxShown ? `; and ${each.length - maxShown} more` : ""
  return { what: `nobody in user group ${group} may decide: ${shown}${more}`, why: needsMembers, todo: fillGroup }
}

const maxShown = 3

/** Judges whether this many people can reach a rule's quorum, even if one of them is the requester. */
export function judgeQuorum(notes: Notes, rule: Rule, eligible: number): readonly Finding[] {
  const { quorum, forbidSelfApproval, unknownRequester } = rule
  const todo = "add approvers, or lower the quorum"
  if (eligible < quorum) {
    const what = `${quorum} people must agree, and only ${eligible} can decide`
    return [notes.fail({ what, why: "nothing can ever be approved under this rule", todo })]
  }
  return [
    notes.ok(`${eligible} people can decide, ${quorum} must agree`),
    ...(forbidSelfApproval && eligible === quorum ? [justEnough(notes, quorum)] : []),
    ...(forbidSelfApproval && unknownRequester === "two" && eligible < 2 ? [neverTwo(notes)] : []),
  ]
}

function justEnough(notes: Notes, quorum: number): Finding {
  return notes.warn({
    what: "the approvers are just enough, and whoever asked may not approve",
    why: "nobody can ever approve what one of them asks for",
    todo: quorum > 1 ? "add approvers, or lower the quorum" : "add an approver",
  })
}

function neverTwo(notes: Notes): Finding {
  return notes.warn({
    what: "unknown_requester: two wants two people, and only one can decide",
    why: "nobody can ever approve a call of which nobody knows who asked",
    todo: "add an approver, or set unknown_requester: allow, so that this one may approve it alone",
  })
}
