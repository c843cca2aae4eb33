// Opens the SQLite file, creates or updates its tables, and runs work in transactions.
import { DatabaseSync } from "node:sqlite"
import { ServiceError } from "../errors.ts"

/**
 * Opens `file` (or ":memory:") and creates or updates its tables. WAL with full synchronisation: a commit that was
 * answered survives kill -9 and a power cut. Throws `ServiceError` if a later version of this program has written the
 * file.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000 })
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    transact(database, () => migrate(database, file))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function migrate(database: DatabaseSync, file: string): void {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"]
  if (typeof version !== "number" || version > migrations.length) {
    throw new ServiceError(
      "database_newer",
      `database ${file}: its version is ${String(version)}, this program knows ${migrations.length}`,
    )
  }
  for (const step of migrations.slice(version)) database.exec(step)
  database.exec(`PRAGMA user_version = ${migrations.length}`)
}

/** Runs `work` as one transaction that takes the write lock first: it keeps all of it or, if it throws, none. */
export function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = work()
    database.exec("COMMIT")
    return result
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}

const first = `
CREATE TABLE approvals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL, session_id TEXT NOT NULL,
  status TEXT NOT NULL, source_type TEXT NOT NULL,
  approval_type TEXT, pause_type TEXT,
  tool_name TEXT, tool_args TEXT,
  expires_at INTEGER,
  agent_id TEXT, team_id TEXT, workflow_id TEXT, user_id TEXT,
  schedule_id TEXT, schedule_run_id TEXT, source_name TEXT,
  requirements TEXT, context TEXT,
  resolution_data TEXT, resolved_by TEXT, resolved_at INTEGER,
  created_at INTEGER, updated_at INTEGER, run_status TEXT
) STRICT;
CREATE INDEX approvals_newest ON approvals (status, created_at DESC, seq DESC);
CREATE INDEX approvals_all_newest ON approvals (created_at DESC, seq DESC);
CREATE INDEX approvals_run ON approvals (run_id);
CREATE TABLE runs (
  id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, session_id TEXT NOT NULL, user_id TEXT,
  status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, state TEXT NOT NULL
) STRICT;
CREATE INDEX runs_agent ON runs (agent_id);
CREATE TABLE executions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL, tool_call_id TEXT NOT NULL UNIQUE,
  tool_name TEXT NOT NULL, tool_args TEXT NOT NULL, executed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE service_accounts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE, token_prefix TEXT NOT NULL, scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER,
  created_by TEXT
) STRICT;
CREATE UNIQUE INDEX service_accounts_active ON service_accounts (name) WHERE revoked_at IS NULL;
`

const teamsWorkflowsAndSessions = `
ALTER TABLE runs RENAME COLUMN agent_id TO component_id;
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE runs ADD COLUMN parent_id TEXT;
DROP INDEX runs_agent;
CREATE INDEX runs_component ON runs (kind, component_id);
CREATE INDEX runs_parent ON runs (parent_id);
CREATE INDEX runs_session ON runs (session_id);
CREATE INDEX runs_accepted ON runs (status) WHERE status = 'PENDING';
CREATE INDEX approvals_due ON approvals (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;
CREATE TABLE sessions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, component_id TEXT, user_id TEXT,
  name TEXT, state TEXT, metadata TEXT, summary TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO sessions (id, kind, component_id, user_id, created_at, updated_at)
  SELECT session_id, 'agent', min(component_id), min(user_id), min(created_at), max(updated_at)
  FROM runs GROUP BY session_id;
`

/** Each step brings a file from the version of its position to the next. Only add new steps; never change old ones. */
export const migrations: readonly string[] = [first, teamsWorkflowsAndSessions]
