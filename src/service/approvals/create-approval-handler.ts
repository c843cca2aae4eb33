// POST /approvals, which only this service has: any program asks for an approval, and then reads its status.
import { z } from "zod"
import { askedFor, type Requirement, requirementOf } from "../engine/tool-execution.ts"
import type { ServiceParts } from "../handler.ts"
import { randomCallId, randomId } from "../ids.ts"
import { routesOf, type ServiceRoute } from "../route.ts"
import { approvalResponse, approvalText, type NewApproval } from "../storage/approval-row.ts"
import { findApproval, insertApproval } from "../storage/approval-store.ts"
import { runExists } from "../storage/run-store.ts"
import { boundedInteger, boundedText, freeFormObject } from "../wire/fields.ts"
import { named } from "../wire/named-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answerText, refuse, type ServiceReply } from "../wire/reply.ts"

const name = boundedText(255).nullish()

const createBody = named(
  "ApprovalCreate",
  z.strictObject({
    tool_name: boundedText(255),
    tool_args: freeFormObject,
    agent_id: name,
    team_id: name,
    workflow_id: name,
    source_name: name,
    user_id: name,
    session_id: name,
    run_id: name,
    pause_type: z.enum(["confirmation", "user_input", "external_execution"]).default("confirmation"),
    requirements: z.array(freeFormObject).nullish(),
    context: freeFormObject.nullish(),
    expires_at: boundedInteger(0).nullish(),
  }),
)

/**
 * Needs `approvals:create`, which never includes resolving. We refuse unknown fields, so that a misspelt field is not
 * lost. If `run_id` is a run of this service, the answer is 409: a pending approval stops its run, so only the run
 * itself may ask for one.
 */
export const createApprovalRoutes: readonly ServiceRoute[] = [
  routesOf("Approvals")("POST /approvals", "approvals:create", {
    id: "create_approval_approvals_post",
    summary: "Ask for an approval",
    isOwn: true,
    forAnybody: true,
    body: jsonBody(createBody),
    status: 201,
    reply: approvalResponse,
    refusals: [409],
    handler: (parts, { body }) => createApproval(parts, body),
  }),
]

type CreateBody = z.output<typeof createBody>

function createApproval(parts: ServiceParts, body: CreateBody): ServiceReply {
  if (typeof body.run_id === "string" && runExists(parts.database, body.run_id)) {
    return refuse(
      409,
      `Run ${body.run_id} is a run of this service, which asks for its approvals itself; leave run_id out`,
    )
  }
  const approval = toApproval(parts, body)
  insertApproval(parts.database, approval)
  const row = findApproval(parts.database, approval.id)
  if (row === null) throw new Error(`approval ${approval.id} was inserted and is not there`)
  return answerText(approvalText(row), 201)
}

function toApproval(parts: ServiceParts, body: CreateBody): NewApproval {
  const newId = (): string => randomId(parts.random)
  return {
    id: newId(),
    approval_type: "required",
    run_id: body.run_id ?? newId(),
    session_id: body.session_id ?? newId(),
    source_type: sourceTypeOf(body),
    pause_type: body.pause_type,
    tool_name: body.tool_name,
    tool_args: body.tool_args,
    expires_at: body.expires_at,
    agent_id: body.agent_id,
    team_id: body.team_id,
    workflow_id: body.workflow_id,
    user_id: body.user_id,
    source_name: body.source_name,
    requirements: body.requirements ?? [impliedRequirement(parts, body)],
    context: body.context ?? { tool_names: [body.tool_name], source_name: body.source_name ?? null },
    created_at: Math.floor(parts.clock() / 1000),
  }
}

function sourceTypeOf(body: CreateBody): string {
  if (body.workflow_id !== undefined && body.workflow_id !== null) return "workflow"
  if (body.team_id !== undefined && body.team_id !== null) return "team"
  return "agent"
}

/** The requirement of the call, so that readers find the call where every other approval has its call. */
function impliedRequirement(parts: ServiceParts, body: CreateBody): Requirement {
  const tool = { name: body.tool_name, gated: true, audit: false, pause: body.pause_type, fields: [] }
  const at = parts.clock()
  const stamp = { callId: randomCallId(parts.random), at, approvalId: null }
  return requirementOf(askedFor(tool, body.tool_args, stamp), randomId(parts.random), at)
}
