// Joins the Slack module: who we are, the ports that the flow uses, and the listeners, the same in both modes.
import { setTimeout as wait } from "node:timers/promises"
import type { Inbound } from "../flow/ports/inbound.ts"
import type { Alarm, Chat, Clock, Log, People, SharedAnswers, Sockets } from "../flow/ports.ts"
import type { Closer } from "../repeat.ts"
import { type Audit, createAudit } from "./chat/audit-channel.ts"
import { createBlockFallback } from "./chat/block-fallback.ts"
import { createChat } from "./chat/chat.ts"
import { createGuardedChat } from "./chat/shared-channels.ts"
import { createViewUpdates } from "./chat/view-updates.ts"
import { createChannels } from "./directory/channels.ts"
import { createTokenWatch, identify, type SlackIdentity, type TokenWatch } from "./directory/identity.ts"
import { createPeople } from "./directory/people.ts"
import { bindListeners, createApp } from "./listeners/bind-listeners.ts"
import { badSetting } from "./transport/errors.ts"
import { createHttp, type SlackTransport } from "./transport/http-mode.ts"
import { createPendingWork, type PendingWork } from "./transport/pending-work.ts"
import { createChannelLimiter } from "./transport/rate-limits.ts"
import { createRespond } from "./transport/response-url.ts"
import { createSocket } from "./transport/socket-mode.ts"
import { createCall, createFetch, defaultTimeoutMs, slackApiUrl, type WebOptions } from "./transport/web-client.ts"

type SlackMode =
  | { readonly kind: "socket"; readonly appToken: string }
  | { readonly kind: "http"; readonly signingSecret: string }

/** What the Slack module needs. Without `pace`, only Slack itself says when calls come too fast. */
export interface SlackOptions extends Omit<WebOptions, "apiUrl"> {
  readonly mode: SlackMode
  readonly botToken: string
  /** Default: Slack's own address. Any other needs `sandbox` (R19). */
  readonly apiUrl?: string
  readonly sandbox: boolean
  readonly installation: string
  /** The names of the instances, so that `/approvals show` finds a case by the id of its approval. */
  readonly instances: () => readonly string[]
  /** The slash command. Default `/approvals`. */
  readonly command?: string
  /** How often we ask Slack whether it still accepts the token, in ms. Default a minute. */
  readonly watchMs?: number
  /** Before we write in a channel: how old Slack's answer about it may be, in ms. Default 30 s. */
  readonly channelMs?: number
  /** True if the rules in force allow another company to read the channel. Default: they allow it nowhere. */
  readonly mayBeShared?: (channel: string) => boolean
  /** Shares with the other replicas what Slack answered. Default: each asks by itself. */
  readonly answers?: SharedAnswers
  /** What `pace` puts between two messages of a channel, in ms. Default 0. */
  readonly paceMs?: number
  /** Counts the sockets of all replicas, so that we notice foreign ones on the same app. Default: nobody counts. */
  readonly sockets?: Sockets
  readonly clock: Clock
  /** Draws a number from 0 to below 1. */
  readonly random: () => number
  readonly alarm: (alarm: Alarm) => void
}

/** Slack, ready for the flow. */
export interface Slack {
  readonly chat: Chat
  readonly people: People
  readonly identity: SlackIdentity
  /** Answers Slack's requests, in HTTP mode. The owner of the server passes on each request below `/slack/`. */
  readonly listener: SlackTransport["listener"]
  /** A channel's name, at most `maxAgeMs` old; null if Slack does not tell it. Throws `ChatError`. */
  channelName(channel: string, maxAgeMs: number): Promise<string | null>
  /** Posts the ledger's checkpoints to a channel, and reads them back. */
  auditTo(channel: string): Audit
  /** Binds the listeners; once, before `start`. */
  listen(inbound: Inbound): void
  /** Begins to take deliveries. Throws `ChatError`. */
  start(): Promise<void>
  /** True while Slack can deliver and accepts our token. */
  connected(): boolean
  /** Why Slack cannot deliver, in words; null while it can. */
  problem(): string | null
  /** Lets acks go out, takes nothing more, and waits a limited time for what was taken. Unended work stays a ticket. */
  close(): Promise<void>
  /** Ends the connections of our own calls: after that, nothing can ask Slack. */
  disconnect(): Promise<void>
}

const acksMs = 1_000
const workMs = 10_000
const defaultWatchMs = 60_000
const defaultChannelMs = 30_000

