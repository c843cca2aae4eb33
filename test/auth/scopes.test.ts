// Scopes: their forms, and what they cover (specification 5.3).
import { describe, expect, test } from "vitest"
import { createScopeSet, isAdminScope, parseScope } from "../../src/auth/scopes.ts"

describe("a scope is taken apart", () => {
  test.each([
    ["approvals:write", { resource: "approvals", id: null, action: "write" }],
    ["approvals:*:write", { resource: "approvals", id: null, action: "write" }],
    ["agents:billing:run", { resource: "agents", id: "billing", action: "run" }],
    ["system:read", { resource: "config", id: null, action: "read" }],
    ["system:write", { resource: "config", id: null, action: "write" }],
  ])("a scope is taken apart: %s", (text, scope) => {
    expect(parseScope(text)).toEqual(scope)
  })

  test.each([
    "",
    "approvals",
    "approvals:*",
    "*:read",
    "*",
    "*:*",
    "a:b:c:d",
    "approvals:x:write",
    "agents::run",
    ":read",
    " agents:run",
    "agents: run",
  ])("no scope is %j", (text) => {
    expect(parseScope(text)).toBeNull()
  })
})

describe("a set of scopes covers", () => {
  const covers = (held: string[], required: string, id: string | null = null, admin?: string): boolean =>
    createScopeSet(held, admin).covers(required, id)

  test.each<[string[], string, string | null, boolean]>([
    [["approvals:write"], "approvals:write", null, true],
    [["approvals:*:write"], "approvals:write", null, true],
    [["approvals:read"], "approvals:write", null, false],
    [["approvals:create"], "approvals:write", null, false],
    [["approvals:write"], "approvals:create", null, false],
    [["approvals:x:write"], "approvals:write", "x", false],
    [["agents:a:run"], "agents:run", "a", true],
    [["agents:a:run"], "agents:run", "b", false],
    [["agents:a:run"], "agents:run", null, false],
    [["agents:a:run"], "teams:run", "a", false],
    [["agents:*:run"], "agents:run", "b", true],
    [["agents:a:b:run"], "agents:run", "a:b", false],
    [["Approvals:write"], "approvals:write", null, false],
    [["approvals:read approvals:write"], "approvals:write", null, false],
    [["system:read"], "config:read", null, true],
    [["service:admin"], "anything:delete", null, true],
    [["Approve"], "Approve", null, true],
  ])("a set of scopes covers no more than it says: %j, %s of %s: %s", (held, required, id, expected) => {
    expect(covers(held, required, id)).toBe(expected)
  })

  test("another admin scope takes the default's power away", () => {
    expect(covers(["service:admin"], "config:read", null, "root:all")).toBe(false)
    expect(covers(["root:all"], "config:read", null, "root:all")).toBe(true)
  })

  test("some of a family is enough for a list that is filtered", () => {
    const set = createScopeSet(["agents:a:read"])

    expect(set.coversSome("agents:read")).toBe(true)
    expect(set.coversSome("agents:run")).toBe(false)
  })
})

describe("the admin scope", () => {
  test.each<[string, string, boolean]>([
    ["service:admin", "service:admin", true],
    ["service:*:admin", "service:admin", true],
    ["a:b", "a:*:b", true],
    ["Root", "Root", true],
    ["agents:x:run", "agents:x:run", true],
    ["agents:x:run", "agents:run", false],
    ["agents:run", "agents:x:run", false],
    ["service:*", "service:admin", false],
    ["root", "Root", false],
  ])("%s, where it is called %s: %s, and its holder has full access or not", (text, adminScope, expected) => {
    expect(isAdminScope(text, adminScope)).toBe(expected)
    expect(createScopeSet([text], adminScope).admin).toBe(expected)
  })
})
