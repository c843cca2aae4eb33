// What a wrong configuration is told: where, which key, what is wrong, what would be right, and never a secret.
import { describe, expect, test } from "vitest"
import { loadConfig } from "../../src/config.ts"
import { FILE_ENV, load, refusal, SOCKET_ENV } from "./load.ts"

const RULE = "name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow"
const rules = (fields: string) => `rules:\n  - {${fields}}`

describe("one message", () => {
  test("names file, line, column, key, what is wrong and what would be right", () => {
    const error = refusal({
      env: SOCKET_ENV,
      yaml: `rules:\n  - name: a\n    routes: [C0A]\n    approvers: []\n    unknown_requester: allow\n`,
    })

    expect(error.code).toBe("config_invalid")
    expect(error.message).toBe(
      "The configuration is wrong: countersign.yaml:4:16 rules[0].approvers must list at least one person or group; without one nobody may decide. For example: approvers: [U012ABCDEF, jane@corp.example, S012ABCDEF]",
    )
    expect(error.problems[0]?.place).toEqual({
      kind: "file",
      file: "countersign.yaml",
      line: 4,
      col: 16,
      key: "rules[0].approvers",
    })
  })

  test("lists all problems in the order of the file", () => {
    const error = refusal({
      env: SOCKET_ENV,
      yaml: `installation: Big Name\nhttp: {port: 99999}\n${rules(`${RULE}, quorum: none, require_reason: maybe`)}`,
    })

    expect(error.message.split("\n")).toEqual([
      "The configuration has 4 problems:",
      "  countersign.yaml:1:15 installation must be 1 to 63 small letters, digits, - or _. For example: installation: default",
      "  countersign.yaml:2:14 http.port must be a whole number from 0 to 65535. For example: port: 3000",
      "  countersign.yaml:4:82 rules[0].quorum must be a whole number from 1 to 20. For example: quorum: 1",
      "  countersign.yaml:4:104 rules[0].require_reason must be never or reject or approve or always. For example: require_reason: reject",
    ])
  })

  test("one message names the folder without a file, then the variables", () => {
    const error = refusal({})

    expect(error.problems.map(({ place }) => place)).toEqual([
      { kind: "path", path: "/srv/bot" },
      ...["PLATFORM_URL", "SLACK_BOT_TOKEN", "APPROVALS_CHANNEL", "APPROVERS"].map((name) => ({ kind: "env", name })),
    ])
    expect(error.message).toContain(
      "  /srv/bot has no countersign.yaml, and the environment alone does not say all: go to the folder of the file, " +
        "or name it. For example: --config /etc/countersign/countersign.yaml\n",
    )
    expect(error.message).toContain(
      "environment variable SLACK_BOT_TOKEN is not set. For example: SLACK_BOT_TOKEN=xoxb-…",
    )
  })
})

