// The built-in instance: proposals of another config, as the flow knows approvals of any platform. To resolve one is to
// make its config the active one.

import type { Approval } from "../../domain/content/approval.ts"
import { digestOf } from "../../domain/content/digest.ts"
import { isJsonObject, type JsonObject, parseJson } from "../../domain/content/json.ts"
import { traceOf } from "../../domain/content/surroundings.ts"
import { type Proposal, type ProposalOver, proposalOverData, proposalWaiting } from "../../domain/rule/proposal.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import type { Clock, Listed, Platform, Resolved } from "../../flow/ports.ts"
import type { ProposalBook, ProposalRead, ProposalVerdict } from "./proposal-book.ts"

/** What the call of a proposal is named: what happens if people approve. */
export const proposalTool = "activate_config"

/** Makes the client of the built-in instance. `clock`: this process' own, epoch ms. */
export function createProposalPlatform(book: ProposalBook, clock: Clock): Platform {
  const read = async (id: string) => {
    const found = await book.read(id)
    return found === null ? null : approvalOf(found)
  }
  const waiting = async () => {
    const { proposals } = await book.active()
    const proposal = proposalWaiting(proposals)
    const approval = proposal === null ? null : await read(proposal.id)
    return approval?.status === "pending" ? [approval] : []
  }
  return {
    pending: async function* () {
      yield { approvals: (await waiting()).map(asListed), unreadable: [] }
    },
    // Nothing becomes of its runs, so there is nothing to look at.
    approved: async () => [],
    rejected: async () => [],
    audits: async function* () {},
    session: async () => null,
    changedSessions: async () => null,
    ofRun: async () => [],
    newest: async () => (await book.active()).proposals.list.map(({ id }) => id).toReversed(),
    capabilities: async () => ({ enforcesRejection: true, version: null }),
    upForMs: async () => null,
    count: async () => (await waiting()).length,
    get: read,
    status: async (id) => {
      const approval = await read(id)
      return approval === null ? null : { status: approval.status, resolvedBy: approval.resolvedBy }
    },
    delegated: false,
    resolve: async (id, body, _principal, mayLeave) =>
      mayLeave() ? carryOut(book, id, verdictIn(body, clock())) : held,
  }
}

const held: Resolved = { kind: "held-back" }

async function carryOut(book: ProposalBook, id: string, verdict: ProposalVerdict): Promise<Resolved> {
  const done = await book.resolve(id, verdict)
  const found = done === "resolved" ? await book.read(id) : null
  if (found !== null) return { kind: "row", approval: approvalOf(found) }
  return done === "unknown"
    ? { kind: "refused", status: 404, detail: "there is no such proposal" }
    : { kind: "conflict", detail: "the proposal has ended" }
}

/** Reads the frozen body. It is our own, so anything else is a mistake of ours. */
function verdictIn(body: string, at: number): ProposalVerdict {
  const sent = parseJson(body)
  const { status, resolved_by: by, resolution_data: data } = isJsonObject(sent) ? sent : ({} as JsonObject)
  if (status !== "approved" && status !== "rejected") throw new TypeError("a verdict approves or rejects")
  const mark = isJsonObject(data) ? data["countersign"] : null
  const decision = isJsonObject(mark) ? mark["decision_id"] : null
  return {
    status,
    decision: typeof decision === "string" ? decision : null,
    resolvedBy: typeof by === "string" ? by : null,
    data: isJsonObject(data) ? data : null,
    at,
  }
}

function asListed(approval: Approval): Listed {
  const { agentId, runStatus } = approval
  return { ...traceOf(approval), agentId, runStatus, digest: digestOf(approval), read: () => approval }
}

/** A proposal as an approval. The content of one never changes: it is shown as it was proposed. */
function approvalOf({ proposal, current, newer, kept }: ProposalRead): Approval {
  const { id, at } = proposal
  const { status, over, endedAt } = statusIn(proposal, current)
  return {
    instance: builtInInstance,
    id,
    runId: id,
    sessionId: id,
    status,
    sourceType: "config",
    approvalType: "required",
    pauseType: "confirmation",
    toolName: proposalTool,
    toolArgs: kept.shown,
    requirements: null,
    context: null,
    agentId: null,
    teamId: null,
    workflowId: null,
    sourceName: "Countersign",
    userId: null,
    resolvedBy: over === null ? (kept.resolution?.resolvedBy ?? null) : `countersign:${over}`,
    resolutionData: over === null ? (kept.resolution?.data ?? null) : proposalOverData({ how: over, newer }),
    resolvedAt: endedAt,
    createdAt: at,
    updatedAt: endedAt ?? at,
    expiresAt: null,
    runStatus: null,
  }
}

interface ProposalStatus {
  readonly status: "pending" | "approved" | "rejected" | "cancelled"
  /** How it ended without votes; null if it did not. */
  readonly over: ProposalOver | null
  readonly endedAt: number | null
}

/** How a proposal stands. One that was made from a config that is not active any more is over. */
function statusIn({ at, end }: Proposal, current: boolean): ProposalStatus {
  if (end === null) {
    if (current) return { status: "pending", over: null, endedAt: null }
    return { status: "cancelled", over: "outdated", endedAt: at }
  }
  const { how, at: endedAt } = end
  if (how === "approved" || how === "rejected") return { status: how, over: null, endedAt }
  return { status: "cancelled", over: how, endedAt }
}
