// Whether a channel may be shared with another company: rules that post in the same channel must say the same.
import type { Problem } from "../reading/problems.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import type { Report } from "./slack-checks.ts"

/** Each rule that says otherwise than one before it on a channel of both. */
export function checkSharedChannels(rules: readonly RuleSettings[], report: Report): readonly Problem[] {
  const first = new Map<string, RuleSettings>()
  return rules.flatMap((rule, index) => {
    const other = channelsOf(rule).find((channel) => isShared(first.get(channel) ?? rule) !== isShared(rule))
    for (const channel of channelsOf(rule)) if (!first.has(channel)) first.set(channel, rule)
    if (other === undefined) return []
    const what = `is not the same as in rule ${first.get(other)?.name}, and both have the channel ${other}`
    return [report(["rules", index, "allow_shared_channel"], what)]
  })
}

function isShared({ allow_shared_channel: shared = false }: RuleSettings): boolean {
  return shared
}

/** Those of the escalation too. */
function channelsOf({ routes, escalate_to }: RuleSettings): readonly string[] {
  return [...routes, ...(escalate_to?.routes ?? [])].flatMap((route) => {
    if (typeof route !== "string") return "channel" in route ? [route.channel] : []
    return /^[CG]/.test(route) ? [route] : []
  })
}
