// The doctor on sessions: whether runs that pause without an approval are noticed, and what that takes (`docs/agentos.md`, least privilege).
import { readEnvelope } from "../../platform/envelope.ts"
import type { Asked, InstanceProbe } from "../../platform/probe.ts"
import { asksWhichDatabase, ownDatabase } from "../../platform/sessions.ts"
import type { Finding, Notes } from "./finding.ts"
import { hasRows, remedyOfFailure } from "./platform-access.ts"

const lost =
  "runs that pause without an approval are not noticed, and a member's team, a workflow's step and other arguments than the approved ones neither"

/** Reads the newest session, as the sweep does: where there are several databases, of the one that `GET /config` calls its own. */
export async function askSessions(probe: Pick<InstanceProbe, "sessions">, config: Asked): Promise<Asked> {
  const sessions = await probe.sessions()
  if (sessions.kind === "none" || !asksWhichDatabase(sessions)) return sessions
  const database = config.kind === "answer" && config.status === 200 ? ownDatabase(config.body) : null
  return database === null ? sessions : probe.sessions(database)
}

/**
 * Reads the answer to `GET /sessions`. A credential may do without; then what is lost is said, and which scope brings it. A list without a session
 * counts as read only where the one of approvals is well: AgentOS before 3.1 lists nothing while its database is away.
 */
export function judgeSessions(notes: Notes, sessions: Asked, isWell: boolean): readonly Finding[] {
  if (sessions.kind === "none") return []
  const { status, detail, body } = sessions
  if (asksWhichDatabase(sessions))
    return [notes.ok(`sessions lie in several databases, so ${lost}: add the scope config:read to know of them`)]
  if (status === 403)
    return [notes.ok(`sessions cannot be read, so ${lost}: add the scope sessions:read to know of them`)]
  if (status === 404) return [notes.ok(`no sessions are served there, so ${lost}`)]
  if (status === 200 && body !== undefined && readEnvelope(body) !== undefined)
    return isWell || hasRows(sessions)
      ? [notes.ok("sessions can be read: runs that pause without an approval are noticed")]
      : []
  const words = status === 200 ? "no list of them" : detail
  return [
    notes.warn({
      what: `GET /sessions was answered ${status}${words === "" ? "" : `: ${words}`}`,
      why: `sessions cannot be read, so ${lost}`,
      todo: status >= 500 ? remedyOfFailure(detail) : "look at what answers at the instance's url",
    }),
  ]
}
