// The doctor on the real AgentOS: systems that are well, and the ways in which one can be set up wrong.
import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import { afterAll, describe, expect, test } from "vitest"
import { type Finding, report } from "../../src/cli/doctor/finding.ts"
import { type Instance, lookAtInstance } from "../../src/cli/doctor/platform/platform.ts"
import { opened } from "../support/opened.ts"
import { type AgentOs, aJwt, isAtLeast, type Mode, SECRET, SECURITY_KEY, startAgentOs, VERSIONS } from "./agentos.ts"
import { serviceAccount, startRun } from "./drive.ts"
import { startPostgres } from "./postgres.ts"

const both = ["approvals:read", "approvals:write"]
const runs = ["agents:run", "agents:read", "teams:run", "teams:read", "sessions:read", "config:read"]
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }).toString()
const rs256 = await new SignJWT({ scopes: both })
  .setProtectedHeader({ alg: "RS256" })
  .setExpirationTime("30d")
  .sign(keys.privateKey)
const month = { exp: Math.floor(Date.now() / 1_000) + 30 * 86_400 }
const jwt = (scopes: unknown, claims: Readonly<Record<string, unknown>> = {}) => aJwt(scopes, { ...month, ...claims })
const delegated = (secret = SECRET): Instance["resolving"] => {
  const key = { kind: "given", value: secret } as const
  return { kind: "delegated", algorithm: "HS256", key, kid: undefined, audience: undefined, issuer: undefined }
}

/** What an instance is configured with. */
type Keys = Partial<Pick<Instance, "token" | "resolving" | "resumeToken">>
/** Level and words of each finding that is not well, in order. */
type Says = readonly (readonly ["warn" | "fail", string])[]

/** A set-up with its credentials, and what the doctor has to say of it. */
interface Patient {
  readonly title: string
  readonly mode: Mode
  readonly keys: (os: AgentOs) => Promise<Keys> | Keys
  readonly says: Says
  /** Runs that are started before: whose. */
  readonly runOf?: string
  /** The first version that has it. */
  readonly since?: string
}

const withToken = async (token: Promise<string> | string): Promise<Keys> => ({ token: await token })

const well: readonly Patient[] = [
  { title: "a JWT without subject that reads and resolves", mode: {}, keys: () => withToken(jwt(both)), says: [] },
  {
    title: "trap 74: an approvals-only token, which gets 403 from /config",
    mode: {},
    runOf: "alice@example.com",
    keys: () => withToken(jwt(both, { sub: "countersign" })),
    says: [],
  },
  {
    title: "one token to read and one to resolve",
    mode: {},
    keys: async () => ({
      token: await jwt(["approvals:read"]),
      resolving: { kind: "token", token: await jwt(["approvals:write"]) },
    }),
    says: [],
  },
  {
    title: "one token to read and one for each decision",
    mode: {},
    keys: async () => ({ token: await jwt(["approvals:read"]), resolving: delegated() }),
    says: [],
  },
  {
    title: "a credential of its own that continues runs",
    mode: {},
    keys: async () => ({ token: await jwt(both), resumeToken: await jwt(runs) }),
    says: [],
  },
]

