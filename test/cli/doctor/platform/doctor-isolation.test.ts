// The doctor where users are isolated: which credentials see and resolve nothing, and what it cannot know.

import { randomBytes } from "node:crypto"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { type Instance, lookAtInstance } from "../../../../src/cli/doctor/platform/platform.ts"
import { json, type Recorded, recorded, startServer } from "../../../platform/replay.ts"
import { startDescribed } from "../../../service/described/start-described.ts"
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
  return troubles(await findings(instance, answers))
}

/** The same with all their words; `resolve` and `continue` are the answers to these calls. */
async function findings(instance: Partial<Instance>, answers: Readonly<Record<string, Recorded>> = {}) {
  const all: Readonly<Record<string, Recorded>> = {
    "/info": json({ agno_version: "3.1.10", auth_mode: "jwt", user_isolation: true }),
    "/approvals/count": json({ count: 0 }),
    "/approvals": recorded("list-empty"),
    resolve: recorded("404-resolve"),
    continue: recorded("403-resolve"),
    ...answers,
  }
  const server = await startServer(({ url: { pathname } }) => {
    if (pathname.endsWith("/continue")) return all["continue"]
    if (pathname.endsWith("/resolve")) return all["resolve"]
    return all[pathname] ?? json({ detail: "Not Found" }, 404)
  })
  onTestFinished(server.close)
  const common = { name: "main", url: server.url, token: undefined, pollMs: 1_000, timeoutMs: 1_000 }
  const found = await lookAtInstance({ ...common, resolving: { kind: "same" }, ...instance }, Date.now)
  return found.filter(({ level }) => level !== "ok" && level !== "note")
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
  const refused = json({ detail: "Insufficient permissions. Required scope(s): config:read" }, 403)
  const info = (more: object = {}) => json({ agno_version: "3.1.10", auth_mode: "jwt", ...more })
  const isNoAdmin = /^fail: the credential is a service account of AgentOS that is not admin: by AgentOS's own rule/

  it("a service account of AgentOS that may not do all an admin may fails, by AgentOS's own rule, and the gate helps", async () => {
    const [found, ...more] = await findings({ token }, { "/info": info(), "/config": refused })

    expect(more).toEqual([])
    expect(found).toMatchObject({ level: "fail", todo: expect.stringContaining("docs/how-to/agentos-gate.md") })
    expect(troubles(found === undefined ? [] : [found])).toEqual([expect.stringMatching(isNoAdmin)])
  })

  it("a service account of AgentOS that may read /config is no admin either if it may run nothing", async () => {
    const found = await look({ token }, { "/info": info(), "/config": recorded("3.1.10/config") })

    expect(found).toEqual([expect.stringMatching(isNoAdmin)])
  })

  it("a service account of AgentOS that may do everything is warned about: it may be admin", async () => {
    const all = { "/info": info(), "/config": recorded("3.1.10/config"), continue: recorded("404-continue-agent") }

    expect(await look({ token }, all)).toEqual([
      "fail: the credential may also run agents, teams, workflows",
      "warn: the credential is a service account of AgentOS",
    ])
  })

  it.each([
    [
      "a security key is wanted",
      { "/info": info({ auth_mode: "security_key" }) },
      /with its security key as upstream_token/,
    ],
    ["users are isolated", { "/info": info({ user_isolation: true }) }, /^no credential without admin works/],
    [
      "roles decide",
      { "/info": info(), "/authz/roles": recorded("3.1.10/403-authz-roles") },
      /^roles decide there, and neither a service account nor a JWT without a subject works/,
    ],
    ["no credential is asked for", { "/info": info({ auth_mode: "none" }) }, /^leave the token out/],
  ])("a service account of AgentOS is told what helps where %s", async (_, answers, todo) => {
    const found = await findings({ token }, { "/config": refused, ...answers })

    expect(found).toContainEqual(
      expect.objectContaining({
        level: "fail",
        what: expect.stringMatching(/service account/),
        todo: expect.stringMatching(todo),
      }),
    )
  })
})

