// Token verification: algorithms, keys in any order, claims (specification 5.2). Key sets: see key-set.test.ts.
import { generateKeyPairSync, type KeyObject, sign as signBytes } from "node:crypto"
import { jwtVerify, SignJWT, UnsecuredJWT } from "jose"
import { describe, expect, test } from "vitest"
import type { Algorithm } from "../../src/auth/verification-keys.ts"
import { createTokenVerifier, type TokenVerifierOptions } from "../../src/auth/verify-token.ts"
import { oddTimes, rawToken } from "../support/raw-token.ts"

const now = 1_795_176_000_000
const secret = "the first secret, thirty-two bytes at least"
const otherSecret = "another secret, thirty-two bytes at the least"
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = (key: KeyObject): string =>
  key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString()
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function sign(
  claims: Record<string, unknown>,
  key: KeyObject | Uint8Array = bytes(secret),
  alg: string = "HS256",
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(key)
}

function aVerifier(options: Partial<TokenVerifierOptions> = {}) {
  return createTokenVerifier({ verificationKeys: [secret], algorithm: "HS256", clock: () => now, ...options })
}

describe("a token is believed", () => {
  test.each<[Algorithm, KeyObject | Uint8Array, string]>([
    ["HS256", bytes(secret), secret],
    ["RS256", rsa.privateKey, pem(rsa.publicKey)],
    ["ES256", curve.privateKey, pem(curve.publicKey)],
  ])("5.2.1: when signed with %s by a configured key", async (algorithm, key, text) => {
    const token = await sign({ sub: "alice", scopes: ["approvals:read"] }, key, algorithm)

    const verdict = await aVerifier({ verificationKeys: [text], algorithm })(token)

    expect(verdict).toEqual({ ok: true, claims: { subject: "alice", scopes: ["approvals:read"], expires: null } })
  })

  test("5.2.3: whatever the order of the keys, and refused alike in every order", async () => {
    const thirdSecret = "a third secret, thirty-two bytes and some more"
    const tokens = [
      await sign({ scopes: ["a:b"], sub: "alice" }),
      await sign({ scopes: ["a:b"] }, bytes(otherSecret)),
      await sign({ exp: 1 }, bytes(thirdSecret)),
      await sign({}, bytes("a secret that nobody configured, long enough")),
      await sign({}, bytes(secret), "HS384"),
      "garbage",
    ]
    const outcomes = await Promise.all(
      permutations([secret, otherSecret, thirdSecret]).map((verificationKeys) =>
        Promise.all(tokens.map(async (token) => aVerifier({ verificationKeys })(token))),
      ),
    )

    expect(outcomes).toHaveLength(6)
    expect(outcomes[0]?.map(({ ok }) => ok)).toEqual([true, true, false, false, false, false])
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
  })

  test("5.2.6: control plane and own backend at once, by listing both keys", async () => {
    const backend = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const verify = aVerifier({
      verificationKeys: [pem(rsa.publicKey), pem(backend.publicKey)],
      algorithm: "RS256",
      issuer: ["https://control.example", "https://backend.example"],
    })

    expect(await verify(await sign({ iss: "https://control.example" }, rsa.privateKey, "RS256"))).toMatchObject({
      ok: true,
    })
    expect(await verify(await sign({ iss: "https://backend.example" }, backend.privateKey, "RS256"))).toMatchObject({
      ok: true,
    })
    expect(await verify(await sign({ iss: "https://other.example" }, backend.privateKey, "RS256"))).toMatchObject({
      ok: false,
    })
  })

  test("a token is believed within ten seconds of its times", async () => {
    const seconds = now / 1000

    expect(await aVerifier()(await sign({ exp: seconds - 9 }))).toMatchObject({ ok: true })
    expect(await aVerifier()(await sign({ nbf: seconds + 9, iat: seconds + 9 }))).toMatchObject({ ok: true })
  })
})

