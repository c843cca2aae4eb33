// Finds out about a token (decodes it, looks it up and, with keys, verifies it), and puts that into words.
import { existsSync } from "node:fs"
import { authorize } from "../../auth/authorize.ts"
import { createRouteMatcher, type Routes } from "../../auth/match-route.ts"
import type { HttpRoute } from "../../auth/route.ts"
import { controlPlaneScopes, createScopeSet, parseScope, type ScopeSet } from "../../auth/scopes.ts"
import { hashServiceAccountToken, isServiceAccountToken } from "../../auth/service-account-token.ts"
import { type DecodedToken, decodeToken } from "../../auth/token-claims.ts"
import { createTokenVerifier, type TokenVerdict } from "../../auth/verify-token.ts"
import { findAccountByHash, type ServiceAccount } from "../../service/storage/account-store.ts"
import { openDatabase } from "../../service/storage/database.ts"
import { type Given } from "../options.ts"
import { CommandError } from "../terminal.ts"
import { databaseFile, toServiceOptions } from "./service-options.ts"

/** A token taken apart. `verdict` is null without a key, `account` if the database has no such active account. */
type TokenFacts =
  | { readonly kind: "account"; readonly account: ServiceAccount | null }
  | { readonly kind: "jwt"; readonly decoded: DecodedToken; readonly verdict: TokenVerdict | null }

/** Finds out about a token. Looks up a service account in the service's database; throws `CommandError` without it. */
export async function tokenFacts(token: string, given: Given, clock: () => number): Promise<TokenFacts> {
  if (isServiceAccountToken(token)) return { kind: "account", account: lookUp(token, given, clock) }
  const decoded = decodeToken(token, given.text("scopes-claim"))
  if (decoded === null) throw new CommandError("token: it is neither a JWT nor a service account token")
  return { kind: "jwt", decoded, verdict: await verdictOn(token, given, clock) }
}

function lookUp(token: string, given: Given, clock: () => number): ServiceAccount | null {
  const file = databaseFile(given)
  if (!existsSync(file))
    throw new CommandError(`database: there is no ${file}; name the service's file to look an account up`)
  const database = openDatabase(file)
  try {
    return findAccountByHash(database, hashServiceAccountToken(token), Math.floor(clock() / 1000))
  } finally {
    database.close()
  }
}

async function verdictOn(token: string, given: Given, clock: () => number): Promise<TokenVerdict | null> {
  const { verificationKeys = [], jwksFile, algorithm = "RS256", tokens } = toServiceOptions(given, clock)
  if (verificationKeys.length === 0 && jwksFile === undefined) return null
  const file = jwksFile === undefined ? {} : { jwksFile }
  return createTokenVerifier({ ...tokens, ...file, verificationKeys, algorithm, clock })(token)
}

/** What a token says about itself, and whether it is true. `now` is epoch ms. */
export function inspectWords(facts: TokenFacts, now: number): readonly string[] {
  if (facts.kind === "account") {
    const { account } = facts
    if (account === null) return ["a service account token that is unknown, revoked or expired"]
    return [
      `service account ${account.name} (sa:${account.name})`,
      `  expires     ${account.expires_at === null ? "never" : momentFromNow(account.expires_at, now)}`,
      `  last used   ${account.last_used_at === null ? "never" : momentFromNow(account.last_used_at, now)}`,
      `  scopes      ${scopeWords(account.scopes)}`,
    ]
  }
  const { decoded, verdict } = facts
  const { header, claims } = decoded
  const times = (["iat", "nbf", "exp"] as const).flatMap((name) => {
    const at = claims[name]
    return at === undefined ? [] : [`  ${name.padEnd(11)} ${momentFromNow(at, now)}`]
  })
  return [
    `JWT, alg ${header.alg ?? "missing"}${header.kid === undefined ? "" : `, kid ${header.kid}`}`,
    ...(["iss", "sub", "aud", "jti"] as const).flatMap((name) =>
      claims[name] === undefined ? [] : [`  ${name.padEnd(11)} ${String(claims[name])}`],
    ),
    ...times,
    `  scopes      ${scopeWords(decoded.scopes)}`,
    ...decoded.faults.map((fault) => `warning: ${fault}`),
    verdict === null ? "not verified: no key was given" : verdict.ok ? "verified" : `refused: ${verdict.reason}`,
  ]
}

