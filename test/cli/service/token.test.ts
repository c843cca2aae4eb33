// countersign token: mint, inspect, explain.

import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { UnsecuredJWT } from "jose"
import { beforeEach, describe, expect, test } from "vitest"
import { explainToken, inspectToken, mintToken } from "../../../src/cli/service/token.ts"
import { aService, call, noon, secret } from "../../service/a-service.ts"
import { aFolder } from "../../support/opened.ts"
import { rawToken } from "../../support/raw-token.ts"

let folder: string
beforeEach(() => void (folder = aFolder("token")))

type Flags = Readonly<Record<string, unknown>>
const clock = (): number => noon

async function linesOf(run: (terminal: { out: (line: string) => void; err: (line: string) => void }) => Promise<void>) {
  const lines: string[] = []
  await run({ out: (line) => void lines.push(line), err: (line) => void lines.push(line) })
  return lines
}
const mint = async (flags: Flags): Promise<string> =>
  (await linesOf((terminal) => mintToken(terminal, { flags, env: {}, clock })))[0] ?? ""
const inspect = (token: string, flags: Flags = {}) =>
  linesOf((terminal) => inspectToken(terminal, token, { flags, env: {}, clock }))
const explain = (token: string, flags: Flags = {}) =>
  linesOf((terminal) => explainToken(terminal, token, { flags, env: {}, clock }))

const hs256 = { algorithm: "HS256", key: secret }

describe("mint", () => {
  test("a JWT that the service believes", async () => {
    const token = await mint({ ...hs256, scope: ["approvals:read"], subject: "ann@example.com" })
    const service = await aService()

    const answer = await call(service, "GET /approvals", { token })
    await service.close()

    expect(answer.status).toBe(200)
  })

  test.each(["RS256", "ES256"] as const)(
    "a token of %s is minted with every claim that can be set",
    async (algorithm) => {
      const pair =
        algorithm === "RS256"
          ? generateKeyPairSync("rsa", { modulusLength: 2048 })
          : generateKeyPairSync("ec", { namedCurve: "P-256" })
      const key = join(folder, "key.pem")
      writeFileSync(key, pair.privateKey.export({ type: "pkcs8", format: "pem" }))
      const verificationKey = [pair.publicKey.export({ type: "spki", format: "pem" }).toString()]
      const names = { scopesClaim: "permissions", audience: ["us"], issuer: ["them"] }

      const token = await mint({ algorithm, key, kid: "one", scope: ["a:b"], expiresInSeconds: "60", ...names })

      expect(await inspect(token, { algorithm, verificationKey, ...names })).toEqual([
        `JWT, alg ${algorithm}, kid one`,
        "  iss         them",
        "  aud         us",
        "  iat         2026-11-20T11:59:55.000Z (5 s ago)",
        "  exp         2026-11-20T12:01:00.000Z (in 60 s)",
        "  scopes      a:b",
        "verified",
      ])
    },
  )

  test("with the secret of a file", async () => {
    const keyFile = join(folder, "agentos.secret")
    writeFileSync(keyFile, `${secret}\n`)

    const token = await mint({ algorithm: "HS256", keyFile })

    expect((await inspect(token, { algorithm: "HS256", verificationKeyFile: [keyFile] })).at(-1)).toBe("verified")
    expect(await mint({ algorithm: "HS256", key: keyFile })).toBe(token)
  })

  test("a service account, in the service's own file, that can be looked up and used", async () => {
    const database = join(folder, "service.sqlite")
    const token = await mint({ account: "bot", scope: ["approvals:read"], database, neverExpires: true })
    const service = await aService({ database })

    const answer = await call(service, "GET /approvals", { token })
    await service.close()

    expect(answer.status).toBe(200)
    expect(await inspect(token, { database })).toEqual([
      "service account bot (sa:bot)",
      "  expires     never",
      "  last used   2026-11-20T12:00:00.000Z (in 0 s)",
      "  scopes      approvals:read",
    ])
    expect(await inspect("cs_sa_other", { database })).toEqual([
      "a service account token that is unknown, revoked or expired",
    ])
  })

  test.each<[Flags, RegExp]>([
    [{ algorithm: "HS256" }, /^key: name the private key/],
    [
      { algorithm: "RS256", key: "nothing.pem" },
      /^key: this is no PEM, and there is no such file\. RS256 takes a key in PEM/,
    ],
    [{ algorithm: "ES256", key: "-----BEGIN NOTHING-----" }, /signing key: ES256 takes a private key/],
    [{ algorithm: "HS256", key: "/etc/countersign/hs256-secret.txt" }, /^key: this is the name of a file.*--key-file$/],
    [{ algorithm: "HS256", key: "hs256-secret" }, /^key: this is shorter than 32 bytes.*openssl rand -hex 32/],
    [{ algorithm: "HS256", keyFile: "/etc/countersign/hs256-secret.txt" }, /^key-file: .*txt: it cannot be read$/],
    [{ algorithm: "HS256", key: secret, keyFile: "agentos.secret" }, /^key-file: stands beside key/],
    [{ algorithm: "HS256", key: "-----BEGIN PUBLIC KEY-----" }, /HS256 takes a shared secret, this is a PEM/],
    [{ account: "Bad Name", database: ":memory:" }, /the name must match/],
    [{ account: "bot", scope: ["nonsense"], database: ":memory:" }, /nonsense is no scope/],
  ])("minting with %j is refused", async (flags, message) => {
    await expect(mint(flags)).rejects.toThrowError(message)
  })
})

