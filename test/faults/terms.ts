// What the rule and the platform of a seed ask for beside votes (deadlines, summaries, requesters, runs), and the bot's
// config for that.
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Chance } from "./prng.ts"

/** What a rule says of time, in s since a case was opened; whole ones. */
export interface Timing {
  readonly remind: readonly number[]
  /** From then on Rita may decide as well; null: never. */
  readonly escalate: number | null
  readonly expire: number | null
  readonly onExpiry: "leave" | "reject"
}

/** What is asked for beside votes. */
export interface Terms {
  readonly timing: Timing | null
  /** Above how many cases of a channel wait for cards they hang on a summary; 0: never. */
  readonly summaryAbove: 0 | 1
  /**
   * What lies between two messages of a channel, in ms. Where it is long, what happens to a case overtakes its card.
   */
  readonly paceMs: number
  /**
   * `none`: programs ask by themselves. `continued`: agents ask, and the bot continues their runs. `held`: agents ask
   * for input, and the platform would not enforce a rejection (R12).
   */
  readonly runs: "none" | "continued" | "held"
  /** Whose run it is, as far as the platform says. */
  readonly requester: "rita" | "alice" | null
  /** Above which sum of what is approved two have to agree; null: there is no limit. */
  readonly limit: number | null
  /** Whether people press what is left over once everything works. */
  readonly finish: boolean
  /** Whether Rita stands in for others, Bob may break the glass, and people approve other rules. */
  readonly overseen: boolean
  /** Whether a rule lets a rejection of `again_…` last for the same call. */
  readonly lasting: boolean
}

/** A seed in which only votes count. */
export const plainTerms: Terms = {
  timing: null,
  summaryAbove: 0,
  paceMs: 1_030,
  runs: "none",
  requester: null,
  limit: null,
  finish: false,
  overseen: false,
  lasting: false,
}

/** What each call adds to the sum of a limit. */
export const amount = 10

/** Draws the terms of a seed. */
export function termsOf(chance: Chance): Terms {
  const timing = chance.percent(40) ? timingOf(chance) : null
  const summaryAbove = chance.percent(25) ? 1 : 0
  return {
    timing,
    summaryAbove,
    paceMs: summaryAbove === 0 ? 1_030 : chance.pick([2_500, 6_000]),
    runs: chance.pick(["none", "none", "none", "continued", "continued", "held"] as const),
    requester: chance.pick([null, "rita", "rita", "alice"] as const),
    limit: null,
    finish: chance.percent(60),
    overseen: false,
    lasting: false,
  }
}

function timingOf(chance: Chance): Timing {
  const expire = chance.percent(60) ? chance.between(6, 16) : null
  const latest = expire === null ? 9 : Math.min(9, expire - 1)
  const remind = chance.pick([[], [2], [3], [2, 5]] as const)
  const escalate = chance.percent(50) ? chance.between(3, latest) : null
  const [first = 2] = remind
  const timed = expire !== null || escalate !== null || remind.length > 0
  return { remind: timed ? remind : [first], escalate, expire, onExpiry: chance.pick(["leave", "reject"] as const) }
}

/** The keys of the rule, as lines of YAML. */
export function ruleLines({ timing, limit, overseen }: Terms): readonly string[] {
  const limited =
    limit === null ? [] : [`limit: { sum: args.amount, window: 1h, above: ${limit}, then: { quorum: 2 } }`]
  return [...limited, ...timingLines(timing), ...(overseen ? oversightLines : [])]
}

/** Who may do what in a seed with oversight. */
export const oversight = {
  standIns: [sandboxCast.rita],
  breakers: [sandboxCast.bob],
  reviewers: [sandboxCast.alice, sandboxCast.rita],
  changers: [sandboxCast.alice, sandboxCast.bob],
  /** The channel of broken glass and of proposals. No card of an approval hangs there. */
  channel: sandboxCast.general,
} as const

const oversightLines = [
  `stand_ins: [${oversight.standIns.join(", ")}]`,
  `break_glass: { approvers: [${oversight.breakers.join(", ")}], reviewers: [${oversight.reviewers.join(", ")}], route: ${oversight.channel} }`,
]

/** What the config says of changes of itself, as lines of YAML. */
export function changeLines({ overseen }: Terms): readonly string[] {
  if (!overseen) return []
  return [`rules_change: { approvers: [${oversight.changers.join(", ")}], route: ${oversight.channel} }`]
}

function timingLines(timing: Terms["timing"]): readonly string[] {
  if (timing === null) return []
  const { remind, escalate, expire, onExpiry } = timing
  return [
    ...(remind.length === 0 ? [] : [`remind_after: [${remind.map((s) => `${s}s`).join(", ")}]`]),
    ...(escalate === null ? [] : [`escalate: [{ after: ${escalate}s, to: { approvers: [${sandboxCast.rita}] } }]`]),
    ...(expire === null ? [] : [`expire_after: ${expire}s`, `on_expiry: ${onExpiry}`]),
  ]
}

/** What the instance says of runs. A continue that nobody answered is given up a minute after `resume_timeout`. */
export function instanceKeys({ runs }: Terms): string {
  return runs === "continued" ? `, resume: decided, resume_token: "\${RESUME_TOKEN}", resume_timeout: 2s` : ""
}

/** What the config says of messages. */
export function slackKeys({ summaryAbove, paceMs }: Terms): string {
  return `pace_ms: ${paceMs}${summaryAbove === 0 ? "" : `, summary_above: ${summaryAbove}`}`
}
