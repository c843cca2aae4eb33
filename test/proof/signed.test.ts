// Signatures: made with a key that is read or derived, verified against a key set alone.
import { generateKeyPairSync } from "node:crypto"
import { CompactSign } from "jose"
import { describe, expect, test } from "vitest"
import { canonicalJson } from "../../src/domain/content/canonical.ts"
import { createSigner, readKeySet, verifySigned } from "../../src/proof/signed.ts"
import { derivedKeyText, makeKeyText, readSigningKey, type SigningAlgorithm } from "../../src/proof/signing-key.ts"
import { aSigner } from "../support/signer.ts"

const claims = { version: 1, text: "ä\u2028", list: [1, null] }
const keysOf = (...publicKeys: readonly object[]) => readKeySet(JSON.stringify({ keys: publicKeys }), "a test's set")

describe.each<SigningAlgorithm>(["EdDSA", "ES256"])("with %s", (algorithm) => {
  test("what is signed is verified, and says what was signed", async () => {
    const key = await readSigningKey(makeKeyText(algorithm), "a key")
    const signer = createSigner(key)

    const signed = await signer.sign("approval", claims)

    expect(key.algorithm).toBe(algorithm)
    expect(Buffer.from(signed.split(".")[1] ?? "", "base64url").toString()).toBe(canonicalJson(claims))
    const { kid } = signer.publicKey
    expect(await verifySigned(signed, ["approval"], keysOf(signer.publicKey))).toEqual({
      claims,
      kid,
      purpose: "approval",
    })
  })

  test("any changed character is found", async () => {
    const signer = createSigner(await readSigningKey(makeKeyText(algorithm), "a key"))
    const signed = await signer.sign("approval", claims)
    const [head = "", payload = "", signature = ""] = signed.split(".")
    const other = (text: string, at: number) =>
      `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`

    for (const changed of [`${head}.${other(payload, 5)}.${signature}`, `${head}.${payload}.${other(signature, 9)}`]) {
      await expect(verifySigned(changed, ["approval"], keysOf(signer.publicKey))).rejects.toMatchObject({
        code: "bad-signature",
        message: "the signature of the receipt does not hold",
      })
    }
  })

  test("the key set shows no private part", async () => {
    const { publicKey } = createSigner(await readSigningKey(makeKeyText(algorithm), "a key"))

    expect(publicKey).not.toHaveProperty("d")
    expect(publicKey).toMatchObject({ alg: algorithm, use: "sig", kid: expect.stringMatching(/^[\w-]{43}$/) })
  })
})

test("a checkpoint is no receipt", async () => {
  const signer = await aSigner()
  const signed = await signer.sign("checkpoint", claims)

  await expect(verifySigned(signed, ["approval"], keysOf(signer.publicKey))).rejects.toMatchObject({
    code: "not-signed",
  })
})

test.each(["", "a.b", "not a token at all"])("%j is no receipt", async (text) => {
  await expect(verifySigned(text, ["approval"], keysOf())).rejects.toMatchObject({ code: "not-signed" })
})

test("a key that is not in the set proves nothing; after a rotation the old one still does", async () => {
  const [before, after] = await Promise.all([aSigner("before"), aSigner("after")])
  const signed = await before.sign("approval", claims)

  await expect(verifySigned(signed, ["approval"], keysOf(after.publicKey))).rejects.toMatchObject({
    code: "unknown-key",
  })
  expect(await verifySigned(signed, ["approval"], keysOf(after.publicKey, before.publicKey))).toMatchObject({ claims })
})

test("a signature by a kind of key that we never use does not hold, even if its key is in the set", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const header = { alg: "RS256", typ: "countersign-approval+jws" }
  const signWith = (more: object) =>
    new CompactSign(Buffer.from(canonicalJson(claims))).setProtectedHeader({ ...header, ...more }).sign(privateKey)
  const keys = keysOf({ ...publicKey.export({ format: "jwk" }), kid: "rsa" })

  await expect(verifySigned(await signWith({ kid: "rsa" }), ["approval"], keys)).rejects.toMatchObject({
    code: "bad-signature",
  })
  await expect(verifySigned(await signWith({}), ["approval"], keys)).rejects.toMatchObject({
    code: "unknown-key",
    message: "the receipt names key (none), which the key set does not hold",
  })
})

test("a signature under another key of the same name does not hold", async () => {
  const [one, other] = await Promise.all([aSigner("one"), aSigner("other")])
  const signed = await one.sign("approval", claims)
  const posing = { ...other.publicKey, kid: one.publicKey.kid }

  await expect(verifySigned(signed, ["approval"], keysOf(posing))).rejects.toMatchObject({ code: "bad-signature" })
})

test.each([
  "",
  "[]",
  '{"keys": 1}',
  '{"keys": [{"kty": "OKP"}]}',
  '{"keys": [{"kty": "OKP", "kid": "k", "d": "secret"}]}',
])("%s is no set of public keys", (text) => {
  expect(() => readKeySet(text, "keys.json")).toThrow("keys.json is no set of public keys")
})

test("the key that follows from the installation's key is always the same, and another for each installation", async () => {
  const [one, again, other] = await Promise.all([aSigner("one"), aSigner("one"), aSigner("other")])

  expect(one.publicKey).toEqual(again.publicKey)
  expect(one.publicKey.kid).not.toBe(other.publicKey.kid)
})

test("a key is read as PEM, as PEM on one line, and as a JWK", async () => {
  const pem = derivedKeyText(Buffer.alloc(32, 1), "x")
  const { publicKey, privateKey } = await readSigningKey(pem, "a key")
  const jwk = JSON.stringify(privateKey.export({ format: "jwk" }))

  expect((await readSigningKey(pem.trim().replaceAll("\n", "\\n"), "a key")).publicKey).toEqual(publicKey)
  expect((await readSigningKey(jwk, "a key")).publicKey).toEqual(publicKey)
})

test("a text that is no private key is refused, and never quoted", async () => {
  const secret = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIsecret\n-----END PRIVATE KEY-----"

  const refused = readSigningKey(secret, "COUNTERSIGN_RECEIPT_KEY")

  await expect(refused).rejects.toMatchObject({ code: "key-unusable" })
  await expect(refused).rejects.toThrow(/^COUNTERSIGN_RECEIPT_KEY holds no private key in PEM or JWK .*openssl genpkey/)
  await expect(refused).rejects.not.toThrow("secret")
})

test("a public key, and a key of another kind, cannot sign", async () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pem = { format: "pem", type: "pkcs8" } as const

  await expect(readSigningKey(rsa.privateKey.export(pem).toString(), "the key")).rejects.toThrow("another kind of key")
  const open = rsa.publicKey.export({ format: "pem", type: "spki" }).toString()
  await expect(readSigningKey(open, "the key")).rejects.toMatchObject({ code: "key-unusable" })
})
