// Rulings: how each kind of call is handed over when a run goes on, and how a run that did otherwise is found out.

import { describe, expect, test } from "vitest"
import {
  deviationsIn,
  explicitFor,
  gateRefusalsIn,
  type Ruling,
  type Rulings,
} from "../../../src/domain/case/ruling.ts"
import { openGatedCalls } from "../../../src/domain/content/approval.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { executionIn } from "../../../src/domain/content/requirement.ts"
import type { Run } from "../../../src/domain/content/run.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"

const schema = [
  { name: "amount", value: 1 },
  { name: "note", value: "mine" },
]
/** What a call adds that asks for input, and one that somebody else carries out. */
const asksInput = { requires_confirmation: null, requires_user_input: true, user_input_schema: schema }
const asksResult = { requires_confirmation: null, external_execution_required: true }

function aRun(changes: Partial<Run> = {}): Run {
  const base = { id: "run-1", status: "PAUSED", userId: null, parentId: null, content: null }
  return { ...base, tools: [], requirements: [], members: [], ...changes }
}

/** The ruling on the call of a requirement. */
function aRuling(requirement: JsonObject, changes: Partial<Ruling> = {}): Ruling {
  const [call] = openGatedCalls(anApproval({ requirements: [requirement], pauseType: null }))
  if (call === undefined) throw new Error("no call waits")
  return { call, verb: "approve", filled: null, note: "", ...changes }
}

const before3 = { strict: true, keeps: false }

function rulings(...all: readonly Ruling[]): Rulings {
  return new Map(all.map((ruling) => [ruling.call.id ?? "", ruling]))
}

/** What goes out for one entry of a run of this kind, decided so. */
function handedOver(runner: "agents" | "teams", requirement: JsonObject, changes: Partial<Ruling>): unknown {
  const run = runner === "teams" ? { requirements: [requirement] } : { tools: [executionIn(requirement)] }
  // A second call, which was rejected, has every other one be handed over too.
  const other = aRuling(aRequirement("other"), { verb: "reject" })
  const explicit = explicitFor(aRun(run), runner, rulings(aRuling(requirement, changes), other), before3)
  expect(explicit?.name).toBe(runner === "teams" ? "requirements" : "tools")
  return (JSON.parse(explicit?.text ?? "[]") as unknown[])[0]
}

describe("whether calls are handed over at all", () => {
  const requirement = aRequirement("pay")
  const run = aRun({ tools: [executionIn(requirement)], requirements: [requirement] })
  const approved = rulings(aRuling(requirement))
  const rejected = rulings(aRuling(requirement), aRuling(aRequirement("other"), { verb: "reject" }))

  test.each([
    ["agents", approved, false, undefined],
    ["agents", approved, true, undefined],
    ["teams", approved, true, undefined],
    ["teams", approved, false, "requirements"],
    ["agents", rejected, false, "tools"],
    ["agents", rejected, true, "tools"],
    ["teams", rejected, true, "requirements"],
    ["teams", rejected, false, "requirements"],
  ] as const)(
    "whether calls are handed over hangs on the run and its rulings, case %#: %s",
    (runner, given, strict, name) => {
      expect(explicitFor(run, runner, given, { strict, keeps: false })?.name).toBe(name)
    },
  )
})

