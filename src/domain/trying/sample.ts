// A sample: a made-up call with all that rules can look at, as an approval, as a record, and in words.
import type { Approval } from "../content/approval.ts"
import { type JsonObject } from "../content/json.ts"
import { noneIsPassed } from "../policy/limit-reading.ts"
import { type Demand, demandOf } from "../policy/policy.ts"
import type { Circumstances, RuleContext } from "../policy/when.ts"
import type { Rule } from "../rule/rule.ts"

/** Names that rules look at; null: the platform gives none. */
export interface SampleNames {
  readonly instance: string
  readonly source: string
  readonly agent: string | null
  readonly team: string | null
  readonly workflow: string | null
  readonly pause: string | null
  readonly tool: string | null
}

/** A call that may come. */
export interface Sample {
  readonly names: SampleNames
  readonly args: JsonObject
  readonly circumstances: Circumstances
}

/** The sample as the platform would tell it. */
export function approvalOf({ names, args }: Pick<Sample, "names" | "args">): Approval {
  return {
    instance: names.instance,
    id: "example",
    runId: "example",
    sessionId: "example",
    status: "pending",
    sourceType: names.source,
    approvalType: "required",
    pauseType: names.pause,
    toolName: names.tool,
    toolArgs: args,
    requirements: null,
    context: null,
    agentId: names.agent,
    teamId: names.team,
    workflowId: names.workflow,
    sourceName: null,
    userId: null,
    resolvedBy: null,
    resolutionData: null,
    resolvedAt: null,
    createdAt: null,
    updatedAt: null,
    expiresAt: null,
    runStatus: null,
  }
}

/** What else we need to choose rules. No limit is exceeded: nobody can make up what was approved before. */
export function knownOf({ circumstances }: Pick<Sample, "circumstances">, rules: readonly Rule[]): RuleContext {
  return { circumstances, limits: noneIsPassed(rules) }
}

/** What rules demand for a sample. */
export function demandFor(sample: Sample, rules: readonly Rule[]): Demand {
  return demandOf(approvalOf(sample), rules, knownOf(sample, rules))
}

/** The sample as a record that `policy explain` takes, without the names that are null. */
export function recordOf({ names, args }: Sample): JsonObject {
  const { instance, source, agent, team, workflow, pause, tool } = names
  const told = { agent_id: agent, team_id: team, workflow_id: workflow, pause_type: pause, tool_name: tool }
  const given = Object.entries(told).filter(([, name]) => name !== null)
  return { instance, source_type: source, ...Object.fromEntries(given), tool_args: args }
}
