// The agents endpoints of 4.3 that are served: list, view, start, read, continue and cancel runs.

import type { HandlerRequest, Handlers } from "./handler.ts"
import type { Parts } from "./parts.ts"
import { randomCallId, randomId } from "./random-ids.ts"
import { type FormFields, readForm } from "./read-form.ts"
import { readQuery } from "./read-json.ts"
import { answer, type Reply, refuse, refuseInput } from "./reply.ts"
import type { Stamps } from "./run.ts"
import { findRun } from "./run-store.ts"
import { runView } from "./run-text.ts"
import { cancelRun, continueRun, type RunOutcome, startRun } from "./runs.ts"
import type { ScriptedAgent } from "./script.ts"

/** Handlers of the agents endpoints. Lists show what the caller's scopes cover. */
export function runHandlers(parts: Parts): Handlers {
  const { agents } = parts.script
  return {
    "GET /agents": ({ standing: { scopes, enforced } }) =>
      answer(agents.filter((agent) => !enforced || scopes.covers("agents:read", agent.id)).map(agentView)),
    "GET /agents/*": (request) => withAgent(parts, request, (agent) => answer(agentView(agent))),
    "POST /agents/*/runs": (request) => withAgent(parts, request, (agent) => start(parts, request, agent)),
    "GET /agents/*/runs/*": (request) => withAgent(parts, request, (agent) => read(parts, request, agent)),
    "POST /agents/*/runs/*/continue": (request) => withAgent(parts, request, (agent) => goOn(parts, request, agent)),
    "POST /agents/*/runs/*/cancel": (request) => withAgent(parts, request, (agent) => cancel(parts, request, agent)),
  }
}

type Answered = Reply | Promise<Reply>

function withAgent(parts: Parts, { ids: [id] }: HandlerRequest, then: (agent: ScriptedAgent) => Answered): Answered {
  const agent = parts.script.agents.find((candidate) => candidate.id === id)
  return agent === undefined ? refuse(404, "Agent not found") : then(agent)
}

async function start(parts: Parts, request: HandlerRequest, agent: ScriptedAgent): Promise<Reply> {
  const form = await readForm(request.context, parts.settings.maxBodyBytes)
  if (!form.ok) return form.reply
  const { message } = form.value
  if (message === undefined) {
    return refuseInput([{ type: "missing", loc: ["body", "message"], msg: "Field required", input: null }])
  }
  if (streams(form.value)) return noStream
  const sessionId = form.value["session_id"] ?? randomId(parts.random)
  const run = startRun(
    parts.database,
    agent,
    { message, sessionId, userId: userOf(request, form.value) },
    stampsOf(parts),
  )
  return answer(runView(run, agent.name))
}

async function goOn(parts: Parts, request: HandlerRequest, agent: ScriptedAgent): Promise<Reply> {
  const form = await readForm(request.context, parts.settings.maxBodyBytes)
  if (!form.ok) return form.reply
  const [, runId = ""] = request.ids
  const sessionId = form.value["session_id"] ?? ""
  if (sessionId === "") return refuse(400, "session_id is required for this action")
  if ((form.value["tools"] ?? "") !== "") {
    return refuse(400, "tools is not accepted: what runs is what the approval shows, and its record decides")
  }
  if (streams(form.value)) return noStream
  const address = { runId, sessionId, userId: userOf(request, form.value) }
  return toReply(continueRun(parts.database, agent, address, stampsOf(parts)), agent)
}

function read(parts: Parts, { ids, context }: HandlerRequest, agent: ScriptedAgent): Reply {
  const [, runId = ""] = ids
  const run = findRun(parts.database, agent.id, runId)
  const { session_id: sessionId } = readQuery(context)
  if (run === null || (sessionId !== undefined && sessionId !== run.sessionId)) return refuse(404, "Run not found")
  return answer(runView(run, agent.name))
}

function cancel(parts: Parts, { ids: [, runId = ""] }: HandlerRequest, agent: ScriptedAgent): Reply {
  const outcome = cancelRun(parts.database, agent, runId, parts.clock())
  return outcome.ok ? answer({}) : refuse(outcome.status, outcome.detail)
}

const noStream: Reply = refuse(501, "Streaming is not served: send stream=false")

/** The form streams unless it says otherwise, as in the real service. */
function streams(form: FormFields): boolean {
  return !["false", "0", "no", "off"].includes((form["stream"] ?? "true").toLowerCase())
}

/** A token's subject wins over the form's claim. */
function userOf({ standing }: HandlerRequest, form: FormFields): string | null {
  return standing.caller.subject ?? form["user_id"] ?? null
}

function toReply(outcome: RunOutcome, agent: ScriptedAgent): Reply {
  return outcome.ok ? answer(runView(outcome.run, agent.name)) : refuse(outcome.status, outcome.detail)
}

function stampsOf({ clock, random }: Parts): Stamps {
  return { at: clock(), newId: () => randomId(random), newCallId: () => randomCallId(random) }
}

function agentView(agent: ScriptedAgent): Record<string, unknown> {
  return {
    id: agent.id,
    name: agent.name,
    model: { id: "scripted-model", provider: "scripted" },
    tools: agent.tools.map((tool) => ({ name: tool.name, approval_type: tool.gated ? "required" : null })),
  }
}
