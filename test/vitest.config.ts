// How the tests run: one process per file, a Redis of their own, and no leftovers.
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/browser/**"],
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 30_000,
    globalSetup: ["test/support/global-redis.ts"],
  },
})
