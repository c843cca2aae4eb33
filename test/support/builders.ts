// What tests start from: approvals, rules, people, votes and cases with good defaults.

import type { Case, Question } from "../../src/domain/case/case.ts"
import { openCase } from "../../src/domain/case/steps.ts"
import type { Vote } from "../../src/domain/case/vote.ts"
import type { Approval } from "../../src/domain/content/approval.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import type { Person } from "../../src/domain/people/person.ts"
import { type Policy, policyOf } from "../../src/domain/policy/policy.ts"
import { createSeal, type Seal } from "../../src/domain/proof/seal.ts"
import type { EscalationStep, Rule, Timing } from "../../src/domain/rule/rule.ts"
import type { SessionRun } from "../../src/flow/ports.ts"
import { noon } from "./clock.ts"

/** The installation and the Slack team of all tests. */
export const installation = "test"
export const team = "T1"

/** A pending approval of one gated call, without requirements. */
export function anApproval(changes: Partial<Approval> = {}): Approval {
  return {
    instance: "main",
    id: "a-1",
    runId: "run-1",
    sessionId: "session-1",
    status: "pending",
    sourceType: "agent",
    approvalType: "required",
    pauseType: "confirmation",
    toolName: "delete_table",
    toolArgs: { table: "customers" },
    requirements: null,
    context: null,
    agentId: "agent-1",
    teamId: null,
    workflowId: null,
    sourceName: "Agent One",
    userId: "asker@example.com",
    resolvedBy: null,
    resolutionData: null,
    resolvedAt: null,
    createdAt: noon,
    updatedAt: noon,
    expiresAt: null,
    runStatus: "PAUSED",
    ...changes,
  }
}

/** A requirement as AgentOS writes it: gated and open. `execution` changes its tool_execution. */
export function aRequirement(tool: string, execution: JsonObject = {}, requirement: JsonObject = {}): JsonObject {
  const base = { tool_call_id: `call-${tool}`, tool_name: tool, tool_args: {}, approval_type: "required" }
  const waits = { requires_confirmation: true, confirmed: null, result: null, tool_call_error: null }
  return { id: `req-${tool}`, tool_execution: { ...base, ...waits, ...execution }, ...requirement }
}

/** A rule that matches everything and lists U1 and U2, on channel C1. */
export function aRule(changes: Partial<Rule> = {}): Rule {
  return {
    name: "all",
    match: {},
    matchUnknown: true,
    routes: [{ kind: "channel", id: "C1" }],
    approvers: [
      { kind: "user", id: "U1" },
      { kind: "user", id: "U2" },
    ],
    quorum: 1,
    forbidSelfApproval: false,
    unknownRequester: "allow",
    requireReason: "never",
    reasons: [],
    mask: [],
    risk: null,
    danger: false,
    allowGuests: false,
    allowExternal: false,
    ...changes,
  }
}

/** What a rule says of time: nothing ever happens, unless the test says otherwise. */
export function aTiming(changes: Partial<Timing> = {}): Timing {
  const never = { remindAfter: [], escalate: [], expireAfter: null, workingHours: null }
  return { ...never, onExpiry: "leave", ...changes }
}

/** A step of an escalation after so many ms; it asks nobody, unless the test says otherwise. */
export function aStep(after: number, to: Partial<EscalationStep> = {}): EscalationStep {
  return { after, routes: [], approvers: [], ...to }
}

/** A policy of these rules; of `aRule()` when none are given. */
export function aPolicy(rules: readonly Rule[] = [aRule()], identities: Policy["identities"] = []): Policy {
  return policyOf(rules, identities)
}

/**
 * A full member of our workspace, who may be asked anything. The address follows from the user id: `u1@example.com`.
 */
export function aPerson(changes: Partial<Person> = {}): Person {
  const user = changes.user ?? "U1"
  const email = `${user.toLowerCase()}@example.com`
  const flags = { bot: false, deactivated: false, guest: false, external: false }
  return { team, user, name: `Name of ${user}`, email, ...flags, readAt: noon, ...changes }
}

/** A seal under a fixed key, whose nonces count up. */
export function aSeal(changes: { readonly key?: Buffer; readonly installation?: string } = {}): Seal {
  let count = 0
  const nonce = () => {
    count += 1
    const bytes = Buffer.alloc(12)
    bytes.writeUInt32BE(count)
    return bytes
  }
  return createSeal({ key: Buffer.alloc(32, 7), installation, nonce, ...changes })
}

/** The case of an approval at its first revision, as `openCase` makes it. */
export function aCase(options: { readonly approval?: Approval; readonly policy?: Policy } = {}): Case {
  const { approval = anApproval(), policy = aPolicy() } = options
  return openCase({ installation, approval, policy, epoch: "epoch-1", at: noon }).next
}

/** A vote of U1 under rule `all` whose hash is "h"; its seal is not a real one. */
export function aVote(changes: Partial<Vote> & { readonly user?: string } = {}): Vote {
  const { user = "U1", ...rest } = changes
  return {
    installation,
    caseId: "case-1",
    revision: 1,
    digest: "d".repeat(64),
    rules: [{ name: "all", hash: "h" }],
    person: { team, user },
    name: `Name of ${user}`,
    subject: `${user.toLowerCase()}@example.com`,
    verb: "approve",
    reason: null,
    values: null,
    revealed: false,
    surface: "card",
    interaction: `click of ${user}`,
    at: noon,
    mac: `mac of ${user}`,
    ...rest,
  }
}

/** A paused run of a session that nobody started but a person. */
export function aSessionRun(more: Partial<SessionRun> = {}): SessionRun {
  const whose = { parentRunId: null, agentId: null, teamId: null, workflowId: null }
  return {
    runId: "run-1",
    ...whose,
    status: "PAUSED",
    input: "please",
    tools: [],
    pausedStep: null,
    steps: [],
    ...more,
  }
}

/** A question of U1 to the requester, posted and not answered. */
export function aQuestion(changes: Partial<Question> = {}): Question {
  const messages = [{ route: "person:UASK", place: { channel: "DUASK", ts: "1.0" } }]
  return {
    id: "q-1",
    by: { team, user: "U1" },
    at: noon,
    text: "Why this customer?",
    to: "requester",
    messages,
    ...changes,
  }
}
