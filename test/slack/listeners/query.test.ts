// The words behind a command: each understood, or sent back with the nearest right one.

import { describe, expect, it } from "vitest"
import { isAboutPast, readHistoryQuery, readListQuery, readSearch } from "../../../src/slack/listeners/command-query.ts"

const words = (line: string) => (line === "" ? [] : line.split(" "))
const now = Date.parse("2026-11-21T15:30:00Z")
const asker = { team: "T0", user: "U0ME" }
const reader = { asker, now }
const at = (text: string) => Date.parse(text)

describe("list", () => {
  const start = { mine: false, page: 1, after: 0, filter: {} }

  it.each([
    ["", {}],
    ["MINE 3", { mine: true, page: 3 }],
    ["Overdue mine", { mine: true, filter: { overdue: true } }],
    ["mine all", {}],
    ["requested", { filter: { requestedBy: asker } }],
    ["after:2000 2", { page: 2, after: 2_000 }],
    ["agent:a* Tool:send_? 2", { page: 2, filter: { agent: "a*", tool: "send_?" } }],
    ["team:finance workflow:month-end", { filter: { team: "finance", workflow: "month-end" } }],
    ["instance:main rule:pay older:90m", { filter: { instance: "main", rule: "pay", olderMs: 5_400_000 } }],
    ["older:2d", { filter: { olderMs: 172_800_000 } }],
    ["status:Expired", { filter: { status: "expired" } }],
    ["@ann <@U0BOB|bob>", { filter: { person: "U0BOB" } }],
  ])("the words %j after list are understood", (line, query) => {
    expect(readListQuery(words(line), reader)).toEqual({ ok: true, query: { ...start, ...query } })
  })

  it.each([
    ["requester:rita@corp.example", { requester: "rita@corp.example" }],
    ["requester:<@U0ANN|ann>", { requestedBy: { team: "T0", user: "U0ANN" } }],
    ["requester:me", { requestedBy: asker }],
    ["requester:@rita", { requester: "rita" }],
  ])("who asked may be a name or a person: %s", (line, filter) => {
    expect(readListQuery([line], reader)).toEqual({ ok: true, query: { ...start, filter } })
  })

  it.each([
    ["today", { since: at("2026-11-21") }],
    ["yesterday", { since: at("2026-11-20"), until: at("2026-11-21") - 1 }],
    ["since:7d", { since: now - 7 * 86_400_000 }],
    ["since:yesterday", { since: at("2026-11-20") }],
    ["since:2026-11-01", { since: at("2026-11-01") }],
    ["until:2026-11-01", { until: at("2026-11-02") - 1 }],
    ["until:2026-11-01T12:00Z", { until: at("2026-11-01T12:00Z") }],
    ["since:2026-11-01T12:00:30+02:00", { since: at("2026-11-01T10:00:30Z") }],
  ])("time is a span ago, a day in UTC or a moment: %s", (line, filter) => {
    expect(readListQuery([line], reader)).toEqual({ ok: true, query: { ...start, filter } })
  })

  it.each([
    ["agent:", "agent:", "agent:name"],
    ["tol:x", "tol:x", "tool:x"],
    ["requester:", "requester:", "requester:name"],
    ["older:soon", "older:soon", "older:2h"],
    ["status:aproved", "status:aproved", "status:expired"],
    ["since:soon", "since:soon", "since:7d"],
    ["since:2026-11-01T12:00", "since:2026-11-01T12:00", "since:7d"],
    ["until:2026-13-45", "until:2026-13-45", "until:today"],
  ])("the words %j after list are not understood, and the nearest right one is told", (line, word, meant) => {
    expect(readListQuery(words(line), reader)).toEqual({ ok: false, word, meant })
  })
})

