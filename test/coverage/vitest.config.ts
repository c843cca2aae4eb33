// The tests once more, with the lines of `src` counted that they run.
import { mergeConfig } from "vitest/config"
import tests from "../vitest.config.ts"
import { counting } from "./counting.ts"

const counted = {
  test: {
    coverage: {
      include: ["src/**/*.{ts,mjs}"],
      // The page runs in a browser; its tests are `npm run test:browser`.
      exclude: ["src/sandbox/page/**"],
      reporter: [["text-summary"], ["json-summary"], ["html"]],
      thresholds: { lines: 95 },
    },
  },
}

export default mergeConfig(mergeConfig(tests, counting), counted)