describe("the file", () => {
  test("the file that COUNTERSIGN_CONFIG names must exist", () => {
    const error = refusal({ env: { COUNTERSIGN_CONFIG: "nowhere.yaml" } })

    expect(error).toMatchObject({ code: "config_unreadable", retryable: false })
    expect(error.message).toContain("environment variable COUNTERSIGN_CONFIG names nowhere.yaml, which does not exist")
    expect(error.cause).toBeInstanceOf(Error)
  })

  test.each([
    ["EACCES", "/srv/bot/countersign.yaml cannot be read by this user"],
    ["EISDIR", "/srv/bot/countersign.yaml is a folder, and must be a file"],
  ])("the file that cannot be read (%s) is not passed over", (code, message) => {
    const readFile = () => {
      throw Object.assign(new Error(code), { code })
    }

    expect(() => loadConfig({ env: SOCKET_ENV, cwd: "/srv/bot", readFile })).toThrow(message)
  })

  test("the file that --config names is read, whatever COUNTERSIGN_CONFIG names", () => {
    const files = { "/etc/bot.yaml": "installation: named" }
    const env = { ...SOCKET_ENV, COUNTERSIGN_CONFIG: "nowhere.yaml" }

    expect(load({ env, file: "../../etc/bot.yaml", files })).toMatchObject({
      installation: "named",
      file: "/etc/bot.yaml",
    })
  })

  test("the file that --config names must exist", () => {
    const error = refusal({ env: SOCKET_ENV, yaml: "", file: "nowhere.yaml" })

    expect(error).toMatchObject({ code: "config_unreadable" })
    expect(error.message).toBe("The configuration is wrong: /srv/bot/nowhere.yaml does not exist")
  })

  test("the file countersign.yml is not passed over, even if the environment alone would do", () => {
    const error = refusal({ env: SOCKET_ENV, files: { "/srv/bot/countersign.yml": "rules: []" } })

    expect(error).toMatchObject({ code: "config_unreadable" })
    expect(error.message).toBe(
      "The configuration is wrong: /srv/bot/countersign.yml is not read, since its name does not end in .yaml: " +
        "rename it to countersign.yaml, or name it. For example: --config countersign.yml",
    )
  })

  test.each([
    ["rules:\n  - name: a\n   name: b", "countersign.yaml:3:1 is not valid YAML"],
    ["http: {port: 1}\nhttp: {port: 2}", "countersign.yaml:2:1 has the same key twice"],
    ["http:\n\tport: 1", "countersign.yaml:2:1 is indented with a tab; YAML takes spaces only"],
    ["a: 1\n---\nb: 2", "holds more than one document"],
    ["rules: *nobody", "uses an alias (*name) that cannot be resolved"],
    ["- a\n- b", "countersign.yaml:1:1 must be a map of keys"],
    ["just words", "countersign.yaml:1:1 must be a map of keys"],
  ])("a file of %j is refused", (yaml, message) => {
    expect(refusal({ env: SOCKET_ENV, yaml }).message).toContain(message)
  })

  test.each([
    ["instanses: []", "countersign.yaml:1:1 instanses is no key here; did you mean instances?"],
    ["slack:\n  botToken: x", "countersign.yaml:2:3 slack.botToken is no key here; did you mean bot_token?"],
    [rules(`${RULE}, qourum: 2`), "rules[0].qourum is no key here; did you mean quorum?"],
    ["quorum: 2", "countersign.yaml:1:1 quorum is no key here; it belongs to rules"],
    ["port: 80", "port is no key here; it belongs to http"],
    ["http: {everything: 1}", "http.everything is no key here; known are port, host"],
    [rules(`${RULE}, match: {tools: x}`), "rules[0].match.tools is no key here; did you mean tool?"],
  ])("a file of %j has an unknown key", (yaml, message) => {
    expect(refusal({ env: SOCKET_ENV, yaml }).message).toContain(message)
  })

  test("an unset ${NAME} is named, with its place", () => {
    const yaml = "instances:\n  - name: main\n    url: https://a.example\n    token: ${NO_SUCH}\n"

    expect(refusal({ env: { ...SOCKET_ENV, NO_SUCH: "" }, yaml }).message).toBe(
      "The configuration is wrong: countersign.yaml:4:12 instances[0].token names ${NO_SUCH}, which is not set in the environment. For example: NO_SUCH=… in the environment",
    )
    expect(refusal({ env: SOCKET_ENV, yaml: "installation: ${not a name}" }).message).toContain("is no variable's name")
  })
})