describe("a call that is handed over", () => {
  const confirmation = aRequirement("pay")
  const input = aRequirement("pay", asksInput, { user_input_schema: schema })
  const result = aRequirement("pay", asksResult)
  const refusal = {
    requires_confirmation: true,
    requires_user_input: false,
    external_execution_required: false,
    answered: true,
    confirmed: false,
    confirmation_note: "too much",
  }

  test.each([confirmation, input, result])(
    "case %#: rejected, is refused with its note, whatever it asked for",
    (one) => {
      const { user_input_schema: _asked, ...rest } = one
      const execution = { ...executionIn(one), ...refusal }

      expect(handedOver("agents", one, { verb: "reject", note: "too much" })).toEqual(execution)
      expect(handedOver("teams", one, { verb: "reject", note: "too much" })).toEqual({
        ...rest,
        tool_execution: execution,
        confirmation: false,
        confirmation_note: "too much",
      })
    },
  )

  test("a call that is handed over approved is confirmed", () => {
    const execution = { ...executionIn(confirmation), confirmed: true }

    expect(handedOver("agents", confirmation, {})).toEqual(execution)
    expect(handedOver("teams", confirmation, {})).toEqual({
      ...confirmation,
      tool_execution: execution,
      confirmation: true,
    })
  })

  test("approved, carries the values that were filled in, and leaves the others as they were", () => {
    const filled = { values: { amount: 2, unknown: 3 } }
    const written = [{ name: "amount", value: 2 }, schema[1]]
    const execution = { ...executionIn(input), user_input_schema: written, answered: true }

    expect(handedOver("agents", input, { filled })).toEqual(execution)
    expect(handedOver("teams", input, { filled })).toEqual({
      ...input,
      tool_execution: execution,
      user_input_schema: written,
    })
  })

  test("approved without values, keeps those of the model", () => {
    const kept = { ...executionIn(input), answered: true }

    expect(handedOver("agents", input, { filled: null })).toEqual(kept)
    expect(handedOver("agents", input, { filled: { values: "none" } })).toEqual(kept)
    expect(handedOver("teams", input, { filled: null })).toEqual({ ...input, tool_execution: kept })
  })

  test("a call that is handed over with a form that is none, or that has odd fields, is sent as it is", () => {
    const filled = { values: { amount: 2, 7: 2, undefined: 2 } }
    for (const [form, sent] of [
      [undefined, null],
      [null, null],
      ["text", "text"],
      [
        ["odd", { name: 7 }, { value: 1 }, { name: "amount", value: 1 }],
        ["odd", { name: 7 }, { value: 1 }, { name: "amount", value: 2 }],
      ],
    ] as const) {
      const { user_input_schema: _given, ...rest } = executionIn(input)
      const odd = { tool_execution: { ...rest, ...(form === undefined ? {} : { user_input_schema: form }) } }

      expect(handedOver("agents", odd, { filled })).toMatchObject({ user_input_schema: sent, answered: true })
    }
  })

  test("approved, carries the result of whoever carried it out", () => {
    const execution = executionIn(result)

    expect(handedOver("agents", result, { filled: { result: "done" } })).toEqual({ ...execution, result: "done" })
    expect(handedOver("agents", result, { filled: null })).toEqual({ ...execution, result: null })
    expect(handedOver("agents", result, { filled: {} })).toEqual({ ...execution, result: null })
    expect(handedOver("teams", result, { filled: { result: "done" } })).toEqual({
      ...result,
      tool_execution: { ...execution, result: "done" },
      external_execution_result: "done",
    })
    expect(handedOver("teams", result, { filled: null })).toMatchObject({ external_execution_result: null })
    expect(handedOver("teams", result, { filled: {} })).toMatchObject({ external_execution_result: null })
  })

  test("waits for nobody, or for somebody else, is sent as it is", () => {
    const [ran, unasked, mine] = [
      aRequirement("ran", { result: "done" }),
      aRequirement("unasked"),
      aRequirement("mine"),
    ]
    const run = aRun({ requirements: [ran, unasked, mine] })
    const about = (tool: string) => aRuling(aRequirement(tool), { verb: "reject" })

    const explicit = explicitFor(run, "teams", rulings(about("ran"), about("mine")), before3)

    expect(JSON.parse(explicit?.text ?? "[]")).toMatchObject([ran, unasked, { confirmation: false }])
  })

  test.each(["agents", "teams"] as const)(
    "R12 goes without those that ended where these stay in the run all the same: %s",
    (runner) => {
      const all = [aRequirement("ran", { result: "done" }), aRequirement("unasked"), aRequirement("mine")]
      const run = aRun({ requirements: all, tools: all.map(executionIn) })

      const given = rulings(aRuling(aRequirement("mine"), { verb: "reject" }))
      const explicit = explicitFor(run, runner, given, { strict: true, keeps: true })

      const sent = JSON.parse(explicit?.text ?? "[]") as JsonObject[]
      expect(sent.map((one) => executionIn(one)["tool_name"])).toEqual(["unasked", "mine"])
    },
  )
})

