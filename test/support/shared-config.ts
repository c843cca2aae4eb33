// Makes shared configs for tests: one for each name, each with its own revision.
import { rulesSchema } from "../../src/config.ts"
import type { Ruled, SharedConfig, SharedInstance } from "../../src/domain/policy/shared-config.ts"
import { approverAsText, type Rule, ruleHash } from "../../src/domain/rule/rule.ts"
import { aRule } from "./builders.ts"

/** An instance, `main` unless said otherwise. */
export function aSharedInstance(changes: Partial<SharedInstance> = {}): SharedInstance {
  return {
    name: "main",
    url: "https://agents.example.com",
    resolving: { kind: "same" },
    resume: "off",
    rejectUserInput: "hold",
    besideAgnoSlack: false,
    receiptLifeMs: 86_400_000,
    ...changes,
  }
}

/** What a file says of rules. Throws where it has words for a rule that `inWords` does not know. */
export function ruledAs(rules: readonly Rule[]): Ruled {
  const ruled = rulesSchema.parse({ rules: rules.map(inWords) })
  const strange = rules.find(
    (rule, at) => ruled.rules[at] === undefined || ruleHash(ruled.rules[at]) !== ruleHash(rule),
  )
  if (strange !== undefined)
    throw new Error(`test/support/shared-config.ts does not know all that ${strange.name} says`)
  return ruled
}

function inWords(rule: Rule): Readonly<Record<string, unknown>> {
  return {
    name: rule.name,
    match: rule.match,
    when: rule.when,
    match_unknown: rule.matchUnknown,
    routes: rule.routes.map(({ id }) => id),
    approvers: rule.approvers.map(approverAsText),
    stand_ins: rule.standIns?.map(approverAsText),
    quorum: rule.quorum,
    forbid_self_approval: rule.forbidSelfApproval,
    unknown_requester: rule.unknownRequester,
    require_reason: rule.requireReason,
    mask: rule.mask,
    expire_after: rule.timing?.expireAfter ?? undefined,
  }
}

const usual = ruledAs([aRule()])

/** A config that differs from one of another name by its `resolved_by`. Rules given alone are written as in a file. */
export function aSharedConfig(name = "rev-1", changes: Partial<SharedConfig> = {}): SharedConfig {
  const { rules, written, ...others } = changes
  return {
    ...(rules === undefined ? usual : written === undefined ? ruledAs(rules) : { rules, written }),
    identities: [],
    resolvedBy: `{email} ${name}`,
    slack: { apiUrl: "https://slack.com/api/", sandbox: false },
    instances: [aSharedInstance()],
    ...others,
  }
}
