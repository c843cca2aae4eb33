// The Slack house joined together: who we are, the ports that the flow uses, and the listeners, the same in both modes.
import { setTimeout as wait } from "node:timers/promises"
import { App, type BlockAction, type MessageShortcut, type ViewSubmitAction } from "@slack/bolt"
import type { FetchFunction } from "@slack/web-api"
import type { Inbound } from "../flow/inbound.ts"
import type { Alarm, Chat, Clock, Log, Meter, Pace, People, SharedAnswers, Sockets } from "../flow/ports.ts"
import type { WayOut } from "../outgoing/dispatcher.ts"
import type { Closer } from "../repeat.ts"
import { type Audit, createAudit } from "./chat/audit-channel.ts"
import { createSendNew } from "./chat/block-fallback.ts"
import { createChat } from "./chat/chat.ts"
import { createGuardedChat, onSharing } from "./chat/shared-channels.ts"
import { createViewUpdates } from "./chat/view-updates.ts"
import { createChannels } from "./directory/channels.ts"
import { badSetting, identify, type SlackIdentity } from "./directory/identity.ts"
import { createPeople } from "./directory/people.ts"
import { createTokenWatch } from "./directory/token-watch.ts"
import { ACTIONS, SHORTCUT, VIEWS } from "./ids.ts"
import { onlyKnown } from "./listeners/bind-listeners.ts"
import { onCommand, onListPage } from "./listeners/commands.ts"
import { onMessage } from "./listeners/events.ts"
import { onHome, onHomeReject } from "./listeners/home.ts"
import { createRunner, type Desk, type Listener } from "./listeners/listener-context.ts"
import { onDetails, onForm, onPage, onReveal } from "./listeners/open-details.ts"
import { onReceipt } from "./listeners/receipt.ts"
import { onNext, onReview } from "./listeners/review.ts"
import { onShortcut } from "./listeners/shortcut.ts"
import { onVote, onWithdraw } from "./listeners/votes.ts"
import { createBoltLogger } from "./transport/bolt-log.ts"
import { createFetch } from "./transport/fetch.ts"
import { createHttp } from "./transport/http-mode.ts"
import { createFlight } from "./transport/pending-work.ts"
import { createSpacing } from "./transport/rate-limits.ts"
import { createRespond } from "./transport/response-url.ts"
import { createSocket } from "./transport/socket-mode.ts"
import type { Transport } from "./transport/transport.ts"
import { clientOptions, createCall, SLACK_API_URL, TIMEOUT_MS, type WebOptions } from "./transport/web-client.ts"

/** How Slack delivers. */
type SlackMode =
  | { readonly kind: "socket"; readonly appToken: string }
  | { readonly kind: "http"; readonly signingSecret: string }

