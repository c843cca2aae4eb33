// What people choose and type becomes Slack's values, and Slack's own form check refuses the rest.

import { describe, expect, it } from "vitest"
import type { Block } from "../../../src/blockkit/blocks.ts"
import type { InteractiveElement } from "../../../src/blockkit/elements.ts"
import { chosen, formErrors, stateOf } from "../../../src/sandbox/user-actions/values.ts"
import { createChanges } from "../../../src/sandbox/workspace/changes.ts"
import { createIds, microsOf } from "../../../src/sandbox/workspace/ids.ts"
import { defaultSeed } from "../../../src/sandbox/workspace/seed.ts"
import { createWorkspace } from "../../../src/sandbox/workspace/workspace.ts"
import { limitMs } from "../../support/limits.ts"
import { random } from "../support.ts"

const option = (value: string) => ({ text: { type: "plain_text" as const, text: value }, value })
const options = [option("a"), option("b")]
const input = (element: object, more: object = {}): Block =>
  ({
    type: "input",
    block_id: "b",
    label: { type: "plain_text", text: "x" },
    element: { action_id: "a", ...element },
    ...more,
  }) as Block

describe("chosen", () => {
  it.each<[object, string | string[] | undefined, object]>([
    [{ type: "static_select", options }, "b", { selected_option: option("b") }],
    [{ type: "static_select", options, initial_option: option("a") }, undefined, { selected_option: option("a") }],
    [
      { type: "static_select", option_groups: [{ label: option("x").text, options }] },
      "a",
      { selected_option: option("a") },
    ],
    [{ type: "overflow", options }, "a", { selected_option: option("a") }],
    [{ type: "checkboxes", options, initial_options: [option("a")] }, [], { selected_options: [] }],
    [{ type: "checkboxes", options }, ["a", "b"], { selected_options: options }],
    [{ type: "radio_buttons", options }, undefined, { selected_option: null }],
    [{ type: "users_select" }, "U1", { selected_user: "U1" }],
    [{ type: "multi_users_select" }, ["U1", "U2"], { selected_users: ["U1", "U2"] }],
    [{ type: "channels_select", initial_channel: "C1" }, undefined, { selected_channel: "C1" }],
    [{ type: "datepicker" }, "2026-11-21", { selected_date: "2026-11-21" }],
    [{ type: "timepicker" }, "12:00", { selected_time: "12:00" }],
    [{ type: "plain_text_input", initial_value: "old" }, "", { value: null }],
    [{ type: "plain_text_input", initial_value: "one\r\ntwo" }, undefined, { value: "onetwo" }],
    [{ type: "plain_text_input", multiline: true, initial_value: "a\r\nb\rc\n" }, undefined, { value: "a\nb\nc\n" }],
    [{ type: "number_input", is_decimal_allowed: true }, "1.5", { value: "1.5" }],
  ])("what a person chose becomes the state of its element: %j with %j", (element, choice, expected) => {
    expect(chosen(element as InteractiveElement, choice)).toMatchObject(expected)
  })

  it("refuses an option that is not there and an input that is not there", () => {
    const select = { type: "static_select", options } as InteractiveElement

    expect(() => chosen(select, "c")).toThrow("has no option c")
    expect(() => stateOf([input({ type: "plain_text_input" })], { other: "x" })).toThrow("There is no input other")
  })

  it("keys the state by block and action, whatever the choice was called", () => {
    const blocks = [input({ type: "plain_text_input" })]
    const state = { b: { a: { type: "plain_text_input", value: "x" } } }

    expect([{ a: "x" }, { b: "x" }, { "b/a": "x" }].map((choices) => stateOf(blocks, choices))).toEqual([
      state,
      state,
      state,
    ])
  })
})

describe("formErrors", () => {
  it.each<[object, string, string]>([
    [{ type: "plain_text_input", min_length: 3 }, "ab", "Please enter at least 3 characters"],
    [{ type: "plain_text_input", max_length: 1 }, "ab", "Please enter at most 1 characters"],
    [{ type: "number_input", is_decimal_allowed: false }, "1.5", "Please enter a valid number"],
    [{ type: "number_input", is_decimal_allowed: true, min_value: "2" }, "1.5", "Please enter at least 2"],
    [{ type: "number_input", is_decimal_allowed: true, max_value: "1" }, "1.5", "Please enter at most 1"],
    [{ type: "email_text_input" }, "nobody", "Please enter a valid email address"],
    [{ type: "url_text_input" }, "nowhere", "Please enter a valid URL"],
  ])("a value that does not fit its input is named: %j with %j", (element, value, error) => {
    expect(formErrors([input(element)], { a: value })).toEqual({ b: error })
  })

  it("wants every field that is not optional", () => {
    expect(formErrors([input({ type: "checkboxes", options })], {})).toEqual({ b: "This is a required field" })
    expect(formErrors([input({ type: "plain_text_input" }, { optional: true })], {})).toEqual({})
  })
})

describe("the small parts", () => {
  it("time stamps never repeat, even when the clock stands still", () => {
    const ids = createIds({ clock: () => 1_700_000_000_000, random })
    const [one, two] = [ids.ts(), ids.ts()]

    expect([one, two]).toEqual(["1700000000.000000", "1700000000.000001"])
    expect(microsOf(two) - microsOf(one)).toBe(1)
    expect(microsOf("1700000000")).toBe(microsOf("1700000000.000000"))
  })

  it("waiting ends with the value, with the limit, or with what the look throws", async () => {
    const changes = createChanges()
    let value: string | undefined
    const found = changes.waitFor(() => value, { limitMs })
    value = "here"
    changes.notify()

    await expect(found).resolves.toBe("here")
    await expect(changes.waitFor(() => undefined, { limitMs: 1, what: "nothing" })).rejects.toMatchObject({
      code: "waited_too_long",
      message: "Waited 1 ms for nothing",
    })
    await expect(
      changes.waitFor(
        () => {
          throw new Error("broken look")
        },
        { limitMs },
      ),
    ).rejects.toThrow("broken look")
  })

  it("a seed without its bot is refused", () => {
    expect(() => createWorkspace({ ...defaultSeed, people: [] }, { clock: Date.now, random })).toThrow(
      "not one of its people",
    )
  })
})
