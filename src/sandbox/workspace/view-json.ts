// A view as the Web API and the interaction payloads show it.
import type { OpenView } from "./views.ts"
import type { Workspace } from "./workspace.ts"

/** What people filled in or chose, by block_id and action_id. */
export type StateValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The view in Slack's words, with the state of its inputs. */
export function viewJson(workspace: Workspace, view: OpenView, values: StateValues): Record<string, unknown> {
  const { definition } = view
  const modal = definition.type === "modal" ? definition : undefined
  return {
    id: view.id,
    team_id: workspace.team.id,
    type: definition.type,
    blocks: definition.blocks,
    private_metadata: definition.private_metadata ?? "",
    callback_id: definition.callback_id ?? "",
    external_id: definition.external_id ?? "",
    state: { values },
    hash: view.hash,
    title: modal?.title ?? { type: "plain_text", text: "View Title" },
    submit: modal?.submit ?? null,
    close: modal?.close ?? null,
    clear_on_close: modal?.clear_on_close ?? false,
    notify_on_close: modal?.notify_on_close ?? false,
    root_view_id: view.rootId,
    previous_view_id: view.previousId,
    app_id: workspace.app.id,
    app_installed_team_id: workspace.team.id,
    bot_id: workspace.app.botId,
  }
}
