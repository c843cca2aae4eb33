// The A2A endpoints in the interface description.
import { familyOf } from "../components/component.ts"
import type { ComponentKind } from "../runs/engine/run.ts"
import type { Operation, Operations } from "./operation.ts"

/** 4.4, under the default prefix. */
export const a2aOperations: Operations = {
  ...operationsOf("agent"),
  ...operationsOf("team"),
  ...operationsOf("workflow"),
  "POST /a2a/message/send": posted("run_message_dispatch", "Dynamic dispatch (deprecated)", [400, 404]),
  "POST /a2a/message/stream": streamed(
    "stream_message_dispatch",
    "Dynamic dispatch, streaming (deprecated)",
    [400, 404],
  ),
}

function operationsOf(kind: ComponentKind): Operations {
  const path = `/a2a/${familyOf(kind)}/*`
  const a = kind === "agent" ? "an agent" : `a ${kind}`
  const tasks: Operations = {
    [`POST ${path}/v1/tasks:get`]: posted(`get_${kind}_task`, `Get ${a}'s task`, [404]),
    [`POST ${path}/v1/tasks:cancel`]: posted(`cancel_${kind}_task`, `Cancel ${a}'s task`, [404, 409]),
  }
  return {
    [`GET ${path}/.well-known/agent-card.json`]: {
      id: `get_${kind}_card`,
      tag: "A2A",
      summary: `Fetch ${a}'s card`,
      answers: [{ status: 200, model: "AgentCard" }],
      refusals: [404],
    },
    [`POST ${path}/v1/message:send`]: posted(`run_message_${kind}`, `Send a message to ${a}`, [404, 409]),
    [`POST ${path}/v1/message:stream`]: streamed(`stream_message_${kind}`, `Stream a message to ${a}`, [404, 409]),
    ...(kind === "workflow" ? {} : tasks),
  }
}

function posted(id: string, summary: string, refusals: readonly number[]): Operation {
  return { id, tag: "A2A", summary, json: "A2aRequest", answers: [{ status: 200, model: "A2aResponse" }], refusals }
}

function streamed(id: string, summary: string, refusals: readonly number[]): Operation {
  return { id, tag: "A2A", summary, json: "A2aRequest", answers: [{ status: 200, stream: true }], refusals }
}
