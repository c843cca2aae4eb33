// Builders for the sandbox's tests: a sandbox that closes itself, and real Bolt bots that talk to it.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from "@slack/bolt"
import { WebClient } from "@slack/web-api"
import { expect, onTestFinished } from "vitest"
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox.ts"
import { limitMs } from "../support/limits.ts"

/** A block whose text is this long. */
export const section = (length: number) => ({
  type: "section" as const,
  text: { type: "mrkdwn" as const, text: "x".repeat(length) },
})

/** A modal of one block. */
export const modal = (title = "Title") => ({
  type: "modal" as const,
  title: { type: "plain_text" as const, text: title },
  blocks: [section(1)],
})

/** The error of Slack's client when Slack refuses a call by this name. */
export const refusal = (error: string) =>
  expect.objectContaining({ data: expect.objectContaining({ error }) as unknown }) as Error

export type Mode = "socket" | "http"

export const random = () => randomBytes(16).toString("hex")

/** A sandbox in the given mode that is closed when the test ends. */
export async function aSandbox(mode: Mode = "socket", more: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ clock: Date.now, random, delivery: { mode }, ...more })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A clock that only the test moves. */
export function aClock(start = Date.parse("2026-11-21T12:00:00Z")): (() => number) & { advance: (ms: number) => void } {
  let now = start
  return Object.assign(() => now, {
    advance: (ms: number) => {
      now += ms
    },
  })
}

/** The real Web API client with the sandbox's bot token. */
export function aClient(sandbox: Sandbox, more: object = {}): WebClient {
  return new WebClient(sandbox.tokens.bot, { ...clientOptions(sandbox), ...more })
}

/** A real Bolt app, connected to the sandbox; `listen` registers what it does. It is stopped when the test ends. */
export async function aBot(sandbox: Sandbox, mode: Mode, listen: (app: App) => void): Promise<App> {
  const receiver = mode === "socket" ? socketReceiver(sandbox) : httpReceiver(sandbox)
  const app = new App({
    token: sandbox.tokens.bot,
    receiver,
    tokenVerificationEnabled: false,
    botId: sandbox.workspace.app.botId,
    botUserId: sandbox.workspace.app.botUserId,
    convoStore: false,
    clientOptions: clientOptions(sandbox),
    logLevel: LogLevel.ERROR,
  })
  app.error(async () => {})
  listen(app)
  const before = sandbox.connections()
  const server = await app.start({ port: 0, host: "127.0.0.1" } as never)
  if (mode === "socket") await sandbox.waitFor(() => sandbox.connections() > before, { limitMs, what: "a socket" })
  else sandbox.deliverTo(`http://127.0.0.1:${(server as { address(): AddressInfo }).address().port}/slack/events`)
  onTestFinished(async () => {
    await app.stop()
  })
  return app
}

function clientOptions(sandbox: Sandbox) {
  const quiet = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    setLevel() {},
    getLevel: () => LogLevel.ERROR,
    setName() {},
  }
  return {
    slackApiUrl: sandbox.apiUrl,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    timeout: limitMs,
    logger: quiet,
  }
}

function socketReceiver(sandbox: Sandbox): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken: sandbox.tokens.app,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: { slackApiUrl: sandbox.apiUrl } },
  })
}

function httpReceiver(sandbox: Sandbox): HTTPReceiver {
  return new HTTPReceiver({ signingSecret: sandbox.tokens.signingSecret, logLevel: LogLevel.ERROR })
}

/** A bot without Bolt that answers each delivery with what `reply` says. Returns the payloads that it heard. */
export async function aRawBot(sandbox: Sandbox, reply: () => object): Promise<Record<string, unknown>[]> {
  const heard: Record<string, unknown>[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ""
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
    const form = new URLSearchParams(body)
    heard.push(JSON.parse(form.get("payload") ?? JSON.stringify(Object.fromEntries(form))) as Record<string, unknown>)
    response.setHeader("content-type", "application/json").end(JSON.stringify(reply()))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    server.close()
    await once(server, "close")
  })
  sandbox.deliverTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return heard
}
