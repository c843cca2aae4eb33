// Agents, teams, workflows, their runs and their A2A endpoints in the interface description.
import { familyOf, titleOf } from "../components/component.ts"
import type { ComponentKind } from "../engine/run.ts"
import { componentRunsQuery, readRunQuery } from "../runs/run-handlers.ts"
import { type Operations, tagged } from "./operation.ts"

/** The components of 4.3 and the routes that read their runs. */
export const componentOperations: Operations = {
  ...operationsOf("agent"),
  ...operationsOf("team"),
  ...operationsOf("workflow"),
}

/** 4.4, under the default prefix. */
export const a2aOperations: Operations = tagged("A2A", {
  ...a2aOperationsOf("agent"),
  ...a2aOperationsOf("team"),
  ...a2aOperationsOf("workflow"),
  "POST /a2a/message/send": sent("run_message_dispatch", "Dynamic dispatch (deprecated)", 400, 404),
  "POST /a2a/message/stream": streamed("stream_message_dispatch", "Dynamic dispatch, streaming (deprecated)", 400, 404),
})

function operationsOf(kind: ComponentKind): Operations {
  const family = familyOf(kind)
  const a = withArticle(kind)
  return tagged(`${titleOf(kind)}s`, {
    [`GET /${family}`]: { id: `get_${family}`, summary: `List ${family}`, model: "ComponentList" },
    [`GET /${family}/*`]: { id: `get_${kind}`, summary: `View ${a}`, model: "Component", refusals: [404] },
    [`POST /${family}/*/runs`]: {
      id: `create_${kind}_run`,
      summary: `Run ${a}`,
      form: "RunStart",
      model: "Run",
      media: "text/event-stream",
      accepted: "RunAccepted",
      refusals: [404],
    },
    [`GET /${family}/*/runs`]: {
      id: `list_${kind}_runs`,
      summary: `List the runs of ${a} in a session`,
      query: componentRunsQuery,
      model: "SessionRunList",
      refusals: [404],
    },
    [`GET /${family}/*/runs/*`]: {
      id: `get_${kind}_run`,
      summary: "View a run",
      query: readRunQuery,
      model: "Run",
      refusals: [404],
    },
    [`POST /${family}/*/runs/*/continue`]: {
      id: `continue_${kind}_run`,
      summary: "Continue a paused run",
      form: "RunContinue",
      model: "Run",
      media: "text/event-stream",
      refusals: [400, 404, 409],
    },
    [`POST /${family}/*/runs/*/cancel`]: {
      id: `cancel_${kind}_run`,
      summary: "Cancel a run",
      model: "RunCancelled",
      refusals: [404, 409],
    },
  })
}

function a2aOperationsOf(kind: ComponentKind) {
  const path = `/a2a/${familyOf(kind)}/*`
  const a = withArticle(kind)
  const tasks = {
    [`POST ${path}/v1/tasks:get`]: sent(`get_${kind}_task`, `Get ${a}'s task`, 404),
    [`POST ${path}/v1/tasks:cancel`]: sent(`cancel_${kind}_task`, `Cancel ${a}'s task`, 404, 409),
  }
  const card = { id: `get_${kind}_card`, summary: `Fetch ${a}'s card`, model: "AgentCard", refusals: [404] } as const
  return {
    [`GET ${path}/.well-known/agent-card.json`]: card,
    [`POST ${path}/v1/message:send`]: sent(`run_message_${kind}`, `Send a message to ${a}`, 404, 409),
    [`POST ${path}/v1/message:stream`]: streamed(`stream_message_${kind}`, `Stream a message to ${a}`, 404, 409),
    ...(kind === "workflow" ? {} : tasks),
  }
}

function withArticle(kind: ComponentKind): string {
  return kind === "agent" ? "an agent" : `a ${kind}`
}

function sent(id: string, summary: string, ...refusals: readonly number[]) {
  return { id, summary, json: "A2aRequest", model: "A2aResponse", refusals } as const
}

function streamed(id: string, summary: string, ...refusals: readonly number[]) {
  return { id, summary, json: "A2aRequest", media: "text/event-stream", refusals } as const
}
