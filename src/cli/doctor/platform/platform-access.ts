// Judges by probes what a credential may do on an instance. It should read and resolve, and never run agents.
import { claimsIn } from "../../../config/parts/credential.ts"
import { isJsonArray, isJsonObject, type Json } from "../../../domain/content/json.ts"
import { readEnvelope } from "../../../platform/envelope.ts"
import type { ProbeAnswer } from "../../../platform/probe.ts"
import type { Diagnosis, Finding, Notes } from "../finding.ts"
import { adminOnly, keyViaGate, remedyOf, remedyOfGate } from "../remedy.ts"
import type { InstanceTraits } from "./platform-info.ts"

type Answer = Extract<ProbeAnswer, { kind: "answer" }>

/** Who asked which instance: this decides what a refusal means. */
export interface Asking {
  readonly traits: InstanceTraits
  readonly token: string | undefined
  /** The key of the credential in the config. Default: `token`. */
  readonly key?: "token" | "resume_token"
}

/** Judges `GET /approvals/count`: is the service there, does it know the credential, may the credential read? */
export function judgeCount(notes: Notes, asked: ProbeAnswer, asking: Asking): Finding {
  return judgeRead(notes, asked, { ...asking, path: "GET /approvals/count", wanted: "count" }, (body) => {
    const count = isJsonObject(body) ? body["count"] : undefined
    if (typeof count !== "number") return undefined
    // A service account of AgentOS sees only its own runs.
    const pending = asking.traits.selfScoped
      ? `it is shown ${count} pending approvals`
      : `${count} approvals are pending`
    return `the credential is accepted; ${pending}`
  })
}

/** Judges a read. `read` returns what is right about the body, or undefined if the body is another service's. */
function judgeRead(
  notes: Notes,
  asked: ProbeAnswer,
  { path, wanted, ...asking }: Asking & { readonly path: string; readonly wanted: string },
  read: (body: Json) => string | undefined,
): Finding {
  if (asked.kind === "none")
    return notes.fail({ ...approvalsUnseen, what: asked.error.message, todo: remedyOf(asked.error) })
  if (asked.status !== 200)
    return notes.fail({ ...approvalsUnseen, what: said(path, asked), todo: todoOf(asked, asking) })
  const well = asked.body === undefined ? undefined : read(asked.body)
  return well === undefined ? notes.fail(pretended(path, wanted, asked)) : notes.ok(well)
}

const approvalsUnseen = { why: "no approval of this instance can be seen, so nobody is asked and its runs wait" }
const checkAddress = "check the instance's url, with the path if it lies behind one, and what stands between it and us"

/** The answer was 200, but not the platform's: a log-in page, a captive portal or another service may give it. */
function pretended(path: string, wanted: string, { body, detail }: Answer): Diagnosis {
  const words =
    body === undefined ? `a page and no JSON${detail === "" ? "" : ` (${detail})`}` : `JSON without a ${wanted}`
  return {
    ...approvalsUnseen,
    what: `${path} was answered 200 with ${words}: no Agent Platform Service answers there`,
    todo: `look at what answers at that address: a log-in page, a captive portal or another service. ${checkAddress}`,
  }
}

/** True if the API did not write this refusal: the API's has `detail` in JSON, on AgentOS and the embedded service. */
function isForeign({ body }: Answer, { version }: InstanceTraits): boolean {
  return body === undefined || (version !== null && !(isJsonObject(body) && body["detail"] !== undefined))
}

/** True if Countersign's own gate wrote this, about the credential that it sends to the instance. */
function isOfGate({ detail }: Answer): boolean {
  return detail.includes("upstream_token")
}

const foreign =
  "this answer is not the platform's; it comes from something before it (a firewall, a proxy, a log-in): " +
  "let Countersign's calls pass there"

