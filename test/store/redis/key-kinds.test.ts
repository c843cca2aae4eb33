// Every kind of key that the store names says what an old, missing or copied value of it could do.

import { expect, test } from "vitest"
import { kindOf } from "../../../src/store/redis/key-kinds.ts"
import { createKeys } from "../../../src/store/redis/keys.ts"

const keys = createKeys("i")

/** Every name that `Keys` can make. */
function names(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value === "function") return names((value as (...parts: string[]) => unknown)("a", "b"))
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(names) : []
}

test("R14 every key that the store names is of a kind whose old values are bound, or harmless for a reason", () => {
  const all = names({ ...keys, tag: null, queue: `${keys.queue}:present:1` })

  expect(all.length).toBeGreaterThan(30)
  expect(all.filter((key) => kindOf(keys, key) === null)).toEqual([])
})

test("a key that nobody thought of has no kind", () => {
  expect(kindOf(keys, `${keys.tag}:something`)).toBeNull()
  expect(kindOf(keys, "{countersign:other}:ledger")).toBeNull()
})
