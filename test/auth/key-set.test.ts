// Key sets: kid chooses the key, the set comes before the static keys, and a file is read again when it changes
// (specification 5.2, rule 4).
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SignJWT } from "jose"
import { beforeEach, describe, expect, test } from "vitest"
import { readKeySet } from "../../src/auth/key-set.ts"
import { createTokenVerifier, type TokenVerifierOptions } from "../../src/auth/verify-token.ts"
import { aFolder } from "../support/opened.ts"

const provider = generateKeyPairSync("rsa", { modulusLength: 2048 })
const next = generateKeyPairSync("rsa", { modulusLength: 2048 })
const backend = generateKeyPairSync("rsa", { modulusLength: 2048 })
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" })
const short = generateKeyPairSync("rsa", { modulusLength: 1024 })

const jwk = (key: KeyObject, fields: Record<string, unknown> = {}) => ({ ...key.export({ format: "jwk" }), ...fields })
const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString()
const sign = (key: KeyObject | Uint8Array, kid?: string, alg = "RS256"): Promise<string> =>
  new SignJWT({ scopes: ["a:b"] }).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key)

let folder: string
let file: string
let clock: number
let problems: unknown[]

beforeEach(() => {
  folder = aFolder("keys")
  file = join(folder, "jwks.json")
  clock = 1_795_176_000_000
  problems = []
})

/** Replaces the file as a careful program does: whole, at once. */
function publish(...keys: unknown[]): void {
  writeFileSync(`${file}.new`, JSON.stringify({ keys }))
  renameSync(`${file}.new`, file)
}

function aVerifier(options: Partial<TokenVerifierOptions> = {}) {
  const onKeyProblem = (error: unknown): void => void problems.push(error)
  const base = { verificationKeys: [], jwksFile: file, algorithm: "RS256", clock: () => clock, onKeyProblem } as const
  const verify = createTokenVerifier({ ...base, ...options })
  return async (token: string): Promise<boolean> => (await verify(token)).ok
}

describe("5.2.4: the token's kid selects the key", () => {
  test("the token's kid selects one key of several, and an unknown or missing kid selects none", async () => {
    publish(jwk(provider.publicKey, { kid: "one" }), jwk(next.publicKey, { kid: "two" }))
    const verify = aVerifier()

    expect(await verify(await sign(provider.privateKey, "one"))).toBe(true)
    expect(await verify(await sign(next.privateKey, "two"))).toBe(true)
    expect(await verify(await sign(provider.privateKey, "two"))).toBe(false)
    expect(await verify(await sign(provider.privateKey, "three"))).toBe(false)
    expect(await verify(await sign(provider.privateKey))).toBe(false)
  })

  test("keys without a kid serve tokens whose kid no key has", async () => {
    publish(jwk(provider.publicKey))

    expect(await aVerifier()(await sign(provider.privateKey))).toBe(true)
    expect(await aVerifier()(await sign(provider.privateKey, "any"))).toBe(true)
  })

  test("static keys follow: the set does not shut out the operator's own issuer", async () => {
    publish(jwk(provider.publicKey, { kid: "one" }))
    const verify = aVerifier({ verificationKeys: [pem(backend.publicKey)] })

    expect(await verify(await sign(backend.privateKey))).toBe(true)
    expect(await verify(await sign(backend.privateKey, "one"))).toBe(true)
    expect(await verify(await sign(provider.privateKey, "one"))).toBe(true)
    expect(await verify(await sign(next.privateKey, "one"))).toBe(false)
  })

  test("5.2.6: control plane, own backend and identity provider at once", async () => {
    publish(jwk(provider.publicKey, { kid: "idp" }))
    const verify = aVerifier({ verificationKeys: [pem(next.publicKey), pem(backend.publicKey)] })

    expect(await verify(await sign(next.privateKey))).toBe(true)
    expect(await verify(await sign(backend.privateKey))).toBe(true)
    expect(await verify(await sign(provider.privateKey, "idp"))).toBe(true)
  })

  test("ES256 and HS256 sets work alike", async () => {
    const secret = new TextEncoder().encode("a shared secret of a set, long enough for HS256")
    publish(jwk(curve.publicKey, { kid: "ec" }), {
      kty: "oct",
      kid: "hs",
      k: Buffer.from(secret).toString("base64url"),
    })

    expect(await aVerifier({ algorithm: "ES256" })(await sign(curve.privateKey, "ec", "ES256"))).toBe(true)
    expect(await aVerifier({ algorithm: "HS256" })(await sign(secret, "hs", "HS256"))).toBe(true)
  })
})

