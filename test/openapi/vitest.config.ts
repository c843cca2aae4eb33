// How `npm run test:openapi` runs: a client and requests are made from the interface description by programs in Python.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/openapi/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    ...limits,
    setupFiles: ["test/service/described/each-test.ts"],
  },
})
