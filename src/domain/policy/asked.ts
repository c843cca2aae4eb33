// Who is asked under the demanded rules, as entries, lines and cards name them.
import type { Approval } from "../content/approval.ts"
import type { Approver } from "../rule/rule.ts"
import { demandOf, type PolicyNow } from "./policy.ts"

/** Who is asked under one rule: Slack ids of users and groups, and e-mails, as the rule lists them. */
export interface Asked {
  readonly rule: string
  readonly quorum: number
  readonly approvers: readonly string[]
  /** On a route: the names of those whom the route's card mentions. `approvers` leaves these people out. */
  readonly names?: readonly string[]
}

/** A card names only the first approvers of a rule, at most this many. The line in its thread has the rest. */
export const mentionedOnCard = 3

/** Who is asked under each of the demanded rules, in the rules' order. */
export function askedOf(approval: Approval, policy: PolicyNow): readonly Asked[] {
  return demandOf(approval, policy.rules, policy).rules.map(({ name, quorum, approvers }) => ({
    rule: name,
    quorum,
    approvers: approvers.map(approverWord),
  }))
}

/** How entries and lines name somebody whom a rule lists: by id, or by the address that the rule gives. */
export function approverWord(approver: Approver): string {
  return approver.kind === "email" ? approver.email : approver.id
}
