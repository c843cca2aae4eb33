// The doctor on the answers to `GET /config` and `GET /sessions` (`docs/platform-facts.md` 7 and 8, `docs/agentos.md`).
import { scopesIn } from "../../../config/parts/credential.ts"
import { isJsonArray, isJsonObject, type JsonObject } from "../../../domain/content/json.ts"
import { readEnvelope } from "../../../platform/envelope.ts"
import type { InstanceProbe, ProbeAnswer } from "../../../platform/probe.ts"
import { asksWhichDatabase, ownDatabase } from "../../../platform/sessions.ts"
import type { Finding, Notes } from "../finding.ts"
import { hasRows, remedyOfFailure } from "./platform-access.ts"
import { type InstanceTraits, isSince } from "./platform-info.ts"

/** Judges the answer to `GET /config`. It is normal that a JWT which only reads and resolves approvals is refused. */
export function judgeConfig(
  notes: Notes,
  config: ProbeAnswer,
  { token, traits }: { readonly token: string | undefined; readonly traits: InstanceTraits },
): readonly Finding[] {
  if (config.kind === "none" || config.status !== 200) return []
  const { body = null } = config
  return [
    ...(traits.mode === "jwt" && !traits.roles ? judgeEnforcement(notes, token) : []),
    ...(isJsonObject(body) ? [...judgeDatabases(notes, body, traits), ...judgeInterfaces(notes, body)] : []),
  ]
}

/** Fails if a JWT without `config:read` got an answer: no scope counts (`docs/platform-facts.md` 6.1, trap 72). */
function judgeEnforcement(notes: Notes, token: string | undefined): readonly Finding[] {
  const scopes = token === undefined ? null : scopesIn(token)
  const may = scopes === null || scopes.some((scope) => scope === "config:read" || scope.endsWith(":admin"))
  if (may) return []
  const what = "it asks for JWTs and does not enforce their scopes: GET /config answered without config:read"
  const why = "whoever holds any valid token can resolve every approval and run every agent"
  const todo = "switch authorization on there (authorization=True), not only the JWT key"
  return [notes.fail({ what, why, todo })]
}

/** Finds agents and teams with their own database: `/approvals` lacks them (`docs/platform-facts.md` 3.2, trap 75). */
function judgeDatabases(notes: Notes, config: JsonObject, { version }: InstanceTraits): readonly Finding[] {
  const own = config["os_database"]
  const listed = [...componentsIn(config, "agents"), ...componentsIn(config, "teams")]
  if (typeof own !== "string" || version === null) return []
  if (listed.length === 0) {
    const todo = isSince(version, "3.1.0") ? ": it lists them only to agents:read and teams:read" : ""
    return [notes.ok(`which databases its agents use cannot be told${todo}`)]
  }
  const elsewhere = listed.filter(({ database }) => database !== own).map(({ id }) => id)
  if (elsewhere.length > 0)
    return [
      notes.warn({
        what: `approvals of ${elsewhere.join(", ")} lie in another database than the instance's own`,
        ...approvalsElsewhere,
      }),
    ]
  return [
    isSince(version, "3.0.0")
      ? notes.ok("all its agents keep their approvals where they are seen")
      : notes.ok(
          "all its agents name its database, which proves nothing: before 3.0 different SQLite files share one name",
        ),
  ]
}

const approvalsElsewhere = {
  why: "the platform's list never shows their approvals, and its gate does not look there: their calls run unasked",
  todo: "give these agents no database, so that they take the instance's",
}

/** Warns of AgentOS's own Slack interface: anybody in its threads can answer a call (`docs/platform-facts.md` 8). */
function judgeInterfaces(notes: Notes, { interfaces = null }: JsonObject): readonly Finding[] {
  const mounted = isJsonArray(interfaces) ? interfaces.filter(isJsonObject) : []
  const routes = mounted.flatMap(({ type, route }) =>
    type === "slack" ? [typeof route === "string" ? route : "?"] : [],
  )
  if (routes.length === 0) return []
  const what = `it mounts AgentOS's own Slack interface, at ${routes.join(" and ")}`
  const why =
    "anybody in its threads can answer a gated call with values of their own, run one that was rejected here, " +
    "and run one twice"
  const todo =
    "take Slack(…) out of the app's interfaces, or mount it only for agents without gated tools; " +
    "docs/agentos.md says what is noticed"
  return [notes.warn({ what, why, todo })]
}

function componentsIn(config: JsonObject, kind: string): readonly { readonly id: string; readonly database: string }[] {
  const list = config[kind]
  if (!isJsonArray(list)) return []
  return list.filter(isJsonObject).flatMap(({ id, db_id: database }) => {
    return typeof id === "string" && typeof database === "string" ? [{ id, database }] : []
  })
}

const lost =
  "Countersign does not notice runs that pause without an approval, nor a member's team, " +
  "a workflow's step, or other arguments than those approved"

/** Reads the newest session, as the sweep does; if there are several databases, in the one that `GET /config` names. */
export async function askSessions(probe: Pick<InstanceProbe, "sessions">, config: ProbeAnswer): Promise<ProbeAnswer> {
  const sessions = await probe.sessions()
  if (sessions.kind === "none" || !asksWhichDatabase(sessions)) return sessions
  const database = config.kind === "answer" && config.status === 200 ? ownDatabase(config.body) : null
  return database === null ? sessions : probe.sessions(database)
}

/**
 * Judges the answer to `GET /sessions`. The credential may lack this right; then a note says what is lost. An empty
 * list counts only if the list of approvals is well: AgentOS before 3.1 lists nothing while its database is away.
 */
export function judgeSessions(notes: Notes, sessions: ProbeAnswer, isWell: boolean): readonly Finding[] {
  if (sessions.kind === "none") return []
  const { status, detail, body } = sessions
  if (asksWhichDatabase(sessions))
    return [notes.note(`sessions lie in several databases, so ${lost}: add the scope config:read to know of them`)]
  if (status === 403)
    return [notes.note(`sessions cannot be read, so ${lost}: add the scope sessions:read to know of them`)]
  if (status === 404) return [notes.note(`no sessions are served there, so ${lost}`)]
  if (status === 200 && body !== undefined && readEnvelope(body) !== undefined)
    return isWell || hasRows(sessions)
      ? [notes.ok("sessions can be read: runs that pause without an approval are noticed")]
      : []
  const words = status === 200 ? "no list of them" : detail
  const what = `GET /sessions was answered ${status}${words === "" ? "" : `: ${words}`}`
  const why = `sessions cannot be read, so ${lost}`
  const todo = status >= 500 ? remedyOfFailure(detail) : "look at what answers at the instance's url"
  return [notes.warn({ what, why, todo })]
}

/** The rules that want Details to quote what started a run (`context: request`), if we cannot read that. */
export function judgeQuoting(notes: Notes, sessions: ProbeAnswer, rules: readonly string[]): readonly Finding[] {
  if (rules.length === 0 || sessions.kind === "none" || sessions.status === 200) return []
  const scope = asksWhichDatabase(sessions) ? "config:read" : sessions.status === 403 ? "sessions:read" : null
  const say = rules.length === 1 ? `rule ${rules[0]} says` : `rules ${rules.join(", ")} say`
  return [
    notes.warn({
      what: `${say} context: request, and sessions cannot be read`,
      why: "Details says so instead of quoting what started the run",
      todo:
        scope === null ? "see to its sessions, or leave context out" : `give the instance's token the scope ${scope}`,
    }),
  ]
}
