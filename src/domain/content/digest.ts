// The digest: one hash of all that a decision covers, so that nobody approves something else than they saw (R2).
import type { Approval } from "./approval.ts"
import { hashOf, isWellFormed } from "./canonical.ts"
import type { Json, JsonObject } from "./json.ts"
import { once } from "./once.ts"

/**
 * SHA-256 (64 hex characters) over the canonical JSON of instance, approval id, run, agent, team, workflow, pause type,
 * tool, all arguments and all requirements. It leaves out what changes by itself (`updated_at`, `run_status`, …). Two
 * approvals share a digest only if a decision about one is a decision about the other.
 */
export const digestOf = once((approval: Approval): string => hashOf(coveredBy(approval)))

function coveredBy(approval: Approval): JsonObject {
  return {
    version: 1,
    instance: approval.instance,
    approval: approval.id,
    run: approval.runId,
    source: approval.sourceType,
    agent: approval.agentId,
    team: approval.teamId,
    workflow: approval.workflowId,
    pause: approval.pauseType,
    tool: approval.toolName,
    args: approval.toolArgs,
    requirements: approval.requirements,
    ...(approval.ambiguous ? { ambiguous: true } : {}),
    ...(approval.oversize ? { oversize: approval.oversize.sha256 } : {}),
  }
}

/** The first characters of a digest, enough for two people to compare. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12)
}

/**
 * True if all programs read the content in the same way, and people can look at it. So nobody can approve text with a
 * lone surrogate, an object that names a member twice (R2), or content that is too large to be shown (R20).
 */
export function isApprovable(approval: Approval): boolean {
  const content: Json = [
    approval.toolName,
    approval.toolArgs,
    approval.requirements === null ? null : [...approval.requirements],
  ]
  return !approval.ambiguous && !approval.oversize && isWellFormed(content)
}
