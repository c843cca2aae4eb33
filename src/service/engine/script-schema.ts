// The shapes of a script: tools, turns, agents, teams and workflows.
import { z } from "zod"
import { isJsonObject, type WireObject } from "../wire/exact-json.ts"

const argsSchema = z.custom<WireObject>(isJsonObject, "expected a mapping of argument names to values").default({})

const idSchema = z.string().regex(/^[^/:*\s]+$/, "expected an id without spaces, slashes, colons and stars")

/** `step`: the name of the workflow's step that is this call. */
const toolCallSchema = z.strictObject({ tool: z.string(), args: argsSchema, step: z.string().exactOptional() })

/** Work that is handed to a component. `task` null: a step goes on with the output of the step before it. */
const delegationSchema = z.strictObject({
  member: z.string(),
  kind: z.enum(["agent", "team"]).default("agent"),
  task: z.string().nullable().default(null),
  step: z.string().nullable().default(null),
})

const failureSchema = z.strictObject({ error: z.string() })

/** What the model asks for in one breath, or its failure. */
export const turnSchema = z.union([z.array(z.union([toolCallSchema, delegationSchema])).min(1), failureSchema])

const turnsSchema = z.array(turnSchema)

const runSchema = z.union([
  turnsSchema.transform((turns) => ({ name: null, turns, answer: "Done." })),
  z.strictObject({
    name: z.string().nullable().default(null),
    turns: turnsSchema,
    answer: z.string().default("Done."),
  }),
])

const fieldSchema = z.strictObject({
  name: z.string(),
  field_type: z.string().default("str"),
  description: z.string().nullable().default(null),
})

/** A tool in a script; also kept with each run, so that a changed script does not change a run that waits. */
export const toolSchema = z.strictObject({
  name: z.string().min(1),
  gated: z.boolean().default(false),
  audit: z.boolean().default(false),
  pause: z.enum(["confirmation", "user_input", "external_execution"]).default("confirmation"),
  fields: z.array(fieldSchema).default([]),
  result: z.string().nullable().default(null),
  expires_in: z.int().positive().nullable().default(null),
})

const common = { id: idSchema, name: z.string().optional(), description: z.string().nullable().default(null) }

const agentSchema = z.strictObject({
  ...common,
  tools: z.array(toolSchema).default([]),
  runs: z.array(runSchema).default([]),
})

const teamSchema = z.strictObject({
  ...common,
  members: z.array(z.string()).default([]),
  tools: z.array(toolSchema).default([]),
  runs: z.array(runSchema).default([]),
})

const stepSchema = z.strictObject({
  name: z.string().optional(),
  agent: z.string().optional(),
  team: z.string().optional(),
  task: z.string().nullable().default(null),
  /** A function of the workflow, described as a tool is. */
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
/** What one run does, turn by turn, and what it says at its end. */
export type ScriptedRun = z.output<typeof runSchema>
/** What a script names and keeps of any component. */
export type Named<T> = Omit<T, "name"> & { readonly name: string }
/** A scripted agent. */
export type ScriptedAgent = Named<z.output<typeof agentSchema>>
/** A scripted team; `members` are ids of agents. */
export type ScriptedTeam = Named<z.output<typeof teamSchema>>
/** A step as the schema leaves it. */
export type StepInput = z.output<typeof stepSchema>
/** A step of a workflow: exactly one of an agent, a team or a function. */
export type ScriptedStep = Named<StepInput>
/** A scripted workflow. */
export type ScriptedWorkflow = Omit<Named<z.output<typeof workflowSchema>>, "steps"> & {
  readonly steps: readonly ScriptedStep[]
}
/** What a program or a YAML file may give as a script; see the head of `script.ts`. */
export type ScriptInput = z.input<typeof scriptSchema>

/** Who carries out a step; null for a function of the workflow. */
export function executorOf(step: ScriptedStep): { readonly kind: "agent" | "team"; readonly id: string } | null {
  const { agent, team } = step
  if (agent !== undefined) return { kind: "agent", id: agent }
  return team === undefined ? null : { kind: "team", id: team }
}
