// The credential of an instance in a file: read at the start by the checks of a token, kept out of revision and log.

import { describe, expect, test } from "vitest"
import { readToken } from "../../../src/config/parts/token-file.ts"
import { sharedOf } from "../../../src/config.ts"
import { configRevisionOf } from "../../../src/domain/policy/shared-config.ts"
import { FILE_ENV, load, refusal, type Sources } from "../load.ts"

const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"
const file = "/srv/bot/platform-token"

function sources(instance: string, text?: string, env: Sources["env"] = {}): Sources {
  const yaml = `instances: [{name: main, url: "https://x.example", ${instance}}]\n${rules}`
  return { env: { ...FILE_ENV, ...env }, yaml, files: text === undefined ? {} : { [file]: text } }
}

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`
const both = jwt({ scopes: ["approvals:write", "agents:run"] })

test("token_file is the token, without the line feed at its end, and a secret", () => {
  const config = load(sources("token_file: platform-token", "the-token\n"))

  expect(config.instances[0]).toMatchObject({
    token: "the-token",
    tokenFile: { path: file, holds: "token", risk: "acceptable" },
  })
  expect(config.secrets).toContain("the-token")
})

test("another token in the file is no other revision", () => {
  const [one, other] = ["one\n", "other\n"].map((text) =>
    configRevisionOf(sharedOf(load(sources(`token_file: ${file}`, text)))),
  )

  expect(one).toBe(other)
})

test("where the file names one, PLATFORM_TOKEN is not taken besides", () => {
  const config = load(
    sources("token_file: platform-token", "from-the-file", { PLATFORM_TOKEN: "from-the-environment" }),
  )

  expect(config.instances[0]?.token).toBe("from-the-file")
})

describe("refused at start, without a word of what the file holds:", () => {
  test.each([
    ["no file", "token_file: platform-token", undefined, "names a file that cannot be read"],
    ["an empty one", "token_file: platform-token", " \n", "names a file that is empty"],
    ["a wrapped credential", "token_file: platform-token", "hush\nhush", "names a file that holds a line break"],
    ["a whole header", "token_file: platform-token", "Bearer hush", "names a file that begins with the word Bearer"],
    ["a character of no header", "token_file: platform-token", "hush…", "names a file that holds a line break"],
    [
      "one that resolves and runs",
      "token_file: platform-token",
      both,
      "names a file that holds approvals:write and agents:run",
    ],
    ["both keys", `token_file: platform-token, token: "\${TOKEN}"`, "hush", "stands beside token"],
  ])(
    "a token file that cannot be used is refused at start, without a word of what it holds: %s",
    (_, instance, text, words) => {
      const { message, problems } = refusal(sources(instance, text, { TOKEN: "hush" }))

      expect(problems).toHaveLength(1)
      expect(message).toContain(`instances[0].token_file ${words}`)
      expect(message).not.toContain("hush")
      expect(message).not.toContain(both)
    },
  )
})

test("a risk that the operator named is taken, at the start and later", () => {
  const config = load(sources("token_file: platform-token, accept_run_scope: true", both))

  expect(config.instances[0]).toMatchObject({ token: both, tokenFile: { risk: "accepted" } })
  expect(readToken(both, { holds: "token", risk: "accepted" })).toEqual({ ok: true, token: both })
})

test("what continues runs is no token that resolves, wherever that lies", () => {
  const same = { TOKEN: "the-token" }
  const { message } = refusal(
    sources(`token_file: ${file}, resume: approved, resume_token: "\${TOKEN}"`, "the-token", same),
  )

  expect(message).toContain("instances[0].resume_token is the token that resolves")
})

const runsFile = "/srv/bot/resume-token"

/** A config whose runs are continued with what a file holds. */
function resuming(text: string, more = "", env: Sources["env"] = {}): Sources {
  const { files, ...rest } = sources(`token_file: ${file}, resume: approved, resume_token_file: resume-token${more}`)
  return { ...rest, files: { ...files, [file]: "the-token", [runsFile]: text }, env: { ...rest.env, ...env } }
}

const apart = ", resume_url: https://agents.example.com"

test("resume_token_file is the credential that continues runs, and a secret; another one is no other revision", () => {
  const config = load(resuming("the-runner\n", apart))

  expect(config.instances[0]).toMatchObject({
    resumeToken: "the-runner",
    resumeTokenFile: { path: runsFile, holds: "resume_token", risk: "never" },
  })
  expect(config.secrets).toContain("the-runner")
  expect(configRevisionOf(sharedOf(load(resuming("another", apart))))).toBe(configRevisionOf(sharedOf(config)))
})

describe("refused in resume_token_file, without a word of what it holds:", () => {
  test.each([
    ["an empty one", "\n", "", "names a file that is empty"],
    ["a service account", "cs_sa_hush", "", "names a file that holds a credential that is a service account's"],
    ["a subject", jwt({ sub: "hush" }), "", "names a file that holds a credential that has a subject (sub)"],
    [
      "one that resolves, too",
      jwt({ scopes: ["approvals:write", "agents:run"] }),
      apart,
      "names a file that holds a credential that holds approvals:write",
    ],
    ["the token of approvals", "the-token", "", "is the token that resolves"],
    [
      "the token of approvals beside delegated ones",
      "the-token",
      ", delegated: {algorithm: HS256, key: '${KEY}'}",
      "is the token that reads approvals",
    ],
    ["both keys", "hush", `, resume_token: "\${TOKEN}"`, "stands beside resume_token; give only one of them"],
  ])("resume_token_file holds %s", (_, text, more, words) => {
    const env = { TOKEN: "another", KEY: "a key to sign with that is long enough" }

    const { message, problems } = refusal(resuming(text, more, env))

    expect(problems).toHaveLength(1)
    expect(message).toContain(`instances[0].resume_token_file ${words}`)
    expect(message).not.toContain("hush")
    expect(message).not.toContain("the-token")
  })

  test("resume_token_file names no file that can be read", () => {
    const { message } = refusal(sources("resume: approved, resume_token_file: nowhere"))

    expect(message).toContain("instances[0].resume_token_file names a file that cannot be read")
  })
})
