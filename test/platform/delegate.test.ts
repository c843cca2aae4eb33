// Delegated tokens: what they say, whom they are refused, how their key changes, and what goes out with them.
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { decodeProtectedHeader, jwtVerify } from "jose"
import { describe, expect, onTestFinished, test } from "vitest"
import { createPlatformClient } from "../../src/platform/client.ts"
import { createDelegate, type DelegateOptions } from "../../src/platform/delegate.ts"
import { type Resolving } from "../../src/platform/resolve.ts"
import { aClock } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"
import { json, type Recorded, recorded, startServer } from "./replay.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const secret = "a secret of the tests that is long enough"
const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString()
const jane = { subject: "jane@corp.example", decision: "decision-1" }

function options(more: Partial<DelegateOptions> = {}): DelegateOptions {
  const key = { kind: "given", value: secret } as const
  return {
    algorithm: "HS256",
    key,
    kid: undefined,
    audience: undefined,
    issuer: undefined,
    clock: aClock().now,
    ...more,
  }
}

async function minted(delegate: ReturnType<typeof createDelegate>, principal = jane): Promise<string> {
  const found = await delegate.mint(principal)
  if (!found.ok) throw new Error(found.why)
  return found.token
}

describe("trap 42: a delegated token", () => {
  test.each([
    ["ES256", pem(ec.privateKey), ec.publicKey],
    ["RS256", pem(rsa.privateKey), rsa.publicKey],
    ["HS256", secret, new TextEncoder().encode(secret)],
  ] as const)(
    "a delegated token of %s says who decided what, may only resolve, is dated back and lives for a minute",
    async (algorithm, value, key) => {
      const clock = aClock()
      const more = { kid: "countersign-1", audience: "os-1", issuer: "https://c.example" }
      const delegate = createDelegate(options({ algorithm, key: { kind: "given", value }, clock: clock.now, ...more }))

      const token = await minted(delegate)

      const checks = {
        algorithms: [algorithm],
        audience: "os-1",
        issuer: "https://c.example",
        currentDate: new Date(clock.now()),
      }
      const { payload, protectedHeader } = await jwtVerify(token, key, checks)
      const issued = Math.floor(clock.now() / 1_000) - 5
      expect(payload).toEqual({
        sub: "jane@corp.example",
        jti: "decision-1",
        scopes: ["approvals:write"],
        aud: "os-1",
        iss: "https://c.example",
        iat: issued,
        exp: issued + 60,
      })
      expect(protectedHeader).toEqual({ alg: algorithm, typ: "JWT", kid: "countersign-1" })
    },
  )

  test.each(["sa:countersign", "__oauth__:x", "__scheduler__", ""])(
    "is refused the reserved subject %j",
    async (subject) => {
      const found = await createDelegate(options()).mint({ subject, decision: "d" })

      expect(found).toEqual({ ok: false, why: `the subject "${subject}" is reserved by the platform` })
    },
  )
})

test("an attempt after a minute gets a fresh token with the same jti", async () => {
  const clock = aClock()
  const delegate = createDelegate(options({ clock: clock.now }))
  const first = await minted(delegate)
  clock.forward(61_000)

  const second = await minted(delegate)

  const at = { currentDate: new Date(clock.now()) }
  const key = new TextEncoder().encode(secret)
  await expect(jwtVerify(first, key, at)).rejects.toMatchObject({ code: "ERR_JWT_EXPIRED" })
  expect((await jwtVerify(second, key, at)).payload).toMatchObject({ jti: "decision-1", sub: "jane@corp.example" })
})

