// Rows as text: a broken one costs its neighbours nothing, and one that is too large is an outline of itself.
import { expect, test } from "vitest"
import { digestOf, isApprovable } from "../../src/domain/content/digest.ts"
import { readList } from "../../src/platform/envelope.ts"
import { maxRow, readListedRow, readRow } from "../../src/platform/row.ts"
import { aRow } from "./replay.ts"

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]))

function read(row: object) {
  const item = readRow("main", JSON.stringify(row))
  if (item.kind !== "approval") throw new Error(item.why)
  return item.approval
}

test("R20: a row with too many values, or too many characters, keeps what says whose it is, and cannot be approved", () => {
  const wide = read(aRow({ id: "a", tool_args: names(300_000) }))
  const long = read(aRow({ id: "a", tool_args: { text: "x".repeat(3_000_000) } }))

  for (const approval of [wide, long]) {
    expect(approval).toMatchObject({ id: "a", status: "pending", toolName: "send_email", toolArgs: null })
    expect(isApprovable(approval)).toBe(false)
  }
  expect(wide.oversize?.values).toBeGreaterThan(300_000)
  expect(long.oversize?.characters).toBeGreaterThan(3_000_000)
})

test("a row at the bound is read whole", () => {
  const fitting = aRow({ tool_args: names(maxRow.values - 200) })

  expect(read(fitting).oversize).toBe(undefined)
  expect(isApprovable(read(fitting))).toBe(true)
})

test("R2: other content that is too large is other content, and what changes by itself is not", () => {
  const large = names(30_000)
  const digest = digestOf(read(aRow({ tool_args: large })))

  expect(digestOf(read(aRow({ tool_args: { ...large, n7: 8 } })))).not.toBe(digest)
  expect(digestOf(read(aRow({ tool_args: large, run_status: "CANCELLED" })))).toBe(digest)
})

test("a row that is no JSON costs its neighbours nothing", () => {
  const list = readList(
    `{"data":[${JSON.stringify(aRow({ id: "a" }))},{"id":"b","x":NaN},[]],"meta":{"total_count":3}}`,
  )

  expect(list?.items.map((text) => readListedRow("main", text))).toMatchObject([
    { kind: "approval", approval: { id: "a" } },
    { kind: "unreadable", why: "is no JSON" },
    { kind: "unreadable" },
  ])
})
