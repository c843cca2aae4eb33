// Which cases of the past a simulation tries rules on.
import { expect, test } from "vitest"
import { casesSince } from "../../src/cli/simulate/history.ts"
import type { ListedCase } from "../../src/flow/ports.ts"
import { aCase, anApproval } from "../support/builders.ts"

test("a simulation tries no rules on proposals of other rules", async () => {
  const cases = ["main", "countersign"].map((instance, at): ListedCase => {
    const found = aCase({ approval: anApproval({ instance }) })
    return { found: { ...found, instance }, place: { openedAt: 10 - at, caseId: found.id } }
  })
  const reading = { cases: async () => cases, entriesOf: async () => [] }

  const seen: unknown[] = []
  for await (const { found } of casesSince(reading, 0)) seen.push("instance" in found && found.instance)

  expect(seen).toEqual(["main"])
})
