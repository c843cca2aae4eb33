// How the tests run: one process per file, a Redis of their own, and no leftovers.
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    // These need a browser, Python and a real AgentOS, or promtool, and have commands of their own.
    exclude: ["test/browser/**", "test/agentos/**", "test/alerts/**"],
    pool: "forks",
    testTimeout: 90_000,
    hookTimeout: 60_000,
    globalSetup: ["test/support/global-redis.ts"],
  },
})