describe("inspect", () => {
  test("a token whose times are none says so, and nothing breaks", async () => {
    const token = rawToken('{"exp":1e999,"nbf":"soon","iat":1e300,"scopes":[]}', secret)

    const lines = await inspect(token, { algorithm: "HS256", verificationKey: [secret] })

    expect(lines).toEqual(
      expect.arrayContaining([
        "  iat         1e+300 (no moment of the calendar)",
        "  nbf         soon (no moment of the calendar)",
        "  exp         Infinity (no moment of the calendar)",
        "warning: exp is no finite number: it is refused",
        "warning: nbf is no finite number: it is refused",
      ]),
    )
    expect(lines.at(-1)).toBe('refused: Invalid token: The "nbf" claim is invalid')
  })

  test("a token without exp is refused where one is required", async () => {
    const token = rawToken('{"scopes":[]}', secret)

    const lines = await inspect(token, { algorithm: "HS256", verificationKey: [secret], requireExp: true })

    expect(lines.at(-1)).toBe('refused: Invalid token: Token is missing the "exp" claim.')
  })

  test("says what is wrong with a token", async () => {
    const token = new UnsecuredJWT({ scopes: "approvals:read approvals:write", sub: "sa:bot" }).encode()

    expect(await inspect(token)).toEqual([
      "JWT, alg none",
      "  sub         sa:bot",
      "  scopes      approvals:read approvals:write",
      "warning: alg none is never accepted",
      "warning: it has no exp: it never ends",
      "warning: sub sa:bot is reserved: it is refused",
      "warning: scopes is a text, which counts as one single scope; it has to be a list",
      "not verified: no key was given",
    ])
  })

  test("says why a token is refused", async () => {
    const token = await mint({ ...hs256, key: "another secret, long enough for a signature" })

    expect((await inspect(token, { algorithm: "HS256", verificationKey: [secret] })).at(-1)).toBe(
      "refused: Invalid token: Signature verification failed",
    )
  })

  test("refuses what is no token, and an account without its database", async () => {
    await expect(inspect("hello")).rejects.toThrowError("neither a JWT nor a service account token")
    await expect(inspect("cs_sa_x", { database: join(folder, "none.sqlite") })).rejects.toThrowError("there is no")
  })
})

describe("explain", () => {
  test("names the routes that a token opens, for which ids, and what the bot lacks", async () => {
    const lines = await explain(await mint({ ...hs256, scope: ["approvals:read", "agents:billing:read"] }))

    expect(lines).toContain("opens 8 of 130 routes:")
    expect(lines).toContain("  GET /approvals/*/status")
    expect(lines).toContain("  GET /agents (filtered)")
    expect(lines).toContain("  GET /agents/* (only billing)")
    expect(lines).toContain("the bot lacks POST /approvals/*/resolve (pass a decision on)")
  })

  test("warns of a credential that may approve and run", async () => {
    const lines = await explain(await mint({ ...hs256, scope: ["service:admin"] }))

    expect(lines).toContain("the bot has all that it needs to ask and to decide")
    expect(lines.at(-1)).toContain("warning: it may approve and run (full access)")
  })

  test("5.4, 5.5: knows the control plane's scopes and an installation's own", async () => {
    const scopeMappings = join(folder, "mappings.json")
    writeFileSync(scopeMappings, '{"POST /approvals/*/resolve": ["Approve"]}')
    const token = await mint({ ...hs256, scope: ["Approve", "org:members:read"] })

    const lines = await explain(token, { scopeMappings })

    expect(lines).toContain("  POST /approvals/*/resolve")
    expect(lines).toContain("note: org:members:read count at the control plane only")
    expect(lines.join()).not.toContain("is no scope")
    expect((await explain(token)).at(-1)).toBe('note: "Approve" is no scope of the service')
  })

  test("a token that is refused opens nothing, nor does an account that is over", async () => {
    const database = join(folder, "service.sqlite")
    await mint({ account: "bot", database })
    const token = await mint({ ...hs256, key: "another secret, long enough for a signature", scope: ["service:admin"] })

    expect((await explain(token, { algorithm: "HS256", verificationKey: [secret] })).at(-1)).toBe("opens nothing")
    expect((await explain("cs_sa_gone", { database })).at(-1)).toBe("opens nothing")
  })
})
