// Traps of AgentOS in what people are shown: recorded answers, from the wire to the card.
import { describe, expect, test } from "vitest"
import { callsOf, openGatedCalls } from "../../src/domain/content/approval.ts"
import { digestOf } from "../../src/domain/content/digest.ts"
import { inputsOf } from "../../src/domain/content/inputs.ts"
import { toolWords } from "../../src/slack/text/case/headline.ts"
import { cardOf } from "../../src/slack/views/card.ts"
import { aCardModel, recorded } from "../slack/card-models.ts"
import { labels, wordsOf } from "../slack/sight.ts"

/** All words of the card of a recorded approval. */
const shown = (name: string) => wordsOf(cardOf(aCardModel(recorded(name))).blocks)

test("trap 12: an integer beyond 2^53 is shown and digested digit by digit", () => {
  const approval = recorded("get-pending-big-integer")
  const rounded = JSON.parse(JSON.stringify(approval)) as typeof approval

  expect(shown("get-pending-big-integer")).toContain("body: 12345678901234567890123")
  expect(digestOf(approval)).not.toBe(digestOf(rounded))
})

test("trap 13: a null that may be NaN or Infinity says so", () => {
  expect(shown("get-pending-not-a-number")).toContain(
    "amount: null\nnull\n means no value here, or no number: the platform does not say which.",
  )
})

test("trap 15: bidi, null characters and Slack markup stand there as text", () => {
  const words = shown("get-pending-hostile-text")

  expect(words).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
  expect(words).not.toContain("\0")
  expect(words).toMatch(/⟨U\+[0-9A-F]{4}⟩|\\u0000/)
  expect(labels(cardOf(aCardModel(recorded("get-pending-hostile-text"))).blocks)).not.toContain("Approve")
})

test("trap 16: all gated calls of a row stand on the card, with one decision for them", () => {
  const words = shown("get-pending-multi-tool")

  expect(words).toContain("One decision for 2 calls: approving is all or nothing.")
  expect(words).toContain("delete_user_data")
  expect(words).toContain("send_email")
})

describe("trap 17: what already ran", () => {
  test.each(["get-pending-team-second-call", "3.1.10/get-pending-team-second-call"])(
    "what already ran is not shown as waiting: %s",
    (name) => {
      const approval = recorded(name)

      const open = openGatedCalls(approval)

      const ran = callsOf(approval).filter((call) => !call.open)
      expect(open).toHaveLength(1)
      expect(ran.every((call) => call.id !== open[0]?.id)).toBe(true)
      const [headline] = cardOf(aCardModel(approval)).blocks
      expect(wordsOf(headline)).toContain(toolWords(open[0]?.tool ?? null))
    },
  )
})

test("trap 19: an argument that the tool may not know is shown as sent", () => {
  const approval = recorded("get-pending-extra-argument")
  const words = shown("get-pending-extra-argument")

  for (const name of Object.keys(approval.toolArgs ?? {})) expect(words).toContain(`${name}: `)
})

describe("trap 20: every field of a form is offered with the agent's value, and a type of choices is text", () => {
  test.each([
    "get-pending-user-input-all-fields",
    "get-pending-user-input-choices",
    "3.1.10/get-pending-user-input-choices",
  ])("every field of a form is offered with the agent's value, and a type of choices is text: %s", (name) => {
    const approval = recorded(name)
    const [call] = openGatedCalls(approval)
    const schema = approval.requirements?.[0]?.["user_input_schema"]

    expect(call?.fields).toEqual(schema)
    const offered = inputsOf(approval).fields
    expect(offered.map(({ name }) => name)).toEqual((call?.fields ?? []).map((field) => field["name"]))
    expect(offered.filter(({ type }) => /Literal|Optional|None/.test(type)).every(({ kind }) => kind === "text")).toBe(
      true,
    )
    for (const field of call?.fields ?? [])
      expect(shown(name).replaceAll("\n: ", ": ")).toContain(`${JSON.stringify(field["name"]).slice(1, -1)}: `)
  })
})

test("trap 39: a field that two calls share is pointed out, with the value that will run", () => {
  const approval = recorded("3.1.10/get-pending-same-tool-twice")
  const [first, second] = openGatedCalls(approval)

  const { fields } = inputsOf(approval)

  expect(first?.tool).toBe(second?.tool)
  expect(fields.map(({ calls }) => calls)).toEqual(fields.map(() => 2))
  for (const { name, guess } of fields)
    expect(guess).toEqual(second?.fields.find((field) => field["name"] === name)?.["value"])
})

test("trap 25: the run's status as the platform reports it changes no digest, so votes stand", () => {
  for (const runStatus of ["PAUSED", "ERROR", "COMPLETED", "CANCELLED"]) {
    const approval = { ...recorded("get-pending-confirmation"), runStatus }

    expect(digestOf(approval)).toBe(digestOf(recorded("get-pending-confirmation")))
  }
})

test("trap 25: a run that is over takes Approve away, and leaves Reject", () => {
  const status = { kind: "run-over", status: "CANCELLED", ran: [] } as const

  expect(labels(cardOf(aCardModel(recorded("get-pending-confirmation"), { status })).blocks)).toEqual([
    "Reject",
    "Details",
  ])
})

test("trap 26: a moved updated_at with equal content changes no digest", () => {
  const approval = recorded("get-approved-completed")

  expect(approval.updatedAt).not.toBe(approval.createdAt)
  expect(digestOf(approval)).toBe(digestOf({ ...approval, updatedAt: approval.createdAt, runStatus: "PAUSED" }))
})
