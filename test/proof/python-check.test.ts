// The independent check of docs/receipts.md: it agrees with us on signatures, records and canonical digests.
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { receiptClaims, receiptPurpose, usualReceiptLifeMs } from "../../src/domain/case/receipt.ts"
import { canonicalJson, hashOf } from "../../src/domain/content/canonical.ts"
import { type JsonObject, parseJson } from "../../src/domain/content/json.ts"
import { readItem } from "../../src/platform/contract.ts"
import { anyJson, numberText } from "../domain/arbitraries.ts"
import { aCase, aVote } from "../support/builders.ts"
import { loadPython } from "../support/python.ts"
import { aSigner } from "../support/signer.ts"

const page = readFileSync(new URL("../../docs/receipts.md", import.meta.url), "utf8")
const script = /```python\n([^]*?)```/.exec(page)?.[1] ?? ""
const signer = await aSigner()
let python: Awaited<ReturnType<typeof loadPython>>

beforeAll(async () => {
  // The last lines are for the command line.
  python = await loadPython(script.slice(0, script.indexOf("if __name__")))
})

test("the check has at most 100 lines", () => {
  expect(script.trimEnd().split("\n").length).toBeLessThanOrEqual(100)
  expect(script.split("\n").length).toBeGreaterThan(50)
})

/** JSON as it would travel: `given` is its text. */
function canonicalInPython(text: string): unknown {
  return python("canonical(parse(given))", text)
}

test("R2 both write the same canonical text of any JSON, exact numbers and lone surrogates included", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(canonicalInPython(JSON.stringify(value))).toBe(canonicalJson(value))
    }),
    { numRuns: 1_000 },
  )
})

test("R2 both write the same canonical text of any number", () => {
  const short = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value))
  fc.assert(
    fc.property(fc.oneof(numberText, short), (text) => {
      expect(canonicalInPython(text)).toBe(canonicalJson(parseJson(text)))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  "1e21",
  "1e-7",
  "123456789012345680000",
  "-0.0",
  "5e-324",
  "1e400",
  '{"$number":"1"}',
  '"\\ud800"',
  '"\\u2028\\u007f"',
])("both write the same canonical text of %s", (text) => {
  expect(canonicalInPython(text)).toBe(canonicalJson(parseJson(text)))
  expect(python("hash_of(parse(given))", text)).toBe(hashOf(parseJson(text)))
})

/** A decided record of the platform as it travels, with its receipt, under the instance `main`. */
async function aDecidedRecord() {
  const row = {
    id: "a-1",
    run_id: "run-1",
    session_id: "s",
    status: "pending",
    source_type: "agent",
    pause_type: "user_input",
    tool_name: "send_money",
    tool_args: parseJson('{"amount":0.1,"account":12345678901234567890,"note":"ä€😀"}'),
    requirements: [{ id: "r", $ref: [1e21, null, true] }],
  }
  const item = readItem("main", row)
  if (item.kind !== "approval") throw new Error(item.why)
  const decision = { id: "d1", verb: "approve" as const, votes: [aVote()], at: 1 }
  const values: JsonObject = { reference: "12" }
  const claims = receiptClaims({
    case: aCase({ approval: item.approval }),
    decision,
    filled: { values },
    sandbox: true,
    lifeMs: usualReceiptLifeMs,
  })
  const receipt = await signer.sign(receiptPurpose(claims), claims)
  const data = { values, countersign: { decision_id: "d1", receipt } }
  return { claims, receipt, record: { ...row, status: "approved", resolution_data: data } }
}

function verifyInPython(receipt: string, keys: readonly object[] = [signer.publicKey]): unknown {
  const given = JSON.stringify({ receipt, keys: { keys } })
  return python("(lambda it: canonical(verify(it['receipt'], it['keys'])))(json.loads(given))", given)
}

function differencesInPython(receipt: string, record: object): unknown {
  const given = JSON.stringify({ receipt, record: JSON.stringify(record), keys: { keys: [signer.publicKey] } })
  const call = "differences(verify(it['receipt'], it['keys']), parse(it['record']), it['receipt'])"
  return python(`(lambda it: ",".join(${call}))(json.loads(given))`, given)
}

test("a receipt that we signed holds there too, and says the same", async () => {
  const { receipt, claims } = await aDecidedRecord()

  expect(verifyInPython(receipt)).toBe(canonicalJson(claims))
})

test("a rejection and an approval hold there, each under its own type alone", async () => {
  const { claims: sandboxed } = await aDecidedRecord()
  const { calls: _calls, expires: _expires, ...rest } = sandboxed
  const rejected = { ...rest, verdict: "reject" as const }
  const all = [sandboxed, { ...sandboxed, sandbox: false }, rejected]
  const purposes = ["approval", "sandbox-approval", "rejection"] as const

  for (const claims of all) {
    for (const purpose of purposes) {
      const receipt = await signer.sign(purpose, claims)
      if (purpose === receiptPurpose(claims)) expect(verifyInPython(receipt)).toBe(canonicalJson(claims))
      else expect(() => verifyInPython(receipt)).toThrow("it says something else than its type")
    }
  }
})

test("a changed receipt, a checkpoint and another key do not hold there either", async () => {
  const { receipt, claims } = await aDecidedRecord()
  const [head = "", payload = "", signature = ""] = receipt.split(".")
  const changed = Buffer.from(canonicalJson({ ...claims, verdict: "reject" })).toString("base64url")
  const other = await aSigner("other")
  const bent = `${signature.slice(0, 20)}${signature[20] === "A" ? "B" : "A"}${signature.slice(21)}`

  expect(() => verifyInPython(`${head}.${changed}.${signature}`)).toThrow("the signature does not hold")
  expect(() => verifyInPython(`${head}.${payload}.${bent}`)).toThrow(/does not hold|no point of the curve/)
  expect(() => verifyInPython(receipt, [{ ...other.publicKey, kid: signer.publicKey.kid }])).toThrow("does not hold")
  expect(() => verifyInPython(receipt, [other.publicKey])).toThrow("StopIteration")
})

test("a checkpoint is no receipt there either", async () => {
  const checkpoint = await signer.sign("checkpoint", {})

  expect(() => verifyInPython(checkpoint)).toThrow("no receipt that this can check")
})

test("the record that was decided agrees, its digest computed anew; a changed one differs in what was changed", async () => {
  const { receipt, record } = await aDecidedRecord()
  const { countersign } = record.resolution_data
  const off = parseJson('{"amount":0.1,"account":12345678901234567891,"note":"ä€😀"}')

  expect(differencesInPython(receipt, record)).toBe("")
  expect(differencesInPython(receipt, { ...record, tool_args: off })).toBe("digest")
  expect(differencesInPython(receipt, { ...record, status: "rejected" })).toBe("status")
  expect(differencesInPython(receipt, { ...record, resolution_data: { countersign } })).toBe("filled")
  expect(differencesInPython(receipt, { ...record, id: "a-2", resolution_data: null })).toBe(
    "approval,digest,decision,receipt,filled",
  )
})
