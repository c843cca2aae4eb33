// Every kind of key that a busy installation leaves in Redis.
import { expect, test } from "vitest"
import { createKeys } from "../../src/store/redis/keys.ts"
import { anAttacker } from "./acts.ts"
import { aBusyWorld, collectKeys, doAll } from "./busy.ts"

/** What the names of all keys begin with: where a name has a part of its own, up to that. */
function beginnings(installation: string): readonly string[] {
  const keys = createKeys(installation)
  const names = Object.values(keys).flatMap((name) => {
    const named = typeof name === "function" ? name("", "") : name
    return typeof named === "string" ? [named] : Object.values(named).map(String)
  })
  return names.filter((name) => name !== keys.tag).map((name) => name.replace(/:+$/, ":"))
}

test("a busy installation has a key of every name that there is", async () => {
  const here = await aBusyWorld()
  const collected = collectKeys(anAttacker(here))

  await doAll(here)

  const keys = await collected()
  expect(keys.length).toBeGreaterThan(100)
  const unseen = beginnings(here.installation).filter((begin) => !keys.some((key) => key.startsWith(begin)))
  expect(unseen).toEqual([])
})
