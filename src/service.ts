// Starts the embedded Agent Platform Service: database, gate, app and HTTP server.
import { createServer, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { createRouteMatcher, type Routes } from "./auth/match-route.ts"
import { createTokenVerifier } from "./auth/verify-token.ts"
import { listenOn, stopListening, urlHost } from "./listen.ts"
import { type BootstrapAccount, bootstrapAccount } from "./service/accounts/mint-account.ts"
import { createApp, serviceHandlers } from "./service/app.ts"
import { type OutOfSight, whileInSight } from "./service/approvals/approval-handlers.ts"
import { createLiveScript, refuseTaken } from "./service/catalog/stored-components.ts"
import { checkScript } from "./service/components/script.ts"
import { createAuthenticate } from "./service/gate/authenticate.ts"
import { type CrossOrigin, createCrossOrigin } from "./service/gate/cross-origin.ts"
import { createGate, type Gate } from "./service/gate/gate.ts"
import { routesForAnybody } from "./service/gate/route-table.ts"
import { createRoutes } from "./service/gate/routes.ts"
import { createStandings } from "./service/gate/standings.ts"
import type { ServiceParts } from "./service/handler.ts"
import { createLaterWork } from "./service/later-work.ts"
import { createAskModel } from "./service/model/ask-model.ts"
import { checkModelKeys } from "./service/model/model-keys.ts"
import { createThinking } from "./service/model/thinking.ts"
import { carryOutSoon } from "./service/runs/start-run.ts"
import { takeUpThinking } from "./service/runs/think.ts"
import { startScheduler } from "./service/schedules/scheduler.ts"
import { credentialPlaceOf, type ServiceOptions, settingsOf } from "./service/service-options.ts"
import { type Rewriting, rewriteApproval } from "./service/storage/approval-store.ts"
import { openDatabase } from "./service/storage/database.ts"
import { type Execution, listExecutions } from "./service/storage/run-store.ts"
import { createUpstream, type Upstream } from "./service/upstream/upstream.ts"
import { checkUpstream } from "./service/upstream/upstream-options.ts"

/** A running service. */
export interface RunningService {
  /** Its address, such as `http://127.0.0.1:41234`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Mints a service account, and returns its token. First revokes an active account of the same name. */
  mintServiceAccount(account: BootstrapAccount): string
  /** Every tool call that really ran, in order: what tests and the demo check. */
  executions(): readonly Execution[]
  /** Changes what a paused run asks for, and its approval. No API can do that, but an agent's second thoughts can. */
  rewriteApproval(id: string, change: Rewriting): void
  /** From now on the service answers for approvals as AgentOS does while its database is away; null: as usual. */
  hideApprovals(how: OutOfSight | null): void
  /** Logs a failure that nobody was told of, and counts it in `/health`. */
  failed(error: unknown, what: string): void
  /** Cancels a paused run as AgentOS does: nothing shows that until the run is continued and its calls have run. */
  cancelUnseen(runId: string): void
  /** Answers what is under way, then closes server and database. May be called twice. */
  close(): Promise<void>
}

/**
 * Starts the service and resolves once it listens. Throws `ServiceError` (script, key, database, upstream, port) or
 * `AuthSetupError` (keys, mappings, prefix), and closes again what it opened until then. All state is in the database:
 * a restart with the same file goes on where it stopped.
 *
 * @example
 * const given = { database: "platform.db", authorization: false, clock: Date.now, random: randomBytes }
 * const service = await startService(given)
 * // An agent asks: POST `${service.url}/approvals`. Somebody decides: POST `…/approvals/<id>/resolve`.
 * await service.close()
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const settings = settingsOf(options)
  const { onFailure = warn } = options
  const forwards = options.upstream?.routes ?? "unserved"
  const routes = createRoutes({
    a2aPrefix: settings.a2aPrefix,
    scopeMappings: options.scopeMappings ?? {},
    lists: forwards === "all" ? "whole" : "filtered",
  })
  const script = checkScript(options.script ?? { agents: [] })
  const environment = options.environment ?? {}
  checkModelKeys(script.agents, environment)
  const crossOrigin = createCrossOrigin(options.allowedOrigins ?? [], credentialPlaceOf(options))
  const gateOver = prepareGate(options, { settings, routes, crossOrigin })
  const upstream = openUpstream(options, settings)
  const database = openDatabase(options.database)
  const live = createLiveScript(database, script, (text) => process.emitWarning(text))
  const parts: ServiceParts = {
    database,
    get script() {
      return live.now()
    },
    ownScript: script,
    scriptChanged: live.changed,
    clock: options.clock,
    random: options.random,
    settings,
    askModel: createAskModel(environment),
    thinking: createThinking(),
    later: createLaterWork(database, onFailure),
    counting: { state: { status: "idle" } },
    cancelledUnseen: new Set(),
  }
  try {
    refuseTaken(database, script)
    carryOutSoon(parts)
    takeUpThinking(parts)
    const sight: Started["sight"] = { away: null }
    const handlers = whileInSight(serviceHandlers(parts, forwards), () => sight.away)
    const app = createApp({
      gate: gateOver(database),
      crossOrigin,
      handlers,
      upstream,
      onFailure,
      onDebug: options.onDebug,
    })
    const listener = getRequestListener(app.fetch)
    const server = createServer((request, response) => void listener(request, response))
    const address = await listen(server, options.port ?? 0, options.host ?? "127.0.0.1")
    const idle = forwards === "all" ? () => undefined : startScheduler(parts, options.schedulePollMs ?? 1000)
    return running({ address, server, parts, upstream, sight, idle })
  } catch (error) {
    await parts.thinking.close()
    database.close()
    await upstream?.close()
    throw error
  }
}

/** What makes up the gate besides its options. */
interface GateParts {
  readonly settings: ServiceParts["settings"]
  readonly routes: Routes
  readonly crossOrigin: CrossOrigin
}

/** Checks everything about the gate that can be wrong, before we open the database. */
function prepareGate(
  options: ServiceOptions,
  { settings, routes, crossOrigin }: GateParts,
): (database: ServiceParts["database"]) => Gate {
  const { clock, authorization, onFailure = warn } = options
  const verify = createTokenVerifier({
    ...options.tokens,
    verificationKeys: options.verificationKeys ?? [],
    ...(options.jwksFile === undefined ? {} : { jwksFile: options.jwksFile }),
    algorithm: options.algorithm ?? "RS256",
    clock,
    onKeyProblem: (error) => onFailure(error, "reading the key set again"),
  })
  const { adminScope, authMode, userIsolation } = settings
  const standings = createStandings({ adminScope, authorization, userIsolation })
  const place = credentialPlaceOf(options)
  const match = createRouteMatcher(routes)
  return (database) => {
    const authenticate = createAuthenticate({
      database,
      verify,
      standings,
      place,
      crossOrigin,
      authMode,
      clock,
      onFailure,
    })
    const forAnybody = userIsolation ? routesForAnybody : null
    return createGate({ match, authenticate, anonymous: standings.anonymous, forAnybody })
  }
}

function openUpstream(
  options: ServiceOptions,
  { userIsolation, maxBodyBytes }: ServiceParts["settings"],
): Upstream | null {
  const { upstream, authorization, clock } = options
  if (upstream === undefined) return null
  const url = checkUpstream(upstream, { authorization, userIsolation })
  return createUpstream({ upstream, url, place: credentialPlaceOf(options), maxBodyBytes, clock })
}

interface Started {
  readonly address: { readonly url: string; readonly port: number }
  readonly server: Server
  readonly parts: ServiceParts
  readonly upstream: Upstream | null
  /** Ends the scheduler. */
  readonly idle: () => void
  /** How the service hides approvals; null while it does not. */
  readonly sight: { away: OutOfSight | null }
}

function running({ address, server, parts, upstream, sight, idle }: Started): RunningService {
  let closed: Promise<void> | null = null
  return {
    ...address,
    mintServiceAccount: (account) => bootstrapAccount(parts, account),
    executions: () => listExecutions(parts.database),
    rewriteApproval: (id, change) => rewriteApproval(parts.database, id, change),
    hideApprovals: (how) => {
      sight.away = how
    },
    failed: (error, what) => parts.later.failed(error, what),
    cancelUnseen: (runId) => void parts.cancelledUnseen.add(runId),
    close: () => {
      idle()
      closed ??= stopListening(server)
        .then(() => upstream?.close())
        .then(() => parts.thinking.close())
        .then(() => parts.database.close())
      return closed
    },
  }
}

function warn(error: unknown, request: string): void {
  process.emitWarning(`${request} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
}

const bodyMs = 30_000

/** Listens, and returns the address. Throws `ListenError` if the port is taken or not allowed. */
async function listen(server: Server, port: number, host: string): Promise<Started["address"]> {
  server.requestTimeout = bodyMs
  const address = await listenOn(server, { host, port, settings: { port: "--port", host: "--host" } })
  return { url: `http://${urlHost(address.address)}:${address.port}`, port: address.port }
}
