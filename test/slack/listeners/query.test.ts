// The words behind a command: each understood, or sent back with the nearest right one.

import { describe, expect, it } from "vitest"
import { readHistoryQuery, readListQuery } from "../../../src/slack/listeners/command-query.ts"

const words = (line: string) => (line === "" ? [] : line.split(" "))

describe("list", () => {
  it.each([
    ["", { mine: false, page: 1, filter: {} }],
    ["MINE 3", { mine: true, page: 3, filter: {} }],
    ["Overdue mine", { mine: true, page: 1, filter: { overdue: true } }],
    ["mine all", { mine: false, page: 1, filter: {} }],
    ["agent:a* Tool:send_? 2", { mine: false, page: 2, filter: { agent: "a*", tool: "send_?" } }],
    [
      "instance:main rule:pay older:90m",
      { mine: false, page: 1, filter: { instance: "main", rule: "pay", olderMs: 5_400_000 } },
    ],
    ["older:2d", { mine: false, page: 1, filter: { olderMs: 172_800_000 } }],
  ])("the words %j after list are understood", (line, query) => {
    expect(readListQuery(words(line))).toEqual({ ok: true, query })
  })

  it.each([
    ["mien", "mien", "mine"],
    ["overdeu", "overdeu", "overdue"],
    ["agent:", "agent:", "agent:"],
    ["tol:x", "tol:x", "tool:"],
    ["older:soon", "older:soon", "older:"],
    ["0", "0", "all"],
  ])("the words %j after list are not understood, and the nearest right one is told", (line, word, meant) => {
    expect(readListQuery(words(line))).toEqual({ ok: false, word, meant })
  })
})

describe("history", () => {
  it.each([
    ["", { page: 1, filter: {} }],
    ["today <@U0ANN|ann> 2", { page: 2, filter: { withinMs: 86_400_000, person: "U0ANN" } }],
    ["@ann agent:x", { page: 1, filter: { person: "ann", agent: "x" } }],
  ])("the words %j after history are understood", (line, query) => {
    expect(readHistoryQuery(words(line))).toEqual({ ok: true, query })
  })

  it("history does not know what only lists know", () => {
    expect(readHistoryQuery(["mine"])).toMatchObject({ ok: false, word: "mine" })
  })
})