describe("a value", () => {
  test.each([
    ["instances: []", "instances must list at least one instance"],
    ["rules: []", "rules must list at least one rule"],
    ["rules: all", "rules must be a list"],
    ["http: 80", "http must be a map of keys"],
    [rules("name: a, approvers: [U0C], unknown_requester: allow"), "rules[0].routes is missing"],
    [
      rules(RULE.replace("C0A", '"#general"')),
      "rules[0].routes[0] must be the id of a channel (C…) or of a person (U…), not a name",
    ],
    [rules(RULE.replace("C0A", "{channel: U0A}")), "rules[0].routes[0].channel must be a channel id; Slack shows it"],
    [
      rules(RULE.replace("U0C", "'@ann'")),
      "rules[0].approvers[0] must be a Slack user id (U…; of another workspace T…:U…), an e-mail address or the id of a user group (S…)",
    ],
    [rules(RULE.replace("allow", "maybe")), "rules[0].unknown_requester must be refuse or two or allow"],
    [rules(RULE.replace("name: a", 'name: "\\u3164"')), "rules[0].name holds nothing that can be seen"],
    [rules(`${RULE}, reasons: ["\\u200b"]`), "rules[0].reasons[0] holds nothing that can be seen"],
    [rules(`${RULE}, quorum: 0`), "rules[0].quorum must be a whole number from 1 to 20"],
    [rules(`${RULE}, allow_guests: yes`), "rules[0].allow_guests must be true or false"],
    [rules(`${RULE}, risk: severe`), "rules[0].risk must be low or medium or high"],
    [rules(`${RULE}, danger: yes`), "rules[0].danger must be true or false"],
    [rules(`${RULE}, mask: ["/(/"]`), "rules[0].mask[0] is no pattern of RE2 (see docs/policy.md)"],
    [
      rules(`${RULE}, mask: ["/a(?=b)/"]`),
      "rules[0].mask[0] looks ahead, which takes more than linear time: match what",
    ],
    [rules(`${RULE}, mask: [key, "/x*/"]`), "rules[0].mask[1] matches where nothing stands: write + instead of *"],
    [rules(`${RULE}, mask: ["/etc"]`), "rules[0].mask[0] must be the name of a key, or a regular expression"],
    [rules(`${RULE}, reasons: [${"x".repeat(76)}]`), "rules[0].reasons[0] must be at most 75 characters"],
    [
      rules(`${RULE}, say: "Pay {amount"`),
      "countersign.yaml:2:79 rules[0].say has a { that no other closes; write {amount} for the argument amount. For example",
    ],
    [rules(`${RULE}, say: "Pay {}"`), "rules[0].say must name an argument in {}, such as {amount}"],
    [rules(`${RULE}, say: "a\\nb"`), "rules[0].say must be one line"],
    [rules(`${RULE}, say: ${"x".repeat(201)}`), "rules[0].say must be at most 200 characters"],
    [rules(`${RULE}, show_first: amount`), "rules[0].show_first must be a list"],
    [
      rules(`${RULE}, when: args.amount = 5`),
      "countersign.yaml:2:80 rules[0].when at column 13 (= 5): write == for equal. For example: when: args.amount > 1000",
    ],
    [rules(`${RULE}, when: args.amount`), "rules[0].when at column 1 (args.amount) is a value and no condition"],
    [rules(`${RULE}, when: args.a == null`), "rules[0].when at column 11 (null) is null, which nothing is compared"],
    [rules(`${RULE}, when: "args.a == 1 &&\\n args.b == c"`), "rules[0].when at line 2, column 12 (c) is a path on"],
    [rules(`${RULE}, when: true`), "rules[0].when must be a text"],
    [rules(`${RULE}, when: args.a == 1, time_zone: Mars`), "rules[0].time_zone must be the name of a time zone, such"],
    ["classes: [{name: PII, pattern: x}]", "classes[0].name must be 1 to 40 small letters, digits, - or _"],
    ["classes: [{name: pii}]", "classes[0] must have one of the two: a pattern, or a checksum (card_number or iban)"],
    ["classes: [{name: pii, pattern: x, checksum: iban}]", "classes[0] must have one of the two: a pattern, or a"],
    ["classes: [{name: pii, checksum: ssn}]", "classes[0].checksum must be card_number or iban"],
    ["classes: [{name: pii, pattern: '('}]", "classes[0].pattern is no pattern of RE2 (see docs/policy.md)"],
    ["classes: [{name: pii, pattern: x, at_least: 0}]", "classes[0].at_least must be"],
    [rules(`${RULE}, arguments: hidden`), "rules[0].arguments must be card or details"],
    [rules(`${RULE}, ask: []`), "rules[0].ask must list at least one channel or person"],
    [rules(`${RULE}, ask: [bob@corp.example]`), "rules[0].ask[0] must be the id of a channel (C…) or of a person (U…)"],
    [rules(`${RULE}, stand_ins: []`), "rules[0].stand_ins must list at least one person; without it nobody stands in"],
    [rules(`${RULE}, stand_ins: [S0B]`), "rules[0].stand_ins[0] must be one person: a Slack user id"],
    [rules(`${RULE}, stand_ins: [bob]`), "rules[0].stand_ins[0] must be a Slack user id"],
    [rules(`${RULE}, review_by: 2027-02-29`), 'rules[0].review_by must be a date such as "2027-06-30"'],
    [rules(`${RULE}, what_is_new: never`), "rules[0].what_is_new must be true or false"],
    [rules(`${RULE}, show_result: all`), "rules[0].show_result must be nobody or requester"],
    [rules(`${RULE}, context: all`), "rules[0].context must be none or request"],
    ["blank_cards_after: 30m", "countersign.yaml:1:20 blank_cards_after must be between 1h and 36500d"],
    [rules(`${RULE}, match: {tool: []}`), "rules[0].match.tool must list at least one word"],
    ["instances: [{name: a, url: agents.example.com}]", "instances[0].url must be an http or https address"],
    [
      "instances: [{name: a, url: 'https://u:p@a.example'}]",
      "instances[0].url must hold no user, password, query or fragment",
    ],
    [
      "instances: [{name: a, url: https://a.example, poll_every: soon}]",
      "instances[0].poll_every must be a duration such as 500ms, 1s or 2m",
    ],
    [
      "instances: [{name: a, url: https://a.example, poll_every: 5}]",
      "instances[0].poll_every must be between 100ms and 1h",
    ],
    ["resolved_by: '{mail}'", "resolved_by may hold only {email}, {team}, {user} and {name} in braces"],
    ["resolved_by: countersign", "resolved_by must name the person by {email} or {user}"],
    ["stop: {by: []}", "stop.by must list at least one person or group"],
    ["stop: {lift_by: [everybody]}", "stop.lift_by[0] must be a Slack user id (U…; of another workspace T…:U…)"],
    ["stop: {routes: ['#ops']}", "stop.routes[0] must be the id of a channel (C…) or of a person (U…), not a name"],
    ["hold: [{}]", "hold[0] must have one of the three: a requester, a tool or a case"],
    ["hold: [{tool: a, case: b}]", "hold[0] must have one of the three: a requester, a tool or a case"],
    ["hold: [{tool: ''}]", "hold[0].tool must not be empty"],
    ["hold: [{agent: billing}]", "hold[0].agent is no key"],
    [`hold: [{case: ${"x".repeat(201)}}]`, "hold[0].case must be at most 200 characters"],
    [`hold: [${Array.from({ length: 101 }, (_, n) => `{case: c-${n}}`).join()}]`, "hold must list at most 100 holds"],
    ["slack: {mode: sockets}", "slack.mode must be socket or http"],
    ["slack: {command: approvals}", "slack.command must begin with /"],
    [
      "identities: [{subject: a, slack: U0A}]",
      "identities[0].slack must be a Slack team id and user id, joined by a colon",
    ],
    [
      "identities: [{subject: a, slack: []}]",
      "identities[0].slack must be a Slack team id and user id, joined by a colon, or a list of these",
    ],
    ['identities: [{subject: a, slack: ["T0:U1", U2]}]', "identities[0].slack[1] must be a Slack team id and user id"],
    ['identities: [{subject: "\u200B", slack: "T0:U1"}]', "identities[0].subject holds nothing that can be seen"],
    ["receipts: {algorithm: RS256}", "receipts.algorithm must be EdDSA or ES256"],
    ["ledger: {checkpoint_every: 10ms}", "ledger.checkpoint_every must be between 1s and 1h"],
    ["ledger: {checkpoint_entries: 0}", "ledger.checkpoint_entries must be a whole number from 1 to 100000"],
    ["redis_url: http://redis", "redis_url must be a redis:// or rediss:// address, or redis-cluster://"],
    ["redis_url: /run/redis.sock", "redis_url must be an address, and this is a path"],
    ["redis_url: redis://one,two", "redis_url lists several servers: use redis-cluster:// for a Redis Cluster"],
    ["redis_url: redis-sentinel://one", "redis_url must end in the name that the Sentinels have for the primary"],
  ])("a value that cannot be is refused: %s", (yaml, message) => {
    const error = refusal({ env: SOCKET_ENV, yaml })

    expect(error.problems).toHaveLength(1)
    expect(error.message).toContain(message)
  })
})

