// The steps that make the tables of the service's database. A step is SQL, and each file takes it once: when a program
// that knows it opens the file, in one transaction with all other steps that are due. The file's `user_version` is the
// number of steps that it has taken. So an older program sees that a newer one was there, and leaves the file alone.
//
// A described resource's table is `createTable` of its description. If its columns change later, change the
// description, write out the old step as the text that it was, and add a step that alters the table.
import { catalog, configs } from "../resources/components.ts"
import { evalRuns } from "../resources/eval-runs.ts"
import { knowledgeContent } from "../resources/knowledge-content.ts"
import { learnings } from "../resources/learnings.ts"
import { memories } from "../resources/memories.ts"
import { metrics } from "../resources/metrics.ts"
import { scheduleRuns } from "../resources/schedule-runs.ts"
import { schedules } from "../resources/schedules.ts"
import { createTable } from "./resource-store.ts"

const approvals = `
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
CREATE INDEX approvals_due ON approvals (expires_at) WHERE status = 'pending' AND expires_at IS NOT NULL;
CREATE TABLE service_accounts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE, token_prefix TEXT NOT NULL, scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER,
  created_by TEXT
) STRICT;
CREATE UNIQUE INDEX service_accounts_active ON service_accounts (name) WHERE revoked_at IS NULL;
`

/**
 * `parent_id` is in the indexes of lists, so that runs are counted from an index alone. The index of parents leaves out
 * runs without a parent: else a list of these runs would use it, and not the index that has their order. Traces are a
 * view of runs.
 */
const runs = `
CREATE TABLE runs (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, component_id TEXT NOT NULL, parent_id TEXT,
  session_id TEXT NOT NULL, user_id TEXT,
  status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, state TEXT NOT NULL,
  model TEXT, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_component ON runs (kind, component_id);
CREATE INDEX runs_parent ON runs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX runs_session ON runs (session_id);
CREATE INDEX runs_accepted ON runs (status) WHERE status = 'PENDING';
CREATE INDEX runs_under_way ON runs (status) WHERE status = 'RUNNING';
CREATE INDEX runs_newest ON runs (parent_id, created_at) WHERE parent_id IS NULL;
CREATE INDEX runs_newest_of ON runs (parent_id, kind, component_id, created_at) WHERE parent_id IS NULL;
CREATE INDEX runs_trace ON runs (replace(id, '-', ''));
CREATE TABLE executions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL, tool_call_id TEXT NOT NULL UNIQUE,
  tool_name TEXT NOT NULL, tool_args TEXT NOT NULL, executed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE sessions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, component_id TEXT, user_id TEXT,
  name TEXT, state TEXT, metadata TEXT, summary TEXT,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT;
CREATE VIEW traces AS SELECT
  rowid AS seq,
  replace(id, '-', '') AS trace_id,
  json_extract(state, '$.name') || '.run' AS name,
  CASE status
    WHEN 'COMPLETED' THEN 'OK' WHEN 'REGENERATED' THEN 'OK' WHEN 'ERROR' THEN 'ERROR' ELSE 'UNSET'
  END AS status,
  updated_at - created_at AS duration_ms,
  created_at AS start_time, updated_at AS end_time, created_at,
  id AS run_id, session_id, user_id, kind, component_id,
  CASE kind WHEN 'agent' THEN component_id END AS agent_id,
  CASE kind WHEN 'team' THEN component_id END AS team_id,
  CASE kind WHEN 'workflow' THEN component_id END AS workflow_id
FROM runs WHERE parent_id IS NULL;
`

/**
 * The pieces of texts, and the index of their words, which triggers keep up to date. The index holds the stems of the
 * words that `indexed_words` (a function that `openDatabase` adds) returns, and the content's name.
 */
const knowledgeWords = `
CREATE TABLE knowledge_chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  content_id TEXT NOT NULL REFERENCES knowledge_content (id) ON DELETE CASCADE,
  place INTEGER NOT NULL, text TEXT NOT NULL
) STRICT;
CREATE INDEX knowledge_chunks_content ON knowledge_chunks (content_id);
CREATE VIRTUAL TABLE knowledge_words USING fts5(
  text, name, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIEW knowledge_indexed AS SELECT piece.seq, piece.content_id,
  indexed_words(piece.text) AS text, indexed_words(ifnull(content.name, '')) AS name
FROM knowledge_chunks AS piece JOIN knowledge_content AS content ON content.id = piece.content_id;
CREATE TRIGGER knowledge_chunks_added AFTER INSERT ON knowledge_chunks BEGIN
  INSERT INTO knowledge_words (rowid, text, name) SELECT seq, text, name FROM knowledge_indexed WHERE seq = new.seq;
END;
CREATE TRIGGER knowledge_chunks_gone AFTER DELETE ON knowledge_chunks BEGIN
  DELETE FROM knowledge_words WHERE rowid = old.seq;
END;
CREATE TRIGGER knowledge_content_renamed AFTER UPDATE OF name ON knowledge_content WHEN old.name IS NOT new.name BEGIN
  DELETE FROM knowledge_words WHERE rowid IN (SELECT seq FROM knowledge_chunks WHERE content_id = new.id);
  INSERT INTO knowledge_words (rowid, text, name)
    SELECT seq, text, name FROM knowledge_indexed WHERE content_id = new.id;
END;
`

const described = [memories, evalRuns, learnings, schedules, scheduleRuns, metrics, knowledgeContent, catalog, configs]

/**
 * The step at a position brings a file from that version to the next. Add new steps at the end. Old steps never change,
 * nor does the text of steps that descriptions make: `test/service/storage/migrations.test.ts` compares it.
 */
export const migrations: readonly string[] = [approvals + runs + described.map(createTable).join("") + knowledgeWords]
