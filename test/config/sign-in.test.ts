// http.sign_in and http.access_log: what is made of them, and what each wrong value is told.
import { expect, test } from "vitest"
import { load, refusal, SOCKET_ENV } from "./load.ts"

const env = { ...SOCKET_ENV, SIGN_IN_SECRET: "the secret" }
const good = {
  issuer: "https://login.example.com/realm",
  client_id: "countersign",
  client_secret: "${SIGN_IN_SECRET}",
  public_url: "https://countersign.example.com/",
  cases_read: ["auditors"],
}

/** The file with these keys of sign_in; undefined leaves one out. */
function sources(changes: Readonly<Record<string, unknown>> = {}, files: Readonly<Record<string, string>> = {}) {
  const all: Readonly<Record<string, unknown>> = { ...good, ...changes }
  const kept = Object.entries(all).filter(([, value]) => value !== undefined)
  return { env, yaml: `http: {sign_in: ${JSON.stringify(Object.fromEntries(kept))}}`, files }
}

test("without more the sign-in asks for profile and email, looks at groups, and lasts an hour", () => {
  expect(load(sources()).http.signIn).toEqual({
    issuer: "https://login.example.com/realm",
    clientId: "countersign",
    clientSecret: { kind: "given", value: "the secret" },
    publicUrl: "https://countersign.example.com",
    scopes: ["openid", "profile", "email"],
    groupsClaim: "groups",
    groupsOf: { "cases:read": ["auditors"], "ledger:read": [] },
    sessionMs: 3_600_000,
    way: { proxy: null, ca: null },
  })
})

test("the secret may stand in a file, is read again later, and no log writes the one of the environment", () => {
  const files = { "/srv/bot/client.secret": " a secret\n" }
  const { http } = load(sources({ client_secret: undefined, client_secret_file: "client.secret" }, files))

  expect(http.signIn?.clientSecret).toEqual({ kind: "file", path: "/srv/bot/client.secret" })
  expect(load(sources()).secrets).toContain("the secret")
})

test("the provider is reached through the proxy of the environment", () => {
  const { http } = load({ ...sources(), env: { ...env, HTTPS_PROXY: "http://proxy.example.com:3128" } })

  expect(http.signIn?.way.proxy?.url).toBe("http://proxy.example.com:3128/")
})

test("on this machine itself both may do with http", () => {
  const local = { issuer: "http://localhost:8080", public_url: "http://127.0.0.1:3000" }

  expect(load(sources(local)).http.signIn).toMatchObject({ publicUrl: "http://127.0.0.1:3000" })
})

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["issuer", { issuer: "login.example.com" }, "must be an http or https address"],
  ["issuer", { issuer: "http://login.example.com" }, "must begin with https"],
  ["issuer", { issuer: "https://login.example.com/?a=b" }, "must hold no user, password, query or fragment"],
  ["issuer", { issuer: undefined }, "is missing"],
  ["client_id", { client_id: undefined }, "is missing"],
  ["client_secret", { client_secret: undefined }, "is missing: set it or client_secret_file"],
  ["client_secret", { client_secret: "written here" }, "is a secret and must not stand in the file"],
  ["client_secret_file", { client_secret_file: "client.secret" }, "stands beside client_secret"],
  ["client_secret_file", { client_secret: undefined, client_secret_file: "none" }, "names a file that cannot be read"],
  ["client_secret_file", { client_secret: undefined, client_secret_file: "empty" }, "names a file that is empty"],
  ["public_url", { public_url: "https://countersign.example.com/page" }, "must have nothing after host and port"],
  ["public_url", { public_url: "http://countersign.example.com" }, "must begin with https"],
  ["public_url", { public_url: undefined }, "is missing"],
  ["scopes", { scopes: [] }, "is empty"],
  ["groups_claim", { groups_claim: "" }, "must not be empty"],
  ["cases_read", { cases_read: [] }, "is empty"],
  ["cases_read", { cases_read: undefined }, "is missing"],
  ["ledger_read", { ledger_read: [] }, "is empty"],
  ["session", { session: "1m" }, "must be between 5m and 12h"],
  ["session", { session: "2d" }, "must be between 5m and 12h"],
  ["ca_file", { ca_file: "none" }, "names a file that cannot be read"],
  ["nonsense", { nonsense: 1 }, "known are"],
])("a wrong %s of sign_in is refused: %j", (key, changes, words) => {
  const { problems } = refusal(sources(changes, { "/srv/bot/empty": "\n", "/srv/bot/client.secret": "s" }))

  expect(problems).toMatchObject([{ what: expect.stringContaining(words) }])
  expect(JSON.stringify(problems[0]?.place)).toMatch(new RegExp(`http\\.sign_in(\\.${key}|")`))
})

test("the access log is in the log without a key, and in the data folder without a folder", () => {
  const folders = ["", "http: {access_log: {}}", "http: {access_log: {folder: logs, keep: 30d}}"].map(
    (yaml) => load({ env, yaml: yaml === "" ? "installation: one" : yaml }).http.accessLog,
  )

  expect(folders).toEqual([
    undefined,
    { folder: "/srv/bot/.countersign/access", keepMs: 365 * 86_400_000 },
    { folder: "/srv/bot/logs", keepMs: 30 * 86_400_000 },
  ])
})

test.each([
  ["access_log.folder", "{folder: ''}", "must not be empty"],
  ["access_log.keep", "{keep: 1h}", "must be between 1d and 3650d"],
])("a wrong %s is refused", (key, value, words) => {
  const { problems } = refusal({ env, yaml: `http: {access_log: ${value}}` })

  expect(problems).toMatchObject([{ place: { key: `http.${key}` }, what: expect.stringContaining(words) }])
})
