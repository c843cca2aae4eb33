// Shows each limit of messages from both sides, and that errors say where and why.
import { describe, expect, it } from "vitest"
import { slackMessages } from "../../src/blockkit/issues.ts"
import { validateMessage } from "../../src/blockkit/validate.ts"

const x = (length: number) => "x".repeat(length)
const text = (length: number) => ({ type: "plain_text", text: x(length) })
const section = (length = 1) => ({ type: "section", text: { type: "mrkdwn", text: x(length) } })
const button = (more: object = {}) => ({ type: "button", action_id: "press", text: text(5), ...more })
const actions = (...elements: object[]) => ({ type: "actions", elements })
const option = (value = "v") => ({ text: text(3), value })
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`v${index}`))
const rich = (length: number) => ({
  type: "rich_text",
  elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: x(length) }] }],
})
const many = (count: number, block: object) => Array.from({ length: count }, () => block)
const row = (cells: number) => many(cells, { type: "raw_text", text: "x" })

describe("a message's blocks", () => {
  it.each<[string, object, string, string]>([
    ["a section of 3,001", section(3001), "/blocks/0/text/text", "must be less than 3001 characters"],
    ["a section without text", { type: "section" }, "/blocks/0", "must provide either text or fields"],
    [
      "an empty text",
      { type: "section", text: { type: "mrkdwn", text: "" } },
      "/blocks/0/text/text",
      "must be more than 0 characters",
    ],
    ["11 fields", { type: "section", fields: many(11, text(1)) }, "/blocks/0/fields", "no more than 10 items allowed"],
    [
      "a field of 2,001",
      { type: "section", fields: [text(2001)] },
      "/blocks/0/fields/0/text",
      "must be less than 2001 characters",
    ],
    ["a header of 151", { type: "header", text: text(151) }, "/blocks/0/text/text", "must be less than 151 characters"],
    [
      "11 context elements",
      { type: "context", elements: many(11, text(1)) },
      "/blocks/0/elements",
      "no more than 10 items allowed",
    ],
    [
      "26 buttons",
      actions(...Array.from({ length: 26 }, (_, index) => button({ action_id: `a${index}` }))),
      "/blocks/0/elements",
      "no more than 25 items allowed",
    ],
    [
      "a button text of 76",
      actions(button({ text: text(76) })),
      "/blocks/0/elements/0/text/text",
      "must be less than 76 characters",
    ],
    [
      "a button value of 2,001",
      actions(button({ value: x(2001) })),
      "/blocks/0/elements/0/value",
      "must be less than 2001 characters",
    ],
    [
      "an action_id of 256",
      actions(button({ action_id: x(256) })),
      "/blocks/0/elements/0/action_id",
      "must be less than 256 characters",
    ],
    ["a block_id of 256", { ...section(), block_id: x(256) }, "/blocks/0/block_id", "must be less than 256 characters"],
    [
      "a confirm title of 101",
      actions(button({ confirm: { title: text(101), text: text(1) } })),
      "/blocks/0/elements/0/confirm/title/text",
      "must be less than 101 characters",
    ],
    [
      "a confirm text of 301",
      actions(button({ confirm: { text: text(301) } })),
      "/blocks/0/elements/0/confirm/text/text",
      "must be less than 301 characters",
    ],
    [
      "an overflow of 6",
      actions({ type: "overflow", options: options(6) }),
      "/blocks/0/elements/0/options",
      "no more than 5 items allowed",
    ],
    [
      "a select of 101",
      actions({ type: "static_select", options: options(101) }),
      "/blocks/0/elements/0/options",
      "no more than 100 items allowed",
    ],
    [
      "a select without options",
      actions({ type: "static_select" }),
      "/blocks/0/elements/0",
      "must provide either options or option_groups",
    ],
    [
      "a foreign initial option",
      actions({ type: "static_select", options: options(2), initial_option: option("other") }),
      "/blocks/0/elements/0",
      "initial option must be one of the options",
    ],
    [
      "options of one value",
      actions({ type: "static_select", options: [option(), { ...option(), text: text(4) }] }),
      "/blocks/0/elements/0",
      "option values must be unique",
    ],
    [
      "radio buttons of 11",
      actions({ type: "radio_buttons", options: options(11) }),
      "/blocks/0/elements/0/options",
      "no more than 10 items allowed",
    ],
    [
      "a placeholder of 151",
      actions({ type: "users_select", placeholder: text(151) }),
      "/blocks/0/elements/0/placeholder/text",
      "must be less than 151 characters",
    ],
    [
      "an image without alt_text",
      { type: "image", image_url: "https://x.example/a.png" },
      "/blocks/0/alt_text",
      "missing required field",
    ],
    [
      "an image without source",
      { type: "image", alt_text: "x" },
      "/blocks/0",
      "must provide either image_url or slack_file",
    ],
    [
      "a table of 101 rows",
      { type: "table", rows: many(101, row(1)) },
      "/blocks/0/rows",
      "no more than 100 items allowed",
    ],
    ["a table of 21 cells", { type: "table", rows: [row(21)] }, "/blocks/0/rows/0", "no more than 20 items allowed"],
    [
      "a container of 11",
      { type: "container", child_blocks: many(11, section()) },
      "/blocks/0/child_blocks",
      "no more than 10 items allowed",
    ],
    [
      "a container with rich_text, which Slack's validator is reported to refuse",
      { type: "container", child_blocks: [rich(9)] },
      "/blocks/0/child_blocks/0",
      "unsupported type",
    ],
    [
      "a container with an input, likewise",
      { type: "container", child_blocks: [{ type: "input", label: text(1), element: { type: "plain_text_input" } }] },
      "/blocks/0/child_blocks/0",
      "unsupported type",
    ],
    [
      "a container with markdown",
      { type: "container", child_blocks: [{ type: "markdown", text: "x" }] },
      "/blocks/0/child_blocks/0",
      "unsupported type",
    ],
    [
      "a container without a title",
      { type: "container", child_blocks: [section()] },
      "/blocks/0",
      "must provide either title or rich_text_title",
    ],
    [
      "a container that collapses and has a divider",
      { type: "container", title: text(1), is_collapsible: true, has_header_divider: true, child_blocks: [section()] },
      "/blocks/0",
      "has_header_divider needs is_collapsible to be false",
    ],
    [
      "a container that is collapsed and cannot be",
      { type: "container", title: text(1), default_collapsed: true, child_blocks: [section()] },
      "/blocks/0",
      "default_collapsed needs is_collapsible",
    ],
    ...["card", "carousel", "data_table"].map((type): [string, object, string, string] => [
      `a ${type}`,
      { type },
      "/blocks/0",
      "unsupported type",
    ]),
    ["an alert", { type: "alert", text: text(1) }, "/blocks/0", "unsupported type"],
    ["an unknown block", { type: "banner" }, "/blocks/0", "unsupported type"],
    ["an unknown key", { ...section(), colour: "red" }, "/blocks/0", "invalid additional property: colour"],
    ["an empty rich_text text", rich(0), "/blocks/0/elements/0/elements/0/text", "must be more than 0 characters"],
  ])("refuses %s", (_name, block, pointer, message) => {
    const verdict = validateMessage({ text: "x", blocks: [block] })

    expect(verdict).toEqual({ ok: false, code: "invalid_blocks", errors: [{ pointer, message }] })
  })

  it.each<[string, object[]]>([
    ["every block at its limit", [section(3000), { type: "header", text: text(150) }, { type: "divider" }]],
    [
      "25 buttons",
      [actions(...Array.from({ length: 25 }, (_, index) => button({ action_id: `a${index}`, value: x(2000) })))],
    ],
    ["50 blocks", many(50, section())],
    ["a table with rich text", [{ type: "table", rows: [[rich(3), ...row(19)]] }]],
    [
      "a collapsed container",
      [{ type: "container", title: text(9), is_collapsible: true, default_collapsed: true, child_blocks: [section()] }],
    ],
    ["text of 10,000 in all", [rich(10_000)]],
    ["the same action_id in two blocks", [actions(button()), actions(button())]],
    ["a section with a button beside it", [{ ...section(), accessory: button(), expand: true }]],
  ])("takes %s", (_name, blocks) => {
    expect(validateMessage({ text: "x", blocks })).toMatchObject({ ok: true })
  })

  it("refuses the 51st block, ids that repeat, and a second table", () => {
    const twice = [
      { ...section(), block_id: "a" },
      { type: "container", title: text(1), child_blocks: [{ ...section(), block_id: "a" }] },
    ]
    const table = { type: "table", rows: [row(1)] }

    expect(validateMessage({ blocks: many(51, section()) })).toMatchObject({
      errors: [{ pointer: "/blocks", message: "no more than 50 items allowed" }],
    })
    expect(validateMessage({ blocks: twice })).toMatchObject({
      errors: [{ pointer: "/blocks/1/child_blocks/0/block_id", message: "`a` already exists" }],
    })
    expect(validateMessage({ blocks: [actions(button(), button())] })).toMatchObject({
      errors: [{ pointer: "/blocks/0/elements/1/action_id" }],
    })
    expect(validateMessage({ blocks: [table, table] })).toMatchObject({
      errors: [{ pointer: "/blocks", message: "only one table block is allowed" }],
    })
  })

  it("counts a literal text after escaping, and all text together", () => {
    const ampersands = { type: "section", text: { type: "plain_text", text: "&".repeat(601) } }

    expect(validateMessage({ blocks: [ampersands] })).toMatchObject({ code: "invalid_blocks" })
    expect(validateMessage({ blocks: [rich(9_999), section(2)] })).toMatchObject({ code: "msg_blocks_too_long" })
  })

  it("says all that is wrong, in Slack's words", () => {
    const verdict = validateMessage({ blocks: [section(3001), { type: "banner" }] })

    expect(verdict.ok ? [] : slackMessages(verdict.errors)).toEqual([
      "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
      "[ERROR] unsupported type [json-pointer:/blocks/1]",
    ])
  })
})

describe("a message's text and metadata", () => {
  it("takes 4,000 of text as it is sent, escapes included, and no message without both text and blocks", () => {
    expect(validateMessage({ text: x(4000) })).toMatchObject({ ok: true })
    expect(validateMessage({ text: "&amp;".repeat(801) })).toMatchObject({
      code: "msg_too_long",
      errors: [{ pointer: "/text" }],
    })
    expect(validateMessage({ text: "" })).toMatchObject({ code: "no_text" })
  })

  it("gives metadata back and refuses a long event_type", () => {
    const metadata = { event_type: "card", event_payload: { id: "1" } }

    expect(validateMessage({ text: "x", metadata })).toMatchObject({ message: { metadata } })
    expect(validateMessage({ text: "x", metadata: { ...metadata, event_type: x(51) } })).toMatchObject({
      code: "invalid_metadata_format",
    })
  })
})
