// The whole bot behind a company's proxy: the platform, the Web API, response_urls and the socket, under Slack's own
// names and a CA of our own.
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type DiagnoseOptions, diagnose } from "../../src/cli/doctor/doctor.ts"
import { startSandbox } from "../../src/sandbox.ts"
import { command } from "../cli/command.ts"
import { troubles } from "../cli/patient.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { botEnv } from "../support/bot-env.ts"
import { anAuthority } from "../support/certificates.ts"
import { type ConnectProxy, startConnectProxy } from "../support/connect-proxy.ts"
import { startFaultyProxy } from "../support/faulty-proxy.ts"
import { opened } from "../support/opened.ts"
import { testRedisUrl } from "../support/redis.ts"
import { startTlsFront } from "../support/tls-front.ts"
import { ask, card, decided, press, settled, told } from "./acts.ts"
import { limitMs, plainRule, sandboxCast, startTestBot, type World } from "./world.ts"

const authority = anAuthority()
const SLACK = ["slack.com", "hooks.slack.com", "wss-primary.slack.com"]
const PLATFORM = "agents.example.com"
const USER = "bot:a-pass%20word"

/** Slack and a platform that only a proxy finds, under names that only its CA vouches for. */
async function aCompany() {
  const front = { responses: "https://hooks.slack.com", sockets: "wss://wss-primary.slack.com" }
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await startSandbox({ clock: Date.now, random, delivery: { mode: "socket" }, front })
  // The sandbox grants one scope more than the manifest asks for.
  sandbox.scopes.delete("im:read")
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    clock: Date.now,
    random: randomBytes,
  })
  const slackFront = await startTlsFront(authority.issue(SLACK), sandbox.url)
  const platformFront = await startTlsFront(authority.issue([PLATFORM]), service.url)
  const routes = Object.fromEntries(SLACK.map((host) => [`${host}:443`, slackFront.port]))
  const proxy = await startConnectProxy(
    { ...routes, [`${PLATFORM}:443`]: platformFront.port },
    decodeURIComponent(USER),
  )
  const folder = await mkdtemp(join(tmpdir(), "countersign-company-"))
  await writeFile(join(folder, "ca.pem"), authority.cert)
  onTestFinished(async () => {
    for (const one of [proxy, slackFront, platformFront, service, sandbox]) await one.close()
    await rm(folder, { recursive: true, force: true })
  })
  const platformToken = service.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] })
  const tokens = botEnv({ sandbox, platformToken, key: randomBytes(32).toString("hex") })
  const { SLACK_API_URL: _, SLACK_SANDBOX: __, COUNTERSIGN_CONFIG: ___, ...env } = tokens
  return { sandbox, service, proxy, folder, env }
}

function yamlOf(folder: string, installation: string, ca: string): string {
  return `
installation: ${installation}
data_folder: ${folder}
instances: [{ name: main, url: "https://${PLATFORM}", token: "\${PLATFORM_TOKEN}", poll_every: 100ms, timeout: 2s${ca} }]
slack: { mode: socket, pace_ms: 1${ca} }
http: { port: 0, host: 127.0.0.1 }
rules:${plainRule}
`
}

/** Where connections went, by host. */
const hostsOf = ({ log }: ConnectProxy) => new Set(log.map((line) => line.replace(/^CONNECT (.*):443$/, "$1")))

