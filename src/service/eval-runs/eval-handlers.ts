// The eval runs. To make one, an agent or a team runs, and we measure the result. No model judges here.
import type { z } from "zod"
import { collectionRoutes, rowView } from "../collections/collection-handlers.ts"
import { type Component, familyOf, findComponent, modelView, titleOf } from "../components/component.ts"
import type { Family } from "../engine/run.ts"
import { holds, insufficient } from "../gate/standings.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { randomId } from "../ids.ts"
import { evalBody, evalRuns } from "../resources/eval-runs.ts"
import { routesOf, type ServiceRoute, type WithBody } from "../route.ts"
import { startRun } from "../runs/start-run.ts"
import { think } from "../runs/think.ts"
import { insertRow } from "../storage/resource-store.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, refuse, type ServiceReply } from "../wire/reply.ts"
import type { Checked } from "../wire/validation.ts"
import { judgeCalls, spreadOf } from "./measures.ts"

type Wish = z.output<typeof evalBody>

/** The eval runs. Whoever makes an eval run also needs the right to run the agent or the team. */
export const evalRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(evalRuns),
  routesOf(evalRuns.tag)("POST /eval-runs", "evals:write", {
    id: "run_eval",
    summary: "Run an evaluation of an agent or a team",
    body: jsonBody(evalBody),
    reply: evalRuns.model,
    refusals: [400, 404],
    handler: evaluate,
  }),
]

async function evaluate(parts: ServiceParts, request: WithBody<typeof evalBody>): Promise<ServiceReply> {
  const wish = request.body
  const target = evalTarget(parts, request, wish)
  if (!target.ok) return target.reply
  const obstacle = evalObstacle(wish, modelView(target.value.model))
  if (obstacle !== null) return refuse(400, obstacle)
  const user = request.standing.owner ?? request.standing.caller.subject
  const id = randomId(parts.random)
  const trial = { parts, component: target.value, wish, user }
  const outcome = await (wish.eval_type === "reliability" ? tryCalls(trial) : tryTimes(trial))
  if (!outcome.ok) return outcome.reply
  const row = evalRunRow(trial, id, outcome.value)
  insertRow(parts.database, evalRuns, row)
  return answer(rowView(evalRuns, row))
}

/** The agent or the team to run, if the caller may run it. */
function evalTarget(parts: ServiceParts, { standing }: HandlerRequest, wish: Wish): Checked<Component> {
  const { agent_id: agent, team_id: team } = wish
  if (agent && team) return { ok: false, reply: refuse(400, "Only one of agent_id or team_id must be provided") }
  const [kind, id] = agent ? (["agent", agent] as const) : (["team", team ?? ""] as const)
  if (id === "") return { ok: false, reply: refuse(400, "One of agent_id or team_id must be provided") }
  const scope = `${familyOf(kind)}:run`
  if (!holds(standing, scope, id)) return { ok: false, reply: insufficient([scope]) }
  const component = findComponent(parts.script, kind, id)
  if (component !== null) return { ok: true, value: component }
  return { ok: false, reply: refuse(404, `${titleOf(kind)} with id '${id}' not found`) }
}

/** Why this evaluation is not possible, or null. */
function evalObstacle(wish: Wish, own: ReturnType<typeof modelView>): string | null {
  const { eval_type: type, model_id: model, model_provider: provider } = wish
  if (type === "accuracy" || type === "agent_as_judge") {
    return `Type ${type} needs a model that judges, and there is none here; reliability and performance need none`
  }
  if ((model ?? own.id) !== own.id || (provider ?? own.provider) !== own.provider) {
    return `Model ${provider ?? ""}:${model ?? ""} is not here; leave model_id and model_provider out`
  }
  const isWithoutCalls = type === "reliability" && (wish.expected_tool_calls ?? null) === null
  return isWithoutCalls ? "expected_tool_calls is required for reliability evaluations" : null
}

interface Trial {
  readonly parts: ServiceParts
  readonly component: Component
  readonly wish: Wish
  readonly user: string | null
}

type Found = Checked<Readonly<Record<string, unknown>>>

/** Runs once, and compares the calls that ran with those that were expected. */
async function tryCalls(trial: Trial): Promise<Found> {
  const ran = await runOnce(trial)
  if (!ran.ok) return ran
  const { wish } = trial
  const data = judgeCalls(ran.value, {
    calls: wish.expected_tool_calls ?? [],
    others: wish.allow_additional_tool_calls ? "allowed" : "refused",
    args: wish.expected_tool_call_arguments ?? {},
  })
  return { ok: true, value: data }
}

/** Runs several times, and returns how long each run took, in seconds. Memory is not measured. */
async function tryTimes(trial: Trial): Promise<Found> {
  const { wish, parts } = trial
  const times: number[] = []
  for (let round = 0; round < wish.warmup_runs + wish.num_iterations; round += 1) {
    const begun = parts.clock()
    const ran = await runOnce(trial)
    if (!ran.ok) return ran
    if (round >= wish.warmup_runs) times.push((parts.clock() - begun) / 1000)
  }
  return { ok: true, value: { run_times: times, ...spreadOf("run_time", times), memory_usages: [] } }
}

/** One run, in a new session. */
async function runOnce({ parts, component, wish, user }: Trial): Promise<Checked<Family>> {
  const order = { message: wish.input, sessionId: randomId(parts.random), userId: user }
  const outcome = startRun(parts, component, order)
  if (outcome.ok) return { ok: true, value: await think(parts, outcome.leg.family, () => undefined) }
  return { ok: false, reply: refuse(outcome.status, outcome.detail) }
}

function evalRunRow({ parts, wish, component, user }: Trial, id: string, measured: Readonly<Record<string, unknown>>) {
  const at = parts.clock()
  return {
    id,
    agent_id: component.kind === "agent" ? component.id : null,
    team_id: component.kind === "team" ? component.id : null,
    workflow_id: null,
    model_id: modelView(component.model).id,
    model_provider: modelView(component.model).provider,
    name: wish.name ?? null,
    evaluated_component_name: component.name,
    user_id: user,
    eval_type: wish.eval_type,
    eval_data: { run_id: id, ...measured },
    eval_input: inputOf(wish),
    created_at: at,
    updated_at: at,
  }
}

function inputOf(wish: Wish): Readonly<Record<string, unknown>> {
  if (wish.eval_type === "performance") return { num_iterations: wish.num_iterations, warmup_runs: wish.warmup_runs }
  return {
    expected_tool_calls: wish.expected_tool_calls ?? null,
    allow_additional_tool_calls: wish.allow_additional_tool_calls,
    expected_tool_call_arguments: wish.expected_tool_call_arguments ?? null,
  }
}