describe("Countersign's gate before AgentOS", () => {
  const token = "cs_sa_x"
  const gate = (status: number, detail: string) => ({
    "/info": json({ agno_version: "3.1.10", auth_mode: "jwt" }),
    "/approvals/count": json({ detail }, status),
    resolve: json({ detail }, status),
  })
  const refusedFor = (detail: string) =>
    `The upstream refused the credential of this service (403: ${detail}). Check upstream_token.`
  const lacks = "Insufficient permissions. Required scope(s): approvals:read"

  it.each([
    [403, refusedFor(lacks), /^the gate's upstream_token lacks approvals:read: .*agentos-gate\.md/],
    [403, refusedFor("Authenticated request is missing a user identity"), /^no credential without admin works/],
    [
      403,
      `${refusedFor(lacks)} It claims that scope: where roles decide, its subject needs one.`,
      /^roles decide there/,
    ],
    [
      502,
      "The upstream refused the credential of this service (401). Check upstream_token.",
      /upstream_token is expired/,
    ],
    [501, "A service account of this service is unknown to its upstream. Set upstream_token to pass …", /is missing/],
  ])("the gate that answers %i about its own credential is told apart: %s", async (status, detail, todo) => {
    const found = (await findings({ token }, gate(status, detail))).filter(({ level }) => level === "fail")

    expect(found.length).toBeGreaterThan(0)
    for (const one of found) expect(one).toMatchObject({ todo: expect.stringMatching(todo) })
  })
})

describe("the gate's own credential", () => {
  /** The doctor through a gate that sends this on, to an AgentOS that answers well. */
  async function through(upstreamToken: string, info = recorded("3.1.10/info")) {
    const recordedAnswers: Readonly<Record<string, Recorded>> = {
      "/info": info,
      "/approvals/count": recorded("count"),
      "/approvals": recorded("list-empty"),
    }
    const agentOs = await startServer(({ url: { pathname } }) => recordedAnswers[pathname] ?? recorded("404-resolve"))
    onTestFinished(agentOs.close)
    const gate = await startDescribed({
      database: ":memory:",
      authorization: true,
      upstream: { url: agentOs.url, token: upstreamToken, routes: "all" },
      clock: Date.now,
      random: randomBytes,
    })
    onTestFinished(() => gate.close())
    const token = gate.mintServiceAccount({ name: "countersign", scopes: both })
    const instance = { name: "main", url: gate.url, token, resolving: { kind: "same" } } as const
    return lookAtInstance({ ...instance, pollMs: 1_000, timeoutMs: 1_000 }, Date.now)
  }

  it("the gate's own credential that is as it should be is said to be", async () => {
    const found = await through(jwt({ scopes: both }))

    expect(troubles(found)).toEqual([])
    expect(found.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^Countersign's gate stands before it/))
  })

  it.each([
    ["a subject", jwt({ scopes: both, sub: "robot" }), /^warn: .* its upstream_token has the subject robot, which/],
    ["an end that is near", jwt({ scopes: both, exp: Date.now() / 1_000 + 3_600 }), /^warn: .* expires at /],
    ["admin", jwt({ scopes: ["agent_os:admin"] }), /^warn: .* holds agent_os:admin/],
    ["an account of AgentOS, whose list is empty for ever", "agno_pat_x", /^fail: .* is a service account of AgentOS/],
  ])("the gate's own credential is told of where it has %s", async (_, upstreamToken, words) => {
    expect(troubles(await through(upstreamToken))).toEqual([expect.stringMatching(words)])
  })

  it("the gate's own credential with a subject fails where users are isolated", async () => {
    const isolated = json({ agno_version: "3.1.10", auth_mode: "jwt", user_isolation: true })

    const found = await through(jwt({ scopes: both, sub: "robot" }), isolated)
    const admin = await through(jwt({ scopes: ["agent_os:admin"], sub: "robot" }), isolated)

    expect(found.filter(({ level }) => level === "fail")).toEqual([
      expect.objectContaining({ todo: expect.stringMatching(/^no credential without admin works/) }),
    ])
    expect(admin.filter(({ level }) => level === "fail")).toEqual([])
  })

  it.each(["%", "7", "not json"])(
    "the gate's own credential is not told of by a header %s that no gate wrote",
    async (header) => {
      const answers: Readonly<Record<string, Recorded>> = {
        "/info": recorded("3.1.10/info"),
        "/approvals/count": recorded("count"),
        "/approvals": recorded("list-empty"),
      }
      const server = await startServer(({ url: { pathname } }, response) => {
        const { status, body } = answers[pathname] ?? recorded("403-resolve")
        response.writeHead(status, { "content-type": "application/json", "countersign-upstream": header }).end(body)
        return undefined
      })
      onTestFinished(server.close)
      const instance = { name: "main", url: server.url, token: "x", resolving: { kind: "same" } } as const

      const found = await lookAtInstance({ ...instance, pollMs: 1_000, timeoutMs: 1_000 }, Date.now)

      expect(found.map(({ what }) => what)).not.toContainEqual(expect.stringContaining("gate"))
    },
  )
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
