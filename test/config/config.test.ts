// What a right configuration comes to: from the environment alone, and from a file.
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { loadConfig } from "../../src/config.ts"
import { whatIsSaid } from "../../src/domain/rule/said.ts"
import { FILE_ENV, load, SOCKET_ENV } from "./load.ts"

describe("without a file", () => {
  test("the environment makes a working bot with one rule", () => {
    const config = load({ env: { ...SOCKET_ENV, APPROVERS: "U0ANN, Boss@Corp.example ,S0OPS," } })

    expect(config).toMatchObject({
      file: undefined,
      installation: "default",
      instances: [
        {
          name: "default",
          url: "https://agents.example.com",
          token: "platform-token",
          pollMs: 1_000,
          timeoutMs: 10_000,
        },
      ],
      slack: {
        mode: "socket",
        botToken: "xoxb-bot",
        appToken: "xapp-app",
        apiUrl: "https://slack.com/api/",
        sandbox: false,
        command: "/approvals",
        paceMs: 1_030,
        summaryAbove: 0,
      },
      redis: { kind: "own", folder: "/srv/bot/.countersign/redis" },
      key: { kind: "file", path: "/srv/bot/.countersign/key" },
      http: { port: 3_000, host: "127.0.0.1" },
      resolvedBy: "{email}",
      identities: [],
      warnings: [],
    })
    expect(whatIsSaid(config.rules)).toEqual([
      {
        name: "default",
        matchUnknown: true,
        routes: [{ kind: "channel", id: "C0APPROVALS" }],
        approvers: [
          { kind: "user", id: "U0ANN" },
          { kind: "email", email: "boss@corp.example" },
          { kind: "group", id: "S0OPS" },
        ],
        quorum: 1,
        forbidSelfApproval: true,
        unknownRequester: "allow",
        requireReason: "reject",
      },
    ])
  })

  test("a signing secret without an app token means HTTP mode, which listens for Slack", () => {
    const { SLACK_APP_TOKEN: _, ...env } = SOCKET_ENV

    const config = load({ env: { ...env, SLACK_SIGNING_SECRET: "signing", PORT: "8080" } })

    expect(config.slack).toMatchObject({ mode: "http", signingSecret: "signing" })
    expect(config.http).toMatchObject({ port: 8_080, host: "0.0.0.0" })
  })

  test("a Redis of others comes with a key of ours", () => {
    const key = "k".repeat(32)

    const config = load({ env: { ...SOCKET_ENV, REDIS_URL: "rediss://:p%40ss@redis:6380/1", COUNTERSIGN_KEY: key } })

    expect(config.redis).toEqual({ kind: "url", url: "rediss://:p%40ss@redis:6380/1", ca: null })
    expect(config.key).toEqual({ kind: "given", value: key })
    expect(config.secrets).toEqual(
      expect.arrayContaining(["platform-token", "xoxb-bot", "xapp-app", key, "p@ss", "p%40ss"]),
    )
  })

  test("a Redis Cluster, and Sentinels with a login of their own, keep their passwords out of the log", () => {
    const secretsOf = (url: string) =>
      load({ env: { ...SOCKET_ENV, REDIS_URL: url, COUNTERSIGN_KEY: "k".repeat(32) } }).secrets

    expect(secretsOf("redis-cluster://app:p%40ss@one:7000,two:7000")).toEqual(
      expect.arrayContaining(["p@ss", "p%40ss"]),
    )
    expect(secretsOf("rediss-sentinel://:word@s1,s2/primary?sentinel_password=w%26rd")).toEqual(
      expect.arrayContaining(["word", "w&rd"]),
    )
  })

  test("R19: a sandbox on this machine may stand in for Slack", () => {
    const config = load({ env: { ...SOCKET_ENV, SLACK_API_URL: "http://127.0.0.1:4000/api", SLACK_SANDBOX: "true" } })

    expect(config.slack).toMatchObject({ apiUrl: "http://127.0.0.1:4000/api/", sandbox: true })
  })

  test("what is unsafe but possible is a warning", () => {
    const config = load({ env: { ...SOCKET_ENV, PLATFORM_URL: "http://agents.internal/os/", PLATFORM_TOKEN: "" } })

    expect(config.instances[0]).toMatchObject({ url: "http://agents.internal/os", token: undefined })
    expect(config.warnings.map(({ what }) => what)).toEqual([
      "instance default: http://agents.internal/os is not https, so its credential travels unprotected",
      "instance default: no token, so every call goes without a credential",
    ])
  })
})