/** What the Slack house is made of. */
export interface SlackOptions {
  readonly mode: SlackMode
  readonly botToken: string
  /** Default: Slack's own. Another address needs `sandbox` (R19). */
  readonly apiUrl?: string
  readonly sandbox: boolean
  readonly installation: string
  /** Names of the instances, so that `/approvals show` finds a case by its approval's id. */
  readonly instances: () => readonly string[]
  /** The slash command. Default `/approvals`. */
  readonly command?: string
  /** How long one call to Slack may take, in ms. Default 10 s. */
  readonly timeoutMs?: number
  /** How often Slack is asked whether it takes the token, in ms. Default a minute. */
  readonly watchMs?: number
  /** How old may be what Slack said of a channel where something is written there, in ms. Default 30 s. */
  readonly channelMs?: number
  /** True if the rules in force allow that another company reads along in a channel. Default: in none. */
  readonly mayBeShared?: (channel: string) => boolean
  /** How connections leave this machine, the socket's too. Default: without a proxy, and believing whom Node believes. */
  readonly way?: WayOut
  /** Default: one with connections of its own. */
  readonly fetch?: FetchFunction
  /** Measures the calls. Default: nobody does. */
  readonly meter?: Meter
  /** Keeps to Slack's limits over all replicas; without it Slack alone says when it is too much. */
  readonly pace?: Pick<Pace, "reserve" | "count" | "hold">
  /** Shares with the other replicas what was asked of Slack. Default: each asks by itself. */
  readonly answers?: SharedAnswers
  /** What `pace` puts between two messages of a channel, in ms. Default 0. */
  readonly paceMs?: number
  /** Counts the sockets of all replicas, so that somebody else's on the same app are noticed. Default: nobody does. */
  readonly sockets?: Sockets
  readonly clock: Clock
  /** Draws a number from 0 to below 1. */
  readonly random: () => number
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

/** Slack, ready for the flow. */
export interface Slack {
  readonly chat: Chat
  readonly people: People
  readonly identity: SlackIdentity
  /** Answers Slack's requests, in HTTP mode; whoever has the server hands it all that comes below `/slack/`. */
  readonly listener: Transport["listener"]
  /** What posts the ledger's checkpoints to a channel, and reads them back. */
  auditTo(channel: string): Audit
  /** Binds the listeners; once, before `start`. */
  listen(inbound: Inbound): void
  /** Begins to take deliveries. Throws `ChatError`. */
  start(): Promise<void>
  /** True while Slack can deliver and takes our token. */
  connected(): boolean
  /** What stands in the way of that, in words; null while nothing does. */
  problem(): string | null
  /** Lets the acks under way go out, stops taking deliveries, waits for what was taken. Time-boxed; what does not land stays a ticket. */
  close(): Promise<void>
  /** Ends the connections of our own calls: after that, nothing can be asked of Slack any more. */
  disconnect(): Promise<void>
}

const ACKS_MS = 1_000
const WORK_MS = 10_000
const WATCH_MS = 60_000
const CHANNEL_MS = 30_000

const DOWN = "Slack cannot deliver: the connection is down"

/** Asks Slack who we are and makes the house. A refused token or a foreign address is a `ChatError` that names the setting. */
export async function createSlack(options: SlackOptions): Promise<Slack> {
  const { mode, botToken, clock, log } = options
  const apiUrl = checkedUrl(options)
  const { sandbox, timeoutMs = TIMEOUT_MS, watchMs = WATCH_MS, way, meter } = options
  const connections = createFetch({ timeoutMs, way })
  const { fetch = connections.fetch } = options
  const web: WebOptions = { ...options, apiUrl, fetch }
  const call = createCall(botToken, web)
  const identity = await identify(call).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const respond = createRespond({ apiUrl, sandbox, timeoutMs, fetch, meter })
  const { paceMs = 0, command = "/approvals" } = options
  const spaced = createSpacing({ paceMs, clock, wait })
  const sendNew = createSendNew(log)
  const acking = createFlight()
  const working = createFlight()
  const views = createViewUpdates({ call, sendNew, wait, working, log })
  const { channelMs: freshMs = CHANNEL_MS, mayBeShared = () => false } = options
  const channels = createChannels({ call, clock, answers: options.answers })
  const own = createChat({ call, sendNew, respond, views, identity, channels, freshMs, spaced, clock, log, command })
  const chat = createGuardedChat(own, { call, channels, freshMs, mayBeShared, log })
  const transport =
    mode.kind === "socket"
      ? createSocket({ ...options, ...web, ...mode, wait: waitUnless, countMs: watchMs / 4 })
      : createHttp({ ...mode, clock, log })
  const app = await createApp(botToken, identity, transport, web)
  const token = createTokenWatch({ ...options, ask: () => identify(call) })
  const problem = () => token.problem() ?? (transport.connected() ? null : DOWN)
  let unwatch: Closer | undefined
  return {
    chat,
    people: createPeople({ call, identity, clock, answers: options.answers }),
    identity,
    listener: transport.listener,
    auditTo: (channel) => createAudit(call, identity, channel),
    listen: (inbound) => {
      const { installation, instances } = options
      const names = { installation, instances, command }
      const desk: Desk = { inbound, call, sendNew, respond, views, chat, identity, clock, log, ...names }
      bind(app, createRunner(desk, acking, working), desk)
      app.event("message", ({ event }) => working.track(onMessage(desk, event)))
      app.event("app_home_opened", ({ event, body }) => working.track(onHome(desk, event, body.team_id)))
      for (const shared of ["channel_shared", "channel_unshared"] as const)
        app.event(shared, ({ event }) => working.track(onSharing(desk, event.channel)))
      // What the token is worth says Slack itself: an event may be late, and the app installed anew.
      app.event("app_uninstalled", () => working.track(token.look()))
      app.event("tokens_revoked", () => working.track(token.look()))
    },
    start: async () => {
      await transport.start()
      unwatch = token.watch(watchMs)
    },
    connected: () => problem() === null,
    problem,
    close: async () => {
      const unwatched = unwatch?.()
      await acking.landed(ACKS_MS)
      await transport.close()
      if (!(await working.landed(WORK_MS))) log.warn("slack-work-left", { afterMs: WORK_MS })
      await unwatched
    },
    disconnect: () => connections.close(),
  }
}

function waitUnless(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal })
}

