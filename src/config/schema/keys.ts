// Every key of countersign.yaml: an example of what is right, the variable that may give it, and whether it is a secret.
import { nearest } from "./near.ts"

/** What is known of a key. */
export interface Key {
  /** A line that would be right, without indentation. */
  readonly example: string
  /** The environment variable that gives the value when the file does not. */
  readonly env?: string
  /** A secret may stand in the file only as `${NAME}`. */
  readonly secret?: true
}

/** By path without list positions, as in `rules.match.tool`. A test holds this table against the schema. */
export const KEYS: Readonly<Record<string, Key>> = {
  installation: { example: "installation: default" },
  redis_url: { example: "redis_url: ${REDIS_URL}", env: "REDIS_URL" },
  data_folder: { example: "data_folder: .countersign" },
  resolved_by: { example: 'resolved_by: "{email}"' },

  http: { example: "http: {port: 3000}" },
  "http.port": { example: "port: 3000", env: "PORT" },
  "http.host": { example: "host: 127.0.0.1" },
  "http.metrics": { example: "metrics: loopback" },
  "http.metrics_token": { example: "metrics_token: ${METRICS_TOKEN}", secret: true },
  "http.read": { example: "read: {jwks_file: read-keys.json}" },
  "http.read.algorithm": { example: "algorithm: RS256" },
  "http.read.verification_keys": { example: "verification_keys: ${READ_KEY}", secret: true },
  "http.read.jwks_file": { example: "jwks_file: read-keys.json" },
  "http.read.audience": { example: "audience: countersign-read" },
  "http.read.issuer": { example: "issuer: https://login.example.com" },
  "http.read.require_exp": { example: "require_exp: true" },
  "http.read.reachable": { example: "reachable: loopback" },

  receipts: { example: "receipts: {algorithm: EdDSA}" },
  "receipts.algorithm": { example: "algorithm: EdDSA" },
  "receipts.key_file": { example: "key_file: .countersign/receipt-key.pem" },

  ledger: { example: "ledger: {checkpoint_every: 1m}" },
  "ledger.checkpoint_every": { example: "checkpoint_every: 1m" },
  "ledger.checkpoint_entries": { example: "checkpoint_entries: 100" },
  "ledger.checkpoint_file": { example: "checkpoint_file: .countersign/checkpoints.jsonl" },
  "ledger.require_checkpoint": { example: "require_checkpoint: true" },
  "ledger.audit_channel": { example: "audit_channel: C012ABCDEF" },

  retention: { example: "retention: 365d" },

  instances: { example: 'instances: [{name: main, url: https://agents.example.com, token: "${PLATFORM_TOKEN}"}]' },
  "instances.name": { example: "name: main" },
  "instances.url": { example: "url: https://agents.example.com", env: "PLATFORM_URL" },
  "instances.token": { example: "token: ${PLATFORM_TOKEN}", env: "PLATFORM_TOKEN", secret: true },
  "instances.token_file": { example: "token_file: /run/secrets/platform-token" },
  "instances.resolve_token": { example: "resolve_token: ${PLATFORM_RESOLVE_TOKEN}", secret: true },
  "instances.delegated": { example: "delegated: {algorithm: ES256, key_file: /run/secrets/countersign.pem}" },
  "instances.delegated.algorithm": { example: "algorithm: ES256" },
  "instances.delegated.key": { example: "key: ${PLATFORM_SIGNING_KEY}", secret: true },
  "instances.delegated.key_file": { example: "key_file: /run/secrets/countersign.pem" },
  "instances.delegated.kid": { example: "kid: countersign-1" },
  "instances.delegated.audience": { example: "audience: agents.example.com" },
  "instances.delegated.issuer": { example: "issuer: https://countersign.example.com" },
  "instances.accept_run_scope": { example: "accept_run_scope: false" },
  "instances.resume": { example: "resume: approved" },
  "instances.resume_token": { example: "resume_token: ${RESUME_TOKEN}", secret: true },
  "instances.resume_timeout": { example: "resume_timeout: 5m" },
  "instances.reject_user_input": { example: "reject_user_input: hold" },
  "instances.beside_agno_slack": { example: "beside_agno_slack: false" },
  "instances.poll_every": { example: "poll_every: 1s" },
  "instances.timeout": { example: "timeout: 10s" },
  "instances.ca_file": { example: "ca_file: /etc/countersign/ca.pem" },

  slack: { example: "slack: {mode: socket}" },
  "slack.mode": { example: "mode: socket" },
  "slack.bot_token": { example: "bot_token: ${SLACK_BOT_TOKEN}", env: "SLACK_BOT_TOKEN", secret: true },
  "slack.app_token": { example: "app_token: ${SLACK_APP_TOKEN}", env: "SLACK_APP_TOKEN", secret: true },
  "slack.signing_secret": {
    example: "signing_secret: ${SLACK_SIGNING_SECRET}",
    env: "SLACK_SIGNING_SECRET",
    secret: true,
  },
  "slack.api_url": { example: "api_url: https://slack.com/api/", env: "SLACK_API_URL" },
  "slack.sandbox": { example: "sandbox: false", env: "SLACK_SANDBOX" },
  "slack.ca_file": { example: "ca_file: /etc/countersign/ca.pem" },
  "slack.command": { example: "command: /approvals" },
  "slack.pace_ms": { example: "pace_ms: 1030" },
  "slack.summary_above": { example: "summary_above: 10" },

  limits: { example: "limits: {cards_per_agent: 100}" },
  "limits.cards_per_instance": { example: "cards_per_instance: 500" },
  "limits.cards_per_agent": { example: "cards_per_agent: 100" },

  identities: { example: 'identities: [{subject: jane@corp.example, slack: "T012ABCDEF:U012ABCDEF"}]' },
  "identities.subject": { example: "subject: jane@corp.example" },
  "identities.slack": { example: 'slack: "T012ABCDEF:U012ABCDEF"' },

  rules: { example: "rules: [{name: all, routes: [C012ABCDEF], approvers: [U012ABCDEF], unknown_requester: allow}]" },
  "rules.name": { example: "name: payments" },
  "rules.match": { example: "match: {tool: [send_*]}" },
  "rules.match.instance": { example: "instance: main" },
  "rules.match.agent": { example: "agent: payments-agent" },
  "rules.match.team": { example: "team: finance-team" },
  "rules.match.workflow": { example: "workflow: month-end" },
  "rules.match.tool": { example: 'tool: "send_*"' },
  "rules.match.pause": { example: "pause: confirmation" },
  "rules.match.source": { example: "source: agent" },
  "rules.match_unknown": { example: "match_unknown: true" },
  "rules.routes": { example: "routes: [C012ABCDEF]", env: "APPROVALS_CHANNEL" },
  "rules.routes.channel": { example: "channel: C012ABCDEF" },
  "rules.routes.person": { example: "person: U012ABCDEF" },
  "rules.approvers": { example: "approvers: [U012ABCDEF, jane@corp.example, S012ABCDEF]", env: "APPROVERS" },
  "rules.quorum": { example: "quorum: 1" },
  "rules.forbid_self_approval": { example: "forbid_self_approval: true" },
  "rules.unknown_requester": { example: "unknown_requester: allow" },
  "rules.require_reason": { example: "require_reason: reject" },
  "rules.reasons": { example: 'reasons: ["Wrong amount", "Not now"]' },
  "rules.mask": { example: 'mask: [password, "*_token", "/sk-[a-z0-9]+/"]' },
  "rules.risk": { example: "risk: high" },
  "rules.danger": { example: "danger: true" },
  "rules.allow_guests": { example: "allow_guests: false" },
  "rules.allow_external": { example: "allow_external: false" },
  "rules.allow_shared_channel": { example: "allow_shared_channel: false" },
  "rules.remind_after": { example: "remind_after: [15m, 1h]" },
  "rules.escalate_after": { example: "escalate_after: 2h" },
  "rules.escalate_to": { example: "escalate_to: {routes: [C012ABCDEF], approvers: [S012ABCDEF]}" },
  "rules.escalate_to.routes": { example: "routes: [C012ABCDEF]" },
  "rules.escalate_to.routes.channel": { example: "channel: C012ABCDEF" },
  "rules.escalate_to.routes.person": { example: "person: U012ABCDEF" },
  "rules.escalate_to.approvers": { example: "approvers: [U012ABCDEF, jane@corp.example, S012ABCDEF]" },
  "rules.expire_after": { example: "expire_after: 8h" },
  "rules.on_expiry": { example: "on_expiry: leave" },
  "rules.working_hours": {
    example: 'working_hours: {time_zone: Europe/Berlin, days: [mon, tue], from: "09:00", to: "17:00"}',
  },
  "rules.working_hours.time_zone": { example: "time_zone: Europe/Berlin" },
  "rules.working_hours.days": { example: "days: [mon, tue, wed, thu, fri]" },
  "rules.working_hours.from": { example: 'from: "09:00"' },
  "rules.working_hours.to": { example: 'to: "17:00"' },
  "rules.working_hours.holidays": { example: "holidays: [2026-12-25, 2027-01-01]" },
}

