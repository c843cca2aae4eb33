// A session as lists show it, and as it is shown by itself, with the same keys as in the real service.
import { componentsOf } from "../components/component.ts"
import type { ServiceParts } from "../handler.ts"
import { listSessionRuns } from "../storage/run-store.ts"
import { type Session, sessions } from "../storage/session-store.ts"
import { messagesOf } from "../views/run-messages.ts"
import { wireTime } from "../wire/wire-time.ts"

/** The sessions with the names that are shown: their own, else the message of their first run, else nothing. */
export const shownSessions = {
  ...sessions,
  table: `(SELECT seq, id, kind, component_id, user_id, state, metadata, summary, created_at, updated_at,
    coalesce(name, (SELECT json_extract(state, '$.message') FROM runs
      WHERE runs.session_id = sessions.id AND parent_id IS NULL ORDER BY rowid LIMIT 1), '') AS name FROM sessions)`,
}

/** A row of the list. A key without a value is left out. */
export function sessionRow(session: Session): Record<string, unknown> {
  return {
    session_id: session.id,
    session_name: session.name ?? "",
    session_state: session.state ?? {},
    created_at: wireTime(session.created_at),
    updated_at: wireTime(session.updated_at),
    session_type: session.kind,
    ...present("user_id", session.user_id),
    ...present(`${session.kind}_id`, session.component_id),
    ...present("session_summary", session.summary),
    metrics: {},
    ...present("metadata", session.metadata),
  }
}

/** A session by itself, with its conversation. */
export function sessionView(parts: ServiceParts, session: Session): Record<string, unknown> {
  const runs = listSessionRuns(parts.database, session.id).filter((run) => run.parentId === null)
  const name = session.name ?? runs[0]?.state.message ?? ""
  const times = { created_at: wireTime(session.created_at), updated_at: wireTime(session.updated_at) }
  const state = session.state ?? {}
  const component = componentsOf(parts.script, session.kind).find(({ id }) => id === session.component_id)
  const described = component === undefined ? null : { name: component.name, [`${session.kind}_id`]: component.id }
  if (session.kind === "workflow") {
    return {
      user_id: session.user_id,
      workflow_id: session.component_id,
      workflow_name: component?.name ?? null,
      session_id: session.id,
      session_name: name,
      session_data: { session_state: state, session_metrics: {} },
      session_state: state,
      workflow_data: described,
      metadata: session.metadata,
      ...times,
    }
  }
  return {
    user_id: session.user_id,
    ...(session.kind === "agent" ? { agent_session_id: session.id } : {}),
    session_id: session.id,
    session_name: name,
    session_summary: session.summary,
    session_state: state,
    [`${session.kind}_id`]: session.component_id,
    total_tokens: null,
    [`${session.kind}_data`]: described,
    metrics: {},
    metadata: session.metadata,
    chat_history: runs.filter((run) => run.status !== "REGENERATED").flatMap(messagesOf),
    ...times,
  }
}

function present(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value }
}
