// The credential of decisions in the config: one of three kinds, checked at start, never quoted.
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { FILE_ENV, load, refusal, type Sources } from "./load.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const pem = ec.export({ type: "pkcs8", format: "pem" }).toString()
const secret = "a secret of the tests that is long enough"
const files = { "/srv/bot/key.pem": pem }
const env = {
  ...FILE_ENV,
  RESOLVE: "resolve-token",
  SECRET: secret,
  PEM: pem,
  PLACE: "/run/secrets/agentos-signing-secret.txt",
}

function sources(instance: string, more = ""): Sources {
  const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"
  return { env, files, yaml: `instances: [{name: main, url: "https://x.example", ${instance}}]\n${more}\n${rules}` }
}

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`

test("by default decisions go out with the instance's token", () => {
  expect(load(sources("accept_run_scope: false")).instances[0]?.resolving).toEqual({ kind: "same" })
})

test("resolve_token is another credential for decisions, and a secret", () => {
  const config = load(sources(`resolve_token: "\${RESOLVE}"`))

  expect(config.instances[0]?.resolving).toEqual({ kind: "token", token: "resolve-token" })
  expect(config.secrets).toContain("resolve-token")
})

test("delegated takes its key from a file, relative to the working directory", () => {
  const config = load(sources("delegated: {algorithm: ES256, key_file: key.pem, kid: k1, audience: os, issuer: c}"))

  expect(config.instances[0]?.resolving).toEqual({
    kind: "delegated",
    algorithm: "ES256",
    key: { kind: "file", path: "/srv/bot/key.pem" },
    kid: "k1",
    audience: "os",
    issuer: "c",
  })
})

test.each([
  ["HS256", "SECRET", secret],
  ["ES256", "PEM", pem],
])("delegated takes a key for %s from the environment, and it is a secret", (algorithm, name, value) => {
  const config = load(sources(`delegated: {algorithm: ${algorithm}, key: "\${${name}}"}`))

  expect(config.instances[0]?.resolving).toMatchObject({ key: { kind: "given", value: value.trim() } })
  expect(config.secrets).toContain(value.trim())
})

describe("refused at start, and no key is quoted", () => {
  test.each([
    [
      "both ways",
      `resolve_token: "\${RESOLVE}", delegated: {algorithm: ES256, key_file: key.pem}`,
      "stands beside resolve_token",
    ],
    ["two keys", `delegated: {algorithm: ES256, key_file: key.pem, key: "\${PEM}"}`, "stands beside key"],
    ["no key", "delegated: {algorithm: ES256}", "needs key, from the environment, or key_file"],
    [
      "a file that is not there",
      "delegated: {algorithm: ES256, key_file: nothing.pem}",
      "names a file that cannot be read",
    ],
    [
      "a key for another algorithm",
      "delegated: {algorithm: RS256, key_file: key.pem}",
      "is no RSA key of 2048 bits or more",
    ],
    [
      "a short secret",
      `delegated: {algorithm: HS256, key: "\${RESOLVE}"}`,
      "is shorter than the 32 bytes that HS256 needs",
    ],
    [
      "a path for a secret",
      `delegated: {algorithm: HS256, key: "\${PLACE}"}`,
      "is the name of a file, and no secret; name it in key_file",
    ],
    [
      "a key in the file itself",
      `delegated: {algorithm: HS256, key: ${secret.replaceAll(" ", "_")}}`,
      "must not stand in the file",
    ],
    ["another algorithm", "delegated: {algorithm: none, key_file: key.pem}", "algorithm"],
  ])("what cannot resolve is refused at start, and no key is quoted: %s", (_, instance, words) => {
    const { message } = refusal(sources(instance))

    expect(message).toContain(words)
    for (const hidden of [secret, "resolve-token", pem.split("\n")[1] ?? ""]) expect(message).not.toContain(hidden)
  })

  test("a listed subject that the platform keeps for itself", () => {
    const identities = 'identities: [{subject: "sa:bot", slack: "T0A:U0A"}]'

    expect(refusal(sources("delegated: {algorithm: ES256, key_file: key.pem}", identities)).message).toContain(
      "identities[0].subject is reserved by the platform",
    )
    expect(load(sources("accept_run_scope: false", identities)).identities).toHaveLength(1)
  })

  test("a resolve_token that may also run, unless the risk is named", () => {
    const token = jwt({ scopes: ["approvals:write", "agents:run"], exp: 4_000_000_000 })
    const risky = (more: string): Sources => {
      const made = sources(`resolve_token: "\${RESOLVE}"${more}`)
      return { ...made, env: { ...made.env, RESOLVE: token } }
    }

    expect(refusal(risky("")).message).toContain("resolve_token holds approvals:write and agents:run")
    expect(load(risky(", accept_run_scope: true")).instances).toHaveLength(1)
  })
})

describe("a word to the operator", () => {
  const warnings = (read: unknown, resolve?: unknown) => {
    const more = resolve === undefined ? "" : `, resolve_token: "\${RESOLVE}"`
    const made = sources(`token: "\${READ}"${more}`)
    return load({ ...made, env: { ...made.env, READ: jwt(read), RESOLVE: jwt(resolve ?? {}) } }).warnings.map(
      ({ what }) => what,
    )
  }
  const exp = 4_000_000_000

  test.each([
    ["has expired", { scopes: ["approvals:read", "approvals:write"], exp: 1_700_000_000 }],
    ["claims no approvals:write", { scopes: ["approvals:read"], exp }],
    ["claims no approvals:read and no approvals:write", { scopes: [], exp }],
    ["subject sa:bot is reserved", { sub: "sa:bot", scopes: ["approvals:read", "approvals:write"], exp }],
    ["scopes are no list", { scopes: "approvals:read", exp }],
    ["has no exp", { scopes: ["approvals:read", "approvals:write"] }],
  ])("a token that %s", (words, claims) => {
    expect(warnings(claims).join("\n")).toContain(words)
  })

  test("each credential is measured by its own use", () => {
    expect(warnings({ scopes: ["approvals:read"], exp }, { scopes: ["approvals:write"], exp })).toEqual([])
    expect(warnings({ scopes: ["approvals:read"], exp }, { scopes: ["approvals:read"], exp })).toEqual([
      expect.stringContaining("claims no approvals:write"),
    ])
  })
})
