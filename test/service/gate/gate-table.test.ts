// Every route with every kind of credential, over HTTP, with the status that the specification asks for (4.1 to 4.4,
// 5.3).

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ownRoutes } from "../../../src/service/gate/route-table.ts"
import { specRows } from "../../auth/spec-rows.ts"
import { aService, aToken, call, type TestService } from "../a-service.ts"

let service: TestService

beforeAll(async () => {
  service = await aService()
})
afterAll(() => service.close())

const rows: readonly (readonly [request: string, scopes: readonly string[]])[] = [
  ...specRows.map(([, request, scope]) => [request, [scope]] as const),
  ...Object.entries(ownRoutes),
]
const everyScope = [...new Set(rows.flatMap(([, scopes]) => scopes))]
const families = ["agents", "teams", "workflows"]

/** How a caller's request ends: 401, 403, or past the gate, whatever is found there. */
type Fate = 401 | 403 | "passes"

const withId = (scopes: readonly string[], id: string): string[] => scopes.map((scope) => scope.replace(":", `:${id}:`))

function expected(request: string, scopes: readonly string[]): Record<string, { held: unknown; fate: Fate }> {
  const [resource = ""] = (scopes[0] ?? "").split(":")
  const isList = families.some((family) => request === `GET /${family}`)
  const perResource = families.includes(resource) && request.includes(`/${resource}/*`)
  const isConfig = resource === "config"
  return {
    "no token": { held: null, fate: 401 },
    "wrong scope": { held: everyScope.filter((scope) => !scopes.includes(scope)), fate: 403 },
    "exact scope": { held: scopes, fate: "passes" },
    wildcard: { held: withId(scopes, "*"), fate: "passes" },
    "per-resource": { held: withId(scopes, "x"), fate: perResource || isList ? "passes" : 403 },
    "other resource": { held: withId(scopes, "other"), fate: isList ? "passes" : 403 },
    admin: { held: ["service:admin"], fate: "passes" },
    legacy: { held: ["system:read", "system:write"], fate: isConfig ? "passes" : 403 },
    string: { held: scopes.join(" "), fate: scopes.length === 1 ? "passes" : 403 },
    "string of all": { held: everyScope.join(" "), fate: 403 },
  }
}

describe.each(rows)("%s (%s)", (request, scopes) => {
  test.each(Object.entries(expected(request, scopes)))(
    "a caller gets as far as their token allows: %s",
    async (_name, { held, fate }) => {
      const token = held === null ? {} : { token: await aToken(held) }

      const answer = await call(service, request.replaceAll("*", "x"), token)

      if (fate === "passes") {
        expect([401, 403, 405]).not.toContain(answer.status)
        expect(answer.text).not.toBe('{"detail":"Not Found"}')
      } else {
        expect(answer.status).toBe(fate)
        expect(answer.body).toEqual({
          detail:
            fate === 401
              ? "Authorization header missing"
              : `Insufficient permissions. Required scope(s): ${scopes.join(", ")}`,
        })
      }
    },
  )
})