/** Says what to do about a refusal, by its status and the service's words (`docs/platform-facts.md` 2.3 and 6.2). */
export function todoOf(answer: Answer, { traits, token, key = "token" }: Asking, scope = "approvals:read"): string {
  const { status, detail } = answer
  if (isOfGate(answer)) return remedyOfGate(detail)
  if (status === 400 && /https/i.test(detail)) return "write https:// in the instance's url"
  if (status >= 300 && status < 400)
    return (
      "if it leads to the platform, name that address as the instance's url; if to a log-in, " +
      "let Countersign's calls pass there"
    )
  if (status !== 404 && status < 500 && isForeign(answer, traits)) return foreign
  const known = refusals.find(([words]) => words.test(detail))?.[1]
  switch (status) {
    case 401:
      if (traits.mode === "security_key" && /invalid authentication/i.test(detail))
        return `it takes its security key, and no JWT: ${keyViaGate}`
      return (known ?? `set the instance's ${key} to a valid one`) + claimed(detail, token)
    case 403:
      if (/user identity/i.test(detail)) return adminOnly
      return traits.roles ? roleFor(token, scope) : `give the credential the scope ${scope}`
    case 404:
      return `no approvals are served there: ${checkAddress}`
    case 502:
    case 504:
      return "what stands before the platform does not reach it: see whether it runs, and look into the log of both"
    case 503:
      return /not available|not supported/i.test(detail)
        ? "give the platform a database that keeps approvals (SQLite or Postgres)"
        : "the platform cannot check credentials now: check its database, and try again"
    default:
      return status >= 500 ? remedyOfFailure(detail) : checkAddress
  }
}

/** Says what to do about the platform's own error. AgentOS 3.1 names its type: SQLAlchemy's are about the database. */
export function remedyOfFailure(detail: string): string {
  const inDatabase = /\((Operational|Interface|Internal|Programming|Database|DBAPI)Error\)|database/i.test(detail)
  return inDatabase ? "check its database, and look into the platform's own log" : "look into the platform's own log"
}

/**
 * Judges an empty list: from an AgentOS before 3.1 it may mean that its database is away. `open`: how many of its
 * approvals are open at this installation; null if Redis does not tell.
 */
export function judgeEmpty(notes: Notes, newest: ProbeAnswer, open: number | null): readonly Finding[] {
  if (newest.kind === "none" || newest.status !== 200 || hasRows(newest)) return []
  const what = "it lists no approval of any status"
  if (open !== null && open > 0)
    return [
      notes.fail({
        what: `${what}, and ${open} that are open in Countersign come from there`,
        why:
          "AgentOS before 3.1 answers so while its database is away: nobody is asked, " +
          "and each press is told that it does not know the approval",
        todo: "check its database: whether it runs, can be reached, and is the one that it was",
      }),
    ]
  const why = "AgentOS before 3.1 says the same while its database is away: doctor cannot tell whether it can be read"
  const todo = "nothing if no run ever waited there; else check its database"
  return [notes.warn({ what, why, todo })]
}

/** What the service says about a credential that it refuses, and what helps. The first pattern that matches counts. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [
    /expired service account|service account token/i,
    "the service account is revoked, expired or of another instance: mint a new one",
  ],
  [/service accounts are not enabled/i, "this instance takes no service accounts: use a JWT or its security key"],
  [/expired/i, "the token has expired: make a new one"],
  [/audience|"aud"/i, "the token is made for another instance: its audience (aud) must be this one's"],
  [/issuer|"iss"/i, "the token comes from another issuer than this instance trusts: see its iss"],
  [/not yet valid/i, "the token is from the future: compare the clocks of this machine, its maker and the platform"],
  [
    /signature|invalid authentication|alg value|verification keys/i,
    "the token is signed with a key or algorithm that this instance does not trust, or is not its security key",
  ],
  [/header (missing|required)/i, "no credential was sent: set the instance's token (PLATFORM_TOKEN)"],
  [/subject/i, "the token's subject is refused: use one that is a text and not reserved"],
]

/** Judges `GET /approvals`: can we read the list? */
export function judgeList(notes: Notes, asked: ProbeAnswer, asking: Asking): Finding {
  return judgeRead(notes, asked, { ...asking, path: "GET /approvals", wanted: "list" }, (body) =>
    readEnvelope(body) === undefined ? undefined : "the list of approvals can be read",
  )
}

/** Judges `POST /approvals/{no such id}/resolve`: the answer is 403 without the scope, 404 with it. */
export function judgeResolve(
  notes: Notes,
  asked: ProbeAnswer,
  asking: Asking & { readonly delegated: boolean },
): Finding {
  const { selfScoped, roles } = asking.traits
  const why = "decisions are taken in Slack, and the platform never hears of them"
  if (asked.kind === "none") return notes.fail({ what: asked.error.message, why, todo: remedyOf(asked.error) })
  if (asked.status === 404 && asked.body !== undefined) {
    const may = selfScoped ? "try to resolve; doctor cannot tell whether that succeeds" : "resolve"
    return notes.ok(`the credential may ${may}`)
  }
  const what = said("resolving an approval that does not exist", asked)
  if (asked.status === 403 && asking.delegated && roles) return notes.warn(eachNeedsARole)
  if (asked.status === 401 || asked.status === 403 || asked.status === 404 || isOfGate(asked))
    return notes.fail({ what, why, todo: todoOf(asked, asking, "approvals:write") })
  const todo =
    asked.status < 300
      ? "an Agent Platform Service would refuse that: look at what answers at the instance's url"
      : "a proxy may change what we send, such as its content type; look into the platform's own log"
  return notes.fail({ what, why, todo })
}

