// The table of kinds of keys has each key that a busy installation leaves in Redis, and says what an old or missing
// value could do.
import { expect, test } from "vitest"
import { kindOf } from "../../src/store/redis/key-kinds.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { anAttacker } from "./acts.ts"
import { aBusyWorld, collectKeys, doAll } from "./busy.ts"

test("R14 every key that a busy installation leaves in Redis, however shortly, is of a kind that the table names", async () => {
  const here = await aBusyWorld()
  const attacker = anAttacker(here)
  const collected = collectKeys(attacker)

  await doAll(here)

  const unknown = (await collected()).filter((key) => kindOf(attacker.keys, key) === null)
  expect(unknown).toEqual([])
})

test("R14 a key that nobody thought of is of no kind", () => {
  const keys = createKeys("main")

  expect(kindOf(keys, `${keys.tag}:something-new`)).toBeNull()
  expect(kindOf(keys, createKeys("other").config)).toBeNull()
})
