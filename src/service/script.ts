// The script of the agents: what they are called, which tools they have, and what each of their runs does.
//
//   agents:
//     - id: billing-agent
//       name: Billing Agent
//       tools:
//         - name: look_up_invoice                # runs without asking
//         - name: refund                         # waits for an approval
//           gated: true
//         - name: pay
//           gated: true
//           pause: user_input                    # confirmation (default), user_input or external_execution
//           fields: [{ name: iban, field_type: str, description: Where to }]
//           result: paid                         # what the tool answers; default "<name> ran with <arguments>"
//       runs:                                    # taken in turn, beginning anew after the last
//         - [[{ tool: look_up_invoice, args: { id: 7 } }], [{ tool: refund, args: { cents: 1299 } }]]
//         - name: two at once                    # a run started with this message is this one
//           turns: [[{ tool: refund, args: { cents: 1 } }, { tool: pay, args: { amount: 5 } }]]
//           answer: Both are done.
//
// A turn is what the model asks for in one breath: its ungated calls run at once, its gated ones pause together, in one approval.
import { parse } from "yaml"
import { z } from "zod"
import { ServiceError } from "./errors.ts"
import { fromBigints, isJsonObject, type JsonObject } from "./exact-json.ts"

const argsSchema = z.custom<JsonObject>(isJsonObject, "expected a mapping of argument names to values").default({})

const callSchema = z.strictObject({ tool: z.string(), args: argsSchema })

const turnsSchema = z.array(z.array(callSchema).min(1))

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
  pause: z.enum(["confirmation", "user_input", "external_execution"]).default("confirmation"),
  fields: z.array(fieldSchema).default([]),
  result: z.string().nullable().default(null),
})

const agentSchema = z.strictObject({
  id: z.string().regex(/^[^/:*\s]+$/, "expected an id without spaces, slashes, colons and stars"),
  name: z.string().optional(),
  tools: z.array(toolSchema).default([]),
  runs: z.array(runSchema).default([]),
})

const scriptSchema = z.strictObject({ agents: z.array(agentSchema).default([]) })

/** A tool of a scripted agent. */
export type ScriptedTool = z.output<typeof toolSchema>
/** What one run does, turn by turn, and what it says at its end. */
export type ScriptedRun = z.output<typeof runSchema>
/** A scripted agent. */
export type ScriptedAgent = Omit<z.output<typeof agentSchema>, "name"> & { readonly name: string }
/** All agents of one service. */
export type Script = { readonly agents: readonly ScriptedAgent[] }
/** What a program or a YAML file may give as a script; see the head of this file. */
export type ScriptInput = z.input<typeof scriptSchema>

/** Checks a script. Integers of any size may be given as bigint. Throws `ServiceError` that names the place and the fault. */
export function checkScript(input: unknown): Script {
  const outcome = scriptSchema.safeParse(fromBigints(input))
  if (!outcome.success) {
    const [issue] = outcome.error.issues
    throw invalid(issue?.path.join(".") ?? "", issue?.message ?? "it is not a script")
  }
  const agents = outcome.data.agents.map((agent) => ({ ...agent, name: agent.name ?? agent.id }))
  checkNames(agents)
  return { agents }
}

/** Reads a script from YAML text. Throws `ServiceError`. */
export function readScript(yaml: string): Script {
  try {
    return checkScript(parse(yaml, { intAsBigInt: true }))
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError(
      "script_invalid",
      `script: ${cause instanceof Error ? cause.message : "it cannot be read"}`,
      { cause },
    )
  }
}

function checkNames(agents: readonly ScriptedAgent[]): void {
  const twice = agents.find((agent, at) => agents.findIndex((other) => other.id === agent.id) !== at)
  if (twice !== undefined) throw invalid("agents", `the id ${twice.id} is used twice`)
  for (const agent of agents) {
    const tools = new Set(agent.tools.map((tool) => tool.name))
    if (tools.size < agent.tools.length) throw invalid(`agents.${agent.id}.tools`, "a name is used twice")
    const stranger = agent.runs.flatMap((run) => run.turns.flat()).find((call) => !tools.has(call.tool))
    if (stranger !== undefined) throw invalid(`agents.${agent.id}.runs`, `${stranger.tool} is none of its tools`)
  }
}

function invalid(place: string, fault: string): ServiceError {
  return new ServiceError("script_invalid", `script: ${place}: ${fault}`)
}
