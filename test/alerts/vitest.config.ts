// How the alert rules are run: by promtool, which Prometheus itself reads them with.
import { defineConfig } from "vitest/config"
import { limits } from "../support/limits.ts"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: { include: ["test/alerts/**/*.test.ts"], globalSetup: "test/alerts/bring-promtool.ts", ...limits },
})
