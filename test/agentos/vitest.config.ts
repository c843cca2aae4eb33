// How `npm run test:agentos` runs: the tests against the real AgentOS, and all others that are named by a trap, counted
// at the end.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"
import { createTrapReporter } from "./trap-reporter.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: [
      "test/agentos/**/*.test.ts",
      "test/openapi/**/*.test.ts",
      "test/traps/*.test.ts",
      "test/platform/*.test.ts",
    ],
    pool: "forks",
    // One waits for its instance while the other works.
    maxWorkers: 2,
    ...limits,
    // An instance takes 10 s to start, on a busy machine a minute.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", createTrapReporter()],
    globalSetup: ["test/support/global-redis.ts", "test/package/pages/bring-curl.ts"],
    setupFiles: ["test/service/described/each-test.ts"],
  },
})
