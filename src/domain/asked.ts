// Asked: whom the rules in force name for an approval, as its ledger and its thread keep it.
import type { Approval } from "./approval.ts"
import { type Approver, demandOf, type Policy } from "./policy.ts"

/** Who is asked under one rule: Slack ids of users and groups, and e-mails, as the rule lists them. */
export interface Asked {
  readonly rule: string
  readonly quorum: number
  readonly approvers: readonly string[]
}

/** Whom the demanded rules ask, in the rules' order. */
export function askedOf(approval: Approval, { rules }: Policy): readonly Asked[] {
  return demandOf(approval, rules).rules.map(({ name, quorum, approvers }) => ({
    rule: name,
    quorum,
    approvers: approvers.map(wordOf),
  }))
}

function wordOf(approver: Approver): string {
  return approver.kind === "email" ? approver.email : approver.id
}
