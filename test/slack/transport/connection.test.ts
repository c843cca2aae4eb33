// The connection to Slack: tokens that Slack refuses, a socket that drops, requests from another time, and an orderly
// end.

import { createHmac } from "node:crypto"
import { describe, expect, it, onTestFinished } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { createSlack, type Slack } from "../../../src/slack/app.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { aSandbox } from "../../sandbox/support.ts"
import { aCardModel } from "../card-models.ts"
import { aFlow, aLog, anOpenSlackModule, aSlackModule, optionsFor, served } from "../slack-module.ts"

const addressOf = ({ listener }: Slack) => (listener === undefined ? "" : served(listener))
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

describe("who we are", () => {
  it("is learnt from the token", async () => {
    const { slack } = await aSlackModule()

    expect(slack.identity).toMatchObject({
      team: "T0SANDBOX",
      botUser: sandboxCast.bot,
      bot: "B0COUNTERSIGN",
      app: "A0COUNTERSIGN",
    })
    expect(slack.identity.scopes).toContain("chat:write")
  })

  it("a refused bot token is one message that names the setting", async () => {
    const sandbox = await aSandbox()

    const error = await failure(createSlack(optionsFor(sandbox, "socket", { botToken: "xoxb-wrong" })))

    expect(error).toMatchObject({ name: "ChatError", code: "bad-setting", retryable: false, slackCode: "invalid_auth" })
    expect(String(error)).toContain("Slack did not accept SLACK_BOT_TOKEN (slack.bot_token): invalid_auth")
    expect(String(error)).not.toContain("wrong")
  })

  it("an install on a whole organization is refused by name", async () => {
    const sandbox = await aSandbox()
    sandbox.install.orgWide = true

    const error = await failure(createSlack(optionsFor(sandbox, "socket")))

    expect(error).toMatchObject({ name: "ChatError", code: "org-install", retryable: false })
    expect(String(error)).toMatch(/SLACK_BOT_TOKEN .*whole organization.*one workspace only/)
  })

  it("a refused app token is one message that names the setting", async () => {
    const sandbox = await aSandbox()
    const slack = await createSlack(optionsFor(sandbox, "socket", { mode: { kind: "socket", appToken: "xapp-wrong" } }))
    onTestFinished(() => slack.close())

    const error = await failure(slack.start())

    expect(error).toMatchObject({ code: "bad-setting", retryable: false })
    expect(String(error)).toContain("Slack did not accept SLACK_APP_TOKEN (slack.app_token): invalid_auth")
    expect(slack.connected()).toBe(false)
  })

  it("a Slack that cannot be reached may be tried again", async () => {
    const sandbox = await aSandbox()
    const unreachable = optionsFor(sandbox, "socket", { apiUrl: "http://127.0.0.1:9/api/" })

    expect(await failure(createSlack(unreachable))).toMatchObject({
      code: "unreachable",
      retryable: true,
      method: "auth.test",
    })
  })

  it("R19: another address than Slack's needs the sandbox, and this machine", async () => {
    const sandbox = await aSandbox()
    const at = (apiUrl: string, inSandbox: boolean) =>
      failure(createSlack(optionsFor(sandbox, "socket", { apiUrl, sandbox: inSandbox })))

    expect(await at(sandbox.apiUrl, false)).toMatchObject({
      code: "bad-setting",
      message: expect.stringContaining("SLACK_SANDBOX"),
    })
    expect(await at("http://slack.example/api/", true)).toMatchObject({ code: "bad-setting" })
    expect(await at("no address", true)).toMatchObject({ code: "bad-setting" })
  })
})

