// The how-to pages, each walked from its first command to its last.
import { randomBytes } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { agents, secret } from "../../service/a-service.ts"
import { startDescribed } from "../../service/described/start-described.ts"
import { until } from "../../stories/acts.ts"
import { sandboxCast } from "../../stories/world.ts"
import { anAuthority } from "../../support/certificates.ts"
import { startCompanyProvider } from "../../support/company-provider.ts"
import { startConnectProxy } from "../../support/connect-proxy.ts"
import { freePort } from "../../support/free-port.ts"
import { opened } from "../../support/opened.ts"
import { startTlsFront } from "../../support/tls-front.ts"
import { startReceiver } from "../../webhooks/receiver.ts"
import { playStory } from "../story.ts"
import { aReader, type Reader } from "./a-reader.ts"
import type { Said, Staying, Terminal } from "./reader.ts"
import { aSavingRedis } from "./saving-redis.ts"
import { walk } from "./walk.ts"

/** What the README's step 5 exports, for the embedded service. */
function exported({ here, own }: Reader): Readonly<Record<string, string>> {
  const scopes = ["approvals:read", "approvals:write"]
  const filled = (text: string) => own.find(([from]) => from === text)?.[1] ?? ""
  return {
    SLACK_BOT_TOKEN: filled("xoxb-…"),
    SLACK_APP_TOKEN: filled("xapp-…"),
    PLATFORM_URL: here.service.url,
    PLATFORM_TOKEN: here.service.mintServiceAccount({ name: "countersign", scopes }),
    APPROVALS_CHANNEL: filled("C0123456789"),
    APPROVERS: filled("S0123456789"),
  }
}

/** A platform that verifies with this key, as AgentOS does. */
async function aPlatform(key: string, algorithm: "HS256" | "RS256") {
  const service = await startDescribed({
    database: ":memory:",
    script: agents,
    authorization: true,
    verificationKeys: [key],
    algorithm,
    clock: Date.now,
    random: randomBytes,
  })
  onTestFinished(() => service.close())
  return service
}

// The page signs by HS256 first, and then by RS256: a reader takes one, and so does the platform.
test.each(["HS256", "RS256"] as const)(
  "the page of the gate leads to a gate that the doctor finds well, with %s",
  async (algorithm) => {
    const reader = await aReader()
    const port = String(await freePort())
    const first = reader.openTerminal()
    let platform = ""
    const page = walk("docs/how-to/agentos-gate.md", first, () => [
      ...reader.own,
      ["https://agents.example.com", platform],
      ["7780", port],
    ])
    first.save("agentos.secret", `${secret}\n`)

    await page.give("--algorithm HS256")
    const names = ["upstream.jwt", "resume.jwt"]
    const hs256 = names.map((name) => [name, first.read(name)] as const)
    await page.give("--algorithm RS256")
    if (algorithm === "HS256") for (const [name, text] of hs256) first.save(name, text)
    const service = await aPlatform(algorithm === "HS256" ? secret : first.read("gate.pub.pem"), algorithm)
    platform = service.url
    const explained = await page.give("token explain")
    await page.give("token mint --account")
    const gate = await page.start("--upstream-routes all", /listening on/)
    page.moveTo(reader.openTerminal(exported(reader)))
    page.save("token_file: platform.token", "countersign.yaml")
    const doctor = await page.give("doctor")
    page.end()

    expect(explained.out).toContain("the bot has all that it needs to ask and to decide")
    expect(doctor.out).toMatch(/0 errors/)
    expect(doctor.out).toContain(`runs are read and continued at ${platform}`)
    expect(await gate.end()).toMatchObject({ code: 0, err: "" })
  },
)

