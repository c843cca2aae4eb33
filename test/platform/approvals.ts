// The approvals of a recorded list, as the client reads them.
import type { Approval } from "../../src/domain/content/approval.ts"
import { isJsonArray, isJsonObject, parseJson } from "../../src/domain/content/json.ts"
import { readItem } from "../../src/platform/contract.ts"
import { recorded as answer } from "./replay.ts"

/** Throws if the answer is no list of readable approvals. */
export function recorded(name: string): readonly Approval[] {
  const body = parseJson(answer(name).body)
  const rows = isJsonObject(body) ? body["data"] : undefined
  if (!isJsonArray(rows)) throw new Error(`${name} is no list`)
  return rows.map((row) => {
    const item = readItem("main", row)
    if (item.kind !== "approval") throw new Error(`${name}: ${item.why}`)
    return item.approval
  })
}
