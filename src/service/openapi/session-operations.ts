// Sessions, the instance itself and its own descriptions in the interface description.
import { registryQuery } from "../instance/config-handlers.ts"
import { createQuery, listQuery, oneQuery, runsQuery } from "../sessions/session-schemas.ts"
import { type Operations, tagged } from "./operation.ts"

/** Sessions of 4.3 with the routes that read their runs. */
export const sessionOperations: Operations = tagged("Sessions", {
  "GET /sessions": { id: "get_sessions", summary: "List sessions", query: listQuery, model: "SessionList" },
  "POST /sessions": {
    id: "create_session",
    summary: "Create a session",
    query: createQuery,
    json: "SessionCreate",
    status: 201,
    model: "Session",
    refusals: [409],
  },
  "DELETE /sessions": {
    id: "delete_sessions",
    summary: "Delete sessions in bulk",
    json: "SessionsDelete",
    status: 204,
    refusals: [400],
  },
  "GET /sessions/*": {
    id: "get_session_by_id",
    summary: "View a session",
    query: oneQuery,
    model: "Session",
    refusals: [404],
  },
  "PATCH /sessions/*": {
    id: "update_session",
    summary: "Update a session",
    query: oneQuery,
    json: "SessionUpdate",
    model: "Session",
    refusals: [404],
  },
  "DELETE /sessions/*": { id: "delete_session", summary: "Delete a session", status: 204 },
  "POST /sessions/*/rename": {
    id: "rename_session",
    summary: "Rename a session",
    query: oneQuery,
    json: "SessionRename",
    model: "Session",
    refusals: [404],
  },
  "GET /sessions/*/runs": {
    id: "get_session_runs",
    summary: "List the runs of a session",
    query: runsQuery,
    model: "SessionRunList",
    refusals: [404],
  },
  "GET /sessions/*/runs/*": {
    id: "get_session_run",
    summary: "View a run of a session",
    model: "SessionRun",
    refusals: [404],
  },
})

/** Config and registry of 4.3, and what answers without a credential. */
export const instanceOperations: Operations = {
  ...tagged("Config", {
    "GET /config": { id: "get_config", summary: "Read the configuration", model: "Config" },
    "GET /models": { id: "get_models", summary: "List available models", model: "ModelList" },
  }),
  ...tagged("Registry", {
    "GET /registry": {
      id: "list_registry",
      summary: "View the code-defined registry",
      query: registryQuery,
      model: "RegistryList",
    },
  }),
  ...tagged("Health", { "GET /health": { id: "health_check", summary: "Health", model: "Health" } }),
  ...tagged("Core", {
    "GET /info": { id: "get_info", summary: "What this instance is", model: "Info" },
    "GET /openapi.json": { id: "get_openapi", summary: "This document" },
    "GET /docs": { id: "get_docs", summary: "This document for people", media: "text/html" },
  }),
}
