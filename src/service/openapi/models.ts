// The models of the interface description, each by its name there.
import { z } from "zod"
import { envelope, sendParams, taskParams } from "../a2a/a2a-request.ts"
import { requirementSchema, toolExecutionSchema } from "../engine/tool-execution.ts"
import type { Models } from "../resources/operation.ts"
import { continueForm, startForm } from "../runs/run-handlers.ts"
import { createBody, deleteBody, renameBody, updateBody } from "../sessions/session-schemas.ts"
import { runStatusSchema } from "../storage/approval-row.ts"
import { pageOf } from "../wire/page-model.ts"
import { describedModels } from "./described-operations.ts"

const nullableText = z.string().nullish()
const object = z.record(z.string(), z.unknown())

const component = z.looseObject({ id: z.string(), name: z.string(), db_id: z.string() })

/** A requirement of a team's run may be a member's, and says whose. */
const member = z.object({ member_agent_id: z.string(), member_agent_name: z.string(), member_run_id: z.string() })
const demanded = requirementSchema.extend(member.partial().shape)

const a2aId = z.union([z.string(), z.number()])

const run = z.looseObject({
  run_id: z.string(),
  session_id: z.string(),
  user_id: nullableText,
  agent_id: z.string().optional(),
  team_id: z.string().optional(),
  workflow_id: z.string().optional(),
  content: nullableText,
  status: runStatusSchema,
  created_at: z.int(),
  tools: z.array(toolExecutionSchema).optional(),
  requirements: z.array(demanded).optional(),
})

const sessionRun = z.looseObject({
  run_id: z.string(),
  parent_run_id: z.string().optional(),
  user_id: nullableText,
  status: runStatusSchema,
  run_input: z.string(),
  content: z.string(),
  created_at: z.iso.datetime(),
})

const session = z.looseObject({
  session_id: z.string(),
  session_name: z.string(),
  user_id: nullableText,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

const registryEntry = z.looseObject({ name: z.string(), type: z.string(), id: z.string() })

const modelInfo = z.object({ id: z.string(), provider: z.string() })

/** The models that are written out here. The approval's and the validation error's are the specification's. */
const written = {
  ToolExecution: toolExecutionSchema,
  Requirement: demanded,
  RunStart: startForm,
  RunContinue: continueForm,
  Run: run,
  RunAccepted: z.object({ run_id: z.string(), session_id: z.string(), status: runStatusSchema }),
  RunCancelled: z.object({}),
  Component: component,
  ComponentList: z.array(component),
  SessionList: pageOf(session),
  Session: session,
  SessionCreate: createBody,
  SessionRename: renameBody,
  SessionUpdate: updateBody,
  SessionsDelete: deleteBody,
  SessionRun: sessionRun,
  SessionRunList: z.array(sessionRun),
  SessionRunPreviewList: z.array(
    z.looseObject({
      run_id: z.string(),
      status: runStatusSchema,
      run_input: z.string(),
      content_preview: z.string(),
      created_at: z.iso.datetime(),
    }),
  ),
  Config: z.looseObject({ os_id: z.string(), databases: z.array(z.string()) }),
  ModelList: z.array(modelInfo),
  RegistryList: pageOf(registryEntry),
  Info: z.looseObject({
    version: z.string(),
    auth_mode: z.string(),
    enforces_rejection: z.boolean(),
    user_isolation: z.boolean(),
  }),
  Migrated: z.object({ message: z.string(), from_version: z.int(), to_version: z.int(), steps: z.int() }),
  Description: z.looseObject({ openapi: z.string(), info: object, paths: object, components: object }),
  Health: z.object({
    status: z.string(),
    instantiated_at: z.iso.datetime(),
    background_failures: z.int().optional(),
  }),
  A2aRequest: envelope.extend({ params: z.union([sendParams, taskParams]) }),
  A2aRefusal: z.looseObject({ detail: z.string(), error: z.object({ code: z.int(), message: z.string() }).optional() }),
  A2aResponse: z.looseObject({ jsonrpc: z.literal("2.0"), id: a2aId }),
  AgentCard: z.looseObject({ protocolVersion: z.string(), name: z.string(), url: z.string(), version: z.string() }),
} as const satisfies Readonly<Record<string, z.ZodType>>

/** The name of a model that is written out here. */
export type ModelName = keyof typeof written

/** Every model by its name. */
export const models: Models = { ...written, ...describedModels }
