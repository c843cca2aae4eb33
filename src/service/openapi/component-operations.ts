// Agents, teams, workflows and their runs in the interface description.
import { familyOf, titleOf } from "../components/component.ts"
import type { ComponentKind } from "../runs/engine/run.ts"
import { componentRunsQuery, readRunQuery } from "../runs/run-forms.ts"
import type { Operation, Operations } from "./operation.ts"

/** The components of 4.3 and the routes that read their runs. */
export const componentOperations: Operations = {
  ...operationsOf("agent"),
  ...operationsOf("team"),
  ...operationsOf("workflow"),
}

function operationsOf(kind: ComponentKind): Operations {
  const family = familyOf(kind)
  const a = kind === "agent" ? "an agent" : `a ${kind}`
  const operation = (id: string, summary: string, rest: Omit<Operation, "id" | "tag" | "summary">): Operation => ({
    id,
    tag: `${titleOf(kind)}s`,
    summary,
    ...rest,
  })
  return {
    [`GET /${family}`]: operation(`get_${family}`, `List ${family}`, {
      answers: [{ status: 200, model: "ComponentList" }],
    }),
    [`GET /${family}/*`]: operation(`get_${kind}`, `View ${a}`, {
      answers: [{ status: 200, model: "Component" }],
      refusals: [404],
    }),
    [`POST /${family}/*/runs`]: operation(`create_${kind}_run`, `Run ${a}`, {
      form: "RunStart",
      answers: [
        { status: 200, model: "Run", stream: true },
        { status: 202, model: "RunAccepted" },
      ],
      refusals: [404],
    }),
    [`GET /${family}/*/runs`]: operation(`list_${kind}_runs`, `List the runs of ${a} in a session`, {
      query: componentRunsQuery,
      answers: [{ status: 200, model: "SessionRunList" }],
      refusals: [404],
    }),
    [`GET /${family}/*/runs/*`]: operation(`get_${kind}_run`, "View a run", {
      query: readRunQuery,
      answers: [{ status: 200, model: "Run" }],
      refusals: [404],
    }),
    [`POST /${family}/*/runs/*/continue`]: operation(`continue_${kind}_run`, "Continue a paused run", {
      form: "RunContinue",
      answers: [{ status: 200, model: "Run", stream: true }],
      refusals: [400, 404, 409],
    }),
    [`POST /${family}/*/runs/*/cancel`]: operation(`cancel_${kind}_run`, "Cancel a run", {
      answers: [{ status: 200, model: "RunCancelled" }],
      refusals: [404, 409],
    }),
  }
}
