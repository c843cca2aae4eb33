// Checks who gets in (specification 5): without a credential, with an unsigned one, and with one that lacks the scope.
import { z } from "zod"
import { families, type PlatformCheck, type Scenario } from "./check.ts"
import { allRoutes, checksAt, checksOf, routePlace, routeRequest } from "./claims.ts"
import { errorBody } from "./shapes.ts"

/** Requests that would change more than the check's own rows if a platform let them in. */
const neverTried: ReadonlySet<string> = new Set([
  "POST /databases/all/migrate",
  "POST /metrics/refresh",
  "DELETE /knowledge/content",
])

/** The scope of the account that the checks mint. */
const narrowScope = "config:read"

const patterns = Object.keys(allRoutes).filter((pattern) => !neverTried.has(pattern))

function strangersOf(pattern: string): PlatformCheck {
  return checksAt(pattern).open({
    ...routeRequest(pattern),
    section: "5.1",
    says: `${pattern} without a credential is 401`,
    as: "nobody",
    status: 401,
    shape: errorBody,
  })
}

function narrowOf(pattern: string): PlatformCheck {
  return checksAt(pattern).fixed({
    ...routeRequest(pattern),
    section: pattern.endsWith("/resolve") ? "4.1" : "5.3",
    says: `${pattern} without ${(allRoutes[pattern] ?? []).join(", ")} is 403`,
    as: "narrow",
    status: 403,
    shape: errorBody,
  })
}

const general = checksOf("general", "5.1")
const accounts = checksOf("accounts", "4.3", { at: "/service-accounts", id: "id" })
const accountRow = z.looseObject({ id: z.string(), name: z.string() })
const scopes = [{ scope: narrowScope, effect: "allow" }]

/** An account with one scope. It exists until the last check of the gate is done. */
const minted: readonly PlatformCheck[] = [
  accounts.open({
    says: "an account is minted, and shows its token once",
    request: "POST /service-accounts",
    json: { name: "{own}", scopes, expires_in_days: 1 },
    status: 201,
    shape: z.looseObject({ id: z.string(), token: z.string().min(16) }),
    holds: { name: "{own}" },
    keep: { account: "id", narrow: "token" },
    undo: "DELETE /service-accounts/{account}",
  }),
  accounts.refused(409, {
    says: "a name that is in use is 409",
    request: "POST /service-accounts",
    json: { name: "{own}", scopes, expires_in_days: 1 },
  }),
  accounts.invalid({
    says: "an account that lives no day is 422",
    request: "POST /service-accounts",
    json: { name: "{own}-2", scopes, expires_in_days: 0 },
  }),
  accounts.open({
    says: "the list shows accounts, and no token",
    request: "GET /service-accounts",
    shape: z.looseObject({ data: z.array(accountRow.refine((row) => row["token"] === undefined, "a token is shown")) }),
  }),
]

const revoked: readonly PlatformCheck[] = [
  accounts.open({
    says: "an account is revoked",
    request: "DELETE /service-accounts/{account}",
    status: 204,
    undoes: true,
  }),
  accounts.open({
    section: "5.1",
    says: "the token of an account that is revoked is 401",
    request: "GET /config",
    as: "narrow",
    status: 401,
    shape: errorBody,
  }),
]

const forgers: readonly PlatformCheck[] = families.flatMap((family) => {
  const pattern = patterns.find((one) => one.startsWith("GET ") && routePlace(one).family === family)
  if (pattern === undefined) return []
  return checksOf(family, "5.2").fixed({
    ...routeRequest(pattern),
    says: `${pattern} with a token that nobody signed is 401`,
    as: "forger",
    status: 401,
    shape: errorBody,
  })
})

const paths: readonly PlatformCheck[] = [
  general.refused(401, {
    section: "4",
    says: "an unknown path without a credential is 401",
    request: "GET /{none}",
    as: "nobody",
  }),
  general.refused(404, { section: "4", says: "an unknown path is 404", request: "GET /{none}" }),
  general.refused(405, {
    section: "4",
    says: "a known path by another method is 405, and names the methods",
    request: "PUT /approvals",
    header: "allow",
  }),
]

/** The checks of the gate, first those without a valid credential. */
export const gateScenarios: readonly Scenario[] = [
  { family: "general", checks: paths },
  ...families.map((family) => ({
    family,
    checks: [...patterns.map(strangersOf), ...forgers].filter((check) => check.family === family),
  })),
  {
    family: "accounts",
    checks: [
      ...minted,
      accounts.fixed({
        section: "5.3",
        says: `${narrowScope} opens GET /config`,
        request: "GET /config",
        as: "narrow",
      }),
      ...patterns.filter((pattern) => !(allRoutes[pattern] ?? []).includes(narrowScope)).map(narrowOf),
      ...revoked,
    ],
  },
]

/** The checks that are never asked; a report says why. */
export const neverAsked: readonly PlatformCheck[] = [...neverTried].map((pattern) => ({
  ...routeRequest(pattern),
  ...routePlace(pattern),
  isOpen: false,
  says: `who gets in at ${pattern}`,
  status: [401],
}))
