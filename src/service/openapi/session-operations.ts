// Sessions, the instance itself and its own descriptions in the interface description.
import { registryQuery } from "../instance/config-handlers.ts"
import { createQuery, listQuery, oneQuery, runsQuery } from "../sessions/session-schemas.ts"
import type { Operations } from "./operation.ts"

const sessions = "Sessions"

/** Sessions of 4.3 with the routes that read their runs. */
export const sessionOperations: Operations = {
  "GET /sessions": {
    id: "get_sessions",
    tag: sessions,
    summary: "List sessions",
    query: listQuery,
    answers: [{ status: 200, model: "SessionList" }],
  },
  "POST /sessions": {
    id: "create_session",
    tag: sessions,
    summary: "Create a session",
    query: createQuery,
    json: "SessionCreate",
    answers: [{ status: 201, model: "Session" }],
    refusals: [409],
  },
  "DELETE /sessions": {
    id: "delete_sessions",
    tag: sessions,
    summary: "Delete sessions in bulk",
    json: "SessionsDelete",
    answers: [{ status: 204 }],
    refusals: [400],
  },
  "GET /sessions/*": {
    id: "get_session_by_id",
    tag: sessions,
    summary: "View a session",
    query: oneQuery,
    answers: [{ status: 200, model: "Session" }],
    refusals: [404],
  },
  "POST /sessions/*/rename": {
    id: "rename_session",
    tag: sessions,
    summary: "Rename a session",
    query: oneQuery,
    json: "SessionRename",
    answers: [{ status: 200, model: "Session" }],
    refusals: [404],
  },
  "PATCH /sessions/*": {
    id: "update_session",
    tag: sessions,
    summary: "Update a session",
    query: oneQuery,
    json: "SessionUpdate",
    answers: [{ status: 200, model: "Session" }],
    refusals: [404],
  },
  "DELETE /sessions/*": {
    id: "delete_session",
    tag: sessions,
    summary: "Delete a session",
    answers: [{ status: 204 }],
  },
  "GET /sessions/*/runs": {
    id: "get_session_runs",
    tag: sessions,
    summary: "List the runs of a session",
    query: runsQuery,
    answers: [{ status: 200, model: "SessionRunList" }],
    refusals: [404],
  },
  "GET /sessions/*/runs/*": {
    id: "get_session_run",
    tag: sessions,
    summary: "View a run of a session",
    answers: [{ status: 200, model: "SessionRun" }],
    refusals: [404],
  },
}

/** Config and registry of 4.3, and what answers without a credential. */
export const instanceOperations: Operations = {
  "GET /config": {
    id: "get_config",
    tag: "Config",
    summary: "Read the configuration",
    answers: [{ status: 200, model: "Config" }],
  },
  "GET /models": {
    id: "get_models",
    tag: "Config",
    summary: "List available models",
    answers: [{ status: 200, model: "ModelList" }],
  },
  "GET /registry": {
    id: "list_registry",
    tag: "Registry",
    summary: "View the code-defined registry",
    query: registryQuery,
    answers: [{ status: 200, model: "RegistryList" }],
  },
  "GET /health": { id: "health_check", tag: "Health", summary: "Health", answers: [{ status: 200, model: "Health" }] },
  "GET /info": {
    id: "get_info",
    tag: "Core",
    summary: "What this instance is",
    answers: [{ status: 200, model: "Info" }],
  },
  "GET /openapi.json": { id: "get_openapi", tag: "Core", summary: "This document", answers: [{ status: 200 }] },
  "GET /docs": {
    id: "get_docs",
    tag: "Core",
    summary: "This document for people",
    answers: [{ status: 200, text: true }],
  },
}
