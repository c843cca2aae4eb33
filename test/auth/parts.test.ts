// The small parts that a request is judged by: scopes, paths, credentials, mappings and what is remembered.
import { describe, expect, test } from "vitest"
import { defaultPlace, readCookie, readCredential, withoutCookie } from "../../src/auth/credential.ts"
import { createRouteMatcher, splitPath } from "../../src/auth/match-route.ts"
import { createScopeSet, isAdminScope, parseScope, toNeed } from "../../src/auth/scopes.ts"
import { createRemembered } from "../../src/auth/verify-token.ts"
import { createRoutes, readScopeMappings } from "../../src/service/gate/routes.ts"
import { anonymous } from "../../src/service/gate/standings.ts"

describe("5.3: a scope", () => {
  test.each([
    ["runs:read", { resource: "runs", id: null, action: "read" }],
    ["runs:*:read", { resource: "runs", id: null, action: "read" }],
    ["agents:billing:run", { resource: "agents", id: "billing", action: "run" }],
    ["system:write", { resource: "config", id: null, action: "write" }],
  ])("a scope is taken apart: %s", (text, scope) => {
    expect(parseScope(text)).toEqual(scope)
  })

  test.each(["", "runs", "*:read", "*:a:read", "runs:*", "agents:a:*", "agents:*:*", "agents:a:b:run", "a:*:b:c"])(
    "no scope is %j",
    (text) => expect(parseScope(text)).toBeNull(),
  )

  test.each(["runs:", ":read", "runs: read", "agents::run", "runs:one:read"])("no scope is %j, either", (text) => {
    expect(parseScope(text)).toBeNull()
  })

  test("a scope of another kind than the admin's own is not the admin's, whatever it looks like", () => {
    expect(isAdminScope("agents:a:admin", "agents:b:admin")).toBe(false)
    expect(isAdminScope("agents:a:admin", "agents:a:admin")).toBe(true)
    expect(isAdminScope("service:*:admin", "service:admin")).toBe(true)
    expect(isAdminScope("agents:a:admin", "agents:admin")).toBe(false)
    expect(isAdminScope("Root", "Root")).toBe(true)
  })

  test("a scope that is demanded and not well formed is a name of its own", () => {
    expect(toNeed("Approve")).toEqual({ text: "Approve", scope: "Approve", resource: "", id: null })
    expect(toNeed("agents:a:run")).toEqual({ text: "agents:a:run", scope: "agents:run", resource: "agents", id: "a" })
  })

  test("a scope for one id covers that id, and not all of them", () => {
    const held = createScopeSet(["agents:a:run", "agents:null:run"])

    expect([held.covers("agents:run", "a"), held.covers("agents:run", "b")]).toEqual([true, false])
    expect([held.covers("agents:run", null), held.coversSome("agents:run")]).toEqual([false, true])
  })
})

describe("a path", () => {
  test.each([
    ["/", []],
    ["/a", ["a"]],
    ["/a/b/", ["a", "b"]],
    ["/a%20b/c", ["a b", "c"]],
    ["/.a", [".a"]],
  ])("the path %s has the segments %j", (path, segments) => {
    expect(splitPath(path)).toEqual(segments)
  })

  test.each(["", "a", "a/b", "//", "/a//b", "/a//", "/.", "/a/..", "/a%2fb", "/a%5Cb", "/a%00", "/%", "/%zz"])(
    "no path is %j",
    (path) => expect(splitPath(path)).toBeNull(),
  )
})

test("a mapping of another method changes nothing, one of the route's own does", () => {
  const mappings = { "POST /approvals": ["own:write"], "GET /own": ["own:read"] }
  const match = createRouteMatcher(createRoutes({ scopeMappings: mappings }))
  const needs = (method: string, path: string) => {
    const found = match(method, path)
    return found.kind === "route" ? found.route.needs.map((need) => need.text) : found.kind
  }

  expect(needs("GET", "/approvals")).toEqual(["approvals:read"])
  expect(needs("GET", "/own")).toEqual(["own:read"])
  expect(needs("POST", "/own")).toBe("wrong_method")
})

test.each<[unknown, string]>([
  [{ "GET /a": "b:c" }, "scope mappings: GET /a: Invalid input: expected array, received string"],
  [{ "GET /a": ["b:c", 1] }, "scope mappings: GET /a → 1: Invalid input: expected string, received number"],
  [[], "scope mappings: : Invalid input: expected record, received array"],
])("5.5: the mapping %j is refused, with its place", (input, message) => {
  expect(() => readScopeMappings(input)).toThrow(expect.objectContaining({ code: "mapping_invalid", message }) as Error)
})

describe("a credential", () => {
  const tokenIn = (authorization: string) => {
    const read = readCredential({ authorization })
    return read.kind === "missing" ? null : read.token
  }

  test.each([
    ["Bearer abc", "abc"],
    ["bearer   abc ", "abc"],
    ["BEARER\tabc", "abc"],
    ["abc", "abc"],
    ["Bearer", ""],
    ["token bearer abc", "token bearer abc"],
    ["abc Bearer ", "abc Bearer"],
    ["bearerabc", "bearerabc"],
  ])("a credential in the header %j is %j", (header, token) => {
    expect(tokenIn(header)).toBe(token)
  })

  test.each([
    ["a=1; t = x ; b=2", "x"],
    ['t="x y"', "x y"],
    ['t=a"b"', 'a"b"'],
    ['t="a"b', '"a"b'],
    ["t=a=b", "a=b"],
    ["tt=1", undefined],
    ["t", undefined],
    ["", undefined],
  ])("a credential in the cookies %j is %j", (header, token) => {
    expect(readCookie(header, "t")).toBe(token)
  })

  test("a credential of another name stays when one is taken out", () => {
    expect(withoutCookie(" a=1 ;; t=x; b=2;", "t")).toBe("a=1; b=2")
    expect(withoutCookie("t=x", "t")).toBeNull()
    expect(withoutCookie(" ; ", "t")).toBeNull()
  })

  test("a credential that is not there is missing, whatever else is", () => {
    expect(readCredential({}, { ...defaultPlace, source: "COOKIE" })).toEqual({
      kind: "missing",
      reason: "JWT cookie 'access_token' missing",
    })
    expect(readCredential({ cookie: "access_token=x" })).toEqual({
      kind: "missing",
      reason: "Authorization header missing",
    })
  })
})

test("what is remembered stays while fewer than its size were added since", () => {
  const remembered = createRemembered<number>(2)
  const has = () => ["a", "b", "c", "d", "e"].filter((key) => remembered.get(key) !== undefined)
  for (const [value, key] of ["a", "b", "c", "d"].entries()) remembered.set(key, value)

  expect(remembered.get("a")).toBe(0)
  remembered.set("e", 4)

  expect(has()).not.toContain("b")
  expect(remembered.get("e")).toBe(4)
})

test("who is asked for nothing is nobody, with no scopes", () => {
  expect(anonymous).toEqual({ kind: "anonymous", subject: null, scopes: [] })
})