describe("no algorithm confusion", () => {
  const shared = "a shared secret of a set, long enough for HS256"

  test("an RSA key of the set is no HMAC secret, and a secret of the set no key for RS256", async () => {
    publish(jwk(provider.publicKey, { kid: "one" }), {
      kty: "oct",
      kid: "hs",
      k: Buffer.from(shared).toString("base64url"),
    })
    const asSecret = new TextEncoder().encode(pem(provider.publicKey))

    expect(await aVerifier()(await sign(asSecret, "one", "HS256"))).toBe(false)
    expect(await aVerifier({ algorithm: "HS256" })(await sign(asSecret, "one", "HS256"))).toBe(false)
    expect(await aVerifier()(await sign(new TextEncoder().encode(shared), "hs", "HS256"))).toBe(false)
  })

  test.each([
    ["for encryption", { use: "enc" }],
    ["for another algorithm", { alg: "RS512" }],
    ["for signing only", { key_ops: ["sign"] }],
  ])("a key %s is left out", (_name, fields) => {
    const set = readKeySet(JSON.stringify({ keys: [jwk(provider.publicKey, fields)] }), "RS256")

    expect(set.nameless).toEqual([])
  })

  test("short keys and keys of other kinds are left out", () => {
    const keys = [jwk(short.publicKey), jwk(curve.publicKey), { kty: "OKP" }, { kty: "oct", k: "" }]

    expect(readKeySet(JSON.stringify({ keys }), "RS256").nameless).toEqual([])
    expect(readKeySet(JSON.stringify({ keys }), "HS256").nameless).toEqual([])
  })
})

describe("the file is read again when it changes", () => {
  test("a new key is accepted and a removed one refused, remembered tokens included, without a restart", async () => {
    publish(jwk(provider.publicKey, { kid: "one" }))
    const verify = aVerifier()
    const old = await sign(provider.privateKey, "one")
    const fresh = await sign(next.privateKey, "two")
    expect([await verify(old), await verify(fresh)]).toEqual([true, false])

    publish(jwk(next.publicKey, { kid: "two" }))
    clock += 1000

    expect([await verify(old), await verify(fresh)]).toEqual([false, true])
  })

  test("an empty set withdraws all keys", async () => {
    publish(jwk(provider.publicKey, { kid: "one" }))
    const verify = aVerifier()
    const token = await sign(provider.privateKey, "one")
    expect(await verify(token)).toBe(true)

    publish()
    clock += 1000

    expect(await verify(token)).toBe(false)
  })

  test.each([
    ["broken", () => writeFileSync(file, '{"keys": [')],
    ["gone", () => rmSync(file)],
    ["a private key's", () => publish(jwk(next.privateKey))],
  ])(
    "the keys before stay while the file is %s, which is reported once; then it is read again",
    async (_name, spoil) => {
      publish(jwk(provider.publicKey, { kid: "one" }))
      const verify = aVerifier()
      const token = await sign(provider.privateKey, "one")

      spoil()
      for (let at = 0; at < 3; at += 1) {
        clock += 1000
        expect(await verify(token)).toBe(true)
      }
      publish(jwk(next.publicKey, { kid: "two" }))
      clock += 1000

      expect(problems).toHaveLength(1)
      expect(await verify(await sign(next.privateKey, "two"))).toBe(true)
      expect(await verify(token)).toBe(false)
    },
  )
})

describe("at start a key set file is refused", () => {
  test.each([
    ["that is not there", () => undefined, "key_set_unreadable"],
    ["that is no JSON", () => writeFileSync(file, "-----BEGIN PUBLIC KEY-----"), "key_set_unreadable"],
    ["that is no set", () => writeFileSync(file, '{"kty": "RSA"}'), "key_set_unreadable"],
    ["whose key is broken", () => publish({ kty: "RSA", n: "x", kid: "one" }), "key_set_unreadable"],
    ["that holds no key for the algorithm", () => publish(jwk(curve.publicKey)), "key_set_unreadable"],
    ["that holds a private key", () => publish(jwk(provider.privateKey)), "key_private"],
  ])("at start a key set file is refused: %s", (_name, write, code) => {
    write()

    expect(() => aVerifier()).toThrowError(
      expect.objectContaining({ code, message: expect.stringContaining("jwks.json") }),
    )
  })
})
