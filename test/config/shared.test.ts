// What of a config its revision covers (R16): all that a judgement reads, and nothing that belongs to the process.
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { defaultOf, knownKeys } from "../../src/config/schema/keys.ts"
import { sharedOf } from "../../src/config.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { whatIsSaid } from "../../src/domain/rule/said.ts"
import { FILE_ENV, load } from "./load.ts"

const secret = "s".repeat(40)
const env = {
  ...FILE_ENV,
  PLATFORM_TOKEN: "platform-token",
  RESOLVE_TOKEN: "resolve-token",
  RESUME_TOKEN: "resume-token",
  SIGNING_KEY: secret,
}

const file = `
installation: default
instances:
  - name: main
    url: https://agents.example.com
    token: \${PLATFORM_TOKEN}
    resolve_token: \${RESOLVE_TOKEN}
    resume: approved
    resume_token: \${RESUME_TOKEN}
slack: { bot_token: "\${SLACK_BOT_TOKEN}", app_token: "\${SLACK_APP_TOKEN}" }
http: { port: 3000 }
resolved_by: "{email}"
identities: [{ subject: jane, slack: "T0A:U0A" }]
rules:
  - { name: all, routes: [C0A], approvers: [U0A], unknown_requester: allow, expire_after: 2h,
      working_hours: { time_zone: UTC } }
`

function shared(yaml: string) {
  return sharedOf(load({ env, yaml }))
}

const fixed = "    resolve_token: ${RESOLVE_TOKEN}\n"
const delegated = (keys: string) => `    delegated: { algorithm: HS256, ${keys} }\n`
const given = "key: '${SIGNING_KEY}'"

describe("R16 the revision covers", () => {
  it.each([
    ["rules", "approvers: [U0A]", "approvers: [U0B]"],
    ["identities", "T0A:U0A", "T0A:U0B"],
    ["resolved_by", '"{email}"', '"{user}"'],
    ["who may stop", "rules:", "stop: { by: [U0A] }\nrules:"],
    ["who may end a stop", "rules:", "stop: { lift_by: [U0A] }\nrules:"],
    ["where a stop is told", "rules:", "stop: { routes: [C0A] }\nrules:"],
    ["what is on hold", "rules:\n", "hold: [{ tool: pay }]\nrules:\n"],
    ["Slack's address", "slack: {", "slack: { sandbox: true, api_url: 'http://127.0.0.1:1/api',"],
    ["an instance's name", "name: main", "name: other"],
    ["its address", "https://agents.example.com", "https://other.example.com"],
    ["how it resolves", fixed, ""],
    ["that it resolves by delegated tokens", fixed, delegated(given)],
    ["how it resumes", "resume: approved", "resume: decided"],
    ["where it resumes", "    resume: approved", "    resume_url: https://runs.example.com\n    resume: approved"],
    ["what is continued", "    resume: approved", "    beside_agno_slack: true\n    resume: approved"],
    ["how it rejects", "    resume: approved", "    reject_user_input: send\n    resume: approved"],
    ["who approves changes", "rules:\n", "rules_change: { approvers: [S0A], route: C0A }\nrules:\n"],
  ])("the revision covers: %s", (_what, from, to) => {
    const changed = file.replace(from, to)

    expect(changed).not.toBe(file)
    expect(configRevisionOf(shared(changed))).not.toBe(configRevisionOf(shared(file)))
  })

  it("the id of a public key, that of a JWK before the one beside it, and neither key nor file", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const jwk = JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: "own" })
    const yaml = (keys: string) =>
      file.replace(fixed, delegated(keys)).replace("HS256", keys.includes("key_file") ? "HS256" : "ES256")
    const files = { "/srv/bot/a.key": secret, "/srv/bot/b.key": secret.toUpperCase() }
    const kidOf = (keys: string, key = secret) => {
      const [instance] = sharedOf(load({ env: { ...env, SIGNING_KEY: key }, yaml: yaml(keys), files })).instances
      return instance?.resolving
    }

    expect(kidOf(`${given}, kid: named`, jwk)).toMatchObject({ kid: "own" })
    expect(kidOf("key_file: a.key, kid: named")).toMatchObject({ kid: "named" })
    expect(kidOf("key_file: b.key, kid: named")).toEqual(kidOf("key_file: a.key, kid: named"))
  })
})

