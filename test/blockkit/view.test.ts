// Shows each limit of modals and Home tabs from both sides.
import { describe, expect, it } from "vitest"
import { validateView } from "../../src/blockkit/validate.ts"

const x = (length: number) => "x".repeat(length)
const text = (length: number) => ({ type: "plain_text", text: x(length) })
const section = (length = 1) => ({ type: "section", text: { type: "mrkdwn", text: x(length) } })
const button = (more: object = {}) => ({ type: "button", action_id: "press", text: text(5), ...more })
const option = (value = "v") => ({ text: text(3), value })
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`v${index}`))
const input = (element: object, more: object = {}) => ({ type: "input", label: text(5), element, ...more })
const many = (count: number, block: object) => Array.from({ length: count }, () => block)
const modal = (blocks: object[], more: object = {}) => ({
  type: "modal",
  title: text(5),
  submit: text(5),
  blocks,
  ...more,
})

describe("a view", () => {
  it.each<[string, object, string]>([
    ["a title of 25", modal([section()], { title: text(25) }), "/title/text"],
    ["a submit of 25", modal([section()], { submit: text(25) }), "/submit/text"],
    ["a close of 25", modal([section()], { close: text(25) }), "/close/text"],
    ["private_metadata of 3,001", modal([section()], { private_metadata: x(3001) }), "/private_metadata"],
    ["a callback_id of 256", modal([section()], { callback_id: x(256) }), "/callback_id"],
    ["101 blocks", modal(many(101, section())), "/blocks"],
    ["no blocks", modal([]), "/blocks"],
    [
      "an input without submit",
      { type: "modal", title: text(1), blocks: [input({ type: "plain_text_input" })] },
      "/submit",
    ],
    ["a markdown block", modal([{ type: "markdown", text: "x" }]), "/blocks/0"],
    ["an alert of 201", modal([{ type: "alert", text: text(201) }]), "/blocks/0/text/text"],
    [
      "an input label of 2,001",
      modal([input({ type: "plain_text_input" }, { label: text(2001) })]),
      "/blocks/0/label/text",
    ],
    ["a button as an input", modal([input(button())]), "/blocks/0/element"],
    [
      "max_length of 3,001",
      modal([input({ type: "plain_text_input", max_length: 3001 })]),
      "/blocks/0/element/max_length",
    ],
    ["min above max", modal([input({ type: "plain_text_input", min_length: 5, max_length: 4 })]), "/blocks/0/element"],
    [
      "a number_input without its kind",
      modal([input({ type: "number_input" })]),
      "/blocks/0/element/is_decimal_allowed",
    ],
    ["a Home tab with a title", { type: "home", title: text(1), blocks: [section()] }, ""],
    ["a Home tab with an alert", { type: "home", blocks: [{ type: "alert", text: text(1) }] }, "/blocks/0"],
    ["a workflow step", { type: "workflow_step", blocks: [] }, ""],
  ])("is refused with %s", (_name, view, pointer) => {
    expect(validateView(view)).toMatchObject({ ok: false, code: "invalid_blocks", errors: [{ pointer }] })
  })

  it("is refused above 250 kB", () => {
    const blocks = many(
      60,
      input({ type: "static_select", options: options(40) }, { label: text(1500), hint: text(1500) }),
    )

    expect(validateView(modal(blocks))).toMatchObject({ ok: false, code: "view_too_large" })
  })

  it("takes every input, an alert, 100 blocks, and a Home tab", () => {
    const inputs = [
      { type: "plain_text_input", multiline: true, max_length: 3000, initial_value: x(3000) },
      { type: "number_input", is_decimal_allowed: false, min_value: "1" },
      { type: "static_select", option_groups: [{ label: text(3), options: options(2) }], initial_option: option("v1") },
      { type: "checkboxes", options: options(10), initial_options: [option("v3")] },
      { type: "radio_buttons", options: options(10) },
      { type: "users_select" },
      { type: "email_text_input" },
      { type: "datepicker", initial_date: "2026-11-21" },
    ]

    expect(validateView(modal(inputs.map((element) => input(element))))).toMatchObject({ ok: true })
    expect(
      validateView(modal([{ type: "alert", text: text(200), level: "error" }, ...many(99, section())])),
    ).toMatchObject({ ok: true })
    expect(validateView({ type: "home", blocks: many(100, section()) })).toMatchObject({ ok: true })
  })
})
