// The doctor on who may decide: each approver of each rule, and whether all of them together can reach its quorum.
import { countHumans, type Identity } from "../../../domain/people/human.ts"
import { personKey, type SlackId, slackIdOf } from "../../../domain/people/person.ts"
import type { Approver, Rule } from "../../../domain/rule/rule.ts"
import type { Members } from "../../../flow/ports.ts"
import type { SlackProbe } from "../../../slack/probe.ts"
import { asking, type Finding, type Notes, notesOn } from "../finding.ts"
import { lookAtPerson } from "./person.ts"

/** Looks at a rule's approvers, and counts the humans among them who can decide. */
export async function lookAtApprovers(
  { rule, identities }: { readonly rule: Rule; readonly identities: readonly Identity[] },
  probe: SlackProbe,
): Promise<readonly Finding[]> {
  const notes = notesOn(`rule ${rule.name}`)
  const eligible = new Map<string, SlackId>()
  // The approvers of the escalation must exist, but the rule has to work without them.
  const escalation = { rule: { ...rule, quorum: 1 }, counting: { probe, eligible: new Map<string, SlackId>() } }
  const looks = [
    ...rule.approvers.map((approver) => ({ approver, rule, counting: { probe, eligible } })),
    ...(rule.timing?.escalateTo.approvers ?? []).map((approver) => ({ approver, ...escalation })),
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
  const { probe, eligible } = counting
  switch (approver.kind) {
    case "group":
      return judgeGroup(notes, rule, approver.id, { members: await probe.members(approver.id), eligible })
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

function judgeGroup(
  notes: Notes,
  { quorum }: Rule,
  group: string,
  { members, eligible }: { readonly members: Members; readonly eligible: Counting["eligible"] },
): Finding | null {
  const why = "a rule counts on the members of its groups: too few of them, and nothing is ever approved"
  const { keys, trouble } = members
  if (trouble !== null)
    return notes.fail({
      what: `user group ${group} stands for nobody: ${trouble}`,
      why,
      todo: "correct its id (S…), switch it on again, or give the app the scope usergroups:read",
    })
  if (keys.length === 0)
    return notes.fail({ what: `user group ${group} is empty`, why, todo: "add people to it in Slack" })
  for (const member of keys) eligible.set(member, slackIdOf(member))
  if (keys.length >= quorum) return null
  const what = `user group ${group} has ${keys.length} of the ${quorum} people that the rule needs`
  return notes.warn({ what, why, todo: "add people to it, or lower the quorum" })
}

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
