// What schemathesis reports of the embedded service, and why it stays so. Everything else it reports fails the test.

/** Reports that are known. */
export interface ListedReport {
  /** The kind of report, as schemathesis numbers them. */
  readonly code: "ST108" | "ST201" | "ST202" | "ST204"
  readonly operation: RegExp
  /** What its text says. */
  readonly says: RegExp
  readonly reason: string
}

/** Requests that fit the description, and are refused by a rule that a schema of one request can't say. */
const unsayable: readonly Omit<ListedReport, "code">[] = [
  {
    operation: /^DELETE \/sessions$/,
    says: /must have the same length/,
    reason: "two lists have to be equally long",
  },
  {
    operation: /^PATCH \/components\/\{component_id\}$/,
    says: /is of type \w+ for good/,
    reason: "it depends on the component that is there",
  },
  {
    operation: /^(?:POST|PATCH|DELETE) \/components\/\{component_id\}\/configs/,
    says: /Cannot \w+ (?:published|draft|current) config/,
    reason: "it depends on the version that is there",
  },
  {
    operation: /^(?:POST|PATCH) \/(?:components|agents|teams|workflows)/,
    says: /"config: /,
    reason: "a config is free-form; what can be run is checked by the script's own schema, with the other components",
  },
  {
    operation: /^(?:POST|PATCH) \/knowledge\//,
    says: /Invalid (?:reader_id|chunker|JSON format)|Provide a file|Search type|filters: expected/,
    reason:
      "AgentOS takes readers, chunkers and search types of any name; those of this instance are in /knowledge/config",
  },
  {
    operation: /^POST \/knowledge\/remote-content$/,
    says: /Unknown content source/,
    reason: "it depends on the sources of the instance",
  },
  {
    operation: /^(?:POST|PATCH) \/schedules/,
    says: /Invalid timezone|Invalid cron expression|there is no (?:agent|team|workflow)/,
    reason: "it depends on the time zones of the machine, on the calendar, and on the components that are there",
  },
  {
    operation: /^POST \/a2a\//,
    says: /Entity ID required|"params"/,
    reason: "method, path and header decide which of the params an envelope needs",
  },
  {
    operation: /^POST \/\w+\/\{\w+\}\/runs\/\{run_id\}\/continue$/,
    says: /session_id is required|Invalid JSON in/,
    reason: "AgentOS takes the session as optional, and answers 400 without one; lists are JSON in a form",
  },
  {
    operation: /^POST \/databases\//,
    says: /there is no other to go to/,
    reason: "it depends on the version that the database is at",
  },
  {
    operation: /^POST \/eval-runs$/,
    says: /agent_id or team_id must be provided|needs? |cannot /,
    reason: "one of two keys has to be there, and what an eval needs depends on its type",
  },
  {
    operation: /^POST \/(?:optimize-)?memories$/,
    says: /User ID is required|cannot be used here/,
    reason: "under user isolation the user is the caller's own; AgentOS takes a model of any name",
  },
  {
    operation: /^POST \/learnings$/,
    says: /is found by whom or what it is about|is the key of one user's things/,
    reason: "which keys a learning needs depends on its type",
  },
  {
    operation: /^POST \/service-accounts$/,
    says: /[Ss]cope/,
    reason: "which scopes there are depends on the instance's mappings, and which can be given on the caller",
  },
  {
    operation: /^POST \/traces\/search$/,
    says: /Invalid filter expression/,
    reason: "a filter is a tree of conditions, which AgentOS describes as free-form",
  },
]

/** All reports that are known. */
export const listed: readonly ListedReport[] = [
  ...unsayable.map((report) => ({ code: "ST202" as const, ...report })),
  {
    code: "ST201",
    operation: /\/runs/,
    says: /Incorrect type/,
    reason: "forms take the words for true and false that AgentOS takes: yes, on, 1",
  },
  {
    code: "ST108",
    operation: /\/runs|\/message/,
    says: /event/i,
    reason: "OpenAPI 3.1 describes a stream as one text; schemathesis holds each event against that",
  },
  {
    code: "ST204",
    operation: /\/configs\/current$/,
    says: /returned 422, expected 405/,
    reason: "`current` is a version for the methods that only /configs/{version} has, and no version is called so",
  },
]
