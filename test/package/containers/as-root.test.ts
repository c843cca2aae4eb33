// Where the tests that start containers run, are skipped, or fail.
import { expect, test } from "vitest"
import { mayStartContainers } from "./as-root.ts"

test("tests that start containers run as root, and an ordinary user's run skips them", () => {
  expect(mayStartContainers(true, { CI: "true" })).toBe(true)
  expect(mayStartContainers(true, {})).toBe(true)
  expect(mayStartContainers(false, { CI: "" })).toBe(false)
})

test("a CI that is not root fails and is told what to do, so that it is not green without them", () => {
  expect(() => mayStartContainers(false, { CI: "true" })).toThrow("Run them as root, or without CI.")
})
