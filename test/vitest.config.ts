// How the tests run: a few processes side by side, which read each module once, and a Redis that all share.
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { limits } from "./support/limits.ts"

const root = new URL("..", import.meta.url).pathname

export default defineConfig({
  root,
  test: {
    include: ["test/**/*.test.ts"],
    // These need a browser, Python and a real AgentOS, promtool, helm, the network, or the package, and have commands
    // of their own.
    exclude: ["browser", "agentos", "openapi", "alerts", "chart", "install", "package"].map(
      (folder) => `test/${folder}/**`,
    ),
    pool: "forks",
    // Each file closes what it opens, so the next one may run in the same process, where all modules are read already.
    isolate: false,
    // More than the two cores of a small machine: stories mostly wait.
    maxWorkers: 6,
    // Programs that tests start read what Node compiled before.
    env: { NODE_COMPILE_CACHE: join(root, ".cache/compiled") },
    ...limits,
    globalSetup: ["test/support/global-redis.ts"],
    setupFiles: ["test/service/described/each-test.ts"],
  },
})
