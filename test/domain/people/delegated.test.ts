import { generateKeyPairSync } from "node:crypto"
import { expect, test } from "vitest"
import { isReservedSubject, readDelegateKey } from "../../../src/domain/people/delegated.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
const shortRsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey
const pem = (key: typeof ec, type: "pkcs8" | "sec1" = "pkcs8") => key.export({ type, format: "pem" }).toString()
const secret = "a secret of the tests that is long enough"

test.each([
  ["a PEM key for ES256", pem(ec), "ES256", null],
  ["the older PEM form of an EC key", pem(ec, "sec1"), "ES256", null],
  ["PEM in one line", pem(ec).replaceAll("\n", String.raw`\n`), "ES256", null],
  ["a PEM key for RS256", pem(rsa), "RS256", null],
  ["a JWK with its kid", JSON.stringify({ ...ec.export({ format: "jwk" }), kid: "k2" }), "ES256", "k2"],
  ["a secret", secret, "HS256", null],
  [
    "a secret as JWK",
    JSON.stringify({ kty: "oct", k: Buffer.from(secret).toString("base64url"), kid: "s" }),
    "HS256",
    "s",
  ],
] as const)("%s can sign", (_, text, algorithm, kid) => {
  expect(readDelegateKey(text, algorithm)).toMatchObject({ ok: true, kid })
})

test.each([
  ["a key for another algorithm", pem(rsa), "ES256", "is no EC key on P-256"],
  ["a key on another curve", pem(otherCurve), "ES256", "is no EC key on P-256"],
  ["a short RSA key", pem(shortRsa), "RS256", "is no RSA key of 2048 bits or more"],
  ["a short secret", "short", "HS256", "is shorter than the 32 bytes that HS256 needs"],
  [
    "a public key",
    JSON.stringify({ kty: "EC", crv: "P-256", x: "a", y: "b" }),
    "ES256",
    "is no private key (PEM or JWK)",
  ],
  ["some text", "hello", "RS256", "is no private key (PEM or JWK)"],
  ["broken JSON", "{", "HS256", "is no secret"],
] as const)("%s can't, and the reason holds nothing of it", (_, text, algorithm, why) => {
  expect(readDelegateKey(text, algorithm)).toEqual({ ok: false, why })
})

test("what AgentOS keeps for itself is reserved", () => {
  const reserved = ["sa:bot", "__oauth__:x", "__scheduler__", ""]

  expect(reserved.filter((subject) => !isReservedSubject(subject))).toEqual([])
  expect(["jane@corp.example", "sam", "countersign:expiry"].filter(isReservedSubject)).toEqual([])
})