describe("a key file", () => {
  const aFile = (text: string) => {
    const folder = aFolder("delegate")
    const path = join(folder, "key")
    writeFileSync(path, text)
    return { path, write: (next: string) => writeFileSync(path, next), remove: () => rmSync(path) }
  }
  const jwk = (kid: string, pair = generateKeyPairSync("ec", { namedCurve: "P-256" })) => ({
    text: JSON.stringify({ ...pair.privateKey.export({ format: "jwk" }), kid }),
    publicKey: createPublicKey(pair.privateKey),
  })

  test("a key file that is replaced is followed without a restart, its kid too", async () => {
    const [first, second] = [jwk("k1"), jwk("k2")]
    const file = aFile(first.text)
    const clock = aClock()
    const delegate = createDelegate(
      options({ algorithm: "ES256", key: { kind: "file", path: file.path }, clock: clock.now }),
    )
    const before = await minted(delegate)
    file.write(second.text)

    const after = await minted(delegate)

    expect([before, after].map((token) => decodeProtectedHeader(token).kid)).toEqual(["k1", "k2"])
    const currentDate = new Date(clock.now())
    await expect(jwtVerify(after, second.publicKey, { currentDate })).resolves.toBeDefined()
    await expect(jwtVerify(after, first.publicKey, { currentDate })).rejects.toBeDefined()
  })

  test("a key file that is gone or broken signs nothing, and says so without its content", async () => {
    const file = aFile("-----BEGIN PRIVATE KEY-----\nhidden\n-----END PRIVATE KEY-----\n")
    const delegate = createDelegate(options({ algorithm: "ES256", key: { kind: "file", path: file.path } }))

    const broken = await delegate.mint(jane)
    file.remove()
    const gone = await delegate.mint(jane)

    expect(broken).toEqual({ ok: false, why: "the key for delegated tokens is no private key (PEM or JWK)" })
    expect(gone).toEqual({ ok: false, why: "the key for delegated tokens cannot be read" })
  })
})

describe("a client", () => {
  const approval = (JSON.parse(recorded("get-pending-confirmation").body) as { id: string }).id
  const aClient = async (resolving: Resolving, answer: Recorded = recorded("409-resolve-again")) => {
    const server = await startServer(({ method }) => (method === "GET" ? recorded("get-pending-confirmation") : answer))
    const client = createPlatformClient({ name: "main", url: server.url, token: "reader", resolving })
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    const sent = (method: string) =>
      server.seen.filter((one) => one.method === method).map(({ headers }) => headers.authorization)
    return { client, sent }
  }
  const delegated = (more: Partial<DelegateOptions> = {}): Resolving => ({
    kind: "delegated",
    delegate: createDelegate(options({ clock: Date.now, ...more })),
  })

  test("reads with its token and resolves with one that is signed for the decision", async () => {
    const { client, sent } = await aClient(delegated())

    await client.get(approval)
    await client.resolve(approval, "{}", jane)

    expect(client.delegated).toBe(true)
    expect(sent("GET")).toEqual(["Bearer reader"])
    const [token = ""] = sent("POST")
    const { payload } = await jwtVerify(token.replace("Bearer ", ""), new TextEncoder().encode(secret))
    expect(payload).toMatchObject({ sub: "jane@corp.example", jti: "decision-1" })
  })

  test("a client with a token for resolving uses it for that alone", async () => {
    const { client, sent } = await aClient({ kind: "token", token: "resolver" })

    await client.get(approval)
    await client.resolve(approval, "{}")

    expect(client.delegated).toBe(false)
    expect([sent("GET"), sent("POST")]).toEqual([["Bearer reader"], ["Bearer resolver"]])
  })

  test("a client that is refused says that the human may need a role there", async () => {
    const { client } = await aClient(delegated(), recorded("403-resolve"))

    const answer = await client.resolve(approval, "{}", jane)

    expect(answer).toMatchObject({ kind: "refused", status: 403 })
    expect(answer).toMatchObject({ detail: expect.stringContaining("signed for jane@corp.example") as string })
    expect(answer).toMatchObject({ detail: expect.stringContaining("by roles, they need one there") as string })
  })

  test("a client without a usable key sends nothing", async () => {
    const { client, sent } = await aClient(delegated({ key: { kind: "given", value: "short" } }))

    const answer = await client.resolve(approval, "{}", jane)

    expect(answer).toEqual({ kind: "unsigned", why: expect.stringContaining("32 bytes") as string })
    expect(sent("POST")).toEqual([])
  })

  test("never repeats a token that the platform wrote into its refusal", async () => {
    const { client } = await aClient(
      { kind: "token", token: "resolver-secret" },
      json({ detail: "no resolver-secret" }, 403),
    )

    expect(await client.resolve(approval, "{}")).toMatchObject({ detail: "no [removed]" })
  })
})
