// What is found around an approval, and the little that it is told from.

import { expect, test } from "vitest"
import { isSameSurroundings, traceOf, unseen } from "../../../src/domain/content/surroundings.ts"
import { aCase, anApproval } from "../../support/builders.ts"

test("before anybody looked nothing is known", () => {
  expect(aCase().around).toEqual({ seen: false, team: null, unenforced: false })
})

test("findings are the same if all of them are", () => {
  const others = [
    { ...unseen, seen: true },
    { ...unseen, team: "team-1" },
    { ...unseen, unenforced: true },
  ]

  expect(isSameSurroundings(unseen, { ...unseen })).toBe(true)
  expect(others.filter((other) => isSameSurroundings(unseen, other))).toEqual([])
})

test("a trace says where an approval is from, and whether an agent's call it is", () => {
  expect(traceOf(anApproval())).toEqual({ id: "a-1", runId: "run-1", sessionId: "session-1", ofAgent: true })
  expect(
    [{ agentId: null }, { teamId: "team-1" }, { workflowId: "flow-1" }].map(
      (changes) => traceOf(anApproval(changes)).ofAgent,
    ),
  ).toEqual([false, false, false])
})
