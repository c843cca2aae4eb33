// The doctor on config, key and the order of the rules: nothing outside is asked.

import { generateKeyPairSync, randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished, test } from "vitest"
import { lookAtConfig, lookAtProxies } from "../../../src/cli/doctor/config.ts"
import { lookAtKey } from "../../../src/cli/doctor/keys.ts"
import { aPatient, sandboxCast, troubles } from "../patient.ts"

describe("the config", () => {
  it("is diagnosed problem by problem, each with its place and an example", async () => {
    const { env } = await aPatient()
    const yaml =
      "instances: [{ name: main, url: nowhere }]\nrules:\n  - { name: a, routes: [C1], approvers: [U1], quorom: 2 }\n"

    const { config, findings } = lookAtConfig({ env, readFile: () => yaml, cwd: "/" })

    expect(config).toBeNull()
    expect(troubles(findings)).toEqual([
      expect.stringMatching(/^fail: countersign\.yaml:1:\d+ instances\[0\]\.url must be an http or https address/),
      expect.stringMatching(/^fail: countersign\.yaml:3:\d+ rules\[0\].*quorom/),
    ])
    expect(findings[0]).toMatchObject({ area: "config", todo: expect.stringContaining("https://") })
  })

  it("the config that works but deserves a word is warned about", async () => {
    const { env } = await aPatient({ env: { PLATFORM_TOKEN: "" } })
    const yaml = `
instances: [{ name: main, url: "http://agents.example.com" }]
rules: [{ name: a, routes: [C1], approvers: [U1], unknown_requester: allow }]`

    const { config, findings } = lookAtConfig({ env, readFile: () => yaml, cwd: "/" })

    expect(config).not.toBeNull()
    expect(findings.filter(({ level }) => level === "warn")).toMatchObject([
      {
        what: expect.stringContaining("not https"),
        why: expect.stringContaining("listens on the way"),
        todo: expect.stringContaining("https"),
      },
      {
        what: expect.stringContaining("no token"),
        why: expect.stringContaining("whoever reaches it"),
        todo: expect.stringContaining("PLATFORM_TOKEN"),
      },
    ])
  })
})

it.each([
  ["", /^arguments can be read for 90d after their case closes.*an auditor who comes later needs more/],
  ["retain_arguments: 365d", /for 365d after.*\(retain_arguments\)$/],
  ["retain_arguments: 0", /^arguments go as their case closes/],
])("the config says how long arguments can be read: %j", async (yaml, words) => {
  const { env } = await aPatient()
  const base = 'instances: [{ name: main, url: "https://agents.example.com" }]\n'
  const rules = "rules: [{ name: a, routes: [C1], approvers: [U1], unknown_requester: allow }]\n"

  const { findings } = lookAtConfig({ env, readFile: () => `${base}${rules}${yaml}`, cwd: "/" })

  expect(findings.filter(({ level }) => level === "note")).toMatchObject([{ what: expect.stringMatching(words) }])
})

describe("the port", () => {
  it("the port that another process holds is an error, with what to set", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    onTestFinished(() => void server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const patient = await aPatient({ env: { PORT: String(port) } })

    expect(await patient.findings(/^http/)).toEqual([
      {
        level: "fail",
        area: "http",
        what: `cannot listen on 127.0.0.1:${port}: another process listens there already`,
        why: "Countersign does not start without a port for health checks and, in HTTP mode, for Slack",
        todo: "end it, or set PORT (or http.port) to a free port",
      },
    ])
  })

  it("the host that this machine does not have is an error too", async () => {
    const patient = await aPatient({ more: "http: { host: 192.0.2.1, port: 0 }", env: { PORT: "" } })

    expect(await patient.findings(/^http/)).toMatchObject([
      {
        level: "fail",
        what: "cannot listen on 192.0.2.1:0: 192.0.2.1 is no address of this machine",
        todo: "correct http.host",
      },
    ])
  })

  it("the port is free again after the doctor looked", async () => {
    const free = createServer().listen(0, "127.0.0.1")
    await once(free, "listening")
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, "close")
    const patient = await aPatient({ env: { PORT: String(port) } })

    expect(await patient.findings(/^http/)).toMatchObject([{ level: "ok", what: `port ${port} is free` }])
    expect(await patient.findings(/^http/)).toMatchObject([{ level: "ok", what: `port ${port} is free` }])
  })
})

describe("metrics", () => {
  it("metrics in HTTP mode without a token are not served: a warning, with what to set", async () => {
    const patient = await aPatient({ mode: "http" })

    expect(await patient.findings(/^metrics/)).toMatchObject([
      {
        level: "warn",
        what: expect.stringContaining("/metrics is not served"),
        todo: expect.stringContaining("http.metrics_token"),
      },
    ])
  })

  it.each([
    ["in Socket Mode", "socket", ""],
    ["in HTTP mode with a token", "http", 'http: { metrics_token: "${METRICS}" }'],
    ["in HTTP mode and switched off", "http", "http: { metrics: off }"],
  ] as const)("metrics %s need no word", async (_, mode, more) => {
    const patient = await aPatient({ mode, more, env: { METRICS: "m".repeat(16) } })

    expect(await patient.findings(/^metrics/)).toEqual([])
  })
})