describe.each(["HTTPS_PROXY", "https_proxy"])("with %s and ca_file", (variable) => {
  it("a person is asked and decides, and every connection of ours went through the proxy", async () => {
    const { sandbox, service, proxy, folder, env: given } = await aCompany()
    const installation = `t${randomUUID().slice(0, 8)}`
    const env = { ...given, [variable]: `http://${USER}@127.0.0.1:${proxy.port}` }
    const yaml = yamlOf(folder, installation, `, ca_file: "${join(folder, "ca.pem")}"`)
    const log: Record<string, unknown>[] = []
    const start = () =>
      startTestBot({ env: { ...env, COUNTERSIGN_CONFIG: "countersign.yaml" }, yaml, log, redisUrl: testRedisUrl() })
    const bot = await opened(start())
    const untouched = await opened(startFaultyProxy(service.url))
    const close = () => bot.close()
    const here: World = { sandbox, service, proxy: untouched, log, installation, folder, env, yaml, bot, start, close }

    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "delete_user_data")
    await sandbox.command(sandboxCast.alice, sandboxCast.approvals, "/approvals help")
    await told(here, sandboxCast.alice, "approvals")
    expect(hostsOf(proxy)).toEqual(new Set([...SLACK, PLATFORM]))
    expect(JSON.stringify(log)).not.toMatch(/a-pass|YTpwYXNz/)
    sandbox.refreshSockets()
    await expect.poll(() => log.some((line) => line["event"] === "socket-back"), { timeout: limitMs }).toBe(true)
  })
})

describe("the doctor", () => {
  const look = async (env: Readonly<Record<string, string>>, yaml: string, folder: string) => {
    const readFile: DiagnoseOptions["readFile"] = (path) => (path.endsWith("countersign.yaml") ? yaml : authority.cert)
    return diagnose({ env, readFile, cwd: folder, clock: Date.now, random: randomBytes })
  }

  it("says by which proxy what is reached, and finds nothing else", async () => {
    const { proxy, folder, env } = await aCompany()
    const way = { HTTPS_PROXY: `http://${USER}@127.0.0.1:${proxy.port}`, NO_PROXY: "elsewhere.example" }
    const yaml = yamlOf(folder, "default", ", ca_file: ca.pem")

    const found = await look({ ...env, ...way, PATH: process.env["PATH"] ?? "" }, yaml, folder)

    const says = `it is reached through the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY), unless NO_PROXY names its host (elsewhere.example)`
    expect(found.filter(({ what }) => what === says).map(({ area }) => area)).toEqual(["platform main", "slack"])
    expect(troubles(found.filter(({ area }) => /^(platform|slack)/.test(area)))).toEqual([])
    expect(JSON.stringify(found)).not.toContain("a-pass")
  })

  it.each([
    [407, "the proxy asks for a user and a password (407)"],
    [403, "the proxy does not connect us to it (403)"],
  ])("names a proxy that answers %i, for the platform and for Slack", async (status, words) => {
    const { proxy, folder, env } = await aCompany()
    proxy.refuse(status)
    const user = status === 407 ? "" : `${USER}@`
    const way = { HTTPS_PROXY: `http://${user}127.0.0.1:${proxy.port}` }

    const found = await look({ ...env, ...way }, yamlOf(folder, "default", ", ca_file: ca.pem"), folder)

    const failing = found.filter(({ level, what }) => level === "fail" && what.includes(words))
    expect(failing.map(({ area }) => area)).toEqual(["platform main", "slack", "slack"])
    expect(failing[0]).toMatchObject({ todo: expect.stringContaining("HTTPS_PROXY") })
  })

  it("the doctor as a command believes the CAs of NODE_EXTRA_CA_CERTS, and none that nobody named", async () => {
    const { proxy, folder, env } = await aCompany()
    await writeFile(join(folder, "countersign.yaml"), yamlOf(folder, "default", ""))
    const way = { ...env, HTTPS_PROXY: `http://${USER}@127.0.0.1:${proxy.port}` }
    const cas = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") }

    const believing = await command(["doctor"], { env: { ...way, ...cas }, cwd: folder }).ended
    const doubting = await command(["doctor"], { env: way, cwd: folder }).ended

    expect(believing.out).toMatch(/ok +platform main: the credential is accepted/)
    expect(believing.out).toMatch(/ok +slack: the app-level token is accepted/)
    expect(believing.code).toBe(0)
    expect(doubting.out).toMatch(
      /error +platform main: .*unknown CA[^]*do: +trust the CA[^]*error +slack: .*unknown CA/,
    )
    expect(doubting.code).toBe(1)
  })
})
