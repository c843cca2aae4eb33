// What is found around an approval, and the little that it is told from.

import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { isSameSurroundings, traceOf, unseen, workflowOf } from "../../../src/domain/content/surroundings.ts"
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

test("a trace says where an approval is from, and what tells its surroundings", () => {
  const known = (changes: Partial<Approval>) => traceOf(anApproval(changes)).knownBy

  expect(traceOf(anApproval())).toEqual({ id: "a-1", runId: "run-1", sessionId: "session-1", knownBy: "session" })
  expect([{ agentId: null, teamId: "t" }, { agentId: null }, { workflowId: "w" }].map(known)).toEqual([
    "session",
    null,
    "record",
  ])
})

test("an approval belongs to the workflow that its record names, with the names that stand beside it", () => {
  const context = { workflow_name: "Month End", step_name: "clean up" }
  const own = workflowOf(anApproval({ workflowId: "w", context }), unseen)

  expect(own).toEqual({ id: "w", name: "Month End", step: "clean up" })
  expect(workflowOf(anApproval({ workflowId: "w", context: { workflow_name: 7, step_name: "" } }), unseen)).toEqual({
    id: "w",
    name: null,
    step: null,
  })
})

test("else it belongs to the workflow of its session, or to none", () => {
  const workflow = { id: "w", name: null, step: "clean up" }

  expect(workflowOf(anApproval(), { ...unseen, workflow })).toEqual(workflow)
  expect(workflowOf(anApproval(), unseen)).toBeNull()
  expect(workflowOf(null, { ...unseen, workflow })).toBeNull()
})
