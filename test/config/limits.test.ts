// The limit of a rule: how it is read, and what a wrong one is told.
import { describe, expect, test } from "vitest"
import { FILE_ENV, load, refusal } from "./load.ts"

const env = { ...FILE_ENV, PLATFORM_URL: "https://agents.example.com", PLATFORM_TOKEN: "t" }
const rule = "name: a, routes: [C0A], approvers: [U0C, U0D], unknown_requester: allow"
const good = "sum: args.amount, window: 24h, above: 5000, then: {quorum: 2}"
const limited = (limit: string, more = "") => `rules:\n  - {${rule}${more}, limit: {${limit}}}`

function toldOf(yaml: string): string {
  return refusal({ env, yaml }).message
}

test("a limit is read, and what it leaves out is the rule's", () => {
  const config = load({ env, yaml: limited(`${good}, per: args.recipient`) })

  expect(config.rules[0]?.limit).toEqual({
    sum: "args.amount",
    per: "args.recipient",
    windowMs: 86_400_000,
    above: "5000",
    asks: {
      quorum: 2,
      approvers: [
        { kind: "user", id: "U0C" },
        { kind: "user", id: "U0D" },
      ],
      routes: [{ kind: "channel", id: "C0A" }],
    },
  })
})

test("a limit names people, routes and an amount of its own, digit by digit", () => {
  const own = `then: {approvers: [U0E], routes: [U0E]}`
  const yaml = limited(`sum: 'args["total sum"]', window: 90m, above: "12345678901234567890.5", ${own}`)

  const config = load({ env, yaml })

  expect(config.rules[0]?.limit).toMatchObject({
    sum: 'args["total sum"]',
    windowMs: 5_400_000,
    above: "12345678901234567890.5",
    asks: { quorum: 1, approvers: [{ id: "U0E" }], routes: [{ kind: "person", id: "U0E" }] },
  })
  expect(config.rules[0]?.limit).not.toHaveProperty("per")
})

describe("a limit", () => {
  test.each([
    ["no sum", "window: 1h, above: 5, then: {quorum: 2}", "rules[0].limit.sum is missing"],
    [
      "no window",
      "sum: args.a, above: 5, then: {quorum: 2}",
      "rules[0].limit.window must be a duration such as 500ms, 1s or 2m. For example: window: 24h",
    ],
    [
      "no amount",
      "sum: args.a, window: 1h, then: {quorum: 2}",
      "rules[0].limit.above must be a number, 0 or more. For example: above: 5000",
    ],
    ["nobody to ask", "sum: args.a, window: 1h, above: 5", "rules[0].limit.then is missing"],
    [
      "a sum that is no path",
      "sum: args.amount + 1, window: 1h, above: 5, then: {quorum: 2}",
      "countersign.yaml:2:92 rules[0].limit.sum at column 1 is no path: write args.name",
    ],
    [
      "a sum of something else than arguments",
      "sum: call.tool, window: 1h, above: 5, then: {quorum: 2}",
      "rules[0].limit.sum is no argument: write args.name, as in args.amount. For example: sum: args.amount",
    ],
    [
      "an owner that only whoever asked claims",
      `${good}, per: requester.known`,
      "rules[0].limit.per is no argument and nothing of the call: write args.name or call.agent",
    ],
    ["an owner by a list", `${good}, per: call.classes`, "rules[0].limit.per is no argument and nothing of the call"],
    ["an owner that no call has", `${good}, per: call.user`, "rules[0].limit.per at column 1 is nothing that call has"],
    [
      "too short a window",
      "sum: args.a, window: 5s, above: 5, then: {quorum: 2}",
      "rules[0].limit.window must be at least 1m and at most 90d. For example: window: 24h",
    ],
    [
      "a window without a unit that is known",
      "sum: args.a, window: day, above: 5, then: {quorum: 2}",
      "rules[0].limit.window must be a duration such as 500ms, 1s or 2m",
    ],
    [
      "an amount below 0",
      "sum: args.a, window: 1h, above: -5, then: {quorum: 2}",
      "rules[0].limit.above must be a number, 0 or more. For example: above: 5000",
    ],
    [
      "an amount in words",
      "sum: args.a, window: 1h, above: a lot, then: {quorum: 2}",
      "rules[0].limit.above must be a number, 0 or more",
    ],
    [
      "an amount of which YAML loses digits",
      "sum: args.a, window: 1h, above: 12345678901234567, then: {quorum: 2}",
      'rules[0].limit.above has more digits than YAML keeps: write it in quotes, as in "5000"',
    ],
    [
      "nobody more to ask",
      "sum: args.a, window: 1h, above: 5, then: {approvers: [U0D, U0C], quorum: 1}",
      "rules[0].limit.then asks nobody more than the rule does: give a higher quorum, or other approvers",
    ],
    [
      "more people than it lists",
      "sum: args.a, window: 1h, above: 5, then: {approvers: [U0E], quorum: 2}",
      "rules[0].limit.then.quorum asks for 2 people, but approvers lists 1",
    ],
    [
      "a quorum of nobody",
      "sum: args.a, window: 1h, above: 5, then: {quorum: 0}",
      "rules[0].limit.then.quorum must be a whole number from 1 to 20",
    ],
    [
      "an empty list of approvers",
      "sum: args.a, window: 1h, above: 5, then: {approvers: []}",
      "rules[0].limit.then.approvers must list at least one person or group",
    ],
    [
      "an empty list of routes",
      "sum: args.a, window: 1h, above: 5, then: {quorum: 2, routes: []}",
      "rules[0].limit.then.routes must list at least one channel or person",
    ],
    ["a key that is none", `${good}, over: 1d`, "rules[0].limit.over is no key here"],
  ])("with %s is refused", (_what, limit, told) => {
    expect(toldOf(limited(limit))).toContain(told)
  })
})

describe("two rules that add up the same sum", () => {
  const other = rule.replace("name: a", "name: b")
  const two = (first: string, second: string) =>
    `instances: [{name: x, url: "https://x.example", token: "\${PLATFORM_TOKEN}"}, {name: y, url: "https://y.example", token: "\${PLATFORM_TOKEN}"}]\nrules:\n  - {${rule}${first}}\n  - {${other}${second}}`
  const limit = (window: string, sum = "args.amount") =>
    `, limit: {sum: '${sum}', window: ${window}, above: 5, then: {quorum: 2}}`

  test("need the same window, however the path is written", () => {
    const yaml = two(limit("24h"), limit("1h", 'args["amount"]'))

    expect(toldOf(yaml)).toContain(
      "rules[1].limit.window is another than that of rule a, and both add up the same sum: give both the same window",
    )
  })

  test("may have other windows for other instances, other paths and the same window", () => {
    const of = (name: string) => `, match: {instance: ${name}}`

    for (const yaml of [
      two(of("x") + limit("24h"), of("y") + limit("1h")),
      two(limit("24h"), limit("1h", "args.total")),
      two(limit("24h"), limit("24h")),
    ])
      expect(load({ env, yaml }).rules).toHaveLength(2)
  })

  test("cannot take the name of the rule for what is above a limit", () => {
    const yaml = `rules:\n  - {${rule}${limit("1h")}}\n  - {${rule.replace("name: a", "name: 'a, above its limit'")}}`

    expect(toldOf(yaml)).toContain("rules[0].name has a limit, and the rule for those above it is called")
  })
})
