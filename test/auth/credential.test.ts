// Credentials: where they are read from (5.1), service account tokens and JWTs told apart, only a hash kept.
import { randomBytes } from "node:crypto"
import { describe, expect, test } from "vitest"
import { type CredentialPlace, readCredential, withoutCookie } from "../../src/auth/credential.ts"
import { hashServiceAccountToken, makeServiceAccountToken, tokenPrefix } from "../../src/auth/service-account-token.ts"

describe("5.1, rules 1 and 2: the Authorization header", () => {
  test.each([
    ["Bearer abc", { kind: "jwt", token: "abc", from: "header" }],
    ["bearer   abc ", { kind: "jwt", token: "abc", from: "header" }],
    ["abc", { kind: "jwt", token: "abc", from: "header" }],
    ["Bearer", { kind: "jwt", token: "", from: "header" }],
    ["Basic abc", { kind: "jwt", token: "Basic abc", from: "header" }],
    ["Bearer cs_sa_x", { kind: "service_account", token: "cs_sa_x", from: "header" }],
  ])("the Authorization header %j is read as %j", (authorization, credential) => {
    expect(readCredential({ authorization })).toEqual(credential)
  })

  test("a missing Authorization header is said", () => {
    expect(readCredential({ cookie: "access_token=abc" })).toEqual({
      kind: "missing",
      reason: "Authorization header missing",
    })
  })
})

describe("5.1, rule 3: token_source and cookie_name", () => {
  const cookie: CredentialPlace = { source: "COOKIE", cookieName: "sid" }
  const both: CredentialPlace = { source: "BOTH", cookieName: "sid" }
  const inCookie = { kind: "jwt", token: "abc", from: "cookie" }

  test.each([
    ["COOKIE reads the cookie", cookie, { cookie: "a=1; sid=abc; b=2" }, inCookie],
    ["COOKIE takes off quotes", cookie, { cookie: 'sid="abc"' }, inCookie],
    ["COOKIE takes the first of two", cookie, { cookie: "sid=abc; sid=def" }, inCookie],
    ["COOKIE does not look at the header", cookie, { authorization: "Bearer x", cookie: "sid=abc" }, inCookie],
    ["BOTH takes the cookie without a header", both, { cookie: "sid=abc" }, inCookie],
    ["BOTH prefers the header", both, { authorization: "Bearer x", cookie: "sid=abc" }, { token: "x", from: "header" }],
    ["BOTH does not save a bad header", both, { authorization: "", cookie: "sid=abc" }, { token: "", from: "header" }],
    ["a service account may come by cookie", cookie, { cookie: "sid=cs_sa_x" }, { kind: "service_account" }],
  ])("the token is read from where it may come: %s", (_name, place, headers, credential) => {
    expect(readCredential(headers, place)).toMatchObject(credential)
  })

  test.each([
    [cookie, { authorization: "Bearer x", cookie: "sidx=abc" }, "JWT cookie 'sid' missing"],
    [both, {}, "JWT token missing from both Authorization header and 'sid' cookie"],
  ])("what is missing is named", (place, headers, reason) => {
    expect(readCredential(headers, place)).toEqual({ kind: "missing", reason })
  })

  test("a cookie can be taken out of its header", () => {
    expect(withoutCookie("a=1; sid=abc; b=2; sid=d", "sid")).toBe("a=1; b=2")
    expect(withoutCookie("sid=abc", "sid")).toBeNull()
  })
})

describe("service account tokens", () => {
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
})