const ill: readonly Patient[] = [
  {
    title: "trap 4: a service account is reported as self-scoped, not as well",
    mode: {},
    keys: (os) => withToken(serviceAccount(os, both)),
    says: [["fail", "the credential is a service account of AgentOS that is not admin"]],
  },
  {
    title: "user isolation shows where the list gives one's own rows for everybody's",
    mode: { isolation: true },
    runOf: "alice@example.com",
    keys: () => withToken(jwt(both, { sub: "alice@example.com" })),
    says: [["fail", "sees only approvals of runs that it started itself"]],
  },
  {
    title: "roles ignore the token's scopes: its subject has none",
    mode: { roles: true },
    since: "3.1.0",
    keys: () => withToken(jwt(both, { sub: "robot" })),
    says: [
      ["fail", "GET /approvals/count was answered 403"],
      ["fail", "resolving an approval that does not exist was answered 403"],
    ],
  },
  {
    title: "roles decide, and each human needs one",
    mode: { roles: true },
    since: "3.1.0",
    keys: async () => ({ token: await jwt([], { sub: "approver@example.com" }), resolving: delegated() }),
    says: [["warn", "it decides by roles, and tokens that are signed for a decision have a human as their subject"]],
  },
  {
    title: "another audience",
    mode: { audience: "os-1" },
    keys: () => withToken(jwt(both, { aud: "os-2" })),
    says: [["fail", "Invalid token audience"]],
  },
  {
    title: "an expired token",
    mode: {},
    keys: () => withToken(jwt(both, { exp: 1_700_000_000 })),
    says: [["fail", "its token has expired at 2023-11-14T22:13:20Z"]],
  },
  {
    title: "no approvals:write",
    mode: {},
    keys: () => withToken(jwt(["approvals:read"])),
    says: [["fail", "Required scope(s): approvals:write"]],
  },
  {
    title: "no approvals:read",
    mode: {},
    keys: () => withToken(jwt(["approvals:write"])),
    says: [["fail", "Required scope(s): approvals:read"]],
  },
  {
    title: "trap 72: JWTs whose scopes nobody enforces",
    mode: { auth: "jwt-unscoped", publicKey },
    keys: () => ({ token: rs256 }),
    says: [
      ["fail", "the credential may also run"],
      ["fail", "does not enforce their scopes"],
    ],
  },
  {
    title: "trap 71: a credential that may resolve and run",
    mode: {},
    keys: () => withToken(jwt([...both, "agents:run", "teams:run"])),
    says: [["fail", "the credential may also run agents, teams"]],
  },
  { title: "no credential", mode: {}, keys: () => ({}), says: [["fail", "Authorization header"]] },
  {
    title: "an open instance",
    mode: { auth: "open" },
    keys: () => ({}),
    says: [["warn", "asks nobody for a credential"]],
  },
  {
    title: "one security key for everything",
    mode: { auth: "key" },
    keys: () => ({ token: SECURITY_KEY }),
    says: [
      ["warn", "one security key for everybody"],
      ["fail", "the credential may also run agents, teams, workflows"],
    ],
  },
  {
    title: "a store without approvals",
    mode: { db: "memory" },
    keys: () => withToken(jwt(both)),
    says: [["fail", "not supported by the configured database"]],
  },
  {
    title: "trap 76: a token without exp is warned of",
    mode: {},
    keys: () => withToken(jwt(both, { exp: undefined })),
    says: [["warn", "its token has no exp"]],
  },
  {
    title: "trap 42: a reserved subject",
    mode: {},
    keys: () => withToken(jwt(both, { sub: "sa:countersign" })),
    says: [
      ["fail", "its token's subject sa:countersign is reserved"],
      ["fail", "Invalid token subject"],
    ],
  },
  {
    title: "a key for delegated tokens that the instance does not trust",
    mode: {},
    keys: async () => ({
      token: await jwt(["approvals:read"]),
      resolving: delegated("another secret of 32 bytes or more…"),
    }),
    says: [["fail", "Signature verification failed"]],
  },
  {
    title: "a resume credential that may resolve, and has a subject",
    mode: {},
    keys: async () => ({
      token: await jwt(both),
      resumeToken: await jwt([...runs, "approvals:write"], { sub: "robot" }),
    }),
    says: [
      ["fail", "the resume credential has the subject robot"],
      ["fail", "the resume credential may resolve approvals, too"],
    ],
  },
  {
    title: "a resume credential that may not run teams",
    mode: {},
    keys: async () => ({
      token: await jwt(both),
      resumeToken: await jwt(["agents:run", "agents:read", "sessions:read", "config:read"]),
    }),
    says: [["warn", "the resume credential may not continue runs of teams"]],
  },
  {
    title: "a resume credential that may not read runs of agents, nor sessions",
    mode: {},
    keys: async () => ({ token: await jwt(both), resumeToken: await jwt(["agents:run", "teams:run", "teams:read"]) }),
    says: [
      ["warn", "the resume credential may not continue runs of agents"],
      ["warn", "the resume credential may not read sessions"],
    ],
  },
  {
    title: "a resume credential that has expired",
    mode: {},
    keys: async () => ({ token: await jwt(both), resumeToken: await jwt(runs, { exp: 1_700_000_000 }) }),
    says: [["fail", "its resume_token has expired at 2023-11-14T22:13:20Z"]],
  },
  {
    title: "a resume credential that is signed with another key",
    mode: {},
    keys: async () => ({ token: await jwt(both), resumeToken: rs256 }),
    says: [["fail", "the resume credential is refused"]],
  },
]

const refusing = (tried: string) =>
  expect.stringMatching(new RegExp(`^${tried} .*answered 403: .*missing a user identity`)) as string

/**
 * What is also true of the testbed, where an instance tells it: since 3.1 its isolation, since 3.0 its agent with a
 * database of its own; and before
 * 3.1 that an empty list proves nothing.
 */
const isOfTestbed = (what: string) =>
  isOfEmptyList(what) || /^it isolates users|^approvals of elsewhere-agent/.test(what)
const isOfEmptyList = (what: string) => what.startsWith("it lists no approval")

/** The only note: what goes without `sessions:read`, which may be meant. */
const isTrouble = ({ level, what }: Finding) => level !== "ok" && !(level === "note" && what.startsWith("sessions "))

/** Instances by version, mode, and whose run waits there. The doctor changes nothing, so many look at the same. */
const running = new Map<string, Promise<AgentOs>>()
afterAll(async () => {
  for (const os of running.values()) await (await os).close()
})

async function anInstance(version: string, { mode, runOf }: Patient): Promise<AgentOs> {
  const key = JSON.stringify([version, mode, runOf])
  const os = running.get(key) ?? startWithRun(version, mode, runOf)
  running.set(key, os)
  return os
}

