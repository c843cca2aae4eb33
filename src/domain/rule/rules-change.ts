// Who approves another config, once the active one says so: the rule that `rules_change` makes.
import type { Approver, Route, Rule } from "./rule.ts"

/** The name of the built-in instance: its approvals are proposals of another config. No stop covers it. */
export const builtInInstance = "countersign"

/** What the config says about changes of itself. */
export interface RulesChange {
  readonly approvers: readonly Approver[]
  readonly quorum: number
  readonly route: Route
  /** How long people can approve a proposal, ms. */
  readonly expireAfterMs: number
}

/** The name of the rule that `rules_change` makes. */
export const rulesChangeName = "rules_change"

/** The rule for proposals. Nobody counts as the requester: who started a process is no account in Slack. */
export function ruleForChanges({ approvers, quorum, route, expireAfterMs }: RulesChange): Rule {
  return {
    name: rulesChangeName,
    match: { instance: [builtInInstance] },
    matchUnknown: true,
    routes: [route],
    approvers,
    quorum,
    forbidSelfApproval: false,
    unknownRequester: "allow",
    requireReason: "never",
    reasons: [],
    mask: [],
    risk: null,
    danger: false,
    say: "change the rules that all work under, as shown below",
    withoutNews: true,
    allowGuests: false,
    allowExternal: false,
    timing: {
      remindAfter: [],
      escalate: [],
      expireAfter: expireAfterMs,
      onExpiry: "leave",
      workingHours: null,
    },
  }
}

/** All rules of a config. The one for changes of the config comes first, so no other rule is ever asked about them. */
export function rulesInForce({
  rules,
  rulesChange,
}: {
  readonly rules: readonly Rule[]
  readonly rulesChange?: RulesChange | undefined
}): readonly Rule[] {
  return rulesChange === undefined ? rules : [ruleForChanges(rulesChange), ...rules]
}
