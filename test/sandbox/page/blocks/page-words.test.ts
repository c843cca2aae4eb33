// The page's own reading of Slack's texts, dates, commands and addresses.

import { describe, expect, it } from "vitest"
import { writeDate } from "../../../../src/sandbox/page/blocks/dates.ts"
import { mrkdwnParts, partsOf } from "../../../../src/sandbox/page/blocks/mrkdwn.ts"
import { completionsOf } from "../../../../src/sandbox/page/completions.ts"
import { readAddress, writeAddress } from "../../../../src/sandbox/page/state/address.ts"

const text = (words: string, style: object = {}) => ({ type: "text", text: words, style })
const section = (...elements: object[]) => ({ type: "rich_text_section", elements })

describe("mrkdwn", () => {
  it("has bold, italic, struck out and code, one in the other, and code stays as it is written", () => {
    expect(mrkdwnParts("a *b _c_* ~d~ `e*f*&lt;`")).toEqual([
      section(
        text("a "),
        text("b ", { bold: true }),
        text("c", { bold: true, italic: true }),
        text(" "),
        text("d", { strike: true }),
        text(" "),
        text("e*f*<", { code: true }),
      ),
    ])
  })

  it("has mentions, links, dates and emoji", () => {
    expect(
      mrkdwnParts("<@U1> <#C1> <!subteam^S1> <!here> <https://x.y|l> <!date^9^{time}|fb> :tada: 10:30:05"),
    ).toMatchObject([
      {
        elements: [
          { type: "user", user_id: "U1" },
          text(" "),
          { type: "channel", channel_id: "C1" },
          text(" "),
          { type: "usergroup", usergroup_id: "S1" },
          text(" "),
          { type: "broadcast", range: "here" },
          text(" "),
          { type: "link", url: "https://x.y", text: "l" },
          text(" "),
          { type: "date", timestamp: 9, format: "{time}", fallback: "fb" },
          text(" "),
          { type: "emoji", name: "tada" },
          text(" 10:30:05"),
        ],
      },
    ])
  })

  it("knows nothing of Markdown: what Slack shows as letters stays letters", () => {
    const words = "# head [label](http://x.y) **b** __c__ - item"

    expect(mrkdwnParts(words)).toEqual([section(text(words))])
  })

  it("escaped characters are the letters themselves, never markup", () => {
    expect(mrkdwnParts("&lt;@U1&gt; &amp;lt;")).toEqual([section(text("<@U1> &lt;"))])
  })

  it("has fenced code and quotes", () => {
    expect(mrkdwnParts("see\n```\na *b*\n```\n&gt; said\n&gt; more\nend")).toEqual([
      section(text("see")),
      { type: "rich_text_preformatted", elements: [text("a *b*")] },
      { type: "rich_text_quote", elements: [text("said\nmore")] },
      section(text("end")),
    ])
  })
})

describe("plain text", () => {
  it("is literal, with emoji unless the app says otherwise", () => {
    const hostile = "*b* <@U1> <https://x.y|l> &lt; :tada:"

    expect(partsOf({ type: "plain_text", text: hostile, emoji: false })).toEqual([section(text(hostile))])
    expect(partsOf({ type: "plain_text", text: "*b* :tada:" })).toEqual([
      section(text("*b* "), { type: "emoji", name: "tada", style: {} }),
    ])
  })
})

describe("dates", () => {
  const at = new Date(2026, 10, 21, 12, 1, 5).getTime()

  it.each([
    ["{date_short_pretty} at {time}", 0, "today at 12:01"],
    ["{date_pretty}", 1, "yesterday"],
    ["{date_long_pretty}", -1, "tomorrow"],
    ["{date_short_pretty} {time_secs}", 5, "Nov 21, 2026 12:01:05"],
    ["{date_num} {date} {unknown}", 0, "2026-11-21 November 21, 2026 {unknown}"],
  ])("a date as %s, seen %i days later, is shown as %s", (format, days, written) => {
    expect(writeDate(at, format, at + days * 86_400_000)).toBe(written)
  })
})

describe("completions", () => {
  const commands = [{ command: "/approvals", description: "What waits", hint: "[list | show ID | help]" }]
  const lines = (typed: string) => completionsOf(commands, typed).map(({ line, label }) => [line, label])

  it("propose commands and what may follow them, up to what the person has to fill in", () => {
    expect(lines("/a")).toEqual([
      ["/approvals ", "/approvals"],
      ["/approvals list", "/approvals list"],
      ["/approvals show ", "/approvals show ID"],
      ["/approvals help", "/approvals help"],
    ])
    expect(lines("/approvals s")).toEqual([["/approvals show ", "/approvals show ID"]])
  })

  it("are none for words that are no command and for a line that is complete", () => {
    expect([lines("approvals"), lines("/other"), lines("/approvals help"), lines("/approvals show 7")]).toEqual([
      [],
      [],
      [],
      [],
    ])
  })
})

describe("the address", () => {
  it("is written and read back, and what is missing is empty", () => {
    const address = { token: "t&1", person: "U0ALICE", at: "C1", thread: "1.2", message: "1.3" }

    expect(readAddress(writeAddress(address))).toEqual(address)
    expect(readAddress("?token=t")).toEqual({ token: "t", person: "", at: "", thread: "", message: "" })
  })
})