const eachNeedsARole: Diagnosis = {
  what: "it decides by roles, and tokens that are signed for a decision have a human as their subject",
  why:
    "the platform refuses whoever has no role with approvals:write there, and their decision too; " +
    "doctor cannot tell who has one",
  todo: "give every approver such a role, under the name that identities lists for them, else their e-mail",
}

/** Judges a request for a stranger's rows. If it gets rows, they are the caller's own: users are isolated there. */
export function judgeStranger(notes: Notes, asked: ProbeAnswer): readonly Finding[] {
  if (!hasRows(asked)) return []
  const what = "the credential sees only approvals of runs that it started itself: users are isolated there"
  const why = "everybody else's approvals stay unseen, and every resolve is answered 404"
  const todo = "use a JWT without a subject (before 3.0), or an admin one; or switch user isolation off"
  return [notes.fail({ what, why, todo })]
}

/** True for a list with at least one row. */
export function hasRows(asked: ProbeAnswer): boolean {
  const { body = null } = asked.kind === "answer" && asked.status === 200 ? asked : {}
  const rows = isJsonObject(body) ? body["data"] : undefined
  return isJsonArray(rows) && rows.length > 0
}

function roleFor(token: string | undefined, scope: string): string {
  const subject = token === undefined ? null : (claimsIn(token)?.subject ?? null)
  const who = subject === null ? "make a token with a subject, and give that subject" : `give its subject ${subject}`
  return `roles decide there, and the scopes of a token count for nothing: ${who} a role with ${scope}`
}

/** What the token says about its audience or issuer, if the refusal is about that. */
function claimed(detail: string, token: string | undefined): string {
  const claims = token === undefined ? null : claimsIn(token)
  if (claims === null) return ""
  if (/audience|"aud"/i.test(detail)) return `; it says ${claims.audience ?? "nothing"}`
  return /issuer|"iss"/i.test(detail) ? `; it says ${claims.issuer ?? "nothing"}` : ""
}

/** Judges whether one credential may both resolve and run: alone, it could run the tool of a pending row. */
export function judgePair(
  notes: Notes,
  resolve: ProbeAnswer,
  runs: readonly { readonly kind: string; readonly asked: ProbeAnswer }[],
  { mode }: Pick<InstanceTraits, "mode">,
): Finding {
  const unknown = runs.filter((run) => passed(run.asked) === null).map(({ kind }) => kind)
  const open = runs.filter((run) => passed(run.asked) === true).map(({ kind }) => kind)
  if (passed(resolve) === false) return notes.ok("no credential that may run anything may resolve")
  const todo =
    mode === "security_key"
      ? keyViaGate
      : "use a credential that holds approvals:read and approvals:write and nothing else"
  if (open.length > 0) return notes.fail({ ...pair, what: `the credential may also run ${open.join(", ")}`, todo })
  if (unknown.length === 0) return notes.ok("the credential may not run anything")
  return notes.warn({ ...pair, what: `whether the credential may also run ${unknown.join(", ")} cannot be told`, todo })
}

const pair: Pick<Diagnosis, "why"> = {
  why: "whoever holds approvals:write and a run scope can push a paused run past its gate without anybody's approval",
}

/**
 * True if the call passed the check of scopes; null if the answer does not tell (a firewall's page). With a scope for
 * single agents the answer is 403.
 */
export function passed(asked: ProbeAnswer): boolean | null {
  if (asked.kind === "none" || asked.status >= 500 || asked.body === undefined) return null
  if (asked.status === 401 || asked.status === 403 || asked.status === 405) return false
  // If there is no such route, the answer says just "Not Found". A route that exists names what it did not find.
  return asked.status !== 404 || !/^(not found)?$/i.test(asked.detail)
}

/** Says what we tried, and what came back. */
export function said(tried: string, { status, detail }: Answer): string {
  return `${tried} was answered ${status}${detail === "" ? "" : `: ${detail}`}`
}
