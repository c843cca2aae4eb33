// What changed between two states of an approval, by the names that people read.
import { describe, expect, test } from "vitest"
import { changedParts, changeSince } from "../../../src/domain/content/changes.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"

const paying = (toolArgs: Record<string, string | number>, more = {}) =>
  anApproval({ toolName: "pay", toolArgs, requirements: null, ...more })

describe("what differs is named", () => {
  test.each([
    ["a value", paying({ amount: 1, to: "A" }), paying({ amount: 2, to: "A" }), ["amount"]],
    ["one that is new and one that is gone", paying({ a: 1 }), paying({ b: 1 }), ["b", "a"]],
    ["the tool", paying({ a: 1 }), paying({ a: 1 }, { toolName: "pay_all" }), ["tool"]],
    ["who asked", paying({ a: 1 }), paying({ a: 1 }, { userId: "eve" }), ["requester"]],
    ["an argument that is named like another part", paying({ tool: "x" }), paying({ tool: "y" }), ["tool (8)"]],
    ["nothing", paying({ a: 1 }), paying({ a: 1 }), []],
  ])("of two approvals %s is told", (_, before, now, names) => {
    expect(changedParts(before, now).map((name) => name.replace(/\(\d+\)/, "(8)"))).toEqual(names)
  })

  test("each of several calls is told by its number", () => {
    const calls = (amount: number) =>
      anApproval({ requirements: [aRequirement("mail"), aRequirement("pay", { tool_args: { amount } })] })

    expect(changedParts(calls(1), calls(2))).toEqual(["call 2: amount"])
  })
})

describe("what changed since people were asked", () => {
  const [before, now] = [paying({ a: 1 }), paying({ a: 2 })]
  const line = (at: number, why: "content" | "rules") => ({ kind: "revised", at, why })

  test("nothing has, if nothing was revised", () => {
    expect(changeSince(undefined, { approval: now, lines: [{ kind: "voted", at: 1 }] })).toBeNull()
  })

  test("the content has, so many times, last then", () => {
    const change = changeSince(before, { approval: now, lines: [line(1, "content"), line(2, "content")] })

    expect(change).toEqual({ content: { at: 2, times: 2, before, parts: ["a"] } })
  })

  test("the rules have, if they came last", () => {
    expect(changeSince(undefined, { approval: now, lines: [line(1, "rules")] })).toEqual({ rulesAt: 1 })
    expect(changeSince(before, { approval: now, lines: [line(1, "content"), line(2, "rules")] })).toMatchObject({
      rulesAt: 2,
      content: { at: 1 },
    })
  })
})