describe("the socket", () => {
  it("comes back at once after Slack refreshed it, and clicks arrive again", async () => {
    const flow = aFlow(aCardModel())
    const { sandbox, slack, log } = await anOpenSlackModule("socket", flow)
    const place = await slack.chat.postCard(aCardModel())

    sandbox.refreshSockets()
    await expect.poll(() => log.lines.some((line) => line.event === "socket-back")).toBe(true)
    await sandbox.click(sandboxCast.alice, place, actionIds.approve)

    expect(flow.presses).toHaveLength(1)
  })

  it("goes on trying when Slack does not let it come back, and no failure ends the process", async () => {
    const { sandbox, slack, log } = await anOpenSlackModule("socket", aFlow())
    sandbox.faults.web("apps.connections.open", { kind: "error", error: "invalid_auth" })
    sandbox.faults.web("apps.connections.open", { kind: "status", status: 503 })

    sandbox.refreshSockets()
    await expect.poll(() => log.lines.some((line) => line.event === "socket-back")).toBe(true)

    expect(slack.connected()).toBe(true)
    expect(log.lines.filter((line) => line.event === "socket-not-back")).toHaveLength(2)
  })

  it("a press whose ack is lost with the socket is carried out all the same", async () => {
    const flow = aFlow(aCardModel())
    const { sandbox, slack } = await anOpenSlackModule("socket", flow)
    const place = await slack.chat.postCard(aCardModel())
    let carried = 0
    flow.carried = async () => {
      carried += 1
    }
    sandbox.faults.delivery({ kind: "drop_before_ack" })

    const outcome = await sandbox.click(sandboxCast.alice, place, actionIds.approve)
    await expect.poll(() => carried).toBe(1)

    expect(outcome).toMatchObject({ ok: false })
  })
})

describe("requests", () => {
  const signed = (secret: string, body: string, at: number) => {
    const stamp = String(Math.floor(at / 1_000))
    const mac = createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex")
    return { "x-slack-request-timestamp": stamp, "x-slack-signature": `v0=${mac}` }
  }
  const form = "application/x-www-form-urlencoded"

  async function aServer() {
    const module = await anOpenSlackModule("http", aFlow())
    const url = await addressOf(module.slack)
    const secret = module.sandbox.tokens.signingSecret
    const who = { user_id: "U1", team_id: "T0SANDBOX", channel_id: "C1" }
    const told = { command: "/approvals", text: "help", trigger_id: "1", response_url: "https://hooks.slack.com/x" }
    const body = new URLSearchParams({ ...who, ...told }).toString()
    const send = async (headers: Record<string, string>, path = "/slack/events") =>
      (await fetch(`${url}${path}`, { method: "POST", body, headers: { "content-type": form, ...headers } })).status
    return { ...module, send, sign: (at: number, key = secret) => signed(key, body, at) }
  }

  it("requests with a right signature of now are answered, all others refused", async () => {
    const { send, sign } = await aServer()

    expect(await send(sign(Date.now()))).toBe(200)
    expect(await send(sign(Date.now(), "another secret"))).toBe(401)
    expect(await send({})).toBe(401)
    expect(await send({ ...sign(Date.now()), "x-slack-request-timestamp": "soon" })).toBe(401)
    expect(await send(sign(Date.now()), "/slack/other")).toBe(404)
  })

  it("requests from the past and from the future are refused", async () => {
    const { send, sign } = await aServer()

    expect(await send(sign(Date.now() - 290_000))).toBe(200)
    expect(await send(sign(Date.now() - 310_000))).toBe(401)
    expect(await send(sign(Date.now() + 290_000))).toBe(200)
    expect(await send(sign(Date.now() + 310_000))).toBe(401)
  })

  it("requests before the start and after the end are not taken", async () => {
    const sandbox = await aSandbox("http")
    const slack = await createSlack(optionsFor(sandbox, "http", { log: aLog() }))
    slack.listen(aFlow())
    const url = await addressOf(slack)
    const status = async () => (await fetch(`${url}/slack/events`, { method: "POST" })).status

    expect([slack.connected(), await status()]).toEqual([false, 503])
    await slack.start()
    expect([slack.connected(), await status()]).toEqual([true, 401])
    await slack.close()
    expect([slack.connected(), await status()]).toEqual([false, 503])
  })
})

it.each(["socket", "http"] as const)("in %s mode closing waits for what was taken", async (mode) => {
  const flow = aFlow(aCardModel())
  const { sandbox, slack } = await anOpenSlackModule(mode, flow)
  const place = await slack.chat.postCard(aCardModel())
  const gate = Promise.withResolvers<void>()
  let closed = false
  flow.carried = () => gate.promise
  await sandbox.click(sandboxCast.alice, place, actionIds.approve)

  const closing = slack.close().then(() => {
    closed = true
  })
  await expect.poll(() => slack.connected()).toBe(false)
  const before = closed
  gate.resolve()
  await closing

  expect(before).toBe(false)
})
