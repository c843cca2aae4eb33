// The keys of webhooks: what is taken, and for each mistake an error that names the key.
import { expect, test } from "vitest"
import { entryKinds } from "../../src/config/schema/webhook-schema.ts"
import type { LedgerEvent } from "../../src/store/ledger/ledger-event.ts"
import { FILE_ENV, load, refusal, type Sources } from "./load.ts"

const secret = `whsec_${Buffer.alloc(32, "s").toString("base64")}`
const second = `whsec_${Buffer.alloc(24, "t").toString("base64")}`
const env = { ...FILE_ENV, SECRET: secret, SECOND: second, PLATFORM_URL: "https://agents.example.com" }

/** A config whose webhooks are these, as YAML. */
function withWebhooks(webhooks: string, more: Sources = {}): Sources {
  const rules = "rules: [{name: all, routes: [C0A], approvers: [U0A], unknown_requester: allow}]"
  return { yaml: `slack: {}\nwebhooks: ${webhooks}\n${rules}\n`, ...more, env: { ...env, ...more.env } }
}

const siem = (keys = "") => `[{name: siem, url: "https://siem.example.com/in?x=1"${keys}}]`
const given = ', secret: "${SECRET}"'

test("a webhook says where, signed with what; all else has a default", () => {
  const { webhooks, secrets } = load(withWebhooks(siem(given)))

  expect(webhooks).toEqual([
    {
      name: "siem",
      url: "https://siem.example.com/in?x=1",
      secret: { kind: "given", secrets: [secret] },
      headersFile: null,
      events: null,
      withArguments: false,
      way: { proxy: null, ca: null },
    },
  ])
  expect(secrets).toContain(secret)
})

test("without the key there is no webhook", () => {
  expect(load(withWebhooks("[]")).webhooks).toEqual([])
})

test("two secrets, kinds of entries, arguments, and files are taken; no log shows what the files hold", () => {
  const keys = `, secret_file: /s, headers_file: h, events: [decided, frozen], include: arguments`
  const files = {
    "/s": `${secret}\n${second}\n`,
    "/srv/bot/h": "# ours\nAuthorization: Splunk abc\nContent-Type: application/json\n",
  }
  const { webhooks, secrets } = load(withWebhooks(siem(keys), { files }))

  expect(webhooks[0]).toMatchObject({
    secret: { kind: "file", path: "/s" },
    headersFile: "/srv/bot/h",
    events: ["decided", "frozen"],
    withArguments: true,
  })
  expect(secrets).toEqual(expect.arrayContaining([secret, second, "Splunk abc"]))
  expect(secrets).not.toContain("application/json")
})

test("a webhook leaves through the proxy of the environment, but not to this machine", () => {
  const both = `[{name: a, url: "https://siem.example.com"${given}}, {name: b, url: "http://localhost:9"${given}}]`
  const { webhooks } = load(withWebhooks(both, { env: { HTTPS_PROXY: "http://proxy.example.com:3128" } }))

  expect(webhooks.map(({ way }) => way.proxy?.url)).toEqual(["http://proxy.example.com:3128/", undefined])
})

test("commands that only look at Redis ask for no secret of a webhook", () => {
  const sources = withWebhooks(siem(', secret: "${NOT_SET}"'))

  expect(() =>
    load({ ...sources, need: "store", env: { COUNTERSIGN_KEY: "k".repeat(16) + "0123456789abcdef" } }),
  ).not.toThrow()
})

test("a command about webhooks learns their names, asks for no secret of theirs, and wants each name to be known", () => {
  const key = "k".repeat(16) + "0123456789abcdef"
  const read = (name: string, env = {}) => {
    const webhook = `[{name: "${name}", url: "\${NOT_SET}", secret_file: /not/there, include: arguments}]`
    return load({ ...withWebhooks(webhook), need: "webhooks", env: { COUNTERSIGN_KEY: key, ...env } }).webhooks
  }

  expect(read("siem").map(({ name }) => name)).toEqual(["siem"])
  expect(read("${HOOK}", { HOOK: "pager" }).map(({ name }) => name)).toEqual(["pager"])
  expect(() => read("${HOOK}")).toThrow("HOOK")
})

const file = (text: string) => ({ files: { "/f": text } })

