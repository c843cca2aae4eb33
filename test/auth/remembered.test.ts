// The bounded memory: keeps what is used, forgets what is not.
import { expect, test } from "vitest"
import { createRemembered } from "../../src/auth/verify-token.ts"

test("what is asked for stays, what is not is forgotten, and there is a bound", () => {
  const memory = createRemembered<number>(10)
  memory.set("used", -1)

  for (let at = 0; at < 100; at += 1) {
    memory.set(`key ${at}`, at)
    expect(memory.get("used")).toBe(-1)
  }

  const kept = Array.from({ length: 100 }, (_, at) => memory.get(`key ${at}`)).filter((value) => value !== undefined)
  expect(kept).toContain(99)
  expect(kept).not.toContain(0)
  expect(kept.length).toBeLessThanOrEqual(20)
})

test("cleared, it knows nothing", () => {
  const memory = createRemembered<number>(10)
  memory.set("a", 1)

  memory.clear()

  expect(memory.get("a")).toBeUndefined()
})