test("the page about proxies leads to a doctor that reaches the platform through one, by a CA that Node does not know", async () => {
  const reader = await aReader()
  const authority = anAuthority()
  const front = await opened(startTlsFront(authority.issue(["agents.example.com"]), reader.here.service.url))
  const proxy = await opened(startConnectProxy({ "agents.example.com:443": front.port }))
  const given = { ...exported(reader), PLATFORM_URL: "https://agents.example.com", NODE_EXTRA_CA_CERTS: "ca.pem" }
  const terminal = reader.openTerminal(given)
  terminal.save("ca.pem", authority.cert)
  const page = walk("docs/how-to/behind-a-proxy.md", terminal, () => [
    ["http://proxy.example.com:3128", `http://127.0.0.1:${proxy.port}`],
  ])

  const { out } = await page.give("HTTPS_PROXY")
  page.end()

  expect(out).toMatch(/0 errors/)
  expect(out).toContain(`127.0.0.1:${proxy.port}`)
  expect(proxy.log).toContain("CONNECT agents.example.com:443")
})

test("the page of on call leads to a rule that policy check finds nothing against", async () => {
  const reader = await aReader()
  const terminal = reader.openTerminal(exported(reader))
  const page = walk("docs/how-to/on-call.md", terminal, () => reader.own)

  page.save("name: production", "countersign.yaml")
  const { out } = await page.give("policy check")
  page.end()

  expect(out).toContain("rule production: 1 must agree; how many are in its groups was not asked")
})

test("the page about changes of the rules leads to rules that policy check finds nothing against", async () => {
  const reader = await aReader()
  const terminal = reader.openTerminal(exported(reader))
  const page = walk("docs/how-to/change-the-rules.md", terminal, () => reader.own)

  page.save("rules_change:", "countersign.yaml")
  const { out } = await page.give("policy check")
  page.end()

  expect(out).toContain("rule production: 1 must agree; how many are in its groups was not asked")
})

test("the page of two people leads to rules that policy check finds nothing against", async () => {
  const reader = await aReader()
  const terminal = reader.openTerminal(exported(reader))
  const page = walk("docs/how-to/two-people-for-payments.md", terminal, () => reader.own)

  page.save("name: payments", "countersign.yaml")
  const { out } = await page.give("policy check")
  page.end()

  expect(out).toContain("payments")
})

test("the page about keys ends with a doctor who tries each of them", async () => {
  const reader = await aReader()
  const page = walk("docs/how-to/rotate-keys.md", reader.openTerminal(exported(reader)), () => [])

  const { out } = await page.give("doctor")
  page.end()

  expect(out).toMatch(/0 errors/)
})

test("the page of the sign-in leads to a doctor that finds the provider well", async () => {
  const reader = await aReader()
  const provider = await opened(startCompanyProvider({ publicUrl: "https://countersign.example.com" }))
  const terminal = reader.openTerminal(exported(reader))
  terminal.save("sign-in.secret", `${provider.clientSecret}\n`)
  const page = walk("docs/how-to/sign-in.md", terminal, () => [["https://login.example.com", provider.issuer]])

  page.save("sign_in:", "countersign.yaml")
  const { out } = await page.give("doctor")
  page.end()

  expect(out).toMatch(/0 errors/)
  expect(out).toContain(`${provider.issuer} offers what it takes`)
})

test("the page about webhooks leads to a receiver that is told what people decided, and to a list of how it stands", async () => {
  const reader = await aReader()
  const terminal = reader.openTerminal(exported(reader))
  let url = ""
  const page = walk("docs/how-to/webhooks.md", terminal, () => [["https://siem.example.com/countersign", url]])

  await page.give("openssl rand -base64 32")
  const { out: secret } = await terminal.give('printf %s "$WEBHOOK_SECRET"')
  const receiver = await opened(startReceiver(secret))
  url = receiver.url
  page.save("name: siem", "countersign.yaml")
  const bot = await runs(terminal)
  await until("the webhook to begin", () => (/"webhook-begun"/.test(bot.out()) ? true : undefined))
  await playStory(reader.here, "U-1")
  const told = await until("the decision to be told", () => receiver.received[0]?.verified ?? undefined)
  // test/webhooks/recipes.test.ts plays what comes now.
  page.pass("specversion")
  page.pass("webhook.verify")
  const listed = await page.give("-- webhooks")
  for (const words of ["Splunk", "splunk", "DD-API-KEY", "datadog", "ApiKey", "elastic", "copy_from"]) page.pass(words)
  for (const words of ["Content-Type", "pagerduty", "PD.Trigger"]) page.pass(words)
  page.end()
  await bot.end()

  expect(told).toMatchObject({ type: "countersign.decided" })
  expect(listed.out).toMatch(/^siem {2}on {2}\d+ waiting/m)
})

