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

  expect(config.instances[0]).toMatchObject({ token: "the-token", tokenFile: { path: file, acceptRunScope: false } })
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

  expect(config.instances[0]).toMatchObject({ token: both, tokenFile: { acceptRunScope: true } })
  expect(readToken(both, { acceptRunScope: true })).toEqual({ ok: true, token: both })
})

test("what continues runs is no token that resolves, wherever that lies", () => {
  const same = { TOKEN: "the-token" }
  const { message } = refusal(
    sources(`token_file: ${file}, resume: approved, resume_token: "\${TOKEN}"`, "the-token", same),
  )

  expect(message).toContain("instances[0].resume_token is the token that resolves")
})
