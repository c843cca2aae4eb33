// The contract of credentials: who is refused, with which status and words.
import { SignJWT } from "jose"
import { expect, test } from "vitest"
import { aJwt, SECRET } from "../agentos.ts"
import { call, root, rowOf, serviceAccount, startRun } from "../drive.ts"
import { describePlatforms } from "./platforms.ts"

const now = () => Math.floor(Date.now() / 1_000)
const read = ["approvals:read"]
const signed = (payload: Record<string, unknown>, alg = "HS256", secret = SECRET) =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret))

/** A credential, and the 401 that it gets. */
const refused: readonly (readonly [
  string,
  (platform: string) => Promise<string | undefined> | string | undefined,
  string,
])[] = [
  ["no credential", () => undefined, "Authorization header missing"],
  ["garbage", () => "garbage", "Invalid token: Not enough segments"],
  [
    "another key's signature",
    () => signed({ scopes: read }, "HS256", "another secret that is long enough, too"),
    "Invalid token: Signature verification failed",
  ],
  [
    "another algorithm",
    () => signed({ scopes: read }, "HS512", `${SECRET}${SECRET}`),
    "Invalid token: The specified alg value is not allowed",
  ],
  ["a token that has expired", () => aJwt(read, { exp: now() - 60 }), "Token has expired"],
  ["a token of the future", () => aJwt(read, { iat: now() + 60 }), "Invalid token: The token is not yet valid (iat)"],
  ["a token not valid yet", () => aJwt(read, { nbf: now() + 60 }), "Invalid token: The token is not yet valid (nbf)"],
  ["a subject that is no text", () => aJwt(read, { sub: 7 }), "Invalid token: Subject must be a string"],
  ["a subject like a service account's", () => aJwt(read, { sub: "sa:admin" }), "Invalid token subject"],
  ["the scheduler's subject", () => aJwt(read, { sub: "__scheduler__" }), "Invalid token subject"],
  [
    "an unknown service account",
    (platform) => `${platform === "embedded" ? "cs_sa" : "agno_pat"}_${"x".repeat(43)}`,
    "Invalid or expired service account token",
  ],
]

describePlatforms("credentials", ({ name, os, client, pick }) => {
  test.each(refused)("a call with %s is refused with 401 and its reason", async (_, credential, detail) => {
    const token = await credential(name)

    const answer = await call(os(), "GET /approvals/count", { token })

    expect(answer).toMatchObject({ status: 401, body: { detail } })
  })

  test.each([
    ["reading without approvals:read", "GET /approvals", ["approvals:write"], "approvals:read"],
    ["counting without approvals:read", "GET /approvals/count", ["approvals:write"], "approvals:read"],
    ["resolving without approvals:write", "POST /approvals/x/resolve", read, "approvals:write"],
    ["deleting without approvals:delete", "DELETE /approvals/x", [...read, "approvals:write"], "approvals:delete"],
    ["continuing without agents:run", "POST /agents/admin-agent/runs/x/continue", read, "agents:run"],
  ])("%s is refused with 403 and the scope's name", async (_, request, scopes, missing) => {
    const json = request.endsWith("resolve") ? { json: { status: "approved" } } : {}

    const answer = await call(os(), request, { token: await aJwt(scopes), ...json })

    expect(answer).toMatchObject({
      status: 403,
      body: { detail: `Insufficient permissions. Required scope(s): ${missing}` },
    })
  })

  test.each([
    ["scopes as one text", "approvals:read", 200],
    ["scopes parted by spaces", "approvals:read approvals:write", 403],
    ["a star for everything", ["*"], 403],
    ["a star for approvals", ["approvals:*"], 403],
    ["another case", ["Approvals:Read"], 403],
    ["the admin scope", ["agent_os:admin"], 200],
  ])("a token with %s opens as much as its scopes are understood", async (_, scopes, status) => {
    expect((await call(os(), "GET /approvals/count", { token: await aJwt(scopes) })).status).toBe(status)
  })

  test.each([
    ["an unknown path without a credential", 401, false],
    ["an unknown path with a credential", 404, true],
  ])("%s is answered with %i", async (_, status, known) => {
    const token = known ? await aJwt(read) : undefined

    expect((await call(os(), "GET /no/such/path", { token })).status).toBe(status)
  })

  test("the wrong method is answered with 405", async () => {
    expect((await call(os(), "PUT /approvals", { token: await aJwt(["agent_os:admin"]) })).status).toBe(405)
  })

  test("a service account works until it is revoked", async () => {
    const token = await serviceAccount(os(), read)
    expect((await call(os(), "GET /approvals/count", { token })).status).toBe(200)
    const list = (await call(os(), "GET /service-accounts", { token: await root(os()) })).body as {
      data: { id: string }[]
    }

    for (const { id } of list.data) await call(os(), `DELETE /service-accounts/${id}`, { token: await root(os()) })

    expect(await call(os(), "GET /approvals/count", { token })).toMatchObject({
      status: 401,
      body: { detail: "Invalid or expired service account token" },
    })
  })

  test("trap 34: a service account that is not admin sees no approvals, and resolves other people's only in the embedded service", async () => {
    const run = await startRun(os(), { of: "admin-agent" })
    const { id } = await rowOf(os(), run.runId)
    const one = await client(await serviceAccount(os(), ["approvals:read", "approvals:write"]))

    const answer = await one.resolve(id, JSON.stringify({ status: "approved" }))

    const embedded = name === "embedded"
    expect(await one.count()).toBe(0)
    expect(await one.get(id)).toEqual(embedded ? expect.objectContaining({ status: "approved" }) : null)
    expect(answer.kind).toBe(pick({ embedded: "row", v2: "refused", v3: "refused" }))
    if (answer.kind === "refused") expect(answer).toMatchObject({ status: 404, detail: "Approval not found" })
  })
})
