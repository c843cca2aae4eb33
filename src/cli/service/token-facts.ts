// What we can find out about a token (decoded, looked up and, with keys, verified), and how to tell people.
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

/** A token taken apart. `verdict` is null if no key was given, `account` if the database has no active one. */
type TokenFacts =
  | { readonly kind: "account"; readonly account: ServiceAccount | null }
  | { readonly kind: "jwt"; readonly decoded: DecodedToken; readonly verdict: TokenVerdict | null }

/** Finds out about a token; for a service account in the service's database, which must exist. Else `CommandError`. */
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

/** What a token says about itself, and whether that holds. `now` is epoch ms. */
export function inspectWords(facts: TokenFacts, now: number): readonly string[] {
  if (facts.kind === "account") {
    const { account } = facts
    if (account === null) return ["a service account token that is unknown, revoked or expired"]
    return [
      `service account ${account.name} (sa:${account.name})`,
      `  expires     ${account.expiresAt === null ? "never" : momentFromNow(account.expiresAt, now)}`,
      `  last used   ${account.lastUsedAt === null ? "never" : momentFromNow(account.lastUsedAt, now)}`,
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

/** What the bot does with a credential: a request for each purpose. */
const needs: readonly (readonly [request: string, purpose: string])[] = [
  ["GET /approvals", "list what is pending"],
  ["GET /approvals/count", "notice what a list hides"],
  ["GET /approvals/*", "show an approval"],
  ["GET /approvals/*/status", "read back what was decided"],
  ["POST /approvals/*/resolve", "pass a decision on"],
]

/** Which routes scopes open, and what the bot lacks with them. */
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

/** Nothing for a route that is open for all, the ids if it is open for some, null if it is closed. */
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

/** `known` are the names that this service knows, whatever they look like. */
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

/** Up to how many seconds a unit is used, its length in seconds, and its name. */
const units = [
  [120, 1, "s"],
  [7_200, 60, "min"],
  [172_800, 3_600, "h"],
] as const
const longestUnit = [Infinity, 86_400, "days"] as const

/** `at` is epoch seconds, if it is a number at all: nobody has verified it. */
function momentFromNow(at: unknown, now: number): string {
  if (typeof at !== "number" || Number.isNaN(new Date(at * 1000).getTime()))
    return `${String(at)} (no moment of the calendar)`
  const seconds = Math.round(at - now / 1000)
  const far = Math.abs(seconds)
  const [, length, unit] = units.find(([limit]) => far < limit) ?? longestUnit
  const size = `${Math.round(far / length)} ${unit}`
  return `${new Date(at * 1000).toISOString()} (${seconds < 0 ? `${size} ago` : `in ${size}`})`
}
