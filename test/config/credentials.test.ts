// Credentials that no platform can take as they stand: refused by the key that gives them, and never shown.
import { describe, expect, test } from "vitest"
import { FILE_ENV, refusal, SOCKET_ENV } from "./load.ts"

const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"
const instance = (more: string) => `${rules}\ninstances: [{name: main, url: https://a.example, ${more}}]`
const unsendable =
  "holds a line break or another character that no header can carry (such as …): give the whole credential, on one line"
const withScheme = "begins with the word Bearer: give the token alone, since that word is added when it is sent"

describe.each([
  ["a line feed of a wrapped secret", "cut-here\nand-there-16", unsendable],
  ["the README's own …", "xoxb-1234567890…", unsendable],
  ["a character outside Latin-1", "secret-of-16-字字字字字", unsendable],
  ["a whole header in place of its token", "Bearer secret-of-16-chars", withScheme],
  ["a header in small letters", " bearer  secret-of-16-chars", withScheme],
])("%s", (_, secret, words) => {
  test.each(["PLATFORM_TOKEN", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])("a credential in %s is refused", (name) => {
    const { message } = refusal({ env: { ...SOCKET_ENV, [name]: secret } })

    expect(message).toContain(`environment variable ${name} ${words}`)
    expect(message).not.toContain(secret)
  })

  test.each([
    ["instances[0].token", instance('token: "${ODD}"')],
    ["instances[0].resolve_token", instance('resolve_token: "${ODD}"')],
    ["instances[0].resume_token", instance('resume: approved, resume_token: "${ODD}"')],
    ["http.metrics_token", `${instance("resume: off")}\nhttp: {metrics_token: "\${ODD}"}`],
    ["slack.bot_token", `${instance("resume: off")}\nslack: {bot_token: "\${ODD}"}`],
    ["slack.app_token", `${instance("resume: off")}\nslack: {app_token: "\${ODD}"}`],
  ])("a credential as %s is refused", (key, yaml) => {
    const { message } = refusal({ env: { ...FILE_ENV, ODD: secret }, yaml })

    expect(message).toMatch(/countersign\.yaml:\d+:\d+ /)
    expect(message).toContain(`${key} ${words}`)
    expect(message).not.toContain(secret)
  })
})
