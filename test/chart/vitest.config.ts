// How the chart is tried: by helm itself.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: { include: ["test/chart/**/*.test.ts"], globalSetup: "test/chart/bring-helm.ts", ...limits },
})
