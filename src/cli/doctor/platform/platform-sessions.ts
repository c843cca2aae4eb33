// The doctor on sessions: whether runs that pause without an approval are noticed, and what that takes (`docs/agentos.md`, least privilege).
import type { Asked } from "../../../platform/probe.ts"
import type { Finding, Notes } from "../finding.ts"

const lost =
  "runs that pause without an approval are not noticed, and a member's team, a workflow's step and other arguments than the approved ones neither"

/** Reads the answer to `GET /sessions`. A credential may do without; then what is lost is said, and which scope brings it. */
export function judgeSessions(notes: Notes, sessions: Asked, config: Asked): readonly Finding[] {
  if (sessions.kind === "none") return []
  const configured = config.kind === "answer" && config.status === 200
  switch (sessions.status) {
    case 200:
      return [notes.ok("sessions can be read: runs that pause without an approval are noticed")]
    case 403:
      return [notes.ok(`sessions cannot be read, so ${lost}: add the scope sessions:read to know of them`)]
    case 404:
      return [notes.ok(`no sessions are served there, so ${lost}`)]
    case 400:
      if (configured) return [notes.ok("sessions can be read in the database that GET /config names")]
      return [notes.ok(`sessions lie in several databases, so ${lost}: add the scope config:read to know of them`)]
    default:
      return []
  }
}