/** The requests that the bot makes with a credential, and what for. */
const needs: readonly (readonly [request: string, purpose: string])[] = [
  ["GET /approvals", "list what is pending"],
  ["GET /approvals/count", "notice what a list hides"],
  ["GET /approvals/*", "show an approval"],
  ["GET /approvals/*/status", "read back what was decided"],
  ["POST /approvals/*/resolve", "pass a decision on"],
]

/** Which routes the scopes open, and what the bot cannot do with them. */
export function explainWords(scopes: readonly string[], routes: Routes, adminScope: string): readonly string[] {
  const held = createScopeSet(scopes, adminScope)
  const guarded = [...routes.builtIn, ...routes.added].filter((route) => route.access === "credential")
  const opened = guarded.flatMap((route) => {
    const reach = reachOf(route, routes, held, scopes)
    return reach === null ? [] : [`  ${route.pattern}${reach}`]
  })
  const known = new Set([adminScope, ...guarded.flatMap((route) => route.needs.map(({ text }) => text))])
  const lacking = needs.filter(([request]) => !opened.includes(`  ${request}`))
  return [
    `opens ${opened.length} of ${guarded.length} routes${opened.length === 0 ? "" : ":"}`,
    ...opened,
    ...lacking.map(([request, purpose]) => `the bot lacks ${request} (${purpose})`),
    ...(lacking.length === 0 ? ["the bot has all that it needs to ask and to decide"] : []),
    ...warnings(held, scopes, known),
  ]
}

/** The ids for which a route is open, in words: "" for all, the ids for some, null for none. */
function reachOf(route: HttpRoute, routes: Routes, held: ScopeSet, scopes: readonly string[]): string | null {
  const match = createRouteMatcher(routes)
  const opensFor = (id: string): boolean => {
    const segments = route.segments.map((segment) => (segment === "*" ? encodeURIComponent(id) : segment))
    const found = match(route.method, `/${segments.join("/")}`)
    return found.kind === "route" && found.route.handler === route.handler && authorize(held, found).ok
  }
  const ids = [...new Set(scopes.flatMap((scope) => parseScope(scope)?.id ?? []))]
  if (route.filtered && opensFor("")) return held.covers(route.native[0]?.scope ?? "", null) ? "" : " (filtered)"
  if (opensFor("any-other-id")) return ""
  const some = route.resource === null ? [] : ids.filter(opensFor)
  return some.length === 0 ? null : ` (only ${some.join(", ")})`
}

/** The warnings about scopes. `known`: the names that this service knows, in whatever form. */
function warnings(held: ScopeSet, scopes: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const runs = ["agents:run", "teams:run", "workflows:run"].filter((scope) => held.coversSome(scope))
  const idle = scopes.filter((scope) => controlPlaneScopes.has(scope))
  const unread = scopes.filter(
    (scope) => parseScope(scope) === null && !known.has(scope) && !controlPlaneScopes.has(scope),
  )
  return [
    ...(held.covers("approvals:write", null) && runs.length > 0
      ? [
          `warning: it may approve and run (${held.admin ? "full access" : runs.join(", ")}): ` +
            "such a credential can push a run past its gate",
        ]
      : []),
    ...(idle.length > 0 ? [`note: ${idle.join(", ")} count at the control plane only`] : []),
    ...(unread.length > 0
      ? [`note: ${unread.map((scope) => JSON.stringify(scope)).join(", ")} is no scope of the service`]
      : []),
  ]
}

function scopeWords(scopes: readonly string[]): string {
  return scopes.length === 0 ? "none" : scopes.join(", ")
}

/** For each unit: up to how many seconds we use it, its length in seconds, and its name. */
const units = [
  [120, 1, "s"],
  [7_200, 60, "min"],
  [172_800, 3_600, "h"],
] as const
const longestUnit = [Infinity, 86_400, "days"] as const

/** A moment, and how far it is from now. `at` should be epoch seconds, but nobody has verified it. */
function momentFromNow(at: unknown, now: number): string {
  if (typeof at !== "number" || Number.isNaN(new Date(at * 1000).getTime()))
    return `${String(at)} (no moment of the calendar)`
  const seconds = Math.round(at - now / 1000)
  const far = Math.abs(seconds)
  const [, length, unit] = units.find(([limit]) => far < limit) ?? longestUnit
  const size = `${Math.round(far / length)} ${unit}`
  return `${new Date(at * 1000).toISOString()} (${seconds < 0 ? `${size} ago` : `in ${size}`})`
}
