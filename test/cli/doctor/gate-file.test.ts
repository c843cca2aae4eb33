// The doctor on the file of a gate at a tool: whose it is, and which keys it pins for how long.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type GateCheck, lookAtGate } from "../../../src/cli/doctor/gate.ts"
import { noon } from "../../support/clock.ts"
import { aFolder } from "../../support/opened.ts"
import { troubles } from "../patient.ts"

const day = (days: number) => new Date(noon + days * 86_400_000).toISOString()
const now = { kid: "now", not_before: null, not_after: null }
const file = { version: 1, installation: "default", instance: "main", sandbox: true, keys: [now], marks: "marks.db" }

/** What is found in a file with these changes. */
function found(changes: object | string, more: Partial<GateCheck> = {}) {
  const folder = aFolder("gate")
  const path = join(folder, "gate.json")
  writeFileSync(path, typeof changes === "string" ? changes : JSON.stringify({ ...file, ...changes }))
  const check = { installation: "default", instances: ["main"], sandbox: true, kid: "now", signed: ["old", "now"] }
  return lookAtGate(path, { ...check, now: noon, ...more })
}

test("a gate's file that pins what signs now is well, also before the first start", () => {
  expect(found({ keys: [now, { kid: "old", not_after: day(-1) }] })).toMatchObject([
    { level: "ok", what: "it pins 2 keys, the one that signs now among them" },
  ])
  expect(troubles(found({ keys: [{ ...now, not_after: day(15) }] }))).toEqual([])
  expect(troubles(found({}, { kid: null, signed: null }))).toEqual([])
})

test.each<[object | string, string]>([
  ["no file", "it cannot be read as a gate's file"],
  [{ version: 2 }, "it cannot be read as a gate's file"],
  [{ installation: "other" }, "it is for installation other, and this is default"],
  [{ instance: "second" }, "it is for instance second, which this config does not name"],
  [{ sandbox: false }, "it is for real approvals, and this is a sandbox"],
  [{ keys: [{ kid: "old" }] }, "it does not pin key now, which signs now"],
  [{ keys: [{ ...now, not_after: day(-1) }] }, "key now, which signs now, is not in force there"],
  [{ keys: [{ ...now, not_before: day(1) }] }, "key now, which signs now, is not in force there"],
])("a gate's file with %o fails, with what to do", (changes, what) => {
  expect(found(changes)).toMatchObject([
    { level: "fail", what, todo: expect.stringContaining("countersign keys export") },
  ])
})

test("a key that ends within two weeks is told, and so is one that is about to sign", () => {
  const [ending, next] = found({ keys: [{ ...now, not_after: day(13) }, { kid: "next" }] })

  expect(ending).toMatchObject({ level: "warn", what: expect.stringContaining("only until") })
  expect(next).toMatchObject({ level: "note", what: expect.stringContaining("key next, which never signed yet") })
})
