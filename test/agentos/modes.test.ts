// Every mode of AgentOS with every kind of credential: who sees an approval, who resolves it, and whose name the record
// keeps.
import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { type AgentOs, aJwt, isAtLeast, type Mode, SECURITY_KEY, startAgentOs, VERSIONS } from "./agentos.ts"
import { call, root, rowOf, serviceAccount, startRun } from "./drive.ts"

const both = ["approvals:read", "approvals:write"]
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }).toString()

const unscoped = await new SignJWT({})
  .setProtectedHeader({ alg: "RS256" })
  .setExpirationTime("1h")
  .sign(keys.privateKey)

/** What a credential comes to: the list's status and length, the resolve's outcome, and the name in the record. */
type Outcome = { readonly list: string; readonly resolve: string; readonly by?: string | null }
const everything = (by: string | null): Outcome => ({ list: "200, 1", resolve: "row", by })
const nothing: Outcome = { list: "200, 0", resolve: "404" }

/** A credential, and what it comes to; at 3.x where that differs, for versions before it. */
interface Row {
  readonly name: string
  readonly token: (os: AgentOs) => Promise<string | undefined> | string | undefined
  readonly comes: Outcome
  readonly before3?: Outcome
}

const human = "jane@example.com"
const jwt: readonly Row[] = [
  { name: "JWT without subject", token: () => aJwt(both), comes: everything(human) },
  { name: "JWT with a subject", token: () => aJwt(both, { sub: "robot" }), comes: everything("robot") },
  { name: "JWT with an empty subject", token: () => aJwt(both, { sub: "" }), comes: everything("") },
  {
    name: "JWT of a human for one decision",
    token: () => aJwt(both, { sub: human, jti: "d" }),
    comes: everything(human),
  },
  { name: "admin JWT without subject", token: () => aJwt(["agent_os:admin"]), comes: everything(human) },
  { name: "service account", token: (os) => serviceAccount(os, both), comes: nothing },
  { name: "admin service account", token: (os) => serviceAccount(os, ["agent_os:admin"]), comes: everything("sa:") },
]
const isolated: readonly Row[] = [
  {
    name: "JWT without subject",
    token: () => aJwt(both),
    comes: { list: "403", resolve: "403" },
    before3: everything(human),
  },
  { name: "JWT with another's subject", token: () => aJwt(both, { sub: "robot" }), comes: nothing },
  {
    name: "JWT of who started the run",
    token: () => aJwt(both, { sub: "alice@example.com" }),
    comes: { list: "200, 1", resolve: "404" },
  },
  { name: "admin JWT without subject", token: () => aJwt(["agent_os:admin"]), comes: everything(human) },
  {
    name: "admin JWT with a subject",
    token: () => aJwt(["agent_os:admin"], { sub: "root" }),
    comes: everything("root"),
  },
  { name: "service account", token: (os) => serviceAccount(os, both), comes: nothing },
]
const roles: readonly Row[] = [
  { name: "JWT with the scopes and no subject", token: () => aJwt(both), comes: { list: "403", resolve: "403" } },
  {
    name: "JWT with the scopes and a subject without a role",
    token: () => aJwt(both, { sub: "robot" }),
    comes: { list: "403", resolve: "403" },
  },
  {
    name: "JWT whose subject has the role",
    token: () => aJwt([], { sub: "approver@example.com" }),
    comes: everything("approver@example.com"),
  },
]
const modes: readonly (readonly [string, Mode, string, readonly Row[]])[] = [
  ["open", { auth: "open" }, "none", [{ name: "nothing", token: () => undefined, comes: everything(human) }]],
  [
    "security key",
    { auth: "key" },
    "security_key",
    [
      { name: "the key", token: () => SECURITY_KEY, comes: everything(human) },
      { name: "a JWT", token: () => aJwt(both), comes: { list: "401", resolve: "401" } },
      { name: "service account", token: (os) => serviceAccount(os, both), comes: nothing },
    ],
  ],
  ["JWT", {}, "jwt", jwt],
  ["user isolation", { isolation: true }, "jwt", isolated],
  ["roles", { roles: true }, "jwt", roles],
  [
    "audience",
    { audience: "os-1" },
    "jwt",
    [
      { name: "JWT of this audience", token: () => aJwt(both, { aud: "os-1" }), comes: everything(human) },
      { name: "JWT of another", token: () => aJwt(both, { aud: "os-2" }), comes: { list: "401", resolve: "401" } },
      { name: "JWT of none", token: () => aJwt(both), comes: { list: "401", resolve: "401" } },
    ],
  ],
  [
    "JWT without enforcement",
    { auth: "jwt-unscoped", publicKey, operator: unscoped },
    "jwt",
    [{ name: "JWT without any scope", token: () => unscoped, comes: everything(human) }],
  ],
]

/** Resolves as Countersign does, and says what came of it. */
async function outcomeOf(os: AgentOs, token: string | undefined, id: string): Promise<Outcome> {
  const list = await call(os, "GET /approvals?status=pending", { token })
  const { data } = (list.body ?? {}) as { data?: readonly unknown[] }
  const client = createPlatformClient({ name: "main", url: os.url, token })
  const answer = await client.resolve(id, JSON.stringify({ status: "approved", resolved_by: human }))
  await client.close()
  const listed = [list.status, data?.length].filter((part) => part !== undefined).join(", ")
  if (answer.kind === "row") return { list: listed, resolve: "row", by: answer.approval.resolvedBy }
  return { list: listed, resolve: "status" in answer ? String(answer.status) : answer.kind }
}

describe.each(VERSIONS)("AgentOS %s, modes", (version) => {
  const served = modes.filter(([, mode]) => mode.roles !== true || isAtLeast(version, "3.1.0"))

  test.each(served)("every credential sees and resolves what it should: %s", async (_, mode, authMode, rows) => {
    const os = await startAgentOs(version, mode)
    try {
      const info = await call(os, "GET /info")
      expect(info.body).toMatchObject({ auth_mode: authMode, agno_version: version })
      for (const { name, token, comes, before3 } of rows) {
        const { id } = await rowOf(os, (await startRun(os, { of: "admin-agent" })).runId)
        const expected = isAtLeast(version, "3.0.0") ? comes : (before3 ?? comes)

        const outcome = await outcomeOf(os, await token(os), id)

        expect({ name, ...outcome, by: outcome.by?.replace(/^sa:.*/, "sa:") ?? null }).toEqual({
          name,
          by: null,
          ...expected,
        })
        await call(os, `DELETE /approvals/${id}`, { token: await root(os) })
      }
    } finally {
      await os.close()
    }
  })

  test.each(["memory", "none"] as const)(
    "trap 74: a store of %s has no approvals, and says so with 503",
    async (db) => {
      const os = await startAgentOs(version, { db })
      const client = createPlatformClient({ name: "main", url: os.url, token: await aJwt(both) })

      const error = await client.count().catch((thrown: unknown) => thrown)
      await client.close()
      await os.close()

      const words = db === "none" ? "not available" : "not supported"
      expect(error).toMatchObject({ code: "server", status: 503, detail: expect.stringContaining(words) as string })
    },
  )
})
