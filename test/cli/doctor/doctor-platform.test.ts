// The doctor on an instance: the embedded service with other credentials, recorded answers of AgentOS, and servers that
// are none.

import { describe, expect, it, onTestFinished } from "vitest"
import type { Finding } from "../../../src/cli/doctor/finding.ts"
import { type Instance, lookAtInstance, type OpenIn } from "../../../src/cli/doctor/platform/platform.ts"
import { json, type Recorded, recorded, type Seen, startServer } from "../../platform/replay.ts"
import { opened } from "../../support/opened.ts"
import { aService, troubles } from "../patient.ts"

function look(
  url: string,
  token: string | undefined,
  openIn: OpenIn = async () => null,
  more: Pick<Instance, "quotingRules"> = {},
): Promise<readonly Finding[]> {
  const instance = { name: "main", url, token, resolving: { kind: "same" }, pollMs: 1_000, timeoutMs: 1_000 } as const
  return lookAtInstance({ ...instance, ...more }, Date.now, openIn)
}

const sound: Readonly<Record<string, Recorded>> = {
  "/info": recorded("3.1.10/info"),
  "/approvals/count": recorded("count"),
  "/approvals": recorded("list-pending"),
  "/resolve": recorded("404-resolve"),
  "/continue": json({ detail: "Insufficient permissions. Required scope(s): agents:run" }, 403),
}

/** Answers by path, in the words of AgentOS. */
function soundAnswer({ url: { pathname, searchParams } }: Seen, answers = sound): Recorded {
  if (searchParams.get("user_id") === "countersign-doctor-nobody") return recorded("list-empty")
  const key = Object.keys(answers).find((path) =>
    path === "/resolve" || path === "/continue" ? pathname.endsWith(path) : pathname === path,
  )
  return answers[key ?? ""] ?? json({ detail: "Not Found" }, 404)
}

/** What is not named is as a well set-up one would answer. */
async function anAgentOs(odd: Readonly<Record<string, Recorded>>, token = "eyJ.a.b", openIn?: OpenIn) {
  const server = await opened(startServer((seen) => soundAnswer(seen, { ...sound, ...odd })))
  return { server, found: await look(server.url, token, openIn) }
}

describe("the embedded service", () => {
  it("the embedded service with exactly approvals:read and approvals:write is well", async () => {
    const service = await aService()
    const token = service.mintServiceAccount({ name: "c", scopes: ["approvals:read", "approvals:write"] })

    const found = await look(service.url, token)

    expect(troubles(found)).toEqual([])
    expect(found.map(({ what }) => what)).toContain("the credential may not run anything")
  })

  it("the embedded service without approvals:read fails by that name", async () => {
    const service = await aService()
    const token = service.mintServiceAccount({ name: "c", scopes: ["approvals:write"] })

    const found = await look(service.url, token)

    expect(troubles(found)).toEqual([
      expect.stringMatching(/^fail: GET \/approvals\/count was answered 403: .*approvals:read/),
    ])
    expect(found.find(({ level }) => level === "fail")).toMatchObject({
      todo: expect.stringContaining("approvals:read"),
    })
  })

  it("the embedded service without approvals:write fails by that name", async () => {
    const service = await aService()
    const token = service.mintServiceAccount({ name: "c", scopes: ["approvals:read"] })

    const found = await look(service.url, token)

    expect(troubles(found)).toEqual([expect.stringMatching(/^fail: resolving .* answered 403/)])
    expect(found.find(({ level }) => level === "fail")).toMatchObject({
      todo: expect.stringContaining("approvals:write"),
    })
  })

  it("the embedded service with a run scope beside approvals:write is refused", async () => {
    const service = await aService()
    const token = service.mintServiceAccount({ name: "c", scopes: ["approvals:read", "approvals:write", "agents:run"] })

    const found = await look(service.url, token)

    expect(troubles(found)).toEqual(["fail: the credential may also run agents"])
    expect(found.find(({ level }) => level === "fail")).toMatchObject({ why: expect.stringContaining("past its gate") })
  })

  it("the embedded service with a credential of nobody fails with 401", async () => {
    const service = await aService()

    expect(troubles(await look(service.url, "nobody"))).toEqual([expect.stringContaining("answered 401")])
  })
})

