// Tests a platform in tests, as `countersign service conformance` does.
import { openClient } from "../../../src/cli/service/conformance.ts"
import type { CheckResult } from "../../../src/service/conformance/check.ts"
import {
  type Conformance,
  type ConformanceOptions,
  testConformance,
} from "../../../src/service/conformance/conformance.ts"
import { aToken } from "../a-service.ts"

/** Asks the checks with the credential of somebody who may do everything. All of them, unless told otherwise. */
export async function tested(
  platform: { readonly url: string },
  options: Partial<Omit<ConformanceOptions, "send">> = {},
): Promise<Conformance> {
  const way = { proxy: null, ca: null }
  const client = openClient(new URL(platform.url), { way, timeoutMs: 10_000 })
  try {
    return await testedBy(client.send, options)
  } finally {
    await client.close()
  }
}

/** The same, of what answers what is sent. */
export async function testedBy(
  send: ConformanceOptions["send"],
  options: Partial<Omit<ConformanceOptions, "send">> = {},
): Promise<Conformance> {
  return testConformance({
    send,
    token: await aToken(["service:admin"], { sub: "ann" }),
    only: null,
    write: true,
    agent: null,
    tag: "0123456789ab",
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  })
}

/** What deviates, one line each: section, claim, and what was expected. */
export function deviationsIn({ results }: Pick<Conformance, "results">): readonly string[] {
  return results.flatMap(({ section, says, outcome }) =>
    outcome.kind === "deviates" ? [`${section} ${says}: ${outcome.expected}`] : [],
  )
}

/** What was not tested, by reason. */
export function untestedIn({ results }: Pick<Conformance, "results">): ReadonlyMap<string, readonly CheckResult[]> {
  const untested = results.filter(({ outcome }) => outcome.kind === "untested")
  return Map.groupBy(untested, ({ outcome }) => (outcome.kind === "untested" ? outcome.why : ""))
}