describe("R16 the revision leaves to the process", () => {
  it.each([
    ["ports", "port: 3000", "port: 3001"],
    [
      "that the usual address of runs is given",
      "    resume: approved",
      "    resume_url: https://agents.example.com\n    resume: approved",
    ],
    ["timeouts", "    resume: approved", "    timeout: 3s\n    resume: approved"],
    ["how long a continue may take", "    resume: approved", "    resume_timeout: 3s\n    resume: approved"],
    ["how often it polls", "    resume: approved", "    poll_every: 3s\n    resume: approved"],
    ["pacing", "slack: {", "slack: { pace_ms: 5,"],
    ["limits", "http:", "limits: { cards_per_agent: 3 }\nhttp:"],
  ])("the revision leaves to the process: %s", (_what, from, to) => {
    const changed = file.replace(from, to)

    expect(changed).not.toBe(file)
    expect(shared(changed)).toEqual(shared(file))
  })

  it("every secret: none of them is in what is sealed and shared", () => {
    for (const yaml of [file, file.replace(fixed, delegated(given))]) {
      const config = load({ env, yaml })

      expect(config.secrets.length).toBeGreaterThan(3)
      const sealed = JSON.stringify(sharedOf(config))
      for (const one of config.secrets) expect(sealed).not.toContain(one)
    }
  })
})

/** A rule that says only what every rule has to say. */
const least = file.replace(/, expire_after: 2h,\s+working_hours: \{ time_zone: UTC \}/, "")

describe("R16 a key that a later version of Countersign brings leaves the revision of files without it:", () => {
  it("a rule that sets nothing says no more than this", () => {
    const [rule] = shared(least).rules

    // A new key that appears here would void all votes with an upgrade. Let it say nothing by default (`Rule`).
    expect(whatIsSaid(rule)).toEqual({
      name: "all",
      matchUnknown: true,
      routes: [{ kind: "channel", id: "C0A" }],
      approvers: [{ kind: "user", id: "U0A" }],
      quorum: 1,
      forbidSelfApproval: true,
      unknownRequester: "allow",
      requireReason: "reject",
    })
  })

  it("nor do the other parts", () => {
    const { rules: _rules, written: _written, ...parts } = shared(least)

    expect(whatIsSaid(parts)).toEqual({
      identities: [{ subject: "jane", team: "T0A", user: "U0A" }],
      resolvedBy: "{email}",
      slack: { apiUrl: "https://slack.com/api/" },
      instances: [
        {
          name: "main",
          url: "https://agents.example.com",
          resolving: { kind: "token" },
          resume: "approved",
          rejectUserInput: "hold",
          receiptLifeMs: 86_400_000,
        },
      ],
    })
  })

  it.each(
    [...knownKeys].flatMap(([path, { type }]) => {
      const value = defaultOf(type)
      return /^rules\.\w+$/.test(path) && value !== undefined ? [[path, value] as const] : []
    }),
  )("%s at its default is as if it were not there, in what is sealed too", (path, value) => {
    const said = least.replace("name: all,", `name: all, ${path.replace("rules.", "")}: ${value},`)

    expect(said).not.toBe(least)
    expect(configRevisionOf(shared(said))).toBe(configRevisionOf(shared(least)))
    expect(shared(said).written).toEqual(shared(least).written)
  })

  it("the same rule in other words has the same revision", () => {
    const said = least.replace("routes: [C0A]", "routes: [{ channel: C0A }]")

    expect(shared(said).written).not.toEqual(shared(least).written)
    expect(configRevisionOf(shared(said))).toBe(configRevisionOf(shared(least)))
  })
})