describe("sessions", () => {
  const noticed = "runs that pause without an approval"
  const several = recorded("3.1.10/400-session-runs-db-id")

  it("the doctor says what is noticed with sessions:read, and without it what is lost and which scope brings it", async () => {
    const service = await aService()
    const scopes = ["approvals:read", "approvals:write"]
    const least = service.mintServiceAccount({ name: "least", scopes })
    const reading = service.mintServiceAccount({ name: "reading", scopes: [...scopes, "sessions:read"] })

    expect(await look(service.url, reading)).toContainEqual(
      expect.objectContaining({ level: "ok", what: `sessions can be read: ${noticed} are noticed` }),
    )
    expect(await look(service.url, least)).toContainEqual(
      expect.objectContaining({
        level: "note",
        what: expect.stringMatching(
          /^sessions cannot be read, so Countersign does not notice runs that pause .*add the scope sessions:read/,
        ),
      }),
    )
  })

  it("a rule that wants requests quoted, where sessions cannot be read, is warned of by name", async () => {
    const service = await aService()
    const scopes = ["approvals:read", "approvals:write"]
    const least = service.mintServiceAccount({ name: "least", scopes })
    const reading = service.mintServiceAccount({ name: "reading", scopes: [...scopes, "sessions:read"] })
    const wanted = { quotingRules: ["payments", "refunds"] }

    const found = await look(service.url, least, undefined, wanted)

    expect(troubles(found)).toEqual(["warn: rules payments, refunds say context: request, and sessions cannot be read"])
    expect(found.find(({ level }) => level === "warn")).toMatchObject({
      todo: "give the instance's token the scope sessions:read",
    })
    expect(troubles(await look(service.url, reading, undefined, wanted))).toEqual([])
  })

  it.each([
    ["400 since 3.0", several],
    ["404 before", recorded("404-sessions-db-id")],
  ])("are read in the database that GET /config names, where there are several (%s)", async (_, asksWhich) => {
    const server = await startServer((seen) =>
      seen.url.searchParams.has("db_id")
        ? json({ data: [{ session_id: "s1" }], meta: { total_count: 1 } })
        : soundAnswer(seen, { ...sound, "/sessions": asksWhich, "/config": recorded("3.1.10/config") }),
    )
    onTestFinished(server.close)

    const found = await look(server.url, "eyJ.a.b")

    expect(found.map(({ what }) => what)).toContain(`sessions can be read: ${noticed} are noticed`)
    expect(server.seen.filter(({ url }) => url.searchParams.has("db_id"))).toHaveLength(1)
  })

  it.each([
    [
      several,
      recorded("403-list"),
      expect.stringMatching(/^sessions lie in several databases, .* the scope config:read/),
    ],
    [
      recorded("404-sessions-db-id"),
      recorded("403-list"),
      expect.stringMatching(/^sessions lie in several databases, .* the scope config:read/),
    ],
    [json({ detail: "Not Found" }, 404), recorded("403-list"), expect.stringMatching(/^no sessions are served there/)],
  ])("says so where they cannot be listed as they are", async (sessions, config, words) => {
    const { found } = await anAgentOs({ "/sessions": sessions, "/config": config })

    expect(troubles(found)).toEqual([])
    expect(found).toContainEqual(expect.objectContaining({ level: "note", what: words }))
  })

  it.each([
    [json({ detail: "Internal server error (OperationalError)" }, 500), "check its database"],
    [json("a page"), "answers at the instance's url"],
  ])("sessions that were not read are not called well", async (asked, remedy) => {
    const server = await startServer((seen) => {
      if (seen.url.pathname !== "/sessions")
        return soundAnswer(seen, { ...sound, "/config": recorded("3.1.10/config") })
      return seen.url.searchParams.has("db_id") ? asked : several
    })
    onTestFinished(server.close)

    const found = await look(server.url, "eyJ.a.b")

    expect(found.filter(({ what }) => what.includes("essions"))).toEqual([
      expect.objectContaining({ level: "warn", todo: expect.stringContaining(remedy) }),
    ])
  })
})

