// The script of the components: what they are called, which tools they have, and what each of their runs does.
//
//   agents:
//     - id: billing-agent
//       name: Billing Agent
//       tools:
//         - name: look_up_invoice                # runs without asking
//         - name: refund                         # waits for an approval
//           gated: true
//           expires_in: 3600                     # seconds until the approval expires; default never
//         - name: pay
//           gated: true
//           pause: user_input                    # confirmation (default), user_input or external_execution
//           fields: [{ name: iban, field_type: str, description: Where to }]
//           result: paid                         # what the tool answers; default "<name> ran with <arguments>"
//         - name: export                         # runs without asking and leaves an audit approval
//           audit: true
//       runs:                                    # taken in turn, beginning anew after the last
//         - [[{ tool: look_up_invoice, args: { id: 7 } }], [{ tool: refund, args: { cents: 1299 } }]]
//         - name: two at once                    # a run started with this message is this one
//           turns: [[{ tool: refund, args: { cents: 1 } }, { tool: pay, args: { amount: 5 } }]]
//           answer: Both are done.
//         - name: broken
//           turns: [{ error: the model is down }]
//   teams:
//     - id: support-team
//       members: [billing-agent]
//       tools: []                                # a team's own tools, as an agent's
//       runs:
//         - [[{ member: billing-agent, task: two at once }]]
//   workflows:
//     - id: month-end
//       steps: [{ name: bill, agent: billing-agent, task: two at once }, { name: tell, team: support-team }]
//
// A turn is what the model asks for in one breath: its ungated calls run at once, its gated ones pause together, in one approval.
import { parse } from "yaml"
import { ServiceError } from "../errors.ts"
import { fromBigints } from "../wire/exact-json.ts"
import { checkNames } from "./script-names.ts"
import {
  type ScriptedAgent,
  type ScriptedStep,
  type ScriptedTeam,
  type ScriptedWorkflow,
  type StepInput,
  scriptSchema,
} from "./script-schema.ts"

export type { ScriptInput } from "./script-schema.ts"

/** All components of one service. */
export type Script = {
  readonly agents: readonly ScriptedAgent[]
  readonly teams: readonly ScriptedTeam[]
  readonly workflows: readonly ScriptedWorkflow[]
}

/** Checks a script. Integers of any size may be given as bigint. Throws `ServiceError` that names the place and the fault. */
export function checkScript(input: unknown): Script {
  const outcome = scriptSchema.safeParse(fromBigints(input))
  if (!outcome.success) {
    const [issue] = outcome.error.issues
    throw scriptFault(issue?.path.join(".") ?? "", issue?.message ?? "it is not a script")
  }
  const { agents, teams, workflows } = outcome.data
  const script: Script = {
    agents: agents.map(named),
    teams: teams.map(named),
    workflows: workflows.map((workflow) => ({ ...named(workflow), steps: workflow.steps.map(namedStep) })),
  }
  const fault = checkNames(script)
  if (fault !== null) throw scriptFault(fault.place, fault.fault)
  return script
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

function named<T extends { readonly id: string; readonly name?: string | undefined }>(
  component: T,
): Omit<T, "name"> & { readonly name: string } {
  return { ...component, name: component.name ?? component.id }
}

function namedStep(step: StepInput, at: number): ScriptedStep {
  if ((step.agent === undefined) === (step.team === undefined)) {
    throw scriptFault(`workflows.steps.${at}`, "expected either an agent or a team")
  }
  return { ...step, name: step.name ?? step.agent ?? step.team ?? "" }
}

function scriptFault(place: string, fault: string): ServiceError {
  return new ServiceError("script_invalid", `script: ${place}: ${fault}`)
}
