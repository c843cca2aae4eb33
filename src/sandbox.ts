// Starts the local Slack workspace: joins its parts, and gives back one object that drives and reads it.
import { createDelivery, type DeliveryAck } from "./sandbox/delivery/delivery.ts"
import { createFaults } from "./sandbox/delivery/faults.ts"
import { createHttpTransport } from "./sandbox/delivery/http-transport.ts"
import { createSocketMode } from "./sandbox/delivery/socket-mode.ts"
import { type CallCounts, createCallCounts } from "./sandbox/limits/call-counts.ts"
import { createPostPace } from "./sandbox/limits/pace.ts"
import { createResponseUrls } from "./sandbox/limits/response-urls.ts"
import { createTriggers } from "./sandbox/limits/triggers.ts"
import type { LoadPage } from "./sandbox/serving/page-server.ts"
import { startServer } from "./sandbox/serving/server.ts"
import { sendRateLimited } from "./sandbox/user-actions/events.ts"
import type { Tour } from "./sandbox/user-actions/tour.ts"
import { type Screens, screensOf, type UserActions, userActionsOf } from "./sandbox/user-actions/user-actions.ts"
import type { Changes } from "./sandbox/workspace/changes.ts"
import { defaultScopes, defaultSeed, type WorkspaceSeed } from "./sandbox/workspace/seed.ts"
import { createWorkspace } from "./sandbox/workspace/workspace.ts"
import type { World } from "./sandbox/world.ts"

/** How interactions reach the bot. Over HTTP, `deliverTo` may give the address later. */
export type DeliveryMode =
  | { readonly mode: "socket" }
  | { readonly mode: "http"; readonly url?: string; readonly signingSecret?: string }

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Default: 0, any free port. */
  readonly port?: number
  /** Epoch ms. In HTTP mode it must be near the real time, because the bot checks it. */
  readonly clock: () => number
  /** A fresh, unguessable string of at least 16 hexadecimal characters at every call. */
  readonly random: () => string
  readonly delivery: DeliveryMode
  /** Default: `defaultSeed`. */
  readonly seed?: WorkspaceSeed
  /** True: more than one post per second and channel gets a 429. Default: false; `pace.enable` switches it. */
  readonly paceLimit?: boolean
  /** How long an ack may take, in ms of real time. Default: 3,000, as in Slack. */
  readonly ackMs?: number
  /** How long a trigger_id lives, in ms of `clock`. Default: 3,000, as in Slack. */
  readonly triggerMs?: number
  /**
   * Set if something stands before the sandbox: the addresses that it names instead of its own, such as
   * `https://hooks.slack.com` and `wss://wss-primary.slack.com`.
   */
  readonly front?: { readonly responses: string; readonly sockets: string }
  /** The page's files. Default: no page, only the APIs. */
  readonly loadPage?: LoadPage
}

type SharedPart = "tokens" | "workspace" | "faults" | "pace" | "scopes" | "install"

/** A running sandbox: what its people do and see, and the switches that tests need. */
export interface Sandbox extends UserActions, Screens, Pick<World, SharedPart> {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** For `slackApiUrl`: `http://127.0.0.1:PORT/api/` */
  readonly apiUrl: string
  /** The page, with its token. `&as=PERSON` opens it as that person. */
  readonly pageUrl: string
  /** The bearer token of `/control`, new at every start. */
  readonly controlToken: string
  readonly busiestMinute: CallCounts["busiestMinute"]
  readonly waitFor: Changes["waitFor"]
  /** Sets the bot's request URL for HTTP mode. `signingSecret` signs requests (default: the sandbox's own). */
  readonly deliverTo: (url: string, signingSecret?: string) => void
  /** Puts a tour on the page: its list of things to try, and a link to the auditor's page. */
  readonly offerTour: (tour: Tour) => void
  /** Makes every socket reconnect, as Slack does every few hours. */
  readonly refreshSockets: () => void
  /** Tells the app that Slack holds back its events (`app_rate_limited`), and resolves with the app's ack. */
  readonly limitEvents: () => Promise<DeliveryAck>
  /** How many sockets accept deliveries. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/**
 * Starts a sandbox on loopback. Rejects if the port is taken, or with `bad_seed`.
 *
 * @example
 * const sandbox = await startSandbox({ clock: Date.now, random: randomBytes, delivery: { mode: "socket" } })
 * // A bot whose `slack.api_url` is `sandbox.apiUrl` posts its cards here; people press them by `sandbox.click`.
 * await sandbox.close()
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { world, socketMode, addresses } = assemble(options)
  const { loadPage, port = 0 } = options
  const controlToken = options.random()
  const server = await startServer({ world, socketMode, controlToken, loadPage, port })
  const url = `http://127.0.0.1:${server.port}`
  addresses.own = url
  return {
    ...userActionsOf(world),
    ...screensOf(world),
    url,
    apiUrl: `${url}/api/`,
    pageUrl: `${url}/?token=${controlToken}`,
    controlToken,
    tokens: world.tokens,
    workspace: world.workspace,
    faults: world.faults,
    pace: world.pace,
    busiestMinute: world.callCounts.busiestMinute,
    scopes: world.scopes,
    install: world.install,
    waitFor: world.workspace.changes.waitFor,
    deliverTo: (target, signingSecret = world.tokens.signingSecret) => {
      addresses.bot = { url: target, signingSecret }
    },
    offerTour: (tour) => {
      world.offer.tour = tour
      world.workspace.changes.notify()
    },
    refreshSockets: socketMode.refresh,
    limitEvents: () => sendRateLimited(world),
    connections: socketMode.connections,
    close: server.close,
  }
}

function assemble(options: SandboxOptions) {
  const { clock, random, delivery, front, seed = defaultSeed, ackMs = 3_000, triggerMs = 3_000 } = options
  const tokens = { bot: `xoxb-${random()}`, app: `xapp-1-${random()}`, signingSecret: random() }
  const workspace = createWorkspace(seed, { clock, random })
  const faults = createFaults()
  const { ids, app, changes } = workspace
  const socketMode = createSocketMode({ ids, appId: app.id, ackMs, faults, changed: changes.notify })
  const addresses = { own: "", bot: targetOf(delivery, tokens.signingSecret) }
  const http = createHttpTransport({ target: () => addresses.bot, clock, ackMs })
  const world: World = {
    workspace,
    tokens,
    triggers: createTriggers({ clock, random, lifeMs: triggerMs }),
    responseUrls: createResponseUrls({ clock, random }),
    faults,
    pace: createPostPace(clock, options.paceLimit ?? false),
    callCounts: createCallCounts(clock),
    scopes: new Set(defaultScopes),
    install: { orgWide: false, refused: null },
    offer: { tour: null },
    delivery: createDelivery(faults, () => (delivery.mode === "socket" ? socketMode : http)),
    url: () => addresses.own,
    responsesAt: () => front?.responses ?? addresses.own,
    socketUrl: () => `${front?.sockets ?? addresses.own.replace("http:", "ws:")}/link?ticket=${socketMode.ticket()}`,
  }
  return { world, socketMode, addresses }
}

function targetOf(delivery: DeliveryMode, ownSecret: string): { url: string; signingSecret: string } | undefined {
  if (delivery.mode === "socket" || delivery.url === undefined) return undefined
  return { url: delivery.url, signingSecret: delivery.signingSecret ?? ownSecret }
}