describe("keys that do not fit each other", () => {
  test.each([
    [
      "two instances of one name",
      "instances: [{name: a, url: https://a.example}, {name: a, url: https://b.example}]",
      "instances[1].name is used twice",
    ],
    [
      "two rules that do not agree whether a channel may be shared",
      `rules:\n  - {${RULE}, allow_shared_channel: true}\n  - {${RULE.replace("name: a", "name: b")}}`,
      "rules[1].allow_shared_channel is not the same as in rule a, and both have the channel C0A",
    ],
    [
      "the same of a channel that one of them escalates to",
      `rules:\n  - {${RULE}}\n  - {${RULE.replace("name: a, routes: [C0A]", "name: b, routes: [C0B], allow_shared_channel: true, escalate: [{after: 1h, to: {routes: [C0A]}}]")}}`,
      "rules[1].allow_shared_channel is not the same as in rule a, and both have the channel C0A",
    ],
    [
      "the same of a channel in which one of them asks questions",
      `rules:\n  - {${RULE}}\n  - {${RULE.replace("name: a, routes: [C0A]", "name: b, routes: [C0B], allow_shared_channel: true, ask: [C0A]")}}`,
      "rules[1].allow_shared_channel is not the same as in rule a, and both have the channel C0A",
    ],
    [
      "a condition on the time without a clock",
      rules(`${RULE}, when: time.hour > 8`),
      "rules[0].time_zone is missing: when looks at the time, so say where, such as Europe/Berlin",
    ],
    [
      "a clock that a condition does not look at",
      rules(`${RULE}, when: args.a == 1, time_zone: UTC`),
      "rules[0].time_zone counts nothing: when does not look at time.weekday or time.hour",
    ],
    [
      "a clock without a condition",
      rules(`${RULE}, time_zone: UTC`),
      "rules[0].time_zone counts nothing: when does not look at time.weekday or time.hour",
    ],
    [
      "a condition on classes where none is listed",
      rules(`${RULE}, when: '"pii" in call.classes'`),
      "rules[0].when looks at call.classes, but classes lists none: add classes: [{name: iban, checksum: iban}]",
    ],
    [
      "a condition on a class that is not listed",
      `${rules(`${RULE}, when: '"pii" in call.classes'`)}\nclasses: [{name: iban, checksum: iban}, {name: pi, pattern: x}]`,
      'rules[0].when asks for the class "pii", which is not listed; listed are iban, pi',
    ],
    [
      "two classes of one name",
      `${rules(RULE)}\nclasses: [{name: iban, checksum: iban}, {name: iban, pattern: x}]`,
      "classes[1].name stands for two classes: rename one",
    ],
    [
      "a condition on a group by its name",
      rules(`${RULE}, when: '"staff" in requester.groups'`),
      "rules[0].when names a group that is none: write the id of a user group (S…), as Slack shows it",
    ],
    [
      "a condition on how many groups somebody is in, which nobody tells",
      rules(`${RULE}, when: size(requester.groups) > 1`),
      'rules[0].when goes through the groups of the requester: write "S012ABCDEF" in requester.groups',
    ],
    [
      "a sentence that names an argument, and arguments that are to stand in Details alone",
      rules(`${RULE}, arguments: details, say: "Pay {amount}"`),
      "rules[0].say names an argument, but with arguments: details no argument may stand on the card",
    ],
    ["two rules of one name", `rules:\n  - {${RULE}}\n  - {${RULE}}`, "rules[1].name is used twice"],
    [
      "two people of one subject",
      'identities: [{subject: a, slack: "T0:U1"}, {subject: a, slack: "T0:U2"}]',
      "identities[1].subject stands for two people",
    ],
    [
      "two people of one subject in other capitals",
      'identities: [{subject: ann, slack: "T0:U1"}, {subject: "ANN\u00A0", slack: "T0:U2"}]',
      "identities[1].subject stands for two people",
    ],
    [
      "R7: a quorum that one human with two Slack ids would have to reach alone",
      `identities: [{subject: a, slack: ["T0:U0C", "T0:U0D"]}]\n${rules("name: a, routes: [C0A], approvers: [U0C, U0D], quorum: 2, unknown_requester: allow")}`,
      "rules[0].quorum asks for 2 people, but approvers lists 1",
    ],
    [
      "a quorum above the listed people",
      rules(`${RULE}, quorum: 2`),
      "rules[0].quorum asks for 2 people, but approvers lists 1",
    ],
    [
      "R6: a requester nobody knows, and no word on it",
      rules(RULE.replace(", unknown_requester: allow", "")),
      "rules[0].unknown_requester is missing: say who may approve when nobody knows who asked",
    ],
    [
      "an instance that is not listed",
      rules(`${RULE}, match: {instance: other}`),
      "rules[0].match.instance names an instance that is not listed; listed are default",
    ],
    [
      "HTTP mode without a signing secret",
      "slack: {mode: http}",
      "slack.signing_secret is missing: HTTP mode needs it",
    ],
    [
      "a sandbox at Slack's own address",
      "slack: {sandbox: true, api_url: https://slack.com/api/}",
      "slack.sandbox is true, but api_url is Slack's own",
    ],
    [
      "a sandbox without an address",
      "slack: {sandbox: true}",
      "slack.sandbox is true, but api_url does not name a sandbox",
    ],
  ])("keys that do not fit each other: %s", (_, yaml, message) => {
    const error = refusal({ env: SOCKET_ENV, yaml })

    expect(error.problems).toHaveLength(1)
    expect(error.message).toContain(message)
  })

  test("an ES256 key cannot follow from COUNTERSIGN_KEY, so it must be given", () => {
    const env = { ...SOCKET_ENV, COUNTERSIGN_KEY: "k".repeat(40) }
    const yaml = "receipts: {algorithm: ES256}"

    expect(refusal({ env, yaml }).message).toContain(
      "receipts.algorithm needs a key of its own: set COUNTERSIGN_RECEIPT_KEY or receipts.key_file",
    )
    expect(load({ env: { ...env, COUNTERSIGN_RECEIPT_KEY: "x" }, yaml }).receipts.key.kind).toBe("given")
    expect(load({ env: SOCKET_ENV, yaml }).receipts).toMatchObject({ algorithm: "ES256", key: { kind: "file" } })
  })

  test("a quorum of a group or of e-mails cannot be counted here", () => {
    expect(load({ env: SOCKET_ENV, yaml: rules(`${RULE.replace("U0C", "S0C")}, quorum: 3`) }).rules[0]?.quorum).toBe(3)
  })

  test.each([
    [
      "Socket Mode without an app token",
      { SLACK_APP_TOKEN: undefined },
      "SLACK_APP_TOKEN is missing: Socket Mode needs it",
    ],
    [
      "tokens that were mixed up",
      { SLACK_BOT_TOKEN: "xapp-app" },
      "SLACK_BOT_TOKEN is no bot token: those begin with xoxb-",
    ],
    [
      "an app token that is none",
      { SLACK_APP_TOKEN: "xoxb-bot" },
      "SLACK_APP_TOKEN is no app-level token: those begin with xapp-",
    ],
    [
      "R19: another Slack",
      { SLACK_API_URL: "https://slack.evil.example/api/" },
      "SLACK_API_URL is not Slack's address; that is allowed only with sandbox: true",
    ],
    ["R19: Slack's name elsewhere", { SLACK_API_URL: "http://slack.com/api/" }, "SLACK_API_URL is not Slack's address"],
    [
      "R19: a sandbox far away",
      { SLACK_API_URL: "http://10.0.0.1/api/", SLACK_SANDBOX: "true" },
      "SLACK_API_URL must be on this machine",
    ],
    [
      "R14: a Redis of others without a key",
      { REDIS_URL: "redis://redis" },
      "COUNTERSIGN_KEY is not set, and a Redis given by address needs it",
    ],
    ["R14: a short key", { COUNTERSIGN_KEY: "short" }, "COUNTERSIGN_KEY is shorter than 32 bytes"],
    [
      "R14: a key that is a path",
      { COUNTERSIGN_KEY: "/run/secrets/countersign/installation" },
      "COUNTERSIGN_KEY is the name of a file, and no secret",
    ],
    ["a port that is none", { PORT: "http" }, "PORT must be a whole number from 0 to 65535. For example: PORT=3000"],
    ["a channel's name", { APPROVALS_CHANNEL: "#ops" }, "APPROVALS_CHANNEL must be the id of a channel"],
    ["an approver's name", { APPROVERS: "U0ANN,ann" }, "APPROVERS must be a Slack user id"],
  ])("keys that do not fit each other: %s", (_, env, message) => {
    const error = refusal({ env: { ...SOCKET_ENV, ...env } })

    expect(error.problems).toHaveLength(1)
    expect(error.message).toContain(`environment variable ${message}`)
  })
})

