// The doctor on the Node that runs: it tries the pair of names that some of them confuse.
import { expect, test } from "vitest"
import { lookAtNode } from "../../../src/cli/doctor/config.ts"
import { aPatient } from "../patient.ts"

test("our reader gives each name as it is written, whatever this Node does", () => {
  expect(lookAtNode()).toMatchObject({ level: "ok", area: "node", what: expect.stringContaining(process.version) })
})

test("a reader that takes an earlier object's name is a failure, with what to do", () => {
  const confused = (text: string): unknown => JSON.parse(text.replace("\\n", "\\\\"))

  expect(lookAtNode(confused)).toMatchObject({
    level: "fail",
    what: expect.stringContaining("reads names in JSON wrongly"),
    todo: expect.stringContaining("another version of Node"),
  })
})

test("the doctor says it beside all else", async () => {
  const patient = await aPatient()

  const findings = await patient.findings(/^node$/)

  expect(findings).toEqual([lookAtNode()])
})