describe("what a run did otherwise", () => {
  /** The sentences about a run that holds this call, with these changes, after it was decided so. */
  function saidOf(execution: JsonObject, requirement: JsonObject, changes: Partial<Ruling> = {}) {
    const run = aRun({ tools: [executionIn(aRequirement("other", { result: "ran" })), execution] })
    return deviationsIn(run, rulings(aRuling(requirement, changes)))
  }
  const pay = aRequirement("pay", { tool_args: { amount: 1 } })
  const ran = { ...executionIn(pay), result: "paid" }

  test("is nothing where it did as decided, or did nothing", () => {
    expect(saidOf(ran, pay)).toEqual([])
    expect(saidOf({ ...ran, result: null }, pay, { verb: "reject" })).toEqual([])
    expect(saidOf({ ...ran, tool_call_id: "of another" }, pay, { verb: "reject" })).toEqual([])
  })

  test("is nothing where a gate at the tool refused, and its words are told once", () => {
    const refused = { ...ran, result: "countersign refused: it was rejected", tool_call_error: true }
    const run = aRun({ tools: [refused, refused, { ...refused, tool_call_id: "of another" }] })

    expect(saidOf(refused, pay, { verb: "reject" })).toEqual([])
    expect(saidOf({ ...refused, tool_call_error: null }, pay, { verb: "reject" })).toHaveLength(1)
    expect(gateRefusalsIn(run, rulings(aRuling(pay)))).toEqual(["countersign refused: it was rejected"])
    expect(gateRefusalsIn(aRun({ tools: [ran] }), rulings(aRuling(pay)))).toEqual([])
  })

  test("is a rejected call that ran", () => {
    expect(saidOf(ran, pay, { verb: "reject" })).toEqual(["pay ran although it was rejected"])

    const nameless = anApproval({ requirements: [pay] })
    const [call] = openGatedCalls(nameless)
    const ruling: Ruling = { ...aRuling(pay), call: { ...(call ?? aRuling(pay).call), tool: null }, verb: "reject" }
    expect(deviationsIn(aRun({ tools: [ran] }), rulings(ruling))).toEqual([
      "a tool without a name ran although it was rejected",
    ])
  })

  test("is a call that ran with other arguments, or with none", () => {
    const sentence = "pay ran with other arguments than were approved"

    expect(saidOf({ ...ran, tool_args: { amount: 2 } }, pay)).toEqual([sentence])
    expect(saidOf({ ...ran, tool_args: null }, pay)).toEqual([sentence])
    expect(saidOf({ ...ran, tool_args: null }, aRequirement("pay"))).toEqual([])
  })

  test("is found among a team's requirements and its members' calls", () => {
    const reject = rulings(aRuling(pay, { verb: "reject" }))

    expect(deviationsIn(aRun({ requirements: [{ tool_execution: ran }] }), reject)).toHaveLength(1)
    expect(deviationsIn(aRun({ members: [aRun({ tools: [ran] })] }), reject)).toHaveLength(1)
  })

  test("goes, for a form, by what was filled in and by the model's values where nothing was", () => {
    const form = aRequirement("pay", { ...asksInput, user_input_schema: [...schema, { name: "left" }, { name: 7 }] })
    const filled = { values: { amount: 2 } }
    const done = (args: JsonObject) => ({ ...executionIn(form), result: "paid", tool_args: args })
    const sentence = "pay ran with other arguments than were approved"

    expect(saidOf(done({ amount: 2, note: "mine", left: null }), form, { filled })).toEqual([])
    expect(saidOf(done({ amount: 2, note: "mine", more: 1 }), form, { filled })).toEqual([])
    expect(saidOf(done({ amount: 1, note: "mine" }), form, { filled })).toEqual([sentence])
    expect(saidOf(done({ amount: 2, note: "other" }), form, { filled })).toEqual([sentence])
    expect(saidOf(done({ amount: 2, note: "mine", left: 1 }), form, { filled })).toEqual([sentence])
    expect(saidOf(done({ amount: 1, note: "mine" }), form, { filled: null })).toEqual([])
    expect(saidOf(done({ amount: 1, note: "mine" }), form, { filled: { values: null } })).toEqual([])
  })
})