describe("an AgentOS whose database is away", () => {
  const info = recorded("info")
  const away = { "/approvals/count": json({ count: 0 }), "/approvals": recorded("list-empty") }

  it("before 3.1 fails where Redis knows of open approvals of that instance", async () => {
    const { found } = await anAgentOs({ "/info": info, ...away }, "eyJ.a.b", async (name) =>
      name === "main" ? 2 : null,
    )

    expect(troubles(found)).toEqual([
      "fail: it lists no approval of any status, and 2 that are open in Countersign come from there",
    ])
    expect(found).toContainEqual(expect.objectContaining({ todo: expect.stringContaining("check its database") }))
  })

  it.each([0, null])("before 3.1 is warned of where Redis knows of none, or cannot be read (%s)", async (open) => {
    const { found } = await anAgentOs({ "/info": info, ...away }, "eyJ.a.b", async () => open)

    expect(troubles(found)).toEqual(["warn: it lists no approval of any status"])
    expect(found).toContainEqual(
      expect.objectContaining({ why: expect.stringContaining("says the same while its database is away") }),
    )
  })

  it("before 3.1 is well while it lists what was decided, and from 3.1 while it lists nothing", async () => {
    const decided = await startServer((seen) => {
      const pending = seen.url.pathname === "/approvals" && seen.url.searchParams.has("status")
      return soundAnswer(seen, {
        ...sound,
        "/info": info,
        ...(pending ? { "/approvals": recorded("list-empty") } : {}),
      })
    })
    onTestFinished(decided.close)

    expect(troubles(await look(decided.url, "eyJ.a.b", async () => 1))).toEqual([])
    expect(troubles((await anAgentOs(away, "eyJ.a.b", async () => 1)).found)).toEqual([])
  })

  it("from 3.1 fails with its error, whose remedy is the database", async () => {
    const { found } = await anAgentOs({ ...away, "/approvals": recorded("3.1.10/500-list-database-failed") })

    expect(troubles(found)).toEqual(["fail: GET /approvals was answered 500: Internal server error (OperationalError)"])
    expect(found).toContainEqual(expect.objectContaining({ todo: expect.stringMatching(/^check its database/) }))
  })
})

