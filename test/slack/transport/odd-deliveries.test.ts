// What comes to our socket or our endpoint and is no delivery of Slack's: it goes no further, and the bot goes on.

import { createHmac } from "node:crypto"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { limitMs } from "../../support/limits.ts"
import { aFlow, aLog, anOpenSlackModule, aSlackModule, served } from "../slack-module.ts"

const who = { user_id: "U1", team_id: "T0SANDBOX", channel_id: "C1", trigger_id: "1" }
const help = { ...who, command: "/approvals", text: "help", response_url: "https://hooks.slack.com/x" }
const long = "x".repeat(5_000)

/** JSON texts that are no object. */
const noObjects = ["null", "true", "7", '"text"', "[]", "[null]", JSON.stringify([long]), JSON.stringify(long)]

/** Notes what would have ended the process. */
function unhandled(): readonly unknown[] {
  const seen: unknown[] = []
  const note = (error: unknown) => void seen.push(error)
  process.on("unhandledRejection", note)
  onTestFinished(() => void process.off("unhandledRejection", note))
  return seen
}

describe("on a socket", () => {
  /** The bot on a socket of a server that sends what the test says. `acked` resolves with the next ack's envelope. */
  async function onOurSocket() {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
    await once(server, "listening")
    onTestFinished(() => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    })
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const opened = once(server, "connection") as Promise<[WebSocket]>
    void opened.then(([socket]) => socket.send(JSON.stringify({ type: "hello", num_connections: 1 })))
    const log = aLog()
    const module = await aSlackModule("socket", {
      log,
      fetch: (address, init) =>
        String(address).endsWith("apps.connections.open")
          ? Promise.resolve(Response.json({ ok: true, url }))
          : fetch(address, init),
    })
    module.slack.listen(aFlow())
    await module.slack.start()
    const [socket] = await opened
    const acks: unknown[] = []
    socket.on("message", (text: Buffer) => acks.push(JSON.parse(text.toString()).envelope_id))
    return { socket, acks, log, send: (frame: unknown) => socket.send(JSON.stringify(frame)) }
  }

  it.each<readonly [string, string]>([
    ...noObjects.map((text) => [text.slice(0, 20), text] as const),
    ...["events_api", "interactive", "slash_commands"].flatMap((type) =>
      [...noObjects, undefined].map((text): readonly [string, string] => {
        const payload = text === undefined ? {} : { payload: JSON.parse(text) }
        return [`${type} with ${text?.slice(0, 20)}`, JSON.stringify({ type, envelope_id: "odd", ...payload })]
      }),
    ),
    ...[null, 7, "text", [], {}, { type: null }, { type: {} }].map((event): readonly [string, string] => {
      const payload = { type: "event_callback", event, long }
      return [
        `an event that is ${JSON.stringify(event)}`,
        JSON.stringify({ type: "events_api", envelope_id: "odd", payload }),
      ]
    }),
    ["an event of no type", JSON.stringify({ type: "events_api", envelope_id: "odd", payload: {} })],
    ["no type", JSON.stringify({ envelope_id: "odd", payload: help })],
    ...["disconnected", "ws_message", "slack_event", "close", "error"].map((type): readonly [string, string] => [
      `a type ${type}`,
      JSON.stringify({ type, envelope_id: "odd", payload: {} }),
    ]),
    ["half a text", '{"type": "interactive", '],
  ])("what is no delivery ends nothing, and the next one is answered: %s", async (_what, frame) => {
    const fatal = unhandled()
    const { socket, acks, send } = await onOurSocket()

    socket.send(frame)
    send({ type: "slash_commands", envelope_id: "help", payload: help })

    await expect.poll(() => acks, { timeout: limitMs }).toContain("help")
    expect(fatal).toEqual([])
    expect(socket.readyState).toBe(socket.OPEN)
  })

  it("what holds no object is logged, by its type", async () => {
    const { acks, log, send } = await onOurSocket()

    send(null)
    send({ type: "interactive", envelope_id: "odd", payload: null })
    send({ type: "slash_commands", envelope_id: "help", payload: help })
    await expect.poll(() => acks, { timeout: limitMs }).toEqual(["help"])

    expect(log.lines.filter(({ event }) => event === "no-delivery")).toEqual([
      { level: "warn", event: "no-delivery", fields: { type: null } },
      { level: "warn", event: "no-delivery", fields: { type: "interactive" } },
    ])
  })

  it("Slack's notice that it holds events back is a delivery, however long it is", async () => {
    const { acks, log, send } = await onOurSocket()
    const payload = { type: "app_rate_limited", minute_rate_limited: 1_795_262_400, long }

    send({ type: "events_api", envelope_id: "notice", payload })

    await expect.poll(() => acks, { timeout: limitMs }).toEqual(["notice"])
    expect(log.lines.map(({ event }) => event)).toContain("slack-limits-events")
  })
})

describe("over http", () => {
  async function anEndpoint() {
    const module = await anOpenSlackModule("http", aFlow())
    const url = await served(module.slack.listener ?? (() => undefined))
    const send = async (type: string, body: string, secret = module.sandbox.tokens.signingSecret) => {
      const stamp = String(Math.floor(Date.now() / 1_000))
      const mac = createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex")
      const headers = { "x-slack-request-timestamp": stamp, "x-slack-signature": `v0=${mac}`, "content-type": type }
      return (await fetch(`${url}/slack/events`, { method: "POST", body, headers })).status
    }
    return { ...module, send }
  }
  const form = "application/x-www-form-urlencoded"

  it.each(noObjects)("a body that is no object is refused, and the next one answered: %.20s", async (text) => {
    const fatal = unhandled()
    const { send, log } = await anEndpoint()

    expect(await send("application/json", text)).toBe(400)
    expect(await send(form, new URLSearchParams({ payload: text }).toString())).toBe(400)
    expect(await send(form, new URLSearchParams(help).toString())).toBe(200)

    expect(fatal).toEqual([])
    expect(log.lines.filter(({ event }) => event === "no-delivery")).toHaveLength(2)
  })

  it("whoever does not have the secret hears only that", async () => {
    const { send } = await anEndpoint()

    expect(await send("application/json", "null", "another secret")).toBe(401)
    expect(await send(form, "payload=null", "another secret")).toBe(401)
  })

  it("a body that is too long is not read to its end", async () => {
    const { send } = await anEndpoint()

    expect(await send("application/json", JSON.stringify("x".repeat(5_000_000)))).toBe(413)
    expect(await send(form, new URLSearchParams(help).toString())).toBe(200)
  })
})
