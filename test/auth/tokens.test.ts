// Tokens that are looked at without belief, and tokens that are signed for development.
import { generateKeyPairSync } from "node:crypto"
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose"
import { describe, expect, test } from "vitest"
import { signToken, type TokenToSign } from "../../src/auth/sign-token.ts"
import { decodeToken, isReservedSubject, readClaims } from "../../src/auth/token-claims.ts"
import { createTokenVerifier } from "../../src/auth/verify-token.ts"

const secret = "a secret of thirty-two bytes at the least"
const issuedAt = 1_795_176_000
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" })

function aToken(claims: Record<string, unknown>, alg = "HS256"): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret.repeat(2)))
}

async function faultsOf(claims: Record<string, unknown>, alg?: string, scopesClaim?: string) {
  return decodeToken(await aToken({ exp: 1, scopes: [], ...claims }, alg), scopesClaim)?.faults
}

describe("a token that is decoded", () => {
  test("says its header, its claims and its scopes", async () => {
    expect(decodeToken(await aToken({ sub: "alice", exp: 1, scopes: ["a:b", 7] }))).toEqual({
      header: { alg: "HS256" },
      claims: { sub: "alice", exp: 1, scopes: ["a:b", 7] },
      scopes: ["a:b"],
      faults: ["scopes holds something that is no text"],
    })
  })

  test.each<[Record<string, unknown>, readonly string[]]>([
    [{ sub: "alice", scopes: ["a:b"] }, []],
    [{ sub: 7 }, ["sub is no text: it is refused"]],
    [{ sub: "sa:robot" }, ["sub sa:robot is reserved: it is refused"]],
    [{ scopes: undefined }, ["it has no claim scopes: it opens nothing that needs a scope"]],
    [{ scopes: "a:b" }, ["scopes is a text, which counts as one single scope; it has to be a list"]],
    [{ scopes: { a: 1 } }, ["scopes is no list: it opens nothing that needs a scope"]],
    [{ exp: undefined }, ["it has no exp: it never ends"]],
    [{ exp: null }, ["exp is no finite number: it is refused"]],
    [{ nbf: "soon", iat: true }, ["nbf is no finite number: it is refused", "iat is no finite number: it is refused"]],
  ])("a token that is decoded with %j has the faults %j", async (claims, faults) => {
    expect(await faultsOf(claims)).toEqual(faults)
  })

  test("a token that is decoded under another claim than scopes is read there, and not from what every object has", async () => {
    expect(decodeToken(await aToken({ scp: ["a:b"] }), "scp")?.scopes).toEqual(["a:b"])
    expect(await faultsOf({}, "HS256", "toString")).toEqual([
      "it has no claim toString: it opens nothing that needs a scope",
    ])
  })

  test("signed in a way that is never accepted says so", async () => {
    expect(await faultsOf({}, "HS512")).toEqual(["alg HS512 is never accepted"])
    const unsigned = new UnsecuredJWT({ exp: 1, scopes: [] }).encode()
    expect(decodeToken(unsigned)?.faults).toEqual(["alg none is never accepted"])
    const [, payload] = unsigned.split(".")
    const bare = Buffer.from("{}").toString("base64url")
    expect(decodeToken(`${bare}.${payload}.`)?.faults).toEqual(["alg missing is never accepted"])
    for (const alg of ["RS256", "ES256"]) {
      const header = Buffer.from(JSON.stringify({ alg })).toString("base64url")
      expect(decodeToken(`${header}.${payload}.`)?.faults).toEqual([])
    }
  })

  test.each(["", "a.b", "a.b.c", "no token at all"])("is none: %j", (text) => {
    expect(decodeToken(text)).toBeNull()
  })
})

describe("a token that is signed", () => {
  const wish: TokenToSign = { algorithm: "HS256", key: secret, scopes: ["a:b"], issuedAt, lifeSeconds: 60 }

  test("says no more than was wished", async () => {
    const token = await signToken(wish)

    expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT" })
    expect(decodeJwt(token)).toEqual({ scopes: ["a:b"], iat: issuedAt - 5, exp: issuedAt + 60 })
  })

  test("says everything that was wished", async () => {
    const more = { kid: "one", subject: "alice", audience: ["x", "y"], issuer: "us", scopesClaim: "scp" }
    const token = await signToken({ ...wish, ...more })

    expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT", kid: "one" })
    expect(decodeJwt(token)).toMatchObject({ sub: "alice", aud: ["x", "y"], iss: "us", scp: ["a:b"] })
    expect(decodeJwt(token)["scopes"]).toBeUndefined()
  })

  test("a token that is signed with a private key is verified by the public one", async () => {
    const key = curve.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    const publicKey = curve.publicKey.export({ type: "spki", format: "pem" }).toString()
    const clock = () => issuedAt * 1_000
    const verify = createTokenVerifier({ verificationKeys: [publicKey], algorithm: "ES256", clock })

    expect(await verify(await signToken({ ...wish, algorithm: "ES256", key }))).toMatchObject({ ok: true })
  })

  test("needs a key that can sign", async () => {
    const error = await signToken({ ...wish, algorithm: "RS256" }).catch((one: unknown) => one)

    expect(error).toMatchObject({
      code: "key_unreadable",
      message: "signing key: RS256 takes a private key in PEM, this is none",
      cause: expect.any(Error) as Error,
    })
  })
})

test("a token may be issued up to the latest moment, and not after it", () => {
  expect(readClaims({ iat: issuedAt }, "scopes", issuedAt)).toMatchObject({ ok: true })
  expect(readClaims({ iat: issuedAt + 1 }, "scopes", issuedAt)).toMatchObject({ ok: false })
})

test.each<[string, boolean]>([
  ["sa:robot", true],
  ["__scheduler", true],
  ["alice__", false],
  ["alice:sa:", false],
])("the subject %s is reserved: %s", (subject, reserved) => {
  expect(isReservedSubject(subject)).toBe(reserved)
})