const connectionDown = "Slack cannot deliver: the connection is down"

/**
 * Asks Slack who we are, and opens the module. If Slack refuses the token or may not be asked at that address, throws a
 * `ChatError` that names the setting.
 */
export async function createSlack(options: SlackOptions): Promise<Slack> {
  const { mode, botToken, clock, log, alarm, answers, installation, instances, paceMs = 0 } = options
  const { watchMs = defaultWatchMs, channelMs: freshMs = defaultChannelMs, mayBeShared = () => false } = options
  const { web, unguarded, identity, respond, disconnect } = await reachSlack(options)
  const token = createTokenWatch({ ...options, ask: () => identify(unguarded) })
  const call = token.guard(unguarded)
  const [acking, working] = [createPendingWork(), createPendingWork()]
  const sendWithFallback = createBlockFallback(log)
  const views = createViewUpdates(call, sendWithFallback)
  const command = options.command ?? "/approvals"
  const common = { call, sendWithFallback, respond, views, identity, clock, log, command, instances, alarm }
  const channels = createChannels({ call, clock, answers })
  const waitForChannel = createChannelLimiter({ paceMs, clock, wait })
  const own = createChat({ ...common, channels, freshMs, waitForChannel })
  const chat = createGuardedChat(own, { call, channels, freshMs, mayBeShared, log })
  const transport =
    mode.kind === "socket"
      ? createSocket({ ...options, ...web, ...mode, wait: waitUnless, countMs: watchMs / 4 })
      : createHttp({ ...mode, clock, log })
  const app = await createApp(botToken, identity, transport, web)
  return {
    chat,
    people: createPeople({ call, identity, clock, answers }),
    identity,
    listener: transport.listener,
    channelName: async (channel, maxAgeMs) => {
      const told = await channels.get(channel, maxAgeMs)
      return told.kind === "channel" ? (told.name ?? null) : null
    },
    auditTo: (channel) => createAudit(call, identity, channel),
    listen: (inbound) => {
      const context = { ...common, inbound, chat, installation }
      bindListeners(app, context, { acking, working, onToken: () => token.look() })
    },
    ...deliveries({ transport, token, acking, working, watchMs, log }),
    disconnect,
  }
}

/** Makes what calls need, and asks Slack who we are. */
async function reachSlack(options: SlackOptions) {
  const { botToken, sandbox, timeoutMs = defaultTimeoutMs, way, meter } = options
  const apiUrl = checkedUrl(options)
  const connections = createFetch({ timeoutMs, way })
  const { fetch = connections.fetch } = options
  const web: WebOptions = { ...options, apiUrl, fetch }
  const unguarded = createCall(botToken, web)
  const identity = await identify(unguarded).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const respond = createRespond({ apiUrl, sandbox, timeoutMs, fetch, meter })
  return { web, unguarded, identity, respond, disconnect: () => connections.close() }
}

/** Starts and ends Slack's deliveries, and says whether Slack can deliver. */
function deliveries(parts: {
  readonly transport: SlackTransport
  readonly token: TokenWatch
  readonly acking: PendingWork
  readonly working: PendingWork
  readonly watchMs: number
  readonly log: Log
}): Pick<Slack, "start" | "connected" | "problem" | "close"> {
  const { transport, token, acking, working, watchMs, log } = parts
  const problem = () => token.problem() ?? (transport.connected() ? null : connectionDown)
  let unwatch: Closer | undefined
  return {
    start: async () => {
      await transport.start()
      unwatch = token.watch(watchMs)
    },
    connected: () => problem() === null,
    problem,
    close: async () => {
      const unwatched = unwatch?.()
      await acking.finished(acksMs)
      await transport.close()
      if (!(await working.finished(workMs))) log.warn("slack-work-left", { afterMs: workMs })
      await unwatched
    },
  }
}

function waitUnless(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal })
}

/** Only Slack is Slack (R19). */
function checkedUrl({ apiUrl = slackApiUrl, sandbox }: SlackOptions): string {
  const url = URL.parse(apiUrl)
  if (url === null) throw badSetting("SLACK_API_URL (slack.api_url) is no address")
  const own = url.origin === new URL(slackApiUrl).origin
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  if (own || (sandbox && local)) return apiUrl
  throw badSetting(
    "SLACK_API_URL (slack.api_url) is not Slack's; another one needs SLACK_SANDBOX=true and must be on this machine",
  )
}
