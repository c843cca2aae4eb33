// How the installation for other machines is tried: by npm itself, from the network.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: { include: ["test/install/**/*.test.ts"], ...limits, testTimeout: 600_000 },
})
