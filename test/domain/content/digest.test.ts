// The digest: it changes with all that a decision covers, and with nothing else (R2).

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Approval } from "../../../src/domain/content/approval.ts"
import { digestOf, isApprovable, shortDigest } from "../../../src/domain/content/digest.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { anApproval, aRequirement } from "../../support/builders.ts"
import { anyJson } from "../arbitraries.ts"

const requirements = [aRequirement("delete_table", { tool_args: { table: "customers" } })]

test.for<Partial<Approval>>([
  { instance: "other" },
  { id: "a-2" },
  { runId: "run-2" },
  { sourceType: "team" },
  { agentId: "agent-2" },
  { agentId: null },
  { teamId: "team-1" },
  { workflowId: "workflow-1" },
  { pauseType: "user_input" },
  { pauseType: null },
  { toolName: "drop_table" },
  { toolArgs: { table: "orders" } },
  { toolArgs: {} },
  { toolArgs: null },
  { requirements: [] },
  { requirements },
])("R2: %j makes another digest", (change) => {
  expect(digestOf(anApproval(change))).not.toBe(digestOf(anApproval()))
})

test.for<Partial<Approval>>([
  { status: "approved" },
  { runStatus: "COMPLETED" },
  { updatedAt: 1 },
  { createdAt: 1 },
  { expiresAt: 1 },
  { resolvedAt: 1 },
  { resolvedBy: "boss@example.com" },
  { resolutionData: { a: 1 } },
  { userId: null },
])("R2: %j, which may change by itself, makes no other digest", (change) => {
  expect(digestOf(anApproval(change))).toBe(digestOf(anApproval()))
})

test("R2: the digest covers every argument, to the last digit", () => {
  const withAmount = (text: string) => {
    const toolArgs = parseJson(`{"amount": ${text}}`) as JsonObject
    return digestOf(anApproval({ toolArgs }))
  }

  expect(withAmount("9007199254740993")).not.toBe(withAmount("9007199254740992"))
  expect(withAmount("50.0")).toBe(withAmount("50"))
})

test("R2: any other argument makes another digest", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (one, other) => {
      fc.pre(!sameUpToOrder(one, other))
      const [first, second] = [one, other].map((value) => digestOf(anApproval({ toolArgs: { deep: [{ value }] } })))

      expect(first).not.toBe(second)
    }),
  )
})

test("R2: any change in any requirement makes another digest", () => {
  const args = fc.dictionary(fc.string(), anyJson, { maxKeys: 3 })
  fc.assert(
    fc.property(fc.array(args, { minLength: 1, maxLength: 4 }), fc.nat(), (all, which) => {
      const calls = all.map((tool_args, at) => aRequirement(`tool-${at}`, { tool_args }))
      const at = which % calls.length
      const changed = calls.map((call, index) => (index === at ? { ...call, tool_execution: { changed: true } } : call))

      expect(digestOf(anApproval({ requirements: changed }))).not.toBe(digestOf(anApproval({ requirements: calls })))
      expect(digestOf(anApproval({ requirements: calls.slice(1) }))).not.toBe(
        digestOf(anApproval({ requirements: calls })),
      )
    }),
  )
})

test("R2: the order of requirements counts, the order of keys does not", () => {
  const [one, two] = [aRequirement("a"), aRequirement("b")]

  expect(digestOf(anApproval({ requirements: [one, two] }))).not.toBe(
    digestOf(anApproval({ requirements: [two, one] })),
  )
  expect(digestOf(anApproval({ toolArgs: { a: 1, b: 2 } }))).toBe(digestOf(anApproval({ toolArgs: { b: 2, a: 1 } })))
})

test("a digest is 64 hex characters, and its short form 12", () => {
  const digest = digestOf(anApproval())

  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(digest.startsWith(shortDigest(digest))).toBe(true)
  expect(shortDigest(digest)).toHaveLength(12)
})

test.for<readonly [string, Partial<Approval>]>([
  ["tool", { toolName: "x\ud800" }],
  ["arguments", { toolArgs: { a: ["\udc00"] } }],
  ["key of the arguments", { toolArgs: { "\ud800": 1 } }],
  ["requirements", { requirements: [aRequirement("a", { tool_args: { a: "\ud800" } })] }],
])("R2: a lone surrogate in the %s cannot be approved", ([, change]) => {
  expect(isApprovable(anApproval(change))).toBe(false)
  expect(isApprovable(anApproval())).toBe(true)
})

function sameUpToOrder(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
