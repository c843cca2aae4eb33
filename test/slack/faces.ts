// Builders for faces: approvals from the recorded platform answers, and every state that a case can be in.
import { readFileSync } from "node:fs"
import type { Approval } from "../../src/domain/approval.ts"
import { openGatedCalls } from "../../src/domain/approval.ts"
import { digestOf } from "../../src/domain/digest.ts"
import type { Face, FaceStatus, FaceVote } from "../../src/domain/face.ts"
import { isJsonObject, parseJson } from "../../src/domain/json.ts"
import { plainLook } from "../../src/domain/look.ts"
import { readItem } from "../../src/platform/contract.ts"

export const AT = Date.parse("2026-11-21T12:00:00Z")

/** The approval of a recorded answer, numbers kept exact. */
export function recorded(name: string): Approval {
  const text = readFileSync(new URL(`../fixtures/agentos/${name}.json`, import.meta.url), "utf8")
  const told = parseJson(text)
  const item = readItem("default", isJsonObject(told) ? (told["body"] ?? null) : null)
  if (item.kind !== "approval") throw new Error(`${name} holds no approval: ${item.why}`)
  return item.approval
}

/** An approval with nothing special about it; `more` says what is. */
export function anApproval(more: Partial<Approval> = {}): Approval {
  return { ...recorded("get-pending-confirmation"), ...more }
}

/** The face of an approval, open under one rule of one approver; `more` says what is different. */
export function aFace(approval: Approval | null = anApproval(), more: Partial<Face> = {}): Face {
  return {
    installation: "main",
    instance: "default",
    caseId: "0123456789abcdef0123",
    approvalId: approval?.id ?? "11111111-2222-4333-8444-555555555555",
    route: "channel:C0APPROVALS",
    revision: 1,
    digest: approval === null ? "ab".repeat(32) : digestOf(approval),
    approval,
    summary: summaryOf(approval),
    rules: [{ name: "prod-data", quorum: 1 }],
    look: plainLook,
    votes: [],
    status: openStatus(0, 1),
    failure: null,
    openedAt: AT,
    ...more,
  }
}

function summaryOf(approval: Approval | null): Face["summary"] {
  if (approval === null) {
    return { tool: "delete_user_data", agent: "Admin Agent", requester: "alice@example.com", calls: 1, createdAt: AT }
  }
  const calls = openGatedCalls(approval)
  const agent = approval.sourceName ?? approval.agentId ?? approval.teamId
  const { userId: requester, createdAt } = approval
  return { tool: calls[0]?.tool ?? approval.toolName, agent, requester, calls: calls.length, createdAt }
}

/** Open, with so many of so many votes under the rule. */
export function openStatus(have: number, need: number): FaceStatus {
  return { kind: "open", progress: [{ rule: "prod-data", have, need }] }
}

/** A vote on a face. */
export function aVote(more: Partial<FaceVote> = {}): FaceVote {
  return { user: "U0ALICE", name: "Alice", verb: "approve", reason: null, values: null, at: AT + 60_000, ...more }
}

/** Every state that a card can show, by the name of its golden file. */
export function everyState(): Readonly<Record<string, Face>> {
  const voted = { votes: [aVote()] }
  const rejected = { votes: [aVote({ verb: "reject", reason: "Not on a *Friday* <!channel>" })] }
  const ours = { kind: "ours", decisionId: "d1", resolvedBy: "alice@example.com", at: AT + 61_000 } as const
  const settled = (outcome: Extract<FaceStatus, { kind: "settled" }>["outcome"]): FaceStatus => ({
    kind: "settled",
    outcome,
  })
  const elsewhere = (status: string, resolvedBy: string | null): FaceStatus =>
    settled({ kind: "elsewhere", status, resolvedBy, at: AT + 61_000 })
  const two = { rules: [{ name: "prod-data", quorum: 2 }] }
  return {
    open: aFace(),
    "high-risk": aFace(anApproval(), { look: { ...plainLook, risk: "high" } }),
    danger: aFace(anApproval(), { look: { ...plainLook, risk: "low", danger: true } }),
    "one-of-two": aFace(anApproval(), { ...two, ...voted, status: openStatus(1, 2) }),
    uncovered: aFace(anApproval(), { rules: [], status: { kind: "uncovered" } }),
    unapprovable: aFace(anApproval({ toolArgs: { a: "\ud800" }, requirements: null }), {
      status: { kind: "unapprovable" },
    }),
    "sending-approve": aFace(anApproval(), { ...voted, status: { kind: "sending", verb: "approve" } }),
    "sending-reject": aFace(anApproval(), { ...rejected, status: { kind: "sending", verb: "reject" } }),
    held: aFace(anApproval(), { ...rejected, status: { kind: "held" } }),
    failed: aFace(anApproval(), { failure: "the platform refused: 403 Insufficient permissions" }),
    approved: aFace(anApproval(), { ...voted, status: settled({ ...ours, verb: "approve" }) }),
    rejected: aFace(anApproval(), { ...rejected, status: settled({ ...ours, verb: "reject" }) }),
    "elsewhere-approved": aFace(anApproval(), { status: elsewhere("approved", "ops@example.com") }),
    "elsewhere-rejected": aFace(anApproval(), { status: elsewhere("rejected", null) }),
    expired: aFace(anApproval(), { status: elsewhere("expired", null) }),
    cancelled: aFace(anApproval(), { status: elsewhere("cancelled", null) }),
    "elsewhere-other": aFace(anApproval(), { status: elsewhere("constructor", "somebody") }),
    vanished: aFace(anApproval(), { status: settled({ kind: "vanished", at: AT + 61_000 }) }),
    frozen: aFace(anApproval(), { status: { kind: "frozen" } }),
    replaced: aFace(anApproval(), { status: { kind: "replaced" } }),
    closed: aFace(null, { ...voted, status: settled({ ...ours, verb: "approve" }) }),
  }
}

/** Every kind of pause that was recorded, by the name of its fixture. */
export const PAUSES = [
  "get-pending-big-integer",
  "get-pending-confirmation",
  "get-pending-external-execution",
  "get-pending-extra-argument",
  "get-pending-hostile-text",
  "get-pending-multi-tool",
  "get-pending-not-a-number",
  "get-pending-team",
  "get-pending-team-member",
  "get-pending-team-second-call",
  "get-pending-user-input",
  "get-pending-user-input-all-fields",
  "get-pending-user-input-choices",
  "get-pending-workflow-step",
] as const
