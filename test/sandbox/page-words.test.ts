// The page's own reading of Slack's texts, dates, commands and addresses.
import { describe, expect, it } from "vitest"
import { readAddress, writeAddress } from "../../src/sandbox/page/address.ts"
import { writeDate } from "../../src/sandbox/page/blocks/dates.ts"
import { mrkdwnParts, partsOf } from "../../src/sandbox/page/blocks/mrkdwn.ts"
import { completionsOf } from "../../src/sandbox/page/panes/completions.ts"
import { drawable, richText } from "../../src/sandbox/page/rich-blocks.ts"

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

describe("what is given to slack-blocks-to-jsx", () => {
  it("carries no ids, and a link only where a browser may follow it", () => {
    const block = drawable({
      type: "rich_text",
      block_id: "an id",
      elements: [
        {
          type: "rich_text_section",
          elements: [
            { type: "link", url: "javascript:alert(1)", text: "label" },
            { type: "link", url: "https://x.y" },
          ],
        },
      ],
    })

    expect(block).not.toHaveProperty("block_id")
    expect(block).toMatchObject({
      elements: [
        {
          elements: [
            { type: "text", text: "label" },
            { type: "link", url: "https://x.y", text: "https://x.y" },
          ],
        },
      ],
    })
  })

  it("has the literal words of table cells as rich text", () => {
    expect(drawable({ type: "table", rows: [[{ type: "raw_text", text: "*a*" }]] })).toMatchObject({
      rows: [[{ type: "rich_text", elements: [{ elements: [{ type: "text", text: "*a*" }] }] }]],
    })
  })

  it("keeps lists, quotes and preformatted text", () => {
    const item = { type: "rich_text_section" as const, elements: [{ type: "text" as const, text: "i" }] }
    const made = richText([
      { type: "rich_text_list", style: "ordered", indent: 2, elements: [item] },
      { type: "rich_text_quote", elements: [{ type: "broadcast", range: "here" }] },
      { type: "rich_text_preformatted", elements: [{ type: "text", text: " a\n  b" }] },
    ])

    expect(made.elements).toMatchObject([
      { type: "rich_text_list", style: "ordered", indent: 2, elements: [{ elements: [{ text: "i" }] }] },
      { type: "rich_text_quote", elements: [{ range: "here" }] },
      { type: "rich_text_preformatted", elements: [{ text: " a\n  b" }] },
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
  ])("%s seen %i days later is %s", (format, days, written) => {
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
    const address = { token: "t&1", person: "U0ALICE", at: "C1", thread: "1.2" }

    expect(readAddress(writeAddress(address))).toEqual(address)
    expect(readAddress("?token=t")).toEqual({ token: "t", person: "", at: "", thread: "" })
  })
})