describe("the key", () => {
  it("R14 the key in a file that others may read fails, with what to do", async () => {
    const { folder } = await aPatient()
    const path = join(folder, "key")
    writeFileSync(path, "k".repeat(40), { mode: 0o600 })
    chmodSync(path, 0o640)

    const { key, finding } = lookAtKey({ kind: "file", path })

    expect(key).toBeNull()
    expect(finding).toMatchObject({
      level: "fail",
      what: expect.stringContaining("may be read by others"),
      todo: expect.stringContaining("chmod 600"),
    })
  })

  it.each([
    ["is too short", (path: string) => writeFileSync(path, "short", { mode: 0o600 })],
    ["cannot be read", (path: string) => mkdirSync(path, { mode: 0o700 })],
  ])("a key file that %s fails", async (what, make) => {
    const { folder } = await aPatient()
    const path = join(folder, "key")
    make(path)

    expect(lookAtKey({ kind: "file", path }).finding).toMatchObject({
      level: "fail",
      what: expect.stringContaining(what),
    })
  })

  it("the key that is not there yet is well, and is not made", async () => {
    const { folder } = await aPatient()
    const path = join(folder, "key")

    expect(lookAtKey({ kind: "file", path })).toMatchObject({ key: null, finding: { level: "ok" } })
    expect(existsSync(path)).toBe(false)
  })

  it("the key of the environment, and a good file, are well", async () => {
    const { folder } = await aPatient()
    const path = join(folder, "key")
    const value = randomBytes(32).toString("hex")
    writeFileSync(path, `${value}\n`, { mode: 0o600 })

    expect(lookAtKey({ kind: "given", value }).finding.level).toBe("ok")
    expect(lookAtKey({ kind: "file", path })).toMatchObject({ key: Buffer.from(value), finding: { level: "ok" } })
  })

  it("R14 the key that can be guessed is warned about, given or in a file, without being shown", async () => {
    const { folder } = await aPatient()
    const path = join(folder, "key")
    const value = "a key of the tests that is long enough"
    writeFileSync(path, `${value}\n`, { mode: 0o600 })

    const seen = [lookAtKey({ kind: "given", value }), lookAtKey({ kind: "file", path })]

    expect(seen).toMatchObject([
      { key: Buffer.from(value), finding: { level: "warn", what: "COUNTERSIGN_KEY is made of words" } },
      { key: Buffer.from(value), finding: { level: "warn", what: `${path} is made of words` } },
    ])
    for (const { finding } of seen) {
      expect(finding).toMatchObject({
        why: expect.stringContaining("guess"),
        todo: expect.stringContaining("openssl rand -hex 32"),
      })
      expect(JSON.stringify(finding)).not.toContain(value)
    }
  })
})

describe("the key that signs receipts", () => {
  it("is named where it can be used", async () => {
    const key = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()
    const patient = await aPatient({ env: { COUNTERSIGN_RECEIPT_KEY: key } })

    expect(await patient.findings(/^receipts/)).toMatchObject([
      { level: "ok", what: expect.stringMatching(/^they are signed with EdDSA key \S{43}$/) },
    ])
  })

  it("fails where it is no private key, with what to do", async () => {
    const patient = await aPatient({ env: { COUNTERSIGN_RECEIPT_KEY: "no key" } })

    expect(await patient.findings(/^receipts/)).toMatchObject([
      {
        level: "fail",
        what: expect.stringContaining("COUNTERSIGN_RECEIPT_KEY"),
        todo: expect.stringContaining("Ed25519 or P-256"),
      },
    ])
  })

  it("the key that signs receipts in a file that is not there yet is well, and is not made", async () => {
    const patient = await aPatient()

    expect(await patient.findings(/^receipts/)).toMatchObject([{ level: "ok" }])
    expect(existsSync(join(patient.folder, ".countersign", "receipt-key.pem"))).toBe(false)
  })
})

