// How the runs of an instance are continued: a credential of its own, under which no run is lost.
import { SignJWT } from "jose"
import { expect, test } from "vitest"
import { load, refusal, SOCKET_ENV } from "../config/load.ts"

const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN } = SOCKET_ENV
const jwt = (claims: Record<string, unknown>) =>
  new SignJWT({ exp: Math.floor(Date.now() / 1_000) + 3_600, ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.alloc(32, 1))
const runs = ["agents:run", "agents:read", "teams:run", "teams:read", "sessions:read"]

function options(keys: string, RESUME_TOKEN?: string) {
  const instance = `instances: [{name: main, url: https://x.example, ${keys}}]`
  const rules = "rules: [{name: a, routes: [C0A], approvers: [U0C], unknown_requester: allow}]"
  const PLATFORM_TOKEN = "a-key-that-resolves"
  const env = {
    SLACK_BOT_TOKEN,
    SLACK_APP_TOKEN,
    PLATFORM_TOKEN,
    ...(RESUME_TOKEN === undefined ? {} : { RESUME_TOKEN }),
  }
  return { env, yaml: `${instance}\n${rules}` }
}

const TOKENS = 'token: "${PLATFORM_TOKEN}", resume: decided, resume_token: "${RESUME_TOKEN}"'

test("an instance whose config says nothing of it resumes nothing, and holds what would not be enforced", () => {
  const [instance] = load(options('token: "${PLATFORM_TOKEN}"')).instances

  expect(instance).toMatchObject({ resume: "off", resumeToken: undefined, resumeMs: 300_000, rejectUserInput: "hold" })
  expect(instance).toMatchObject({ besideAgnoSlack: false })
})

test("a JWT without subject that may run and not resolve continues runs, and is kept out of every log", async () => {
  const token = await jwt({ scopes: runs })

  const config = load(options(`${TOKENS}, resume_timeout: 10m, reject_user_input: send`, token))

  expect(config.instances).toMatchObject([
    { resume: "decided", resumeToken: token, resumeMs: 600_000, rejectUserInput: "send" },
  ])
  expect(config.secrets).toContain(token)
})

test("an instance that asks for no credential needs none to resume", () => {
  const { yaml } = options("resume: approved")

  expect(load({ env: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN }, yaml }).instances).toMatchObject([
    { resume: "approved", resumeToken: undefined },
  ])
})

test.each([
  ["agno_pat_0123456789", "service account"],
  ["cs_sa_0123456789", "service account"],
])("trap 50: %s, under whose identity runs fail or are lost, is refused before anything is sent", (token, words) => {
  expect(refusal(options(TOKENS, token)).message).toContain(words)
})

test("trap 50: a JWT with a subject is refused: it is nobody's run but its own", async () => {
  expect(refusal(options(TOKENS, await jwt({ scopes: runs, sub: "bot" }))).message).toContain("has a subject (sub)")
})

test.each([["approvals:write"], ["agent_os:admin"]])(
  "trap 71: %s in the token that continues runs is refused, and may be accepted by name",
  async (scope) => {
    const token = await jwt({ scopes: [...runs, scope] })

    expect(refusal(options(TOKENS, token)).message).toContain(`holds ${scope}`)
    expect(load(options(`${TOKENS}, accept_run_scope: true`, token)).instances).toHaveLength(1)
  },
)

test("trap 71: the token that resolves may not continue runs as well, and may be accepted by name", () => {
  const token = "a-key-that-resolves"

  expect(refusal(options(TOKENS, token)).message).toContain("is the token that resolves")
  expect(load(options(`${TOKENS}, accept_run_scope: true`, token)).instances).toHaveLength(1)
})

test("trap 71: where another token resolves than reads, it is that one which may not continue runs", () => {
  const apart = `${TOKENS}, resolve_token: "\${RESUME_TOKEN}"`

  expect(refusal(options(apart, "one-key-for-both")).message).toContain("is the token that resolves")
})

test("resuming with a token that resolves and none of its own is refused", () => {
  expect(refusal(options('token: "${PLATFORM_TOKEN}", resume: approved')).message).toContain("needs a resume_token")
})

test("a resume_token without resume is pointed out", async () => {
  const keys = 'token: "${PLATFORM_TOKEN}", resume_token: "${RESUME_TOKEN}"'

  expect(refusal(options(keys, await jwt({ scopes: runs }))).message).toContain("resume is off")
})

const apart = `${TOKENS}, resume_url: "https://agents.example.com/"`

test("runs may be continued at another address than approvals are decided at", async () => {
  const token = await jwt({ scopes: runs })

  const [instance] = load(options(apart, token)).instances

  expect(instance).toMatchObject({ url: "https://x.example", resumeUrl: "https://agents.example.com" })
  expect(load(options(`${TOKENS}, resume_url: "https://x.example/"`, token)).instances[0]).not.toHaveProperty(
    "resumeUrl",
  )
})

test.each([["approvals:write"], ["agent_os:admin"]])(
  "trap 71: where runs have their own address, %s in either token is refused, whatever risk was taken",
  async (scope) => {
    const token = await jwt({ scopes: [...runs, scope] })
    const reader = `token: "\${RESUME_TOKEN}", accept_run_scope: true`

    expect(refusal(options(`${apart}, accept_run_scope: true`, token)).message).toContain(
      `instances[0].resume_token holds ${scope}`,
    )
    const { message } = refusal(options(apart.replace('token: "${PLATFORM_TOKEN}"', reader), token))
    expect(message).toContain(`instances[0].token holds ${scope}`)
    expect(message).not.toContain("accept_run_scope")
  },
)

test("trap 71: one token for both addresses is refused, whatever risk was taken and whoever resolves", () => {
  const resolving = `${apart}, accept_run_scope: true`
  const reading = `${resolving}, resolve_token: "\${SLACK_APP_TOKEN}"`

  expect(refusal(options(resolving, "a-key-that-resolves")).message).toContain("is the token that resolves")
  expect(refusal(options(reading, "a-key-that-resolves")).message).toContain("is the token that reads approvals")
})

test("an address or a file for runs is pointed out where resume is off", () => {
  const keys = 'token: "${PLATFORM_TOKEN}", resume_url: "https://agents.example.com", resume_token_file: none'

  const { message } = refusal({ ...options(keys), files: { "/srv/bot/none": "x" } })

  expect(message).toContain("instances[0].resume_url is given, but resume is off")
  expect(message).toContain("instances[0].resume_token_file is given, but resume is off")
  expect(message).not.toContain("resume_token is given")
})

test("an address for runs that holds a credential is refused, and one on plain http is remarked on", async () => {
  const token = await jwt({ scopes: runs })
  const wrong = `${TOKENS}, resume_url: "https://me:hush@agents.example.com"`
  const plain = `${TOKENS}, resume_url: "http://agents.example.com"`

  expect(refusal(options(wrong, token)).message).toContain("must hold no user, password, query or fragment")
  expect(load(options(plain, token)).warnings.map(({ what }) => what)).toContain(
    "instance main: http://agents.example.com is not https, so its credential travels unprotected",
  )
})