/** Bolt with our transport; `auth.test` was called, so that Bolt does not do it again for each delivery. */
async function createApp(token: string, identity: SlackIdentity, transport: Transport, web: WebOptions): Promise<App> {
  const app = new App({
    token,
    botId: identity.bot,
    botUserId: identity.botUser,
    tokenVerificationEnabled: false,
    deferInitialization: true,
    convoStore: false,
    receiver: transport.receiver,
    clientOptions: clientOptions(web),
    logger: createBoltLogger(web.log),
  })
  app.error(async (error) => {
    web.log.error("slack-listener-failed", { error })
    // Bolt then answers with an error, and Slack shows one: nothing was counted.
    throw error
  })
  await app.init()
  return app
}

function bind(app: App, run: ReturnType<typeof createRunner>, { command, log }: Pick<Desk, "command" | "log">): void {
  app.processEvent = onlyKnown(app.processEvent.bind(app), { buttons: anyButton, command, log })
  // One listener for all buttons: Bolt would ask each of them about every click.
  app.action<BlockAction>(anyButton, ({ action, body, ack }) => listenerOf(run, action.action_id)({ body, ack }))
  app.shortcut<MessageShortcut>({ type: "message_action", callback_id: SHORTCUT }, run(onShortcut))
  app.view<ViewSubmitAction>(VIEWS.form, run(onForm))
  app.command(command, run(onCommand))
}

/** What each button does. */
const buttons: readonly (readonly [RegExp, Listener])[] = [
  [new RegExp(`^${ACTIONS.approve}$`), onVote("approve")],
  [new RegExp(`^${ACTIONS.reject}$`), onVote("reject")],
  [new RegExp(`^${ACTIONS.details}$`), onDetails],
  [new RegExp(`^${ACTIONS.withdraw}$`), onWithdraw],
  [new RegExp(`^${ACTIONS.reveal}$`), onReveal],
  [new RegExp(`^${ACTIONS.receipt}$`), onReceipt],
  [new RegExp(`^${ACTIONS.page}_`), onPage],
  [new RegExp(`^${ACTIONS.list}_`), onListPage],
  [new RegExp(`^${ACTIONS.review}$`), onReview],
  [new RegExp(`^${ACTIONS.next}$`), onNext],
  [new RegExp(`^${ACTIONS.homeReject}$`), onHomeReject],
]
const anyButton = new RegExp(buttons.map(([id]) => id.source).join("|"))

function listenerOf(run: ReturnType<typeof createRunner>, actionId: string) {
  const [, listener] = buttons.find(([id]) => id.test(actionId)) ?? []
  if (listener === undefined) throw new Error(`no button is called ${actionId}`)
  return run(listener)
}

/** Only Slack is Slack (R19). */
function checkedUrl({ apiUrl = SLACK_API_URL, sandbox }: SlackOptions): string {
  const url = URL.parse(apiUrl)
  if (url === null) throw badSetting("SLACK_API_URL (slack.api_url) is no address", undefined)
  const own = url.origin === new URL(SLACK_API_URL).origin
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  if (own || (sandbox && local)) return apiUrl
  throw badSetting(
    "SLACK_API_URL (slack.api_url) is not Slack's; another one needs SLACK_SANDBOX=true and must be on this machine",
    undefined,
  )
}