test.each<[string, string, Sources, string]>([
  [
    "http to another machine",
    `[{name: a, url: "http://siem.example.com"${given}}]`,
    {},
    "webhooks[0].url must be https",
  ],
  [
    "an address that looks like ours",
    `[{name: a, url: "http://127.0.0.1.example.com"${given}}]`,
    {},
    "url must be https",
  ],
  ["another scheme", `[{name: a, url: "ftp://siem.example.com"${given}}]`, {}, "url must be an https address"],
  [
    "a password in the address",
    `[{name: a, url: "https://u:p@siem.example.com"${given}}]`,
    {},
    "url must hold no user",
  ],
  ["no address", `[{name: a${given}}]`, {}, "webhooks[0].url is missing"],
  ["no name", `[{url: "https://a.example.com"${given}}]`, {}, "webhooks[0].name is missing"],
  [
    "a name with a space",
    `[{name: my siem, url: "https://a.example.com"${given}}]`,
    {},
    "name must be 1 to 40 small letters",
  ],
  [
    "two of one name",
    `[{name: a, url: "https://a.example.com"${given}}, {name: a, url: "https://b.example.com"${given}}]`,
    {},
    "webhooks[1].name is used twice",
  ],
  ["no secret", siem(), {}, "webhooks[0].secret is missing: set it or secret_file"],
  ["both secrets", siem(`${given}, secret_file: /f`), file(secret), "secret_file stands beside secret"],
  ["a secret in the file itself", siem(`, secret: "${secret}"`), {}, "is a secret and must not stand in the file"],
  ["a secret that is no whsec_", siem(given), { env: { SECRET: "abc" } }, "must be whsec_ and 24 to 64 bytes"],
  ["a short secret", siem(given), { env: { SECRET: "whsec_c2hvcnQ=" } }, "must be whsec_ and 24 to 64 bytes"],
  ["a secret of broken base64", siem(given), { env: { SECRET: `${secret}=` } }, "must be whsec_ and 24 to 64 bytes"],
  ["three secrets", siem(', secret: ["${SECRET}", "${SECRET}", "${SECOND}"]'), {}, "must be one secret, or two"],
  ["a secret file that is not there", siem(", secret_file: /f"), {}, "secret_file names a file that cannot be read"],
  ["an empty secret file", siem(", secret_file: /f"), file("\n"), "names a file that is empty"],
  [
    "a secret file of three",
    siem(", secret_file: /f"),
    file(`${secret}\n${second}\n${secret}`),
    "more than two secrets",
  ],
  ["a secret file of something else", siem(", secret_file: /f"), file("hello"), "holds a secret that must be whsec_"],
  [
    "a headers file that is not there",
    siem(`${given}, headers_file: /f`),
    {},
    "headers_file names a file that cannot be read",
  ],
  ["an empty headers file", siem(`${given}, headers_file: /f`), file(""), "headers_file names a file that is empty"],
  [
    "a header without a value",
    siem(`${given}, headers_file: /f`),
    file("Authorization:"),
    "holds a line that is no header",
  ],
  [
    "a header with a sign none can carry",
    siem(`${given}, headers_file: /f`),
    file("A: b…"),
    "holds a line that is no header",
  ],
  ["a header twice", siem(`${given}, headers_file: /f`), file("A: b\na: c"), "sets a twice"],
  [
    "a signature of one's own",
    siem(`${given}, headers_file: /f`),
    file("Webhook-Id: 1"),
    "which Countersign sets itself",
  ],
  [
    "a length of one's own",
    siem(`${given}, headers_file: /f`),
    file("Content-Length: 1"),
    "which Countersign sets itself",
  ],
  ["an unknown kind", siem(`${given}, events: [decide]`), {}, "webhooks[0].events"],
  ["no kind", siem(`${given}, events: []`), {}, "must list at least one kind"],
  ["another include", siem(`${given}, include: everything`), {}, "webhooks[0].include must be arguments"],
  ["a CA that is not there", siem(`${given}, ca_file: /f`), {}, "ca_file names a file that cannot be read"],
  ["a key that there is not", siem(`${given}, secrets: x`), {}, "did you mean secret?"],
  [
    "too many",
    `[${Array.from({ length: 21 }, (_, at) => `{name: a${at}, url: "https://a.example.com"${given}}`).join(", ")}]`,
    {},
    "at most 20",
  ],
])("%s is refused", (_what, webhooks, more, words) => {
  const error = refusal(withWebhooks(webhooks, more))

  expect(error.message).toContain(words)
  expect(error.message).not.toContain(Buffer.alloc(32, "s").toString("base64"))
})

type Kind = (typeof entryKinds)[number]

test("a webhook may ask for each kind of entry that the ledger has, and for no other", () => {
  // The compiler compares them: a kind that is missing or too much makes one of these types another one than `never`.
  const missing: readonly Exclude<LedgerEvent["kind"], Kind>[] = [] satisfies readonly never[]
  const tooMany: readonly Exclude<Kind, LedgerEvent["kind"]>[] = [] satisfies readonly never[]
  const none = <T>(_kinds: readonly T[], check: [T] extends [never] ? true : false) => check

  expect([none(missing, true), none(tooMany, true)]).toEqual([true, true])
  expect(new Set(entryKinds).size).toBe(entryKinds.length)
})
