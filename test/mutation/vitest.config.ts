// What mutants are tried against: the tests of the domain, of auth, of proofs and of the ledger, with few runs of each
// property.
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The tests that need a Redis take longest, so they come last: the first test that fails ends a run. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const needsRedis = ({ moduleId }: TestSpecification) => Number(moduleId.includes("/test/store/"))
    return files.toSorted((a, b) => needsRedis(a) - needsRedis(b))
  }
}

export default defineConfig({
  root: new URL("../..", import.meta.url).pathname,
  test: {
    include: ["test/{auth,domain,proof}/*.test.ts", "test/store/{*ledger,privacy,reading,side}.test.ts"],
    // Runs Python for seconds, and what it holds is said by other tests too.
    exclude: ["test/proof/python-check.test.ts"],
    env: { COUNTERSIGN_RUNS: "20" },
    setupFiles: ["test/mutation/fewer-runs.ts"],
    globalSetup: ["test/support/global-redis.ts"],
    pool: "threads",
    isolate: false,
    sequence: { sequencer: QuickFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
