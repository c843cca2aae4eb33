// As many of everything as rules, agents and people can make: card models of any size, for what Slack takes of them.

import fc from "fast-check"
import type { CardModel, CardStatus } from "../../src/domain/case/card-model.ts"
import type { InputField } from "../../src/domain/content/inputs.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import { raisedName } from "../../src/domain/limit/limit.ts"
import type { LimitReading } from "../../src/domain/policy/limit-reading.ts"
import { plainLook } from "../../src/domain/policy/look.ts"
import type { WhenReading } from "../../src/domain/policy/when.ts"
import type { VoteForm } from "../../src/flow/ports/inbound.ts"
import { aCardModel, anApproval, aVote, changedFrom, everyState, limitRead } from "./card-models.ts"

/** So many of one thing, with the numbers beside Slack's own. */
export const count = (max: number) =>
  fc.oneof(fc.nat(3), fc.nat(max), fc.constantFrom(...[7, 10, 41, 45, 50, 91, 100, max].filter((one) => one <= max)))

export const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at))

/** A text of `units` of what weighs most on the wire, by one way of counting or another. */
const wide = (units: number) => fc.constantFrom("x", "&", "漢", '"').map((one) => one.repeat(units))
const long = fc.oneof(fc.constant("a"), wide(60), wide(4_000), fc.constant("漢\n".repeat(900)))
const user = (at: number) => `U${String(at).padStart(10, "0")}`

const when: fc.Arbitrary<WhenReading | undefined> = fc.option(
  fc.record({
    text: fc.constantFrom("args.amount > 1000", `args.name == "${"漢".repeat(400)}"`, `args.${"x".repeat(300)} == 1`),
    truth: fc.constantFrom("true", "unknown"),
    doubts: fc.array(wide(60), { maxLength: 5 }),
  }),
  { nil: undefined },
) as fc.Arbitrary<WhenReading | undefined>
const doubt = fc.constantFrom<LimitReading["doubt"][]>(undefined, "open", "amount", "unknown")

/** Rules, half of them raised by the limit of the one before. */
const rules = fc.record({ rules: count(300), approvers: count(40), when, name: wide(50) })
const ruleNames = (length: number, name: string) =>
  many(length, (at) => (at % 2 === 1 ? raisedName(`${name}${at - 1}`) : `${name}${at}`))

const limits = fc.record({ limits: count(300), owners: count(12), doubt }).map(
  ({ limits: length, owners, doubt: why }) =>
    (name: string): LimitReading[] =>
      many(length, (at) =>
        limitRead({
          rule: `${name}${at * 2}`,
          limit: { sum: "args.argument_1", per: "args.argument_0", windowMs: 60_000, above: "9".repeat(60) },
          ...(why === undefined ? {} : { doubt: why }),
          sums: many(owners, (call) => ({ call, before: "1".repeat(60), adds: "2".repeat(60), at: 0 })),
        }),
      ),
)

const ends = fc.record({ links: count(60), deviations: count(60), detail: long }).map((sizes): CardStatus[] => {
  const outcome = { kind: "ours", verb: "approve", decisionId: "d", resolvedBy: sizes.detail, at: 0 } as const
  const links = many(sizes.links, (at) => `https://slack.example/archives/C1/p${at}`)
  const end = { kind: "completed", by: "others", detail: sizes.detail, deviations: [] } as const
  const deviations = many(sizes.deviations, () => sizes.detail)
  return [
    { kind: "settled", outcome, run: { kind: "waiting", beside: sizes.links, links } },
    { kind: "settled", outcome, run: { kind: "ended", end: { ...end, deviations } } },
  ]
})

const calls = fc.record({ calls: count(60), args: count(20), value: long, filled: fc.boolean() })
const requirementsOf = ({ calls: length, args, value }: { calls: number; args: number; value: string }) =>
  many(length, (call): JsonObject => {
    const tool_args = Object.fromEntries(many(args, (at) => [`argument_${at}`, at === 0 ? value : "short"]))
    const tool_execution = { tool_call_id: `c${call}`, tool_name: value.slice(0, 200), tool_args }
    return {
      id: `r${call}`,
      member_agent_name: value.slice(0, 200),
      tool_execution: { ...tool_execution, approval_type: "required", requires_confirmation: true, confirmed: null },
    }
  })

/** A card model of any size, in any state. */
export const sizedFace: fc.Arbitrary<CardModel> = fc
  .record({
    rules,
    limits,
    ends,
    calls,
    states: fc.constantFrom(...Object.values(everyState()).map(({ status }) => status)),
    state: fc.nat(3),
    votes: count(60),
    reason: long,
    lists: count(60),
    mask: fc.constantFrom([], ["user_id"], ["/./"]),
    changed: fc.boolean(),
    say: fc.constantFrom(null, "Do {user_id} now", "{argument_0} ".repeat(16)),
  })
  .map((one) => {
    const requirements = requirementsOf(one.calls)
    const approval = anApproval({ sourceName: one.reason, userId: one.reason, requirements })
    const before = anApproval({ requirements: requirementsOf({ ...one.calls, value: `old ${one.calls.value}` }) })
    const names = ruleNames(one.rules.rules, one.rules.name)
    const progress = names.map((rule) => ({ rule, have: 1, need: 9 }))
    const statuses: readonly CardStatus[] = [{ kind: "open", progress }, ...one.ends, one.states]
    const { when: read } = one.rules
    const approvers = many(one.rules.approvers, (at) => (at % 2 === 0 ? user(at) : `${one.rules.name}@x.example`))
    return aCardModel(approval, {
      digest: "ab".repeat(32),
      status: statuses[one.state] ?? one.states,
      look: { ...plainLook, mask: one.mask, danger: true, risk: "high", say: [one.say, one.say] },
      rules: names.map((name) => ({ name, quorum: 9, approvers, ...(read && { when: read }) })),
      limits: one.limits(one.rules.name),
      votes: many(one.votes, (at) =>
        aVote({ user: user(at), reason: one.reason, values: one.calls.filled ? { result: one.reason } : null }),
      ),
      related: many(one.lists, (at) => ({ caseId: String(at).padStart(20, "0"), of: "team" as const, link: null })),
      troubles: many(one.lists, (at) => ({ route: `channel:C${at}`, why: "is_archived" })),
      failure: one.changed ? one.reason : null,
      ...(one.changed ? { changed: { ...changedFrom(before, approval), rulesAt: 1 } } : {}),
    })
  })

const field: fc.Arbitrary<InputField> = fc
  .record({
    name: long,
    kind: fc.constantFrom<InputField["kind"][]>("text", "integer", "truth", "choice", "json"),
    type: fc.constant("str"),
    description: long,
    guess: fc.oneof(wide(3_000), fc.constant(null), wide(10)),
    choices: count(120),
    choice: wide(70),
    calls: fc.constantFrom(1, 9),
  })
  .map(({ choice, choices, ...rest }) => ({ ...rest, choices: many(choices, (at) => `${at}${choice}`) }))

/** A form of any size. */
export const sizedForm: fc.Arbitrary<VoteForm> = fc
  .record({ model: sizedFace, field, fields: count(300), tools: count(120), reasons: count(50), choice: wide(75) })
  .map(({ model, field: one, fields, tools, reasons, choice }) => ({
    model,
    inputs: {
      fields: many(fields, (at) => ({ ...one, name: `${at}${one.name}` })),
      result: many(tools, (at) => `${at}${one.name}`),
    },
    reason: reasons === 0 ? null : { required: true, choices: many(reasons, (at) => `${at}${choice}`.slice(0, 75)) },
    earlier: model.votes[0]?.values ?? null,
  }))
