// Keys that tokens are verified with: which are taken, and what is said of the others, without ever quoting one.
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { describe, expect, test } from "vitest"
import { readKeySet } from "../../src/auth/key-set.ts"
import { type Algorithm, readVerificationKey } from "../../src/auth/verification-keys.ts"

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const short = generateKeyPairSync("rsa", { modulusLength: 1024 })
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" })
const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" })
const edwards = generateKeyPairSync("ed25519")
const pem = (key: KeyObject) =>
  key.export({ type: key.type === "private" ? "pkcs8" : "spki", format: "pem" }).toString()
const jwk = (key: KeyObject, fields: object = {}) => ({ ...key.export({ format: "jwk" }), ...fields })
const setOf = (...keys: readonly object[]) => JSON.stringify({ keys })

describe("a configured key is refused", () => {
  test.each<[string, string, Algorithm, string, string]>([
    ["that is empty", " \n", "HS256", "key_empty", "it is empty"],
    [
      "that is a PEM for HS256",
      pem(rsa.publicKey),
      "HS256",
      "key_mismatch",
      "HS256 takes a shared secret, this is a PEM",
    ],
    [
      "that is short for HS256",
      "a".repeat(31),
      "HS256",
      "key_mismatch",
      "the secret is shorter than 32 bytes; make one by: openssl rand -hex 32",
    ],
    [
      "that is private",
      pem(rsa.privateKey),
      "RS256",
      "key_private",
      "RS256 takes the public key, this is the private one",
    ],
    [
      "that is private in its own format",
      rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
      "RS256",
      "key_private",
      "RS256 takes the public key, this is the private one",
    ],
    ["that is no PEM", "a secret", "ES256", "key_unreadable", "ES256 takes a public key in PEM, this is none"],
    ["of a curve for RS256", pem(curve.publicKey), "RS256", "key_mismatch", "RS256 takes an RSA key"],
    ["too short", pem(short.publicKey), "RS256", "key_mismatch", "RS256 takes an RSA key of 2048 bits or more"],
    ["of RSA for ES256", pem(rsa.publicKey), "ES256", "key_mismatch", "ES256 takes a key on the curve P-256"],
    ["on another curve", pem(otherCurve.publicKey), "ES256", "key_mismatch", "ES256 takes a key on the curve P-256"],
    ["on no such curve", pem(edwards.publicKey), "ES256", "key_mismatch", "ES256 takes a key on the curve P-256"],
  ])("a configured key is refused: %s", (_what, text, algorithm, code, why) => {
    expect(() => readVerificationKey(text, algorithm)).toThrow(
      expect.objectContaining({ code, message: `verification key: ${why}` }) as Error,
    )
  })

  test("a configured key is refused with its cause, where there is one", () => {
    expect(() => readVerificationKey("nonsense", "RS256")).toThrow(
      expect.objectContaining({ cause: expect.any(Error) as Error }) as Error,
    )
  })
})

describe("a key set is refused", () => {
  test.each<[string, string, string, string]>([
    ["that is no JSON", "{", "key_set_unreadable", "key set: it is no JSON"],
    ["without keys", "{}", "key_set_unreadable", 'key set: expected {"keys": […]} with a "kty" in each key'],
    [
      "with a private key",
      setOf(jwk(rsa.privateKey)),
      "key_private",
      "key set: it holds a private key, it takes public ones",
    ],
    [
      "with a key that cannot be read",
      setOf({ kty: "RSA", n: 1, e: "AQAB" }),
      "key_set_unreadable",
      "key set: one of its RS256 keys cannot be read",
    ],
  ])("a key set is refused: %s", (_what, text, code, message) => {
    expect(() => readKeySet(text, "RS256")).toThrow(expect.objectContaining({ code, message }) as Error)
  })

  test("a key set is refused with its cause, where there is one", () => {
    for (const text of ["{", setOf({ kty: "RSA", n: 1, e: "AQAB" })])
      expect(() => readKeySet(text, "RS256")).toThrow(
        expect.objectContaining({ cause: expect.any(Error) as Error }) as Error,
      )
  })
})

describe("a key of a set", () => {
  const kept = (algorithm: Algorithm, ...keys: readonly object[]) => {
    const { named, nameless } = readKeySet(setOf(...keys), algorithm)
    return [[...named].map(([kid, found]) => `${kid}: ${found.length}`), nameless.length]
  }

  test.each<[object, boolean]>([
    [{}, true],
    [{ use: "sig", alg: "RS256", key_ops: ["verify"] }, true],
    [{ use: "enc" }, false],
    [{ alg: "RS512" }, false],
    [{ key_ops: ["encrypt"] }, false],
    [{ kty: "EC" }, false],
  ])("a key of a set with %j is taken: %s", (fields, taken) => {
    expect(kept("RS256", jwk(rsa.publicKey, fields))).toEqual([[], taken ? 1 : 0])
  })

  test("is found by its kid, with others of the same; one without stands by itself", () => {
    const keys = ["one", "two", "one", undefined].map((kid) => jwk(rsa.publicKey, { kid }))

    expect(kept("RS256", ...keys)).toEqual([["one: 2", "two: 1"], 1])
    expect(kept("RS256", jwk(rsa.publicKey, { kid: "" }))).toEqual([[": 1"], 0])
  })

  test("a key of a set for HS256 is a secret of 32 bytes or more", () => {
    const k = Buffer.alloc(32).toString("base64url")
    const short = Buffer.alloc(31).toString("base64url")

    expect(kept("HS256", { kty: "oct", k })).toEqual([[], 1])
    expect(kept("HS256", { kty: "oct", k: "" }, { kty: "oct" }, { kty: "RSA", k })).toEqual([[], 0])
    expect(kept("HS256", { kty: "oct", k: short })).toEqual([[], 0])
    expect(kept("ES256", jwk(curve.publicKey), jwk(otherCurve.publicKey), { kty: "oct", k })).toEqual([[], 1])
  })
})