describe("a secret", () => {
  const SECRET = "xoxb-0-very-secret"

  test.each([
    [`slack: {bot_token: ${SECRET}}`, "slack.bot_token is a secret and must not stand in the file"],
    [`slack: {signing_secret: "a ${SECRET}"}`, "slack.signing_secret is a secret"],
    [`instances: [{name: a, url: https://a.example, token: ${SECRET}}]`, "instances[0].token is a secret"],
    [`redis_url: redis://:${SECRET}@redis`, "redis_url is a secret"],
    [`redis_url: "redis-sentinel://s1/primary?sentinel_password=${SECRET}"`, "redis_url is a secret"],
  ])("a secret in the file is refused: %s", (yaml, message) => {
    const error = refusal({ env: { ...SOCKET_ENV, COUNTERSIGN_KEY: "k".repeat(32) }, yaml })

    expect(error.message).toContain(message)
    expect(error.message).not.toContain(SECRET)
  })

  test.each([
    [{ SLACK_BOT_TOKEN: `x${SECRET}` }, ""],
    [{ COUNTERSIGN_KEY: SECRET }, ""],
    [{ COUNTERSIGN_RECEIPT_KEY: SECRET, COUNTERSIGN_KEY: "short" }, ""],
    [{ REDIS_URL: `http://:${SECRET}@redis` }, ""],
    [{ REDIS_URL: `redis-sentinel://:${SECRET}@s1/primary?password=${SECRET}` }, ""],
    [{ X: SECRET }, 'http: {port: "${X}"}'],
    [{ X: SECRET }, 'http: {port: 1, "${X}": 2}'],
    [{ X: SECRET }, `slack: {${SECRET}: 1}`],
    [{ X: SECRET }, `rules: [${SECRET}\n`],
    [{ X: SECRET }, `token: ${SECRET}: x`],
  ])("never stands in an error: %j %s", (env, yaml) => {
    const error = refusal({ env: { ...SOCKET_ENV, ...env }, ...(yaml !== "" && { yaml }) })

    expect(JSON.stringify([error.message, error.problems, error.stack])).not.toContain(SECRET)
  })

  test("a redis_url with a password may come from the environment", () => {
    const env = { ...FILE_ENV, ...SOCKET_ENV, CACHE: "redis://:pw@redis", COUNTERSIGN_KEY: "k".repeat(32) }

    expect(load({ env, yaml: "redis_url: ${CACHE}" }).secrets).toContain("pw")
  })
})