describe("a token is refused", () => {
  const seconds = now / 1000

  test.each<[string, Record<string, unknown>, string]>([
    ["expired", { exp: seconds - 11 }, "Token has expired"],
    ["before its time", { nbf: seconds + 11 }, "Invalid token: The token is not yet valid (nbf)"],
    ["issued in the future", { iat: seconds + 11 }, "Invalid token: The token is not yet valid (iat)"],
    ["a subject that is no string", { sub: 7 }, "Invalid token: Subject must be a string"],
    ["a null subject", { sub: null }, "Invalid token: Subject must be a string"],
    ["posing as a service account", { sub: "sa:bot" }, "Invalid token subject"],
    ["posing as the scheduler", { sub: "__scheduler__" }, "Invalid token subject"],
    ["an expiry that is no number", { exp: "soon" }, 'Invalid token: The "exp" claim is invalid'],
  ])("a token is refused: %s", async (_name, claims, reason) => {
    expect(await aVerifier()(await sign(claims))).toEqual({ ok: false, reason })
  })

  test.each(["exp", "nbf", "iat"].flatMap((name) => oddTimes.map((value) => [name, value] as const)))(
    "a token is refused whose %s is %s",
    async (name, value) => {
      const verify = aVerifier()
      const token = rawToken(`{"sub":"alice","${name}":${value}}`, secret)

      expect(await verify(token)).toMatchObject({ ok: false })
      expect(await verify(token)).toMatchObject({ ok: false })
    },
  )

  test("a token is refused without exp where it is required, and with one not", async () => {
    const verify = aVerifier({ requireExp: true })

    expect(await verify(await sign({ sub: "alice" }))).toEqual({
      ok: false,
      reason: 'Invalid token: Token is missing the "exp" claim.',
    })
    expect(await verify(await sign({ sub: "alice", exp: seconds + 60 }))).toMatchObject({ ok: true })
  })

  test.each([
    ["a wrong signature", () => sign({}, bytes(otherSecret)), "Invalid token: Signature verification failed"],
    [
      "a wrong signature, although expired",
      () => sign({ exp: 1 }, bytes(otherSecret)),
      "Invalid token: Signature verification failed",
    ],
    [
      "another algorithm",
      () => sign({}, bytes(secret.repeat(2)), "HS512"),
      "Invalid token: The specified alg value is not allowed",
    ],
    ["no signature", () => new UnsecuredJWT({}).encode(), "Invalid token: The specified alg value is not allowed"],
    ["garbage", () => "garbage", "Invalid token: Not enough segments"],
    ["nothing", () => "", "Invalid token: Not enough segments"],
    ["three empty parts", () => "..", "Invalid token: Not enough segments"],
  ])("a token is refused: %s", async (_name, make, reason) => {
    expect(await aVerifier()(await make())).toMatchObject({ ok: false, reason })
  })

  test("signed with the public key as if it were a secret", async () => {
    const text = pem(rsa.publicKey)
    const token = await sign({ scopes: ["service:admin"] }, bytes(text))

    const verdict = await aVerifier({ verificationKeys: [text], algorithm: "RS256" })(token)

    expect(verdict).toEqual({ ok: false, reason: "Invalid token: The specified alg value is not allowed" })
  })

  test("a token is refused when there is no key at all", async () => {
    expect(await aVerifier({ verificationKeys: [] })(await sign({}))).toMatchObject({ ok: false })
  })
})