describe("with a file", () => {
  const RULES = "rules: [{name: a, routes: [C0A, U0B], approvers: [U0C], unknown_requester: refuse}]"

  test("it is read from where COUNTERSIGN_CONFIG says", () => {
    const config = load({
      env: { ...SOCKET_ENV, COUNTERSIGN_CONFIG: "etc/bot.yaml" },
      files: { "/srv/bot/etc/bot.yaml": RULES },
    })

    expect(config.file).toBe("/srv/bot/etc/bot.yaml")
    expect(config.rules[0]).toMatchObject({
      name: "a",
      routes: [
        { kind: "channel", id: "C0A" },
        { kind: "person", id: "U0B" },
      ],
    })
  })

  test("what it leaves out comes from the environment, and what it says wins", () => {
    const config = load({ env: SOCKET_ENV, yaml: `${RULES}\nhttp: {port: 9000}\nslack: {command: /sign}` })

    expect(config.slack).toMatchObject({ botToken: "xoxb-bot", command: "/sign" })
    expect(config.http.port).toBe(9_000)
    expect(config.instances).toMatchObject([{ name: "default", token: "platform-token" }])
  })

  test("an empty one changes nothing", () => {
    const env = { ...SOCKET_ENV }

    expect(load({ env, yaml: "# nothing yet\n" })).toEqual({
      ...load({ env }),
      fileHash: expect.any(String),
      file: "/srv/bot/countersign.yaml",
    })
  })

  test("${NAME} is taken from the environment wherever a value stands", () => {
    const config = load({
      env: { ...FILE_ENV, POLL: "250ms", TEAM: "ops", PORT_NUMBER: "81", YES: "true", A: "one" },
      yaml: [
        "installation: ${TEAM}-${A}",
        'http: {port: "${PORT_NUMBER}"}',
        "instances:",
        '  - {name: main, url: https://a.example, token: "${A}", poll_every: "${POLL}", timeout: 2500}',
        "rules:",
        '  - {name: \'costs $${5}\', routes: [C0A], approvers: [U0C], stand_ins: [U0D, Jane@corp.example], allow_guests: "${YES}", allow_shared_channel: "${YES}", arguments: details, context: request, show_result: requester, what_is_new: false, show_first: [a], say: Pay, when: time.hour > 8, time_zone: UTC, review_by: 2027-06-30, forbid_self_approval: false}',
      ].join("\n"),
    })

    expect(config).toMatchObject({
      installation: "ops-one",
      http: { port: 81 },
      instances: [{ token: "one", pollMs: 250, timeoutMs: 2_500 }],
      rules: [
        {
          name: "costs ${5}",
          standIns: [
            { kind: "user", id: "U0D" },
            { kind: "email", email: "jane@corp.example" },
          ],
          allowGuests: true,
          allowSharedChannel: true,
          argumentsInDetails: true,
          requestInDetails: true,
          resultToRequester: true,
          withoutNews: true,
          showFirst: ["a"],
          say: "Pay",
          when: "time.hour > 8",
          timeZone: "UTC",
          reviewBy: "2027-06-30",
          forbidSelfApproval: false,
        },
      ],
    })
  })

  test("it says what signs receipts, and how often and where the ledger's checkpoints are kept", () => {
    const yaml = [
      RULES,
      "receipts: {key_file: keys/receipts.pem}",
      "ledger: {checkpoint_every: 5s, checkpoint_entries: 10, checkpoint_file: /var/proof/checkpoints.jsonl}",
    ].join("\n")

    const given = load({ env: { ...SOCKET_ENV, COUNTERSIGN_KEY: "k".repeat(40) }, yaml })
    const plain = load({ env: SOCKET_ENV })

    expect(given.receipts).toEqual({ algorithm: "EdDSA", key: { kind: "file", path: "/srv/bot/keys/receipts.pem" } })
    expect(given.ledger).toEqual({
      checkpointMs: 5_000,
      checkpointEntries: 10,
      checkpointFile: "/var/proof/checkpoints.jsonl",
      requireCheckpoint: false,
      auditChannel: null,
    })
    expect(plain.ledger).toEqual({
      checkpointMs: 60_000,
      checkpointEntries: 100,
      checkpointFile: "/srv/bot/.countersign/checkpoints.jsonl",
      requireCheckpoint: false,
      auditChannel: null,
    })
  })

  test("checkpoints are kept in no file where it says none, and may be required", () => {
    const yaml = [RULES, "ledger: {checkpoint_file: none, require_checkpoint: true, audit_channel: C0AUDIT0000}"].join(
      "\n",
    )

    expect(load({ env: SOCKET_ENV, yaml }).ledger).toMatchObject({
      checkpointFile: null,
      requireCheckpoint: true,
      auditChannel: "C0AUDIT0000",
    })
  })

  test("an anchor serves several rules", () => {
    const yaml = [
      "rules:",
      "  - {name: a, routes: &here [C0A], approvers: &us [U0C], unknown_requester: allow}",
      "  - {name: b, routes: *here, approvers: *us, unknown_requester: allow}",
    ].join("\n")

    const { rules } = load({ env: SOCKET_ENV, yaml })

    expect(rules[1]?.approvers).toEqual(rules[0]?.approvers)
  })

  test("a match takes one word or several, an approver listed twice counts once", () => {
    const yaml = `rules: [{name: a, match: {tool: "send_*", agent: [x, y]}, routes: [{person: U0B}], approvers: [U0C, U0C], unknown_requester: two}]`

    const { rules } = load({ env: SOCKET_ENV, yaml })

    expect(rules[0]).toMatchObject({
      match: { tool: ["send_*"], agent: ["x", "y"] },
      routes: [{ kind: "person", id: "U0B" }],
      unknownRequester: "two",
    })
    expect(rules[0]?.approvers).toEqual([{ kind: "user", id: "U0C" }])
  })

  test("identities say under which names the platform knows a person", () => {
    const { identities } = load({ env: SOCKET_ENV, yaml: `${RULES}\nidentities: [{subject: jane, slack: "T0X:U0Y"}]` })

    expect(identities).toEqual([{ subject: "jane", team: "T0X", user: "U0Y" }])
  })

  test("R7 identities list several Slack ids of one human, who has several names if need be", () => {
    const yaml = `${RULES}\nidentities: [{subject: jane, slack: ["T0X:U0Y", "T0Z:U0W", "T0X:U0Y"]}, {subject: jd, slack: "T0X:U0Y"}]`

    const { identities } = load({ env: SOCKET_ENV, yaml })

    expect(identities).toEqual([
      { subject: "jane", team: "T0X", user: "U0Y" },
      { subject: "jane", team: "T0Z", user: "U0W" },
      { subject: "jd", team: "T0X", user: "U0Y" },
    ])
  })

  test("R16 a list of one Slack id is the same policy as that id", () => {
    const [one, list] = ['"T0X:U0Y"', '["T0X:U0Y"]'].map((slack) =>
      load({ env: SOCKET_ENV, yaml: `${RULES}\nidentities: [{subject: jane, slack: ${slack}}]` }),
    )

    expect(list?.identities).toEqual(one?.identities)
  })

  test("a name that is spelled in two ways for the same person is no mistake", () => {
    const yaml = `${RULES}\nidentities: [{subject: jane, slack: "T0X:U0Y"}, {subject: Jane, slack: "T0X:U0Y"}]`

    expect(load({ env: SOCKET_ENV, yaml }).identities).toHaveLength(2)
  })
})