describe("words that are no filter", () => {
  it.each([
    ["refund Jane", { text: "refund Jane" }, undefined],
    ["refund mine 2 agent:billing 7:30", { agent: "billing", text: "refund 7:30" }, undefined],
    ["text:INV-2041 refund", { text: "INV-2041 refund" }, undefined],
    ["2041 0", { text: "2041 0" }, undefined],
    ["inv:2041 https://corp.example/a", { text: "inv:2041 https://corp.example/a" }, undefined],
    ["mien", { text: "mien" }, "mine"],
    ["overdeu", { text: "overdeu" }, "overdue"],
    ["agent:x yestreday", { agent: "x", text: "yestreday" }, "yesterday"],
  ])("the words %j are searched for in a list, as on Home", (line, filter, meant) => {
    const read = readListQuery(words(line), reader)

    expect(read).toMatchObject({ ok: true, query: { filter } })
    expect(read.ok && read.meant).toBe(meant)
  })

  it("the words of a list and of Home mean the same", () => {
    const line = "refund agent:billing text:INV-2041 7:30 since:7d"
    const list = readListQuery(words(line), reader)

    expect(list.ok && list.query.filter).toEqual(readSearch(line, reader))
  })
})

/** Every key that a list knows, with a value and what that means. */
const filters: readonly (readonly [key: string, value: string, filter: object])[] = [
  ...["agent", "team", "workflow", "tool", "instance", "rule", "text"].map(
    (key) => [key, "x", { [key]: "x" }] as const,
  ),
  ["requester", "<@U0ANN|ann>", { requestedBy: { team: "T0", user: "U0ANN" } }],
  ["requester", "@rita", { requester: "rita" }],
  ["status", "expired", { status: "expired" }],
  ["since", "7d", { since: now - 7 * 86_400_000 }],
  ["until", "2026-11-01", { until: at("2026-11-02") - 1 }],
  ["older", "2h", { olderMs: 7_200_000 }],
]

it.each(filters)("the key %s is understood with a space before or behind its colon", (key, value, filter) => {
  for (const line of [
    `${key}: ${value}`,
    `${key} :${value}`,
    `${key} : ${value}`,
    `mine ${key.toUpperCase()}: ${value} 2`,
  ]) {
    const read = readListQuery(words(line), reader)

    expect(read).toMatchObject({ ok: true, query: { filter } })
  }
  expect(readSearch(`${key}: ${value} refund`, reader)).toMatchObject(
    key === "older"
      ? { text: "older:2h refund" }
      : key === "text"
        ? { text: "x refund" }
        : { ...filter, text: "refund" },
  )
})

it("the past is asked for whether or not a space stands behind status", () => {
  expect(isAboutPast(words("status: approved"))).toBe(true)
  expect(readHistoryQuery(words("after: 200 status: approved"), reader)).toMatchObject({
    ok: true,
    query: { after: 200, filter: { status: "approved" } },
  })
})

describe("history", () => {
  const start = { page: 1, after: 0, filter: {} }

  it.each([
    ["", {}],
    ["today <@U0ANN|ann> 2", { page: 2, filter: { since: at("2026-11-21"), person: "U0ANN" } }],
    ["@ann agent:x", { filter: { person: "ann", agent: "x" } }],
    ["status:rejected requested", { filter: { status: "rejected", requestedBy: asker } }],
  ])("the words %j after history are understood", (line, query) => {
    expect(readHistoryQuery(words(line), reader)).toEqual({ ok: true, query: { ...start, ...query } })
  })

  it.each([
    ["mine", "mine"],
    ["overdue", "overdue"],
    ["status:held", "status:held"],
  ])("history does not know what only lists know: %s", (line, word) => {
    expect(readHistoryQuery([line], reader)).toMatchObject({ ok: false, word })
  })

  it("history suggests a status that decided cases have", () => {
    expect(readHistoryQuery(["status:rejeced"], reader)).toMatchObject({ meant: "status:rejected" })
  })
})

it.each([
  ["status:approved", true],
  ["agent:x STATUS:gone", true],
  ["status:expired", false],
  ["status:nonsense", false],
  ["agent:x", false],
])("only a status of decided cases asks for these: %s", (line, past) => {
  expect(isAboutPast(words(line))).toBe(past)
})

it("a search takes filters, and each other word as part of a name or an id", () => {
  expect(readSearch("refund  team:finance status:held 7:30 since:never", reader)).toEqual({
    team: "finance",
    status: "held",
    text: "refund 7:30 since:never",
  })
  expect(readSearch("  ", reader)).toEqual({})
})
