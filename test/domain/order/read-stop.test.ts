// A stop as people type it.

import { expect, test } from "vitest"
import { readStop } from "../../../src/domain/order/read-stop.ts"

const read = (text: string) => readStop(text.split(" "))

test("words come first, and the rest is the reason", () => {
  expect(read("agent:billing-agent tool:refund_* runaway refunds, see ticket:42")).toEqual({
    kind: "stop",
    stop: {
      match: { agent: ["billing-agent"], tool: ["refund_*"] },
      reason: "runaway refunds, see ticket:42",
      forMs: null,
    },
  })
})

test("everything is a word, and so is how long it lasts", () => {
  expect(read("everything for:2h we look")).toEqual({
    kind: "stop",
    stop: { match: {}, reason: "we look", forMs: 7_200_000 },
  })
})

test("one of several values is enough", () => {
  expect(read("agent:a agent:b why")).toMatchObject({ stop: { match: { agent: ["a", "b"] } } })
})

test("a name of 300 characters and a reason of 1,000 are taken", () => {
  expect(read(`agent:${"a".repeat(300)} ${"x".repeat(1_000)}`)).toMatchObject({ kind: "stop" })
})

test.each([
  ["runaway refunds", { kind: "no-words" }],
  ["for:2h runaway", { kind: "no-words" }],
  ["agnet:billing runaway", { kind: "unknown-word", word: "agnet:billing", likely: "agent:billing" }],
  ["agent:a tol:refund runaway", { kind: "unknown-word", word: "tol:refund", likely: "tool:refund" }],
  ["everythin runaway", { kind: "unknown-word", word: "everythin", likely: "everything" }],
  ["agent: billing runaway", { kind: "no-value", word: "agent:" }],
  ["agent:a", { kind: "no-reason" }],
  ["agent:a \u200b", { kind: "no-reason" }],
  ["everything agent:a why", { kind: "not-alone" }],
  ["agent:\u200b runaway", { kind: "no-value", word: "agent:\u200b" }],
  [`agent:${"a".repeat(301)} why`, { kind: "long-value", word: `agent:${"a".repeat(301)}` }],
  [`agent:a ${"x".repeat(1_001)}`, { kind: "long-reason" }],
  ["everything for:1h for:2h why", { kind: "two-times" }],
  ["everything for: why", { kind: "bad-time", word: "for:" }],
  ["everything for:2 why", { kind: "bad-time", word: "for:2" }],
  ["everything for:0h why", { kind: "bad-time", word: "for:0h" }],
  ["everything for:181d why", { kind: "bad-time", word: "for:181d" }],
])("%s stops nothing", (text, problem) => {
  expect(read(text)).toEqual(problem)
})
