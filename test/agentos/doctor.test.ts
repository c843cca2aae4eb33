// The doctor on the real AgentOS: a system that is well, and the ways in which one can be set up wrong.
import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import { lookAtInstance } from "../../src/cli/doctor/platform.ts"
import { type AgentOs, aJwt, isAtLeast, type Mode, SECURITY_KEY, startAgentOs, VERSIONS } from "./agentos.ts"
import { serviceAccount } from "./drive.ts"

const both = ["approvals:read", "approvals:write"]
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 })
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }).toString()
const rs256 = await new SignJWT({ scopes: both })
  .setProtectedHeader({ alg: "RS256" })
  .setExpirationTime("1h")
  .sign(keys.privateKey)

/** A set-up with a credential, and what the doctor has to say of it: level and words. */
type Patient = readonly [
  title: string,
  mode: Mode,
  token: (os: AgentOs) => Promise<string | undefined> | string | undefined,
  says: readonly (readonly ["warn" | "fail", string])[],
]

const patients: readonly Patient[] = [
  ["a JWT without subject that reads and resolves is well", {}, () => aJwt(both), []],
  [
    "trap 4: a service account is reported as self-scoped, not as well",
    {},
    (os) => serviceAccount(os, both),
    [["warn", "the credential is a service account of AgentOS"]],
  ],
  [
    "trap 71: a credential that may resolve and run is named",
    {},
    () => aJwt([...both, "agents:run", "teams:run"]),
    [["fail", "the credential may also run agents, teams"]],
  ],
  [
    "trap 72: JWTs whose scopes nobody enforces are told apart",
    { auth: "jwt-unscoped", publicKey },
    () => rs256,
    [
      ["fail", "does not enforce their scopes"],
      ["fail", "the credential may also run"],
    ],
  ],
  [
    "trap 74: an approvals-only token gets 403 from /config, and that is well",
    {},
    () => aJwt(both, { sub: "countersign" }),
    [],
  ],
  ["no approvals:write is named", {}, () => aJwt(["approvals:read"]), [["fail", "Required scope(s): approvals:write"]]],
  ["no approvals:read is named", {}, () => aJwt(["approvals:write"]), [["fail", "Required scope(s): approvals:read"]]],
  ["an expired token is named", {}, () => aJwt(both, { exp: 1_700_000_000 }), [["fail", "Token has expired"]]],
  [
    "another audience is named",
    { audience: "os-1" },
    () => aJwt(both, { aud: "os-2" }),
    [["fail", "Invalid token audience"]],
  ],
  ["no credential is named", {}, () => undefined, [["fail", "Authorization header"]]],
  ["an open instance is named", { auth: "open" }, () => undefined, [["warn", "asks nobody for a credential"]]],
  [
    "a security key is named as one credential for everything",
    { auth: "key" },
    () => SECURITY_KEY,
    [
      ["warn", "one security key for everybody"],
      ["fail", "the credential may also run agents, teams, workflows"],
    ],
  ],
  [
    "a store without approvals is named",
    { db: "memory" },
    () => aJwt(both),
    [["fail", "not supported by the configured database"]],
  ],
]

describe.each(VERSIONS)("AgentOS %s, doctor", (version) => {
  test.each(patients)("%s", async (_, mode, token, says) => {
    const os = await startAgentOs(version, mode)
    try {
      const found = await lookAtInstance({
        name: "main",
        url: os.url,
        token: await token(os),
        pollMs: 1_000,
        timeoutMs: 8_000,
      })

      const troubles = found.filter(({ level }) => level !== "ok")
      expect(troubles.map(({ level, what }) => [level, what])).toEqual(
        says.map(([level, words]) => [level, expect.stringContaining(words) as string]),
      )
    } finally {
      await os.close()
    }
  })

  test("user isolation is named where the instance tells it, or where it refuses", async () => {
    const os = await startAgentOs(version, { isolation: true })
    try {
      const found = await lookAtInstance({
        name: "main",
        url: os.url,
        token: await aJwt(both),
        pollMs: 1_000,
        timeoutMs: 8_000,
      })

      const troubles = found.filter(({ level }) => level !== "ok").map(({ what }) => what)
      const told = ["it isolates users from each other", expect.stringContaining("missing a user identity") as string]
      expect(troubles).toEqual(isAtLeast(version, "3.1.0") ? expect.arrayContaining(told) : [])
    } finally {
      await os.close()
    }
  })
})