describe("AgentOS", () => {
  const viaGate: unknown = expect.stringMatching(/^put Countersign's gate before the instance, with its security key/)

  it("AgentOS with a good JWT is well, and nothing that was sent could resolve or run anything", async () => {
    const { server, found } = await anAgentOs({})

    expect(troubles(found)).toEqual([])
    expect(found[0]?.what).toContain("AgentOS on agno 3.1.10")
    expect(server.seen[0]?.headers.authorization).toBeUndefined()
    const posts = server.seen.filter(({ method }) => method === "POST")
    expect(posts.map(({ url }) => url.pathname)).toEqual([
      "/approvals/00000000-0000-4000-8000-000000000000/resolve",
      "/agents/no-such/runs/no-such/continue",
      "/teams/no-such/runs/no-such/continue",
      "/workflows/no-such/runs/no-such/continue",
    ])
    const [resolve, ...continues] = posts
    expect(resolve?.body).toBe('{"status":"rejected"}')
    for (const { body } of continues)
      expect(body).toMatch(
        /^--\S+\r\n.*name="session_id"\r\n\r\nprobe\r\n--\S+\r\n.*name="stream"\r\n\r\nfalse\r\n--\S+--\s*$/,
      )
  })

  it.each([
    ["401-no-token", /no credential was sent/],
    ["401-security-key-missing", /no credential was sent/],
    ["401-security-key-wrong", /not its security key/],
    ["401-expired", /has expired/],
    ["401-signature", /does not trust/],
    ["401-garbage", /valid one/],
    ["401-algorithm", /algorithm/],
    ["401-audience", /another instance/],
    ["401-audience-missing", /another instance/],
    ["401-reserved-subject", /subject/],
    ["401-service-account-unknown", /mint a new one/],
    ["401-service-accounts-not-enabled", /takes no service accounts/],
    ["3.1.10/401-issuer", /issuer/],
    ["3.1.10/403-list-isolated-without-sub", /user isolation/],
    ["403-list", /approvals:read/],
    ["503-no-db", /database/],
    ["503-unsupported-db", /SQLite or Postgres/],
    ["3.1.10/503-service-account-lookup-failed", /cannot check credentials now/],
  ])("AgentOS that answers %s to the count is told apart", async (name, todo) => {
    const { found } = await anAgentOs({ "/approvals/count": recorded(name) })

    const failing = found.filter(({ level }) => level === "fail")
    expect(failing).toHaveLength(1)
    expect(failing[0]).toMatchObject({ area: "platform main", todo: expect.stringMatching(todo) })
  })

  it("AgentOS that refuses a service account once, while its database fails, is asked again", async () => {
    let asked = 0
    const server = await startServer(({ url }) => {
      if (url.pathname === "/approvals/count") asked += 1
      return asked === 1 ? recorded("401-service-account-lookup-failed") : recorded("count")
    })
    onTestFinished(server.close)

    const found = await look(server.url, "agno_pat_x")

    expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining("the credential is accepted"))
  })

  it("AgentOS whose list holds a row that cannot be written fails", async () => {
    const { found } = await anAgentOs({ "/approvals": recorded("500-list-poisoned") })

    expect(troubles(found)).toEqual([expect.stringMatching(/^fail: GET \/approvals was answered 500/)])
  })

  it("asked by a service account is never called healthy: it sees its own rows only", async () => {
    const { found } = await anAgentOs({ "/approvals": recorded("list-service-account-empty") }, "agno_pat_x")

    expect(troubles(found)).toEqual([
      expect.stringMatching(/^fail: the credential is a service account of AgentOS that is not admin/),
    ])
  })

  it("AgentOS whose answer to resolve shows that the content type was lost fails", async () => {
    const { found } = await anAgentOs({ "/resolve": recorded("500-resolve-no-content-type") })

    expect(troubles(found)).toEqual([expect.stringMatching(/^fail: resolving .* was answered 500/)])
  })

  it("AgentOS that lets the credential run agents, teams and workflows is refused", async () => {
    const { found } = await anAgentOs({ "/continue": recorded("404-continue-agent") })

    expect(troubles(found)).toEqual(["fail: the credential may also run agents, teams, workflows"])
  })

  it("AgentOS that does not tell whether it may run anything is warned about", async () => {
    const { found } = await anAgentOs({ "/continue": json({ detail: "Internal server error" }, 500) })

    expect(troubles(found)).toEqual([
      expect.stringMatching(/^warn: whether the credential may also run agents, .* cannot be told/),
    ])
  })

  it("AgentOS that asks for no credential, and one with a security key, are said to be so", async () => {
    const info = (mode: string) => json({ agno_version: "3.1.10", auth_mode: mode })

    const open = await anAgentOs({ "/info": info("none") })
    const keyed = await anAgentOs({ "/info": info("security_key"), "/continue": recorded("404-continue-agent") })

    expect(troubles(open.found)).toEqual([expect.stringContaining("asks nobody for a credential")])
    expect(troubles(keyed.found)).toEqual([
      expect.stringContaining("one security key for everybody"),
      "fail: the credential may also run agents, teams, workflows",
    ])
    const advice = keyed.found.flatMap((one) => ("todo" in one ? [one.todo] : []))
    expect(advice).toEqual([viaGate, viaGate])
    expect(advice.join()).not.toContain("service account")
  })

  it("AgentOS with a security key that gets another credential says that no JWT works there", async () => {
    const info = json({ agno_version: "3.1.10", auth_mode: "security_key" })

    const { found } = await anAgentOs({ "/info": info, "/approvals/count": recorded("401-security-key-wrong") })

    expect(found.filter(({ level }) => level === "fail")).toEqual([
      expect.objectContaining({ todo: expect.stringMatching(/^it takes its security key, and no JWT: put .*gate/) }),
    ])
  })
})

describe("how long answers take", () => {
  it.each([
    [20, []],
    [600, [expect.stringMatching(/^warn: it takes 0\.\d s to answer, and timeout allows 1\.0 s$/)]],
  ])("answers that take %i ms are said to be so: %j", async (ms, said) => {
    const server = await startServer((seen, response) => {
      const { status, body } = soundAnswer(seen)
      setTimeout(() => response.writeHead(status).end(body), ms)
      return undefined
    })
    onTestFinished(server.close)

    expect(troubles(await look(server.url, "eyJ.a.b"))).toEqual(said)
  })
})

