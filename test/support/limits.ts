// How long tests wait: far longer than anything takes, so that no test fails on a slow machine. Only a failing test
// waits that long.

/** How long a test waits for one thing, in ms of real time. */
export const limitMs = 120_000

/** How long a whole test, or what is done before and after it, may take, in ms of real time. */
export const testMs = 300_000

/** What every vitest configuration says about time. */
export const limits = {
  testTimeout: testMs,
  hookTimeout: testMs,
  teardownTimeout: testMs,
  expect: { poll: { timeout: limitMs } },
} as const
