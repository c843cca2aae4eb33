// A run as its session shows it, with the same keys as in the real service (`docs/platform-facts.md` 5.7).
import type { Family } from "../engine/run.ts"
import { wireTime } from "../wire/wire-time.ts"
import { messagesOf } from "./run-messages.ts"
import { contentOf, metricsOf, runView } from "./run-view.ts"

/** The JSON value of a run in its session. It has no `requirements`, but it has the steps of a workflow. */
export function sessionRunView(family: Family): Record<string, unknown> {
  const { run } = family
  if (run.kind === "workflow") return workflowRunView(family)
  return {
    run_id: run.id,
    parent_run_id: run.parentId ?? "",
    [`${run.kind}_id`]: run.componentId,
    user_id: run.userId,
    status: run.status,
    run_input: run.state.message,
    content: contentOf(family),
    run_response_format: "text",
    reasoning_content: "",
    reasoning_steps: [],
    metrics: metricsOf(run),
    messages: messagesOf(run),
    tools: run.state.tools.length === 0 ? null : run.state.tools,
    created_at: wireTime(run.createdAt),
    references: [],
    reasoning_messages: [],
    session_state: {},
    ...media,
    input_media: { images: [], videos: [], audios: [], files: [] },
  }
}

/** How many characters a preview shows of the message and of the content. */
const previewed = 280

/** A run in a line of a list: what it is, its status, and how its texts begin. */
export function runPreview(family: Family): Record<string, unknown> {
  const { run } = family
  return {
    run_id: run.id,
    [`${run.kind}_id`]: run.componentId,
    ...(run.userId === null ? {} : { user_id: run.userId }),
    status: run.status,
    run_input: beginningOf(run.state.message),
    content_preview: beginningOf(contentOf(family)),
    created_at: wireTime(run.createdAt),
  }
}

function beginningOf(text: string): string {
  return Array.from(text.slice(0, 2 * previewed))
    .slice(0, previewed)
    .join("")
}

const media = { images: [], videos: [], audio: [], files: [] }

function workflowRunView(family: Family): Record<string, unknown> {
  const { run } = family
  const view = runView(family)
  return {
    run_id: run.id,
    run_input: run.state.message,
    events: [],
    metrics: {},
    workflow_id: run.componentId,
    user_id: run.userId,
    content: view["content"] ?? "",
    content_type: "str",
    status: run.status,
    step_results: view["step_results"],
    step_executor_runs: view["step_executor_runs"],
    step_requirements: view["step_requirements"] ?? null,
    pause_kind: view["pause_kind"] ?? null,
    paused_step_name: view["paused_step_name"] ?? null,
    paused_step_index: view["paused_step_index"] ?? null,
    created_at: wireTime(run.createdAt),
    reasoning_content: "",
    reasoning_steps: [],
    references: [],
    reasoning_messages: [],
    ...media,
  }
}