/** What the bot says of checkpoints: the entries that the newest covers. */
function covered(bot: Staying): number {
  const sizes = [...bot.out().matchAll(/"event":"ledger-checkpoint","size":(\d+)/g)].map(([, size]) => Number(size))
  return Math.max(0, ...sizes)
}

/** A bot that runs at this terminal. */
function runs(terminal: Terminal): Promise<Staying> {
  return terminal.start("npm run countersign -- run", /"started"/)
}

/** Plays the story about this user, and waits until a checkpoint covers it. */
async function playCovered({ here }: Reader, bot: Staying, user: string): Promise<void> {
  const before = covered(bot)
  await playStory(here, user)
  await until("a checkpoint over it", () => (covered(bot) >= before + entriesOfStory ? true : undefined))
}

/** Size and root, as a command printed them. */
function shownIn({ out, err }: Said): string {
  return /ledger accept (\d+ [0-9a-f]{64})$/m.exec(out + err)?.[1] ?? ""
}

const entriesOfStory = 6
const signsEachSecond = `
ledger: { checkpoint_every: 1s }
rules:
  - { name: all, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}], unknown_requester: allow }
`

test("the page about backups leads from a Redis that was put back to a ledger that verifies", async () => {
  const reader = await aReader()
  const redis = await aSavingRedis()
  const env = { ...exported(reader), REDIS_URL: redis.url, COUNTERSIGN_KEY: "a key of the pages that is long enough" }
  const bots = reader.openTerminal(env)
  bots.save("countersign.yaml", signsEachSecond)
  const first = await runs(bots)
  await playCovered(reader, first, "U-1")
  await redis.keep()
  await playCovered(reader, first, "U-2")
  await first.end()
  await redis.putBack()
  let [shown, stop] = ["", ""]
  const terminal = reader.openTerminal(env)
  const page = walk("docs/how-to/restore.md", terminal, () => [
    ["SIZE ROOT", shown],
    ["ID", stop],
  ])

  // The first one that runs on the old Redis takes up what the platform has. The next one knows of it from files alone.
  const second = await runs(bots)
  await until("the decision to be taken up", () => (/"kind":"closed"/.test(second.out()) ? true : undefined))
  await second.end()
  const third = await runs(bots)
  await until("the alarm", () => (/ledger-rolled-back/.test(third.out()) ? true : undefined))
  const looked = await page.give("ledger accept", 1)
  shown = shownIn(looked)
  let accepted = await page.give("ledger accept SIZE ROOT", 0, 1)
  // The page says so: if the bot appended something since, the command is run with what it printed.
  for (let left = 5; accepted.code !== 0 && left > 0; left -= 1) {
    shown = shownIn(accepted)
    accepted = await terminal.give(`npm run countersign -- ledger accept ${shown}`)
  }
  const verified = await page.give("ledger verify")
  stop = /^([0-9a-f]{8}) {2}everything/m.exec((await page.give("-- stops")).out)?.[1] ?? ""
  const ended = await page.give("stops end")
  page.end()
  await playStory(reader.here, "U-3")
  await third.end()

  expect(looked.out).toContain("Redis is older than what is known of it")
  expect(ended.out).toContain(`Ended: ${stop}`)
  expect(accepted.out).toContain("accepted: all open cases are asked for again")
  const [size = 0] = shown.split(" ").map(Number)
  expect(verified.out).toMatch(/ledger verified: \d+ entries/)
  expect(verified.out).toMatch(new RegExp(`none of them vouches for entries \\d+ to ${size}$`, "m"))
})
