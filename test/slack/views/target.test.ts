// Targets and notes: what they carry comes back as it was, and anything else is refused.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { nearest } from "../../../src/slack/listeners/command-query.ts"
import { readNote, readTarget, targetOf, writeNote, writeTarget } from "../../../src/slack/views/button-values.ts"
import { aCardModel } from "../card-models.ts"

const target = targetOf(aCardModel())
const note = { target, verb: "reject", place: { channel: "C1", ts: "1.2" } } as const

describe("a target", () => {
  it("comes back as it was, short enough for any button", () => {
    expect(readTarget(writeTarget(target))).toEqual(target)
    expect(writeTarget(target).length).toBeLessThan(200)
  })

  it("a target of a case without a route comes back too", () => {
    const nowhere = { ...target, route: "" }

    expect(readTarget(writeTarget(nowhere))).toEqual(nowhere)
  })

  it.each([
    ["nothing", ""],
    ["no text", undefined],
    ["another version", writeTarget(target).replace("cs1", "cs2")],
    ["another shape", JSON.stringify({ target })],
    ["a case id in capitals", writeTarget({ ...target, caseId: "A".repeat(20) })],
    ["a route of another kind", writeTarget({ ...target, route: "group:S1" })],
    ["a negative revision", writeTarget({ ...target, revision: -1 })],
    ["a short digest", writeTarget({ ...target, digest: "abc" })],
  ])("%s is refused as a target", (_, value) => {
    expect(readTarget(value)).toBeNull()
  })

  it("no garbage is taken for one", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (value) => readTarget(value) === null && readNote(value) === null),
    )
  })
})

describe("a note", () => {
  it("comes back as it was, within private_metadata", () => {
    expect(readNote(writeNote(note))).toEqual(note)
    expect(writeNote(note).length).toBeLessThan(500)
  })

  it("a note with a target that is none is refused", () => {
    expect(readNote(JSON.stringify({ ...note, target: "x" }))).toBeNull()
    expect(readNote(JSON.stringify({ ...note, target: writeTarget(target), verb: "withdraw" }))).toBeNull()
  })
})

it.each([
  ["lsit", "list"],
  ["hepl", "help"],
  ["shwo", "show"],
  ["s", "show"],
])("%s most likely means %s", (typed, meant) => {
  expect(nearest(typed, ["list", "show", "help"])).toBe(meant)
})
