// Scope mappings: add, replace, open to everybody, and what they cannot move (specification 5.5).
import { describe, expect, test } from "vitest"
import { authorize } from "../../src/auth/authorize.ts"
import { createRouteMatcher } from "../../src/auth/match-route.ts"
import { createScopeSet } from "../../src/auth/scopes.ts"
import type { RouteTable } from "../../src/service/gate/route-table.ts"
import { createRoutes, readScopeMappings } from "../../src/service/gate/routes.ts"

function under(scopeMappings: RouteTable) {
  const match = createRouteMatcher(createRoutes({ scopeMappings }))
  const find = (request: string) => {
    const [method = "", path = ""] = request.split(" ")
    const found = match(method, path)
    if (found.kind !== "route") throw new Error(`${request} is ${found.kind}`)
    return found
  }
  return {
    find,
    handler: (request: string) => find(request).route.handler,
    opens: (request: string, ...scopes: string[]) => authorize(createScopeSet(scopes), find(request)).ok,
  }
}

describe("5.5, rule 2", () => {
  test("a mapping is added to the defaults", () => {
    const { opens } = under({ "GET /reports/*": ["reports:view"] })

    expect(opens("GET /reports/7", "reports:view")).toBe(true)
    expect(opens("GET /reports/7", "reports:read")).toBe(false)
    expect(opens("GET /approvals", "approvals:read")).toBe(true)
  })

  test("a pattern equal to a default pattern replaces its scopes", () => {
    const { opens } = under({ "POST /approvals/*/resolve": ["Approve.Payments", "Employee"] })

    expect(opens("POST /approvals/a/resolve", "Approve.Payments", "Employee")).toBe(true)
    expect(opens("POST /approvals/a/resolve", "Approve.Payments")).toBe(false)
    expect(opens("POST /approvals/a/resolve", "approvals:write")).toBe(false)
    expect(opens("POST /approvals/a/resolve", "service:admin")).toBe(true)
  })

  test("a more exact pattern than a default one changes the scopes of its paths, not what answers", () => {
    const mapped = under({ "POST /approvals/*/resolve": ["a:b"], "POST /approvals/vip/resolve": ["vip:sign"] })

    expect(mapped.opens("POST /approvals/vip/resolve", "vip:sign")).toBe(true)
    expect(mapped.opens("POST /approvals/vip/resolve", "a:b", "approvals:write")).toBe(false)
    expect(mapped.opens("POST /approvals/other/resolve", "vip:sign")).toBe(false)
    expect(mapped.find("POST /approvals/vip/resolve")).toMatchObject({
      ids: ["vip"],
      route: { handler: "POST /approvals/*/resolve" },
    })
  })

  test("a pattern that only overlaps a default one does not weaken it", () => {
    const mapped = under({ "POST /approvals/a/*": [], "GET /*/count": [] })

    expect(mapped.opens("POST /approvals/a/resolve")).toBe(false)
    expect(mapped.opens("GET /approvals/count")).toBe(false)
    expect(mapped.opens("POST /approvals/a/remind")).toBe(true)
    expect(mapped.opens("GET /things/count")).toBe(true)
  })

  test("a public route can be closed", () => {
    const { find, opens } = under({ "GET /info": ["config:read"] })

    expect(find("GET /info").route.access).toBe("credential")
    expect(opens("GET /info")).toBe(false)
    expect(opens("GET /info", "config:read")).toBe(true)
  })
})

test("5.5, rule 3: an empty list means that no scope is required, but still a credential", () => {
  const { find, opens } = under({ "GET /approvals": [] })

  expect(opens("GET /approvals")).toBe(true)
  expect(find("GET /approvals").route.access).toBe("credential")
})

describe("5.5, rule 4: agents, teams and workflows keep their native namespace", () => {
  test.each([
    ["GET /agents", "GET /agents", "agents:read"],
    ["GET /agents/*", "GET /agents/a", "agents:read"],
    ["POST /agents/*/runs", "POST /agents/a/runs", "agents:run"],
    ["POST /teams/*/runs/*/continue", "POST /teams/a/runs/r/continue", "teams:run"],
    ["DELETE /workflows/*", "DELETE /workflows/a", "workflows:delete"],
    ["POST /a2a/agents/*/v1/message:send", "POST /a2a/agents/a/v1/message:send", "agents:run"],
    ["GET /agents/a", "GET /agents/a", "agents:read"],
  ])(
    "%s keeps its native namespace: what it is mapped to elsewhere does not grant access",
    (pattern, request, native) => {
      const { opens } = under({ [pattern]: ["acme:use"] })

      expect(opens(request, "acme:use")).toBe(false)
      expect(opens(request, native)).toBe(false)
      expect(opens(request, "acme:use", native)).toBe(true)
    },
  )

  test("nor does an empty list", () => {
    const { opens } = under({ "POST /agents/*/runs": [], "GET /teams": [] })

    expect(opens("POST /agents/a/runs")).toBe(false)
    expect(opens("POST /agents/a/runs", "agents:a:run")).toBe(true)
    expect(opens("GET /teams")).toBe(false)
    expect(opens("GET /teams", "teams:b:read")).toBe(true)
  })

  test("a route that the operator adds beside them is free", () => {
    const { opens } = under({ "GET /agents/*/notes": ["acme:use"] })

    expect(opens("GET /agents/a/notes", "acme:use")).toBe(true)
  })
})

test("5.2.9: a provider's names that equal ours pass unchanged; wildcard, per-resource and legacy forms work as demands", () => {
  const { opens } = under({ "GET /x": ["agents:*:read"], "GET /y": ["agents:a:run"], "GET /z": ["system:read"] })

  expect(opens("GET /x", "agents:read")).toBe(true)
  expect(opens("GET /y", "agents:a:run")).toBe(true)
  expect(opens("GET /y", "agents:run")).toBe(true)
  expect(opens("GET /y", "agents:b:run")).toBe(false)
  expect(opens("GET /z", "config:read")).toBe(true)
})

test("a scope of another family never counts for the id in the path", () => {
  const { opens } = under({ "GET /agents/*/notes": ["teams:read"] })

  expect(opens("GET /agents/a/notes", "teams:a:read")).toBe(false)
  expect(opens("GET /agents/a/notes", "teams:read")).toBe(true)
})

describe("5.5, rule 1: a mapping is a pattern and a list of scopes", () => {
  test("a mapping that comes from a file is a pattern and a list of scopes", () => {
    expect(readScopeMappings({ "GET /x": ["a:b"], "POST /y": [] })).toEqual({ "GET /x": ["a:b"], "POST /y": [] })
  })

  test.each([
    ["no map", ["GET /x"], "mapping_invalid"],
    ["a scope instead of a list", { "GET /x": "a:b" }, "mapping_invalid"],
    ["an empty name", { "GET /x": [""] }, "mapping_invalid"],
    ["no method", { "/x": ["a:b"] }, "route_invalid"],
    ["a slash at the end, which would match nothing", { "GET /x/": ["a:b"] }, "route_invalid"],
  ])("a mapping with %s is refused", (_name, input, code) => {
    expect(() => readScopeMappings(input)).toThrowError(expect.objectContaining({ code }))
  })
})