test("settled cases are kept for good and checkpoints go to no channel, unless the file says otherwise", () => {
  const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: refuse}]"
  const plain = load({ env: SOCKET_ENV, yaml: rules })
  const told = load({ env: SOCKET_ENV, yaml: `${rules}\nretention: 90d\nledger: {audit_channel: C0AUDIT}` })

  expect([plain.retentionMs, plain.ledger.auditChannel]).toEqual([null, null])
  expect([told.retentionMs, told.ledger.auditChannel]).toEqual([90 * 86_400_000, "C0AUDIT"])
  expect(() => load({ env: SOCKET_ENV, yaml: `${rules}\nretention: 30` })).toThrow("must be between 1d and 36500d")
  expect(() => load({ env: SOCKET_ENV, yaml: `${rules}\nledger: {audit_channel: audit}` })).toThrow("channel id")
})

describe("who may measure and read", () => {
  test("metrics are for this machine by default, and nobody reads", () => {
    const { http, tracesTo } = load({ env: SOCKET_ENV })

    expect(http).toMatchObject({ metrics: { reachable: "loopback", token: undefined }, read: undefined })
    expect(tracesTo).toBeUndefined()
  })

  test("what is set comes with its defaults, and its secrets are kept out of the log", () => {
    const yaml = `http: {metrics: anywhere, metrics_token: "\${M}", read: {verification_keys: "\${K}", jwks_file: keys.json}}`
    const env = {
      ...SOCKET_ENV,
      M: "metrics-token-16",
      K: "a secret of readers",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://c",
    }

    const { http, secrets, tracesTo } = load({ env, yaml })

    expect(http.metrics).toEqual({ reachable: "anywhere", token: "metrics-token-16" })
    expect(http.read).toEqual({
      algorithm: "RS256",
      verificationKeys: ["a secret of readers"],
      jwksFile: expect.stringMatching(/^\/.*keys\.json$/),
      audience: ["countersign-read"],
      issuer: undefined,
      requireExp: true,
      reachable: "loopback",
    })
    expect(secrets).toEqual(expect.arrayContaining(["metrics-token-16", "a secret of readers"]))
    expect(tracesTo).toBe("http://c")
  })

  test("readers' tokens need no exp where the file says so", () => {
    const yaml = "http: {read: {jwks_file: keys.json, require_exp: false}}"

    expect(load({ env: SOCKET_ENV, yaml }).http.read?.requireExp).toBe(false)
  })

  test.each([
    ["http: {read: {audience: readers}}", "http.read.jwks_file is missing"],
    [
      "http: {stops: {reachable: anywhere}}",
      "http.stops needs http.read: its keys verify the tokens of those who stop",
    ],
    ["http: {read: {verification_keys: literal}}", "must not stand in the file"],
    [
      'http: {read: {algorithm: HS256, verification_keys: "${SHORT}"}}',
      "http.read.verification_keys is shorter than 32 bytes; take the output of openssl rand -hex 32",
    ],
    [
      'http: {read: {algorithm: HS256, verification_keys: ["${LONG}", "${PLACE}"]}}',
      "http.read.verification_keys[1] is the name of a file, and no secret",
    ],
    ["http: {metrics: sometimes}", "http.metrics"],
    ['http: {metrics_token: "${SHORT}"}', "at least 16 characters"],
  ])("what cannot be measured or read is refused: %s", (yaml, words) => {
    const keys = { SHORT: "short", LONG: "l".repeat(32), PLACE: "/run/secrets/countersign-readers.txt" }

    expect(() => load({ env: { ...SOCKET_ENV, ...keys }, yaml })).toThrow(words)
  })

  test("a collector's address that is none is refused", () => {
    expect(() => load({ env: { ...SOCKET_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" } })).toThrow(
      /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address/,
    )
  })
})

describe("what can hardly be meant is told", () => {
  const rule = (keys: string): readonly string[] => {
    const yaml = `rules: [{ name: all, routes: [C1], approvers: [U1], unknown_requester: allow, ${keys} }]`
    return load({ env: SOCKET_ENV, yaml }).warnings.map(({ what, todo }) => `${what} / ${todo}`)
  }

  test.each([
    ["tool", "/^send_/"],
    ["tool", "send_money|wire_money"],
    ["tool", "send_.*"],
    ["tool", "^send_money$"],
    ["agent", "pay(ments)?|refunds"],
  ])("a word of match.%s that looks like a regular expression: %s", (field, word) => {
    expect(rule(`match: { ${field}: ${JSON.stringify(word)} }`)).toEqual([
      expect.stringContaining(`rule all: match.${field} looks like a regular expression: ${JSON.stringify(word)}`),
    ])
  })

  test("a list in one text, with the list that would be right", () => {
    expect(rule('match: { agent: "payments, refunds" }')).toEqual([
      'rule all: match.agent has a comma in "payments, refunds", which is one word / write [payments, refunds]',
    ])
    expect(rule('mask: ["iban,card"]')).toEqual([
      'rule all: mask has a comma in "iban,card", which is one word / write [iban, card]',
    ])
  })

  test("a glob where none is taken", () => {
    expect(rule('match: { agent: "payments-*" }')).toEqual([
      expect.stringContaining('rule all: match.agent has * or ? in "payments-*", which stand for themselves'),
    ])
  })

  test("results that are to be sent, where no instance that the rule is for continues runs", () => {
    const remark =
      "rule all says show_result: requester, and no instance that it is for has resume / " +
      "set the instance's resume, or leave show_result out"
    const resuming = `instances: [{ name: a, url: "https://a.example", resume: approved, resume_token: "\${RUN}" }]\n`
    const yaml = (keys: string) =>
      `${resuming}rules: [{ name: all, routes: [C1], approvers: [U1], forbid_self_approval: false, ${keys} }]`
    const told = (keys: string) =>
      load({ env: { ...SOCKET_ENV, RUN: "t" }, yaml: yaml(keys) }).warnings.filter(({ what }) =>
        what.includes("show_result"),
      )

    expect(rule("show_result: requester")).toEqual([remark])
    expect(told("show_result: requester")).toEqual([])
  })

  test("a high risk that one person may approve, for ever and without a reason", () => {
    expect(rule("risk: high")).toEqual([
      "rule all says risk: high and has no expire_after / set expire_after, such as 8h",
      "rule all says risk: high and quorum: 1 / set quorum: 2",
      "rule all says risk: high and asks for no reason to approve / set require_reason: always",
    ])
    expect(rule("risk: high, expire_after: 8h, require_reason: approve")).toEqual([
      "rule all says risk: high and quorum: 1 / set quorum: 2",
    ])
    expect(rule("risk: medium")).toEqual([])
  })

  test("names, globs and masks as they are meant are no matter for a word", () => {
    const meant = 'match: { agent: [payments-agent, "a.b"], tool: ["send_*", "x?"], team: t }, mask: [iban, "/a|b/"]'

    expect(rule(meant)).toEqual([])
  })

  test("two instances with one address, however it is spelled", () => {
    const instances = ["https://A.example.com/x", "https://a.example.com/x/", "https://b.example.com"]
      .map((url, index) => `{ name: i${index}, url: "${url}", token: "\${PLATFORM_TOKEN}" }`)
      .join(", ")

    const { warnings } = load({ env: SOCKET_ENV, yaml: `instances: [${instances}]` })

    expect(warnings.map(({ what }) => what)).toEqual(["instances i0 and i1 have one address"])
  })
})

test("R19 a token that reads like none lets nobody else be Slack", () => {
  const env = { ...SOCKET_ENV, SLACK_BOT_TOKEN: "xoxb-stand-in", SLACK_API_URL: "https://evil.example/api/" }

  expect(() => load({ env })).toThrow("is not Slack's address")
})

test("an address that is listed twice in different capitals is one approver", () => {
  const { rules } = load({ env: { ...SOCKET_ENV, APPROVERS: "Ann@Corp.example,ann@corp.example" } })

  expect(rules[0]?.approvers).toEqual([{ kind: "email", email: "ann@corp.example" }])
})

test("countersign.example.yaml is a right configuration", () => {
  const path = new URL("../../countersign.example.yaml", import.meta.url).pathname
  const env = {
    ...FILE_ENV,
    COUNTERSIGN_CONFIG: path,
    PLATFORM_TOKEN: "t",
    REDIS_URL: "redis://r",
    COUNTERSIGN_KEY: "k".repeat(40),
    METRICS_TOKEN: "m".repeat(16),
    READ_KEY: "a public key",
    SIGN_IN_SECRET: "a secret",
  }

  const config = loadConfig({ env, cwd: "/", readFile: (file) => readFileSync(file, "utf8") })

  expect(config.rules.map(({ name }) => name)).toEqual(["payments", "everything-else"])
  expect(config.warnings).toEqual([])
})
