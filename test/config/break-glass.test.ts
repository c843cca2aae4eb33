// Breaking glass in a rule: how it is read, and what a wrong one is told.
import { describe, expect, test } from "vitest"
import { raisedRule } from "../../src/domain/limit/limit.ts"
import { ruleHash } from "../../src/domain/rule/rule.ts"
import { FILE_ENV, load, refusal } from "./load.ts"

const env = { ...FILE_ENV, PLATFORM_URL: "https://agents.example.com", PLATFORM_TOKEN: "t" }
const rule = "name: a, routes: [C0A], approvers: [U0C, U0D], unknown_requester: allow"
const good = "approvers: [U0C], reviewers: [U0E], route: C0R"
const breaking = (glass: string, more = "") => `rules:\n  - {${rule}${more}, break_glass: {${glass}}}`

test("break_glass says who may, who looks at it, where and within a day", () => {
  const config = load({ env, yaml: breaking(good) })

  expect(config.rules[0]?.breakGlass).toEqual({
    approvers: [{ kind: "user", id: "U0C" }],
    reviewers: [{ kind: "user", id: "U0E" }],
    route: { kind: "channel", id: "C0R" },
    withinMs: 86_400_000,
  })
})

test("a rule without break_glass says nothing of it, and keeps its hash", () => {
  const [read] = load({ env, yaml: `rules:\n  - {${rule}}` }).rules
  if (read === undefined) throw new Error("there is no rule")
  const { breakGlass, ...before } = read

  expect(breakGlass).toBeUndefined()
  expect(ruleHash(read)).toBe(ruleHash(before))
})

test("R1: the rule that a limit demands never has it", () => {
  const limit = ", limit: {sum: args.amount, window: 1h, above: 5, then: {quorum: 2}}"
  const [read] = load({ env, yaml: breaking(good, limit) }).rules
  const raised = read === undefined ? null : raisedRule(read)

  expect(read?.breakGlass).toBeDefined()
  expect(raised).not.toBeNull()
  expect(raised).not.toHaveProperty("breakGlass")
})

describe("break_glass is refused", () => {
  const nobodyElse =
    "rules[0].break_glass.reviewers lists nobody but people of break_glass.approvers: " +
    "name somebody who cannot break the glass themselves"

  test.each([
    ["with the same people", "approvers: [U0C, U0D], reviewers: [U0D], route: C0R"],
    ["with the same address in other capitals", "approvers: [ann@x.example], reviewers: [Ann@X.example], route: C0R"],
    ["with the same group", "approvers: [S0A], reviewers: [S0A], route: C0R"],
  ])("as one whose reviewers are its approvers, %s", (_what, glass) => {
    expect(refusal({ env, yaml: breaking(glass) }).message).toContain(nobodyElse)
  })

  test("if its only reviewer is another account of its approver", () => {
    const identities = "identities: [{subject: carl, slack: [T0A:U0C, T0A:U0X]}]"
    const yaml = `${identities}\n${breaking("approvers: [U0C], reviewers: [U0X], route: C0R")}`

    expect(refusal({ env, yaml }).message).toContain(nobodyElse)
  })

  test.each([
    ["no approvers", "approvers: [], reviewers: [U0E], route: C0R", "approvers must list at least one person or group"],
    ["no reviewers", "approvers: [U0C], reviewers: [], route: C0R", "reviewers must list at least one person or group"],
    ["a route by name", "approvers: [U0C], reviewers: [U0E], route: '#ops'", "route must be the id of a channel"],
    ["less than a minute", `${good}, within: 5s`, "within must be at least 1m and at most 30d"],
    ["more than 30 days", `${good}, within: 31d`, "within must be at least 1m and at most 30d"],
    ["a key that is none", `${good}, quorum: 2`, "quorum is no key here"],
  ])("with %s", (_what, glass, told) => {
    expect(refusal({ env, yaml: breaking(glass) }).message).toContain(`rules[0].break_glass.${told}`)
  })

  test("where its channel may be shared by one rule and not by the other", () => {
    const other = "{name: b, routes: [C0R], approvers: [U0C], unknown_requester: allow, allow_shared_channel: true}"

    expect(refusal({ env, yaml: `${breaking(good)}\n  - ${other}` }).message).toContain(
      "rules[1].allow_shared_channel is not the same as in rule a, and both have the channel C0R",
    )
  })
})
