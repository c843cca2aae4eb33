// A session as lists show it, and as it is shown by itself, with the same keys as in the real service.
import { componentsOf } from "../components/component.ts"
import type { ServiceParts } from "../handler.ts"
import { listSessionRuns } from "../storage/run-store.ts"
import type { Session } from "../storage/session-store.ts"
import { messagesOf } from "../views/run-messages.ts"
import { parseExact } from "../wire/exact-json.ts"
import { wireTime } from "../wire/wire-time.ts"

/** A row of the list. A key without a value is left out. */
export function sessionRow(session: Session): Record<string, unknown> {
  return {
    session_id: session.id,
    session_name: session.name ?? "",
    session_state: parsedOrNull(session.state) ?? {},
    created_at: wireTime(session.createdAt),
    updated_at: wireTime(session.updatedAt),
    session_type: session.kind,
    ...present("user_id", session.userId),
    ...present(`${session.kind}_id`, session.componentId),
    ...present("session_summary", parsedOrNull(session.summary)),
    metrics: {},
    ...present("metadata", parsedOrNull(session.metadata)),
  }
}

/** A session by itself, with its conversation. */
export function sessionView(parts: ServiceParts, session: Session): Record<string, unknown> {
  const runs = listSessionRuns(parts.database, session.id).filter((run) => run.parentId === null)
  const name = session.name ?? runs[0]?.state.message ?? ""
  const times = { created_at: wireTime(session.createdAt), updated_at: wireTime(session.updatedAt) }
  const state = parsedOrNull(session.state) ?? {}
  const component = componentsOf(parts.script, session.kind).find(({ id }) => id === session.componentId)
  const described = component === undefined ? null : { name: component.name, [`${session.kind}_id`]: component.id }
  if (session.kind === "workflow") {
    return {
      user_id: session.userId,
      workflow_id: session.componentId,
      workflow_name: component?.name ?? null,
      session_id: session.id,
      session_name: name,
      session_data: { session_state: state, session_metrics: {} },
      session_state: state,
      workflow_data: described,
      metadata: parsedOrNull(session.metadata),
      ...times,
    }
  }
  return {
    user_id: session.userId,
    ...(session.kind === "agent" ? { agent_session_id: session.id } : {}),
    session_id: session.id,
    session_name: name,
    session_summary: parsedOrNull(session.summary),
    session_state: state,
    [`${session.kind}_id`]: session.componentId,
    total_tokens: null,
    [`${session.kind}_data`]: described,
    metrics: {},
    metadata: parsedOrNull(session.metadata),
    chat_history: runs.filter((run) => run.status !== "REGENERATED").flatMap(messagesOf),
    ...times,
  }
}

function parsedOrNull(text: string | null): unknown {
  return text === null ? null : parseExact(text)
}

function present(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value }
}
