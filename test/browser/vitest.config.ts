// How the browser tests run: one after the other, since each has a whole demo and a browser of its own.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/browser/**/*.test.ts"],
    pool: "forks",
    fileParallelism: false,
    ...limits,
  },
})