describe("what is no Agent Platform Service", () => {
  it("an address where nothing listens fails once", async () => {
    const found = await look("http://127.0.0.1:9", "x")

    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ level: "fail", what: expect.stringContaining("nothing listens") })
  })

  it("an address whose path is wrong says so", async () => {
    const server = await opened(startServer(() => json({ detail: "Not Found" }, 404)))

    const found = await look(server.url, "x")

    expect(found.find(({ level }) => level === "fail")).toMatchObject({
      todo: expect.stringContaining("with the path"),
    })
  })

  it("an address where a proxy shows a page says so, without the page's markup", async () => {
    const server = await opened(startServer(() => ({ status: 502, body: "<html><b>Bad Gateway</b></html>" })))

    expect(troubles(await look(server.url, "x"))).toEqual(["fail: GET /approvals/count was answered 502: Bad Gateway"])
  })

  it("an address that never answers fails with its time-out", async () => {
    const server = await opened(startServer(() => undefined))

    expect(troubles(await look(server.url, "x"))).toEqual([expect.stringContaining("no answer in time")])
  })
})

describe("AgentOS with roles", () => {
  const roles = { "/authz/roles": recorded("3.1.10/403-authz-roles") }
  const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`

  it("AgentOS with roles whose 403 names a scope that the token holds is told apart by /authz/roles", async () => {
    const token = jwt({ sub: "bot@example.com", scopes: ["approvals:read", "approvals:write"], exp: 4_000_000_000 })
    const odd = { ...roles, "/approvals/count": recorded("3.1.10/403-list-roles"), "/resolve": recorded("403-resolve") }

    const { found } = await anAgentOs(odd, token)

    const todos = found.flatMap((finding) => (finding.level === "fail" ? [finding.todo] : []))
    expect(todos).toEqual([
      expect.stringContaining("give its subject bot@example.com a role with approvals:read"),
      expect.stringContaining("give its subject bot@example.com a role with approvals:write"),
    ])
  })
})

describe("GET /config of AgentOS", () => {
  const configWith = (interfaces: unknown) => json({ ...(JSON.parse(recorded("config").body) as object), interfaces })

  it.each([
    ["3.1.10/config", "it lists them only to agents:read and teams:read"],
    ["config", "all its agents keep their approvals where they are seen"],
  ])("what AgentOS 3.1 does not list in %s is not judged", async (config, words) => {
    const { found } = await anAgentOs({ "/config": recorded(config), "/info": recorded("3.1.10/info") })

    expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining(words))
  })

  it.each([
    ["3.1.10", "3.1.10/info"],
    ["2.7.2", "info"],
  ])(
    "the Slack interface of AgentOS %s itself is named where it is mounted, with what that means and the remedy",
    async (_, info) => {
      const mounts = ["/slack", "/slack-admin"].map((route) => ({ type: "slack", version: "1.0", route }))
      const interfaces = [{ type: "agui", version: "1.0", route: "/agui" }, ...mounts]

      const { found } = await anAgentOs({ "/config": configWith(interfaces), "/info": recorded(info) })

      expect(found.filter(({ what }) => what.includes("Slack"))).toEqual([
        {
          level: "warn",
          area: "platform main",
          what: "it mounts AgentOS's own Slack interface, at /slack and /slack-admin",
          why: expect.stringMatching(
            /anybody in its threads can answer .* run one that was rejected here, and run one twice/,
          ),
          todo: expect.stringMatching(/take Slack\(…\) out of the app's interfaces/),
        },
      ])
    },
  )

  it.each([[[]], [[{ type: "agui", version: "1.0", route: "/agui" }]], [null], ["slack"]])(
    "interfaces that are not its own Slack's are not spoken of: %j",
    async (interfaces) => {
      const { found } = await anAgentOs({ "/config": configWith(interfaces), "/info": recorded("3.1.10/info") })

      expect(found.filter(({ what }) => what.includes("Slack"))).toEqual([])
    },
  )

  it("trap 75: equal names of databases are not called proof at 2.x", async () => {
    const { found } = await anAgentOs({ "/config": recorded("config"), "/info": recorded("info") })

    expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining("which proves nothing"))
  })
})
