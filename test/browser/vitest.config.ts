// How the browser tests run: two files at a time, since each test has a whole demo and a browser of its own.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/browser/bring-chromium.ts",
    pool: "forks",
    maxWorkers: 2,
    ...limits,
  },
})
