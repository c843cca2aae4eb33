// Counts what `npm run test:agentos` has shown: the traps by the names of tests that passed, per version, and the cases
// of the contract.
import type { Reporter, TestCase, Vitest } from "vitest/node"
import { agnoVersions } from "../tools/agentos.mjs"
import { problemsOf, TRAPS, trapsIn } from "./traps.ts"

const CONTRACT = "/test/agentos/contract/"

/**
 * Ends a whole run with `traps N of 77, cases N, versions …`, and fails it if a trap has no test. A part of the tests
 * is only counted.
 */
export function createTrapReporter(): Reporter {
  let vitest: Vitest | undefined
  return {
    onInit: (started) => {
      vitest = started
    },
    onTestRunEnd: async (modules) => {
      const versions = agnoVersions(process.env)
      const passed = modules.flatMap((module) => [...module.children.allTests("passed")])
      const cases = new Set(passed.filter(isCase).map((test) => test.name))
      const tested = new Set(passed.flatMap((test) => trapsIn(test.fullName)))
      const problems = (await isWhole(vitest, modules.length)) ? problemsOf(tested) : []
      for (const problem of problems) process.stderr.write(`${problem}\n`)
      if (problems.length > 0) process.exitCode = 1
      for (const version of versions) process.stdout.write(`${lineOf(version, passed)}\n`)
      process.stdout.write(`traps ${tested.size} of ${TRAPS}, cases ${cases.size}, versions ${versions.join(" ")}\n`)
    },
  }
}

/** False if only some files or tests were asked for. */
async function isWhole(vitest: Vitest | undefined, files: number): Promise<boolean> {
  if (vitest === undefined || vitest.getGlobalTestNamePattern() !== undefined) return false
  return (await vitest.globTestSpecifications()).length === files
}

function isCase(test: TestCase): boolean {
  return test.module.moduleId.includes(CONTRACT)
}

function lineOf(version: string, passed: readonly TestCase[]): string {
  const own = passed.filter((test) => test.fullName.includes(`AgentOS ${version},`))
  const traps = new Set(own.flatMap((test) => trapsIn(test.fullName)))
  return `agno ${version}: ${own.length} tests passed, ${traps.size} traps provoked, ${own.filter(isCase).length} cases`
}
