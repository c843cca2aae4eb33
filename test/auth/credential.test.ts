// Credentials: service account tokens and JWTs are told apart, only a hash is kept.
import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { readCredential } from "../../src/auth/credential.ts"
import { hashServiceAccountToken, makeServiceAccountToken, tokenPrefix } from "../../src/auth/service-account-token.ts"

test.each([
  [undefined, { kind: "missing" }],
  ["Bearer abc", { kind: "jwt", token: "abc" }],
  ["bearer   abc ", { kind: "jwt", token: "abc" }],
  ["abc", { kind: "jwt", token: "abc" }],
  ["Bearer", { kind: "jwt", token: "" }],
  ["Basic abc", { kind: "jwt", token: "Basic abc" }],
  ["Bearer cs_sa_x", { kind: "service_account", token: "cs_sa_x" }],
])("%j is read as %j", (header, credential) => {
  expect(readCredential(header)).toEqual(credential)
})

test("a token is the prefix and 43 characters, and no two are alike", () => {
  const tokens = Array.from({ length: 50 }, () => makeServiceAccountToken(randomBytes))

  for (const token of tokens) expect(token).toMatch(/^cs_sa_[A-Za-z0-9_-]{43}$/)
  expect(new Set(tokens).size).toBe(50)
})

test("hash and prefix do not give the token away", () => {
  const token = makeServiceAccountToken(randomBytes)

  expect(hashServiceAccountToken(token)).toMatch(/^[0-9a-f]{64}$/)
  expect(tokenPrefix(token)).toBe(token.slice(0, 13))
})
