// The doctor where users are isolated: which credentials see and resolve nothing, and what it cannot know.

import { describe, expect, it, onTestFinished, test } from "vitest"
import { type Instance, lookAtInstance } from "../../../../src/cli/doctor/platform/platform.ts"
import { json, type Recorded, recorded, startServer } from "../../../platform/replay.ts"
import { troubles } from "../../patient.ts"

const both = ["approvals:read", "approvals:write"]
const jwt = (claims: object) =>
  `e30.${Buffer.from(JSON.stringify({ exp: 4_000_000_000, ...claims })).toString("base64url")}.c2lnbmF0dXJl`
const secret = { kind: "given", value: "a secret of the tests that is long enough" } as const
const delegated: Instance["resolving"] = {
  kind: "delegated",
  algorithm: "HS256",
  key: secret,
  kid: undefined,
  audience: undefined,
  issuer: undefined,
}

/**
 * The troubles of an AgentOS whose list is empty and which answers 404 to every resolve, as one with isolation does.
 */
async function look(instance: Partial<Instance>, answers: Readonly<Record<string, Recorded>> = {}) {
  const all: Readonly<Record<string, Recorded>> = {
    "/info": json({ agno_version: "3.1.10", auth_mode: "jwt", user_isolation: true }),
    "/approvals/count": json({ count: 0 }),
    "/approvals": recorded("list-empty"),
    ...answers,
  }
  const server = await startServer(({ url: { pathname } }) => {
    if (pathname.endsWith("/continue")) return recorded("403-resolve")
    return (
      all[pathname] ?? (pathname.endsWith("/resolve") ? recorded("404-resolve") : json({ detail: "Not Found" }, 404))
    )
  })
  onTestFinished(server.close)
  const common = { name: "main", url: server.url, token: undefined, pollMs: 1_000, timeoutMs: 1_000 }
  return troubles(await lookAtInstance({ ...common, resolving: { kind: "same" }, ...instance }, Date.now))
}

const unseen = /^warn: it isolates users from each other$/

describe("where users are isolated", () => {
  it("a token with a subject that is not admin fails: it sees its own runs only", async () => {
    const found = await look({ token: jwt({ sub: "countersign", scopes: both }) })

    expect(found).toEqual([
      "fail: it isolates users, and the credential has a subject and is not admin: it sees only approvals of runs of its own subject",
    ])
  })

  it("a subject that is not admin fails too where another token resolves, or one that is signed for each decision", async () => {
    const token = jwt({ scopes: ["approvals:read"], sub: "x", admin: true })
    const resolve = { kind: "token", token: jwt({ sub: "countersign", scopes: ["approvals:write"] }) } as const

    expect((await look({ token, resolving: resolve })).join("\n")).toContain("it can resolve none, and is answered 404")
    expect((await look({ token: jwt({ scopes: both }), resolving: delegated })).join("\n")).toContain(
      "fail: it isolates users, and tokens that are signed for a decision have a human as their subject",
    )
  })

  it("an admin's token is well, but not where roles decide", async () => {
    const token = jwt({ sub: "countersign", scopes: [...both, "agent_os:admin"] })
    const roles = { "/authz/roles": recorded("3.1.10/403-authz-roles") }

    expect(await look({ token })).toEqual([])
    expect(await look({ token }, roles)).toEqual([expect.stringContaining("sees only approvals of runs of its own")])
  })

  it.each([
    ["says nothing", "opaque-token"],
    ["claims no scopes", jwt({ sub: "x" })],
    ["may be admin by another name", jwt({ sub: "x", scopes: [...both, "acme:admin"] })],
    ["has no subject", jwt({ scopes: both })],
  ])("a token that %s is warned about", async (_, token) => {
    expect((await look({ token })).filter((words) => words.includes("isolates"))).toEqual([
      expect.stringMatching(unseen),
    ])
  })
})

describe("a service account of AgentOS", () => {
  const token = "agno_pat_x"

  it("a service account of AgentOS that may not read /config is not admin, and fails: it sees its own rows only", async () => {
    const refused = json({ detail: "Insufficient permissions. Required scope(s): config:read" }, 403)

    expect(await look({ token }, { "/info": recorded("3.1.10/info"), "/config": refused })).toEqual([
      "fail: the credential is a service account of AgentOS that is not admin",
    ])
  })

  it("a service account of AgentOS that may read /config is warned about: it may be admin", async () => {
    expect(await look({ token }, { "/info": recorded("3.1.10/info"), "/config": recorded("3.1.10/config") })).toEqual([
      "warn: the credential is a service account of AgentOS",
    ])
  })
})

test("a version that does not tell is warned of only while its list is empty, and the token has a subject", async () => {
  const told = { "/info": recorded("info") }
  const subject = jwt({ sub: "countersign", scopes: both })

  const empty = "warn: it lists no approval of any status"
  expect(await look({ token: subject }, told)).toEqual([
    empty,
    "warn: it does not tell whether it isolates users, and the list is empty",
  ])
  expect(await look({ token: jwt({ scopes: both }) }, told)).toEqual([empty])
})