describe("what is kept outside Redis", () => {
  it.each([
    ["a file", "", /checkpoints are kept in .+checkpoints\.jsonl$/],
    [
      "a channel",
      `ledger: { checkpoint_file: none, audit_channel: ${sandboxCast.approvals} }`,
      /kept in channel C0APPROVALS$/,
    ],
    ["both", `ledger: { audit_channel: ${sandboxCast.approvals} }`, /checkpoints\.jsonl and channel C0APPROVALS$/],
  ])("is well where %s keeps checkpoints", async (_, more, what) => {
    const patient = await aPatient({ more })

    expect(await patient.findings(/^ledger$/)).toMatchObject([{ level: "ok", what: expect.stringMatching(what) }])
  })

  it("R14 no checkpoint is warned about, with what is lost and what to set", async () => {
    const patient = await aPatient({ more: "ledger: { checkpoint_file: none }" })

    expect(await patient.findings(/^ledger$/)).toMatchObject([
      {
        level: "warn",
        what: "no checkpoint of the ledger is kept outside Redis",
        why: expect.stringContaining("rolled back"),
        todo: expect.stringMatching(/ledger\.checkpoint_file.*ledger\.audit_channel/),
      },
    ])
  })

  it("R14 no checkpoint where one is required fails: no start would reach any", async () => {
    const patient = await aPatient({ more: "ledger: { checkpoint_file: none, require_checkpoint: true }" })

    expect(await patient.findings(/^ledger$/)).toMatchObject([
      { level: "fail", why: expect.stringContaining("require_checkpoint") },
    ])
  })

  it("is noted in a folder that can be made, and is not made", async () => {
    const patient = await aPatient()
    const folder = join(patient.folder, ".countersign", "marks")

    expect(await patient.findings(/^marks$/)).toMatchObject([{ level: "ok", what: expect.stringContaining(folder) }])
    expect(existsSync(folder)).toBe(false)
  })

  it.each([".countersign", ".countersign/marks"])("R17 marks are warned about where %s is no folder", async (place) => {
    const patient = await aPatient()
    const path = join(patient.folder, place)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, "")

    expect(await patient.findings(/^marks$/)).toMatchObject([
      {
        level: "warn",
        what: expect.stringMatching(/marks cannot be written: ENOTDIR: not a directory/),
        why: expect.stringContaining("asked again"),
        todo: expect.stringContaining("make data_folder writable"),
      },
    ])
  })
})

const reading = (folder: string) =>
  `http: { read: { algorithm: HS256, verification_keys: ["\${READ_KEY}"] }, access_log: { folder: "${folder}" } }`

test("an access log that cannot be written is a failure: the page would show nothing", async () => {
  const well = await aPatient({ more: reading("access"), env: { READ_KEY: "k1".repeat(16) } })
  const patient = await aPatient({ more: reading("/dev/null/access"), env: { READ_KEY: "k1".repeat(16) } })

  expect(await well.findings(/^access log$/)).toMatchObject([{ level: "ok", what: expect.stringContaining("/access") }])
  expect(await patient.findings(/^access log$/)).toMatchObject([
    {
      level: "fail",
      what: expect.stringMatching(/^\/dev\/null\/access cannot be written: ENOTDIR/),
      why: expect.stringContaining("503"),
      todo: expect.stringContaining("http.access_log.folder"),
    },
  ])
})

test("the doctor says which proxy leads to receivers of webhooks and to the company's provider", async () => {
  const env = { HTTPS_PROXY: "http://proxy.example.com:3128" }
  const hook = 'webhooks: [{ name: siem, url: "https://siem.example.com", secret_file: "siem.secret" }]'
  const signIn =
    'sign_in: { issuer: "https://login.example.com", client_id: a, client_secret_file: client.secret, public_url: "https://c.example.com", cases_read: auditors }'
  const { env: own } = await aPatient()
  const rules = "rules: [{ name: a, routes: [C1], approvers: [U1], unknown_requester: allow }]"
  const yaml = `instances: [{ name: main, url: "https://agents.example.com" }]\nhttp: { ${signIn} }\n${hook}\n${rules}`
  const readFile = (path: string) => (path.endsWith(".secret") ? `whsec_${Buffer.alloc(32).toString("base64")}` : yaml)
  const { config, findings } = lookAtConfig({ env: { ...own, ...env }, readFile, cwd: "/" })

  expect(findings.filter(({ level }) => level === "fail")).toEqual([])
  const said = config === null ? [] : lookAtProxies(config)
  expect(said.map(({ area }) => area)).toEqual(["platform main", "webhook siem", "sign-in"])
  for (const { what } of said) expect(what).toContain("through the proxy proxy.example.com:3128 (HTTPS_PROXY)")
})

describe("the rules", () => {
  const rule = (name: string, match = "") => `
  - { name: ${name}, ${match} routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}],
      unknown_requester: allow }`

  it("the rules after one that matches everything fail: they are never reached", async () => {
    const patient = await aPatient({ rules: rule("all") + rule("payments", "match: { tool: pay_* },") + rule("more") })

    const found = await patient.findings(/^rule/)

    const unreached = found.filter(({ what }) => what.includes("never reached"))
    expect(unreached.map(({ level, area }) => `${level} ${area}`)).toEqual(["fail rule payments", "fail rule more"])
    expect(unreached[0]?.what).toContain("all stands before it")
  })

  it("the rules without a last one that matches everything are warned about", async () => {
    const patient = await aPatient({ rules: rule("payments", "match: { tool: '*' },") })

    expect(troubles(await patient.findings(/^rules$/))).toEqual(["warn: the last rule does not match everything"])
  })

  it("the rules that end with one that matches everything are well", async () => {
    const patient = await aPatient({ rules: rule("payments", "match: { tool: pay_* },") + rule("all") })

    expect(troubles(await patient.findings(/^rules$/))).toEqual([])
  })
})
