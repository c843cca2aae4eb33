// Notices about the run of a case, and what a run did otherwise than its approval was decided.

import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { deviationsFromRecord, type Notice, notice } from "../../../src/domain/case/notice.ts"
import { emptyCard } from "../../../src/domain/case/steps.ts"
import type { Json, JsonObject } from "../../../src/domain/content/json.ts"
import { aCase, anApproval, aRequirement } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const told: Notice = { kind: "without-effect", runStatus: "COMPLETED", at: noon + 5 }

function caseWith(changes: Partial<Case>): Case {
  return { ...aCase(), lines: [], ...changes }
}

describe("a notice", () => {
  test("is told once of its kind", () => {
    const step = notice(caseWith({ state: "settled", noticed: ["run-over"] }), told)

    const cards = [{ ...emptyCard("channel:C1"), told: 3 }]
    expect(notice(caseWith({ state: "settled", cards }), told)?.next.lines).toEqual([told])
    expect(step?.next).toMatchObject({ state: "settled", noticed: ["run-over", "without-effect"], lines: [told] })
    expect(step?.events).toEqual([told])
    expect(notice(caseWith({ noticed: ["without-effect"] }), told)).toBeNull()
  })

  test("is not told on a frozen case", () => {
    expect(notice(caseWith({ state: "frozen" }), told)).toBeNull()
  })

  test("wakes a closed case; lines that were erased keep their places and are never told again", () => {
    const cards = [
      { ...emptyCard("channel:C1"), told: 1 },
      { ...emptyCard("channel:C2"), told: 3 },
    ]

    const step = notice(caseWith({ state: "closed", cards }), told)

    expect(step?.next.state).toBe("settled")
    expect(step?.next.lines).toEqual([...Array.from({ length: 3 }, () => ({ kind: "closed", at: noon + 5 })), told])
    expect(step?.next.cards.map((card) => card.told)).toEqual([3, 3])
  })

  test("is the first line of a closed case without cards", () => {
    expect(notice(caseWith({ state: "closed", cards: [] }), told)?.next.lines).toEqual([told])
  })
})

describe("what a run did otherwise", () => {
  const pay = aRequirement("pay", { tool_args: { amount: 1 } })
  const execution = pay["tool_execution"] as JsonObject
  const approved = anApproval({ status: "approved", requirements: [pay] })
  const rejected = { ...approved, status: "rejected" }
  const ran = (changes: Readonly<Record<string, Json>> = {}) => [
    { tool_call_id: "other" },
    { ...execution, result: "paid", ...changes },
  ]

  test("is nothing if it did as decided, or did not run", () => {
    expect(deviationsFromRecord(approved, ran())).toEqual([])
    expect(deviationsFromRecord(rejected, ran({ result: null }))).toEqual([])
    expect(deviationsFromRecord(rejected, [{ ...execution }])).toEqual([])
    expect(deviationsFromRecord(rejected, ran({ tool_call_id: "another" }))).toEqual([])
  })

  test("is a rejected call that ran, or that failed after it was confirmed", () => {
    const sentence = ["pay ran although it was rejected"]

    expect(deviationsFromRecord(rejected, ran())).toEqual(sentence)
    expect(deviationsFromRecord(rejected, ran({ result: "no", tool_call_error: true, confirmed: true }))).toEqual(
      sentence,
    )
    expect(deviationsFromRecord(rejected, ran({ result: "no", tool_call_error: true, confirmed: false }))).toEqual([])
    expect(deviationsFromRecord(rejected, ran({ result: "paid", tool_call_error: false, confirmed: false }))).toEqual(
      sentence,
    )
  })

  test("is nothing if a gate at the tool says that it refused, which only an error can say", () => {
    const said = { result: "countersign refused: its arguments differ", tool_call_error: true, confirmed: true }

    expect(deviationsFromRecord(rejected, ran(said))).toEqual([])
    expect(deviationsFromRecord(approved, ran({ ...said, tool_args: { amount: 2 } }))).toEqual([])
    expect(deviationsFromRecord(rejected, ran({ ...said, tool_call_error: false }))).toHaveLength(1)
    expect(deviationsFromRecord(rejected, ran({ ...said, result: "we refused" }))).toHaveLength(1)
  })

  test("is a call that ran with other arguments, unless a form was filled in", () => {
    const sentence = ["pay ran with other arguments than those approved"]
    const form = { requires_confirmation: null, requires_user_input: true }
    const filled = { ...approved, requirements: [aRequirement("pay", { tool_args: { amount: 1 }, ...form })] }

    expect(deviationsFromRecord(approved, ran({ tool_args: { amount: 2 } }))).toEqual(sentence)
    expect(deviationsFromRecord(approved, ran({ tool_args: null }))).toEqual(sentence)
    expect(
      deviationsFromRecord({ ...approved, requirements: [aRequirement("pay")] }, ran({ tool_args: null })),
    ).toEqual([])
    expect(deviationsFromRecord(filled, ran({ tool_args: { amount: 2 } }))).toEqual([])
  })

  test("names no tool where the call has no name, and matches no call without an id", () => {
    const nameless = aRequirement("pay", { tool_name: null })
    const bare = { ...rejected, toolName: null }

    expect(deviationsFromRecord({ ...bare, requirements: [nameless] }, ran())).toEqual([
      "a tool ran although it was rejected",
    ])
    expect(deviationsFromRecord({ ...bare, requirements: null }, ran({ tool_call_id: null }))).toEqual([])
  })
})