describe("a token is believed exactly if jose believes it", () => {
  const derSigned = (key: KeyObject) => {
    const input = `${encoded({ alg: "ES256" })}.${encoded({ sub: "alice" })}`
    return `${input}.${signBytes("sha256", Buffer.from(input), key).toString("base64url")}`
  }
  const headed = (header: object, key: KeyObject, encoding: "der" | "ieee-p1363") => {
    const input = `${encoded(header)}.${encoded({ sub: "alice" })}`
    const signature = signBytes("sha256", Buffer.from(input), { key, dsaEncoding: encoding })
    return `${input}.${signature.toString("base64url")}`
  }
  const parts = (token: string) => token.split(".") as [string, string, string]
  const changes: readonly (readonly [string, (token: string) => string])[] = [
    ["as it was made", (token) => token],
    ["another payload", (token) => [parts(token)[0], encoded({ sub: "mallory" }), parts(token)[2]].join(".")],
    ["another header", (token) => [encoded({ alg: "HS256" }), ...parts(token).slice(1)].join(".")],
    ["no algorithm", (token) => [encoded({ alg: "none" }), parts(token)[1], ""].join(".")],
    ["an empty signature", (token) => [...parts(token).slice(0, 2), ""].join(".")],
    ["a short signature", (token) => token.slice(0, -8)],
    ["a long signature", (token) => `${token}AAAA`],
    ["one character more", (token) => `${token}A`],
    ["padding", (token) => `${token}==`],
    ["a space", (token) => `${token} `],
    ["a line feed", (token) => `${token}\n`],
    ["a fourth part", (token) => `${token}.AAAA`],
    ["plain base64", (token) => `${token.slice(0, -1)}+`],
    ["a payload that is no JSON", (token) => [parts(token)[0], "AAAA", parts(token)[2]].join(".")],
  ]

  test.each([["RS256", rsa] as const, ["ES256", curve] as const])(
    "a token of %s, whatever was done to it",
    async (algorithm, { publicKey, privateKey }) => {
      const good = await sign({ sub: "alice", scopes: ["a:b"] }, privateKey, algorithm)
      const encoding = algorithm === "RS256" ? "der" : "ieee-p1363"
      const tokens = [
        ...changes.map(([what, change]) => [what, change(good)] as const),
        ["crit", headed({ alg: algorithm, crit: ["exp"], exp: 1 }, privateKey, encoding)] as const,
        ["b64 true", headed({ alg: algorithm, crit: ["b64"], b64: true }, privateKey, encoding)] as const,
        ["b64 false", headed({ alg: algorithm, crit: ["b64"], b64: false }, privateKey, encoding)] as const,
        ["b64 without crit", headed({ alg: algorithm, b64: false }, privateKey, encoding)] as const,
        ["alg as a list", headed({ alg: [algorithm] }, privateKey, encoding)] as const,
        ["DER", derSigned(curve.privateKey)] as const,
      ]
      const verify = aVerifier({ verificationKeys: [pem(publicKey)], algorithm })
      const joses = (token: string) =>
        jwtVerify(token, publicKey, { algorithms: [algorithm], currentDate: new Date(now) }).then(
          () => true,
          () => false,
        )

      const ours = await Promise.all(tokens.map(async ([what, token]) => [what, (await verify(token)).ok]))

      expect(ours).toEqual(await Promise.all(tokens.map(async ([what, token]) => [what, await joses(token)])))
      // jose reads base64url as browsers do: padding and white space around it say nothing.
      const believed = ["as it was made", "padding", "a space", "a line feed", "b64 true", "b64 without crit"]
      expect(ours.flatMap(([what, ok]) => (ok === true ? [what] : []))).toEqual(believed)
    },
  )
})

