// Ten thousand generated scope sets and paths: the fast matcher agrees with a slow one that is plainly the
// specification.
import fc from "fast-check"
import { expect, test } from "vitest"
import { authorize } from "../../src/auth/authorize.ts"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { createScopeSet } from "../../src/auth/scopes.ts"
import { ownRoutes, publicRoutes } from "../../src/service/gate/route-table.ts"
import { createRoutes } from "../../src/service/gate/routes.ts"
import { runsOf } from "../support/runs.ts"
import { specRows } from "./spec-rows.ts"

type Row = { readonly request: string; readonly scopes: readonly string[]; readonly open: boolean }

const rows: readonly Row[] = [
  ...publicRoutes.map((request) => ({ request, scopes: [], open: true })),
  ...specRows.map(([, request, scope]) => ({ request, scopes: [scope], open: false })),
  ...Object.entries(ownRoutes).map(([request, scopes]) => ({ request, scopes, open: false })),
]
const families = ["agents", "teams", "workflows"]

/** What the specification says, written for the eye: every row is looked at, every scope is spelled out. */
function slowly(method: string, segments: readonly string[], held: readonly string[]): string {
  const fitting = rows.filter(({ request }) => {
    const [verb = "", path = ""] = request.split(" ")
    const parts = path.slice(1).split("/")
    return (
      verb === method &&
      parts.length === segments.length &&
      parts.every((part, at) => part === "*" || part === segments[at])
    )
  })
  const [row] = fitting.toSorted((left, right) => (exactness(left.request) < exactness(right.request) ? -1 : 1))
  if (row === undefined) return "none"
  const isList = method === "GET" && segments.length === 1
  return `${row.request}: ${row.open || row.scopes.every((scope) => isHeld(scope, segments, held, isList))}`
}

/** Sorts a literal before a star, from left to right. */
function exactness(request: string): string {
  const [, path = ""] = request.split(" ")
  return path.replaceAll(/[^/*]+/g, "a").replaceAll("*", "b")
}

function isHeld(scope: string, segments: readonly string[], held: readonly string[], isList: boolean): boolean {
  const [resource = "", action = ""] = scope.split(":")
  const equal = [scope, `${resource}:*:${action}`, "service:admin"]
  if (scope === "config:read") equal.push("system:read")
  if (scope === "config:write") equal.push("system:write")
  if (held.some((one) => equal.includes(one))) return true
  if (!families.includes(resource)) return false
  const id = segments[segments.indexOf(resource) + 1]
  return held.some((one) => {
    const parts = one.split(":")
    const [family, named, verb] = parts
    if (parts.length !== 3 || family !== resource || verb !== action || named === "") return false
    return isList || (segments.includes(resource) && named === id)
  })
}

const words = fc.constantFrom(
  ...new Set(
    rows.flatMap(({ request }) => (request.split(" ")[1] ?? "").slice(1).split("/")).filter((word) => word !== "*"),
  ),
  "x",
  "y",
)
const ids = fc.constantFrom("x", "y", "count", "current", "all", "runs", "a b", "é", "%", "agents")
const paths = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 6 }),
  fc.constantFrom(...rows).chain(({ request }) => {
    const parts = (request.split(" ")[1] ?? "").slice(1).split("/")
    return fc.tuple(...parts.map((part) => (part === "*" ? ids : fc.constant(part))))
  }),
)
const names = fc.constantFrom(...new Set(rows.flatMap(({ scopes }) => scopes)))
const scopes = fc.oneof(
  names,
  fc.tuple(names, fc.oneof(ids, fc.constant("*"), fc.constant(""))).map(([name, id]) => name.replace(":", `:${id}:`)),
  fc.constantFrom(
    "system:read",
    "system:write",
    "system:*:read",
    "service:admin",
    "*",
    "*:*",
    "*:read",
    "agents:*",
    "a:b:c:d",
    "",
  ),
  fc.tuple(names, names).map((pair) => pair.join(" ")),
)
const methods = fc.constantFrom("GET", "POST", "PATCH", "DELETE")

test("10,000 generated scope sets and paths are judged alike", () => {
  const match = createRouteMatcher(createRoutes())
  let routes = 0
  const property = fc.property(methods, paths, fc.array(scopes, { maxLength: 6 }), (method, segments, held) => {
    const found = match(method, `/${segments.map(encodeURIComponent).join("/")}`)
    const fast =
      found.kind === "route"
        ? `${found.route.pattern}: ${found.route.access === "public" || authorize(createScopeSet(held), found).ok}`
        : "none"
    if (found.kind === "route") routes += 1

    expect(fast).toBe(slowly(method, segments, held))
  })

  fc.assert(property, { numRuns: runsOf(10_000) })
  expect(routes).toBeGreaterThan(runsOf(10_000) / 5)
})

test("however a path is spelled, the ids and the route are those of its plain spelling, or it is unknown", () => {
  const match = createRouteMatcher(createRoutes())
  const spelled = (segment: string, encode: boolean): string =>
    encode
      ? [...new TextEncoder().encode(segment)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
      : encodeURIComponent(segment)
  const property = fc.property(methods, paths, fc.array(fc.boolean()), fc.boolean(), (method, segments, how, slash) => {
    const plain = match(method, `/${segments.map(encodeURIComponent).join("/")}`)
    const odd = match(
      method,
      `/${segments.map((part, at) => spelled(part, how[at] ?? false)).join("/")}${slash ? "/" : ""}`,
    )

    expect(odd).toEqual(plain)
  })

  fc.assert(property, { numRuns: runsOf(2_000) })
})

test("5.3: whoever gets more scopes never opens less", () => {
  const match = createRouteMatcher(createRoutes())
  const property = fc.property(methods, paths, fc.array(scopes), fc.array(scopes), (method, segments, some, more) => {
    const found = match(method, `/${segments.map(encodeURIComponent).join("/")}`)
    if (found.kind !== "route") return
    const before = authorize(createScopeSet(some), found).ok
    const after = authorize(createScopeSet([...some, ...more]), found).ok

    expect(before && !after).toBe(false)
  })

  fc.assert(property, { numRuns: runsOf(2_000) })
})
