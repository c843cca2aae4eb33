// Eval runs: the results of trying an agent or a team (specification 4.3).
import { z } from "zod"
import { boundedInteger, boundedText, freeFormObject } from "../wire/fields.ts"
import { namedObject } from "../wire/named-model.ts"
import { equals, isOneOf, isSet } from "./conditions.ts"
import { removingMany, resourceOf, updating } from "./resource.ts"
import { nullableText, objectField, timeField } from "./row-columns.ts"

const evalTypes = ["accuracy", "agent_as_judge", "performance", "reliability"] as const

/** One eval run. */
export const evalRow = z.object({
  id: z.string(),
  agent_id: nullableText,
  model_id: nullableText,
  model_provider: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  name: nullableText,
  evaluated_component_name: nullableText,
  user_id: nullableText,
  eval_type: z.enum(evalTypes),
  eval_data: objectField,
  eval_input: objectField.nullable(),
  created_at: timeField("iso"),
  updated_at: timeField("iso"),
})

/** The arguments that a call must have; a list if the tool is called several times. */
const expectedArguments = z.record(z.string(), z.union([freeFormObject, z.array(freeFormObject)]))

/** `POST /eval-runs`. */
export const evalBody = namedObject("EvalRunCreate", {
  agent_id: z.string().nullish(),
  team_id: z.string().nullish(),
  model_id: z.string().nullish(),
  model_provider: z.string().nullish(),
  eval_type: z.enum(evalTypes),
  input: boundedText(100_000, 1),
  additional_guidelines: z.string().nullish(),
  additional_context: z.string().nullish(),
  num_iterations: boundedInteger(1, 100).default(1),
  name: z.string().nullish(),
  expected_output: z.string().nullish(),
  criteria: z.string().nullish(),
  scoring_strategy: z.enum(["numeric", "binary"]).nullish(),
  threshold: boundedInteger(1, 10).nullish(),
  warmup_runs: boundedInteger(0, 10).default(0),
  expected_tool_calls: z.array(z.string()).nullish(),
  allow_additional_tool_calls: z.boolean().default(false),
  expected_tool_call_arguments: expectedArguments.nullish(),
})

const renameBody = z.object({ name: boundedText(255, 1) })
const idsBody = z.object({ eval_run_ids: z.array(z.string()).min(1) })

/** `/eval-runs`. `eval-runs/eval-handlers.ts` makes the rows. */
export const evalRuns = resourceOf<typeof evalRow>({
  name: "EvalRun",
  tag: "Evals",
  scopes: "evals",
  path: "/eval-runs",
  table: "eval_runs",
  row: evalRow,
  key: "id",
  owner: "user_id",
  indexes: [["created_at"], ["user_id", "created_at"]],
  notFound: (id) => `Eval run with id '${id}' not found`,
  list: {
    id: "get_eval_runs",
    summary: "List eval runs",
    filters: {
      agent_id: equals("agent_id"),
      team_id: equals("team_id"),
      workflow_id: equals("workflow_id"),
      model_id: equals("model_id"),
      type: isSet({ agent: "agent_id", team: "team_id", workflow: "workflow_id" }),
      eval_types: isOneOf("eval_type", evalTypes),
    },
    limit: 20,
    sortBy: ["created_at", "updated_at", "name", "eval_type"],
  },
  read: { id: "get_eval_run", summary: "View an eval run" },
  update: updating({ id: "update_eval_run", summary: "Rename an eval run" }, renameBody, ({ name }, _row, maker) => ({
    ok: true,
    value: { name, updated_at: maker.now },
  })),
  removeMany: removingMany({ id: "delete_eval_runs", summary: "Delete eval runs in bulk" }, idsBody, (wish) => ({
    ids: wish.eval_run_ids,
  })),
})
