// The shapes of a script: tools, turns, agents, teams and workflows.
import { z } from "zod"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"

const argsSchema = z.custom<WireObject>(isJsonObject, "expected a mapping of argument names to values").default({})

const idSchema = z.string().regex(/^[^/:*\s]+$/, "expected an id without spaces, slashes, colons and stars")

/** `step`: the name of the workflow's step, if this call is one. */
const toolCallSchema = z.strictObject({ tool: z.string(), args: argsSchema, step: z.string().exactOptional() })

/** Work that is handed to a component. `task` null: the step gets the output of the step before it. */
const delegationSchema = z.strictObject({
  member: z.string(),
  kind: z.enum(["agent", "team"]).default("agent"),
  task: z.string().nullable().default(null),
  step: z.string().nullable().default(null),
})

const failureSchema = z.strictObject({ error: z.string() })

/** What the model asks for at once, or its failure. */
export const turnSchema = z.union([z.array(z.union([toolCallSchema, delegationSchema])).min(1), failureSchema])

const turnsSchema = z.array(turnSchema)

const runSchema = z.union([
  turnsSchema.transform((turns) => ({ name: null, turns, answer: "Done.", listens: false })),
  z.strictObject({
    name: z.string().nullable().default(null),
    turns: turnsSchema,
    answer: z.string().default("Done."),
    /** True: the agent reads why a call was refused, and asks again as was proposed. */
    listens: z.boolean().default(false),
  }),
])

const fieldSchema = z.strictObject({
  name: z.string(),
  field_type: z.string().default("str"),
  description: z.string().nullable().default(null),
})

const jsonSchema = z
  .custom<WireObject>(isJsonObject, "expected a JSON schema: a mapping with type: object")
  .refine((schema) => schema["type"] === "object", "expected a JSON schema with type: object")

/** A tool in a script. It is also kept with each run, so a changed script does not change a run that waits. */
export const toolSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().nullable().default(null),
  /** JSON schema of the tool's arguments, as the model gets it. Null: no arguments, or no model reads them. */
  parameters: jsonSchema.nullable().default(null),
  gated: z.boolean().default(false),
  audit: z.boolean().default(false),
  pause: z.enum(["confirmation", "user_input", "external_execution"]).default("confirmation"),
  fields: z.array(fieldSchema).default([]),
  result: z.string().nullable().default(null),
  expires_in: z.int().positive().nullable().default(null),
})

/** A tool as a script may write it: `requires_confirmation: true`, the word of frameworks, means `gated: true`. */
const writtenTool = toolSchema
  .extend({ requires_confirmation: z.boolean().optional() })
  .refine(({ requires_confirmation: asks, pause }) => asks !== true || pause === "confirmation", {
    path: ["requires_confirmation"],
    message: "a tool with this key pauses for confirmation; leave out the key, or pause",
  })
  .refine(({ requires_confirmation: asks, gated }) => asks !== false || !gated, {
    path: ["requires_confirmation"],
    message: "gated says otherwise; leave out one of them",
  })
  .transform(({ requires_confirmation: asks, ...tool }) => (asks === true ? { ...tool, gated: true } : tool))

/** Where a model answers, and how much of it a run may use. It is also kept with each run. */
export const modelSchema = z
  .strictObject({
    base_url: z.string().superRefine((text, context) => {
      const fault = addressFault(text)
      if (fault !== null) context.addIssue({ code: "custom", message: fault })
    }),
    name: z.string().min(1),
    key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable")
      .nullable()
      .default(null),
    max_rounds: z.int().min(1).max(100).default(20),
    max_tokens: z.int().positive().default(500_000),
    timeout_seconds: z.number().positive().max(3600).default(120),
  })
  .refine(({ base_url, key_env }) => key_env === null || isPrivateWay(base_url), {
    path: ["base_url"],
    message: "a key goes only to an https address, or to this machine",
  })

/** Why a text cannot be the address of a model, or null. */
function addressFault(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return "expected an http or https address, such as https://api.example.com/v1"
  }
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === ""
  return isPlain ? null : "expected an address without a name, a password, a query and a fragment"
}

/** True if nobody on the way to this address can read along. */
function isPrivateWay(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === "https:" || /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(url?.hostname ?? "")
}

const common = { id: idSchema, name: z.string().optional(), description: z.string().nullable().default(null) }

const agentSchema = z.strictObject({
  ...common,
  model: modelSchema.nullable().default(null),
  instructions: z.string().nullable().default(null),
  tools: z.array(writtenTool).default([]),
  runs: z.array(runSchema).default([]),
})

const teamSchema = z.strictObject({
  ...common,
  members: z.array(z.string()).default([]),
  tools: z.array(writtenTool).default([]),
  runs: z.array(runSchema).default([]),
})

const stepSchema = z.strictObject({
  name: z.string().optional(),
  agent: z.string().optional(),
  team: z.string().optional(),
  task: z.string().nullable().default(null),
  /** A function of the workflow, described like a tool. */
  function: toolSchema.optional(),
  args: argsSchema,
})

const workflowSchema = z.strictObject({ ...common, steps: z.array(stepSchema).min(1) })

/** A whole script. */
export const scriptSchema = z.strictObject({
  agents: z.array(agentSchema).default([]),
  teams: z.array(teamSchema).default([]),
  workflows: z.array(workflowSchema).default([]),
})

/** A turn of a run. */
export type ScriptTurn = z.output<typeof turnSchema>
/** A tool of a scripted component. */
export type ScriptedTool = z.output<typeof toolSchema>
/** The model that an agent thinks with. */
export type ScriptedModel = z.output<typeof modelSchema>
/** What one run does, turn by turn, and what it says at its end. */
export type ScriptedRun = z.output<typeof runSchema>
/** A part of a script as its readers see it: the name is always there. */
export type Named<T> = Omit<T, "name"> & { readonly name: string }
/** A scripted agent. */
export type ScriptedAgent = Named<z.output<typeof agentSchema>>
/** A scripted team; `members` are ids of agents. */
export type ScriptedTeam = Named<z.output<typeof teamSchema>>
/** A step of a workflow as the schema reads it. */
export type StepInput = z.output<typeof stepSchema>
/** A step of a workflow: exactly one of an agent, a team or a function. */
export type ScriptedStep = Named<StepInput>
/** A scripted workflow. */
export type ScriptedWorkflow = Omit<Named<z.output<typeof workflowSchema>>, "steps"> & {
  readonly steps: readonly ScriptedStep[]
}
/** What a program or a YAML file may give as a script; see the head of `script.ts`. */
export type ScriptInput = z.input<typeof scriptSchema>

/** Who carries out a step; null if a function of the workflow does. */
export function executorOf(step: ScriptedStep): { readonly kind: "agent" | "team"; readonly id: string } | null {
  const { agent, team } = step
  if (agent !== undefined) return { kind: "agent", id: agent }
  return team === undefined ? null : { kind: "team", id: team }
}
