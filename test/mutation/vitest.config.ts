// What mutants are tried against: the tests of the domain, of auth, of proofs and of the ledger, with few runs of each property.
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/{auth,domain,proof}/*.test.ts", "test/store/*ledger.test.ts"],
    // Runs Python for seconds, and what it holds is said by other tests too.
    exclude: ["test/proof/python-check.test.ts"],
    env: { COUNTERSIGN_RUNS: "40" },
    setupFiles: ["test/mutation/fewer-runs.ts"],
    globalSetup: ["test/support/global-redis.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
