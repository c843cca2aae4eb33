// Mutation tests: do the tests notice when domain, auth, proofs or ledger are changed? See docs/testing.md.

export default {
  mutate: [
    "src/{auth,domain,proof}/**/*.ts",
    "src/store/ledger/{entry,read-ledger,ledger-walk,opened-entries,erasable-record,erasable-check}.ts",
    "src/store/admin/{record-head,verify-ledger}.ts",
  ],
  // Below `break` the command fails.
  thresholds: { high: 95, low: 90, break: 85 },
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", pool: "threads" },
  coverageAnalysis: "perTest",
  timeoutMS: 10_000,
  // There is none: Stryker would rewrite ours with an API that TypeScript 7 no longer has.
  tsconfigFile: "none.json",
  tempDirName: ".cache/mutation/sandbox",
  ignorePatterns: [".cache", "bench", "coverage", "dist", "docs"],
  reporters: ["clear-text", "progress", "html", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: ".cache/mutation/report.html" },
  jsonReporter: { fileName: ".cache/mutation/report.json" },
}