/** The path as `KEYS` writes it: names only, joined by dots. */
function keyName(path: readonly PropertyKey[]): string {
  return path.filter((part) => typeof part === "string").join(".")
}

/** What is known of the key at `path`; of its nearest parent if the path goes deeper than the table. */
export function keyAt(path: readonly PropertyKey[]): Key | undefined {
  if (path.length === 0) return undefined
  return KEYS[keyName(path)] ?? keyAt(path.slice(0, -1))
}

/** The keys that may stand in the map at `path`. */
function keysBelow(path: readonly PropertyKey[]): readonly string[] {
  const prefix = keyName(path)
  const start = prefix === "" ? "" : `${prefix}.`
  return Object.keys(KEYS)
    .filter((name) => name.startsWith(start) && !name.slice(start.length).includes("."))
    .map((name) => name.slice(start.length))
}

/** What to say of a key that does not exist: the one that was meant, else where it belongs, else all that may stand there. */
export function adviseOnKey(path: readonly PropertyKey[], key: string): string {
  const here = keysBelow(path)
  const meant = nearest(key, here)
  if (meant !== undefined) return `is no key here; did you mean ${meant}?`
  const elsewhere = Object.keys(KEYS).find((name) => name.split(".").at(-1) === key)
  if (elsewhere !== undefined)
    return `is no key here; it belongs to ${elsewhere.split(".").slice(0, -1).join(".") || "the top level"}`
  return `is no key here; known are ${here.join(", ")}`
}