async function startWithRun(version: string, mode: Mode, user: string | undefined): Promise<AgentOs> {
  const os = await startAgentOs(version, mode)
  if (user !== undefined) await startRun(os, { of: "admin-agent", user })
  return os
}

async function findingsOf(version: string, patient: Patient) {
  const os = await anInstance(version, patient)
  const { token, resolving = { kind: "same" }, ...more } = await patient.keys(os)
  const instance = { name: "main", url: os.url, token, resolving, pollMs: 1_000, timeoutMs: 8_000, ...more }
  return lookAtInstance(instance, Date.now)
}

describe.each(VERSIONS)("AgentOS %s, doctor", (version) => {
  const printed: string[] = []
  const here = ({ since }: Patient) => since === undefined || isAtLeast(version, since)

  test.each(well.map((patient) => [patient.title, patient] as const))(
    "the doctor finds nothing to mend: %s",
    async (_, patient) => {
      const found = await findingsOf(version, patient)

      expect(found.filter((one) => isTrouble(one) && !isOfEmptyList(one.what))).toEqual([])
    },
  )

  test.each(ill.filter(here).map((patient) => [patient.title, patient] as const))(
    "the doctor finds what is set wrong: %s",
    async (_, patient) => {
      const found = await findingsOf(version, patient)

      const troubles = found.filter((one) => isTrouble(one) && !isOfTestbed(one.what))
      expect(troubles.map(({ level, what }) => [level, what])).toEqual(
        patient.says.map(([level, words]) => [level, expect.stringContaining(words) as string]),
      )
      printed.push(`${patient.title}, agno ${version}\n${report(found)}\n`)
    },
  )

  test("the doctor prints ten mis-set systems and more with what to do", () => {
    process.stdout.write(`\n${printed.join("\n")}\n`)

    expect(printed.length).toBeGreaterThanOrEqual(10)
  })

  test("user isolation is named where the instance tells it, or where it refuses", async () => {
    const found = await findingsOf(version, {
      title: "",
      mode: { isolation: true },
      keys: () => withToken(jwt(both)),
      says: [],
    })

    const troubles = found.filter((one) => isTrouble(one) && !isOfEmptyList(one.what)).map(({ what }) => what)
    const told = isAtLeast(version, "3.1.0") ? ["it isolates users from each other"] : []
    // Before 3.0 a token without a subject sees all of them, and resolves them.
    const refused = isAtLeast(version, "3.0.0") ? [refusing("GET /approvals/count"), refusing("resolving")] : []
    expect(troubles).toEqual([...told, ...refused])
  })

  test("trap 75: agents with a database of their own are named where that shows, and equal names prove nothing before 3.0", async () => {
    const scopes = [...both, "config:read", "agents:read", "teams:read"]

    const found = await findingsOf(version, { title: "", mode: {}, keys: () => withToken(jwt(scopes)), says: [] })

    const whats = found.map(({ what }) => what)
    expect(whats).toContainEqual(
      expect.stringContaining(
        isAtLeast(version, "3.0.0") ? "approvals of elsewhere-agent lie in another database" : "proves nothing",
      ),
    )
  })

  test("a database that is away is named, with the remedy, and nothing is called well that was not read", async () => {
    const postgres = await opened(startPostgres())
    const os = await opened(startAgentOs(version, { db: "postgres", databaseUrl: postgres.url }))
    await startRun(os, { of: "admin-agent" })
    const token = await jwt([...both, "sessions:read", "config:read"])
    const place = {
      name: "main",
      url: os.url,
      token,
      resolving: { kind: "same" },
      pollMs: 1_000,
      timeoutMs: 8_000,
    } as const
    const look = () => lookAtInstance(place, Date.now, async () => 1)

    const before = await look()
    await postgres.stop()
    const after = await look()

    const isOfSessions = ({ what }: Finding) => /sessions/i.test(what)
    expect(before.filter(({ level }) => level === "fail")).toEqual([])
    expect(before.find(isOfSessions)).toMatchObject({ level: "ok", what: expect.stringContaining("can be read") })
    const failed = after.filter(({ level }) => level === "fail")
    expect(failed).toEqual([expect.objectContaining({ todo: expect.stringContaining("check its database") })])
    expect(after.filter((one) => isOfSessions(one) && one.level === "ok")).toEqual([])
  })

  test("a clock that differs from the instance's is named", async () => {
    const { url } = await anInstance(version, { title: "", mode: {}, keys: () => ({}), says: [] })
    const instance = { name: "main", url, resolving: { kind: "same" }, pollMs: 1_000, timeoutMs: 8_000 } as const

    const found = await lookAtInstance({ ...instance, token: await jwt(both) }, () => Date.now() + 60_000)

    const troubles = found.filter((one) => isTrouble(one) && !isOfEmptyList(one.what))
    expect(troubles).toMatchObject([{ level: "warn" }])
    expect(found.map(({ what }) => what).join("\n")).toMatch(/our clock is [5-9][0-9] s ahead of its clock/)
  })
})