describe("a token that was verified is remembered", () => {
  test("a token that was verified is remembered, and answered at once with the same claims", async () => {
    const verify = aVerifier()
    const token = await sign({ scopes: ["a:b"] })
    const first = await verify(token)

    const second = verify(token)

    expect(second).not.toBeInstanceOf(Promise)
    expect(second).toBe(first)
  })

  test("a token that was verified is remembered until it expires, leeway included", async () => {
    let clock = now
    const verify = aVerifier({ clock: () => clock })
    const token = await sign({ exp: now / 1000 + 60 })
    await verify(token)

    clock += 69_999
    expect(await verify(token)).toMatchObject({ ok: true })
    clock += 1
    expect(await verify(token)).toEqual({ ok: false, reason: "Token has expired" })
  })

  test("a token that was verified is looked at again when the clock went back", async () => {
    let clock = now
    const verify = aVerifier({ clock: () => clock })
    const token = await sign({ nbf: now / 1000 })
    await verify(token)

    clock -= 60_000

    expect(await verify(token)).toMatchObject({ ok: false })
  })

  test("a refused token is not remembered, and another token's claims are never taken", async () => {
    const verify = aVerifier()
    const token = await sign({ scopes: ["a:b"] })
    await verify(token)
    const forged = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`

    expect(verify(forged)).toBeInstanceOf(Promise)
    expect(await verify(forged)).toMatchObject({ ok: false })
    expect(verify(forged)).toBeInstanceOf(Promise)
  })
})

describe("audience and issuer", () => {
  test.each<[Record<string, unknown>, boolean, string]>([
    [{ aud: "us", iss: "them" }, true, ""],
    [{ aud: ["others", "us"], iss: "them" }, true, ""],
    [{ aud: "others", iss: "them" }, false, "Invalid token audience - token not valid for this instance"],
    [{ iss: "them" }, false, 'Invalid token: Token is missing the "aud" claim.'],
    [{ aud: "us", iss: "others" }, false, "Invalid token: Invalid issuer"],
    [{ aud: "us" }, false, 'Invalid token: Token is missing the "iss" claim.'],
  ])("audience and issuer are compared as the specification says: %j", async (claims, ok, reason) => {
    const verdict = await aVerifier({ audience: ["us"], issuer: ["them"] })(await sign(claims))

    expect(verdict).toMatchObject(ok ? { ok } : { ok, reason })
  })
})

describe("the scopes claim", () => {
  const scopesOf = async (claims: Record<string, unknown>, scopesClaim?: string): Promise<unknown> => {
    const verdict = await aVerifier(scopesClaim === undefined ? {} : { scopesClaim })(await sign(claims))
    return verdict.ok ? verdict.claims.scopes : verdict.reason
  }

  test("is an array; what is no string in it opens nothing", async () => {
    expect(await scopesOf({ scopes: ["a:b", 7, null, "c:d"] })).toEqual(["a:b", "c:d"])
  })

  test("5.2.8: a string counts as one single scope", async () => {
    expect(await scopesOf({ scopes: "a:b c:d" })).toEqual(["a:b c:d"])
  })

  test.each([{}, { scopes: null }, { scopes: { "a:b": true } }, { scopes: 7 }, { scope: "a:b" }])(
    "a scopes claim of %j opens nothing",
    async (claims) => {
      expect(await scopesOf(claims)).toEqual([])
    },
  )

  test.each(["permissions", "scp", "https://acme.example/scopes"])("5.2.7: may be called %s", async (name) => {
    expect(await scopesOf({ [name]: ["a:b"], scopes: ["x:y"] }, name)).toEqual(["a:b"])
  })

  test("is the token's own, not what every object has", async () => {
    expect(await scopesOf({}, "constructor")).toEqual([])
  })
})

describe("5.2.3: a key that does not fit the algorithm is refused at start", () => {
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 })
  const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" })

  test.each<[string, string, Algorithm, string]>([
    ["empty", "  ", "HS256", "key_empty"],
    ["a PEM for HS256", pem(rsa.publicKey), "HS256", "key_mismatch"],
    ["a secret for RS256", secret, "RS256", "key_unreadable"],
    ["a private key", pem(rsa.privateKey), "RS256", "key_private"],
    ["an RSA key for ES256", pem(rsa.publicKey), "ES256", "key_mismatch"],
    ["a curve for RS256", pem(curve.publicKey), "RS256", "key_mismatch"],
    ["another curve", pem(otherCurve.publicKey), "ES256", "key_mismatch"],
    ["a short RSA key", pem(small.publicKey), "RS256", "key_mismatch"],
  ])("a key that does not fit the algorithm is refused at start: %s", (_name, text, algorithm, code) => {
    const message = expect.not.stringContaining(text.trim() === "" ? "BEGIN" : text.trim())

    expect(() => aVerifier({ verificationKeys: [text], algorithm })).toThrowError(
      expect.objectContaining({ code, message }),
    )
  })
})

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}
