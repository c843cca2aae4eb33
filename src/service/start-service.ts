// Starts the embedded Agent Platform Service: database, gate, app and HTTP server.
import { createServer, type Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { createRouteMatcher } from "../auth/match-route.ts"
import { publicRoutes, servedRoutes } from "../auth/route-table.ts"
import { defaultAdminScope } from "../auth/scopes.ts"
import { createTokenVerifier } from "../auth/verify-token.ts"
import { createApp } from "./app.ts"
import { createAuthenticate } from "./authenticate.ts"
import { type BootstrapAccount, bootstrapAccount } from "./bootstrap-account.ts"
import { openDatabase } from "./database.ts"
import { createGate, type Gate } from "./gate.ts"
import { listen, stop } from "./http-server.ts"
import type { Parts } from "./parts.ts"
import { type Execution, listExecutions } from "./run-store.ts"
import { checkScript } from "./script.ts"
import type { ServiceOptions } from "./service-options.ts"

/** A running service. */
export type RunningService = {
  /** Its address, for example `http://127.0.0.1:41234`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Mints a service account from within; a living one of that name is revoked first. Returns the token. */
  mintServiceAccount(account: BootstrapAccount): string
  /** Every tool call that really ran, in order: the witness for tests and the demo. */
  executions(): readonly Execution[]
  /** Answers what is under way, then closes server and database. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Starts the service and resolves once it listens. Throws `ServiceError` (script, database, port) or `AuthSetupError` (keys); what
 * was opened until then is closed again. All state is in the database: a restart with the same file goes on where it stopped.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const script = checkScript(options.script ?? { agents: [] })
  const verify = createTokenVerifier({
    ...options.tokens,
    verificationKeys: options.verificationKeys ?? [],
    algorithm: options.algorithm ?? "RS256",
    clock: options.clock,
  })
  const database = openDatabase(options.database)
  try {
    const parts: Parts = {
      database,
      script,
      clock: options.clock,
      random: options.random,
      settings: settingsOf(options),
    }
    const patterns = [...publicRoutes, ...Object.keys(servedRoutes)]
    const authenticate = createAuthenticate({
      database,
      verify,
      authMode: parts.settings.authMode,
      clock: options.clock,
    })
    const gate: Gate = createGate({
      match: createRouteMatcher(servedRoutes, publicRoutes),
      authenticate,
      adminScope: parts.settings.adminScope,
      authorization: options.authorization,
    })
    const app = createApp({ parts, gate, patterns, onFailure: options.onFailure ?? warn })
    const listener = getRequestListener(app.fetch)
    const server = createServer((request, response) => void listener(request, response))
    const address = await listen(server, options.port ?? 0, options.host ?? "127.0.0.1")
    return running(address, server, parts)
  } catch (error) {
    database.close()
    throw error
  }
}

function settingsOf(options: ServiceOptions): Parts["settings"] {
  return {
    adminScope: options.adminScope ?? defaultAdminScope,
    authMode: options.authorization || (options.verificationKeys ?? []).length > 0 ? "jwt" : "none",
    resolvedByFromSubject: options.resolvedByFromSubject ?? false,
    maxBodyBytes: options.maxBodyBytes ?? 8 * 1024 * 1024,
    startedAt: options.clock(),
  }
}

function running(
  address: { readonly url: string; readonly port: number },
  server: Server,
  parts: Parts,
): RunningService {
  let closed: Promise<void> | null = null
  return {
    ...address,
    mintServiceAccount: (account) => bootstrapAccount(parts, account),
    executions: () => listExecutions(parts.database),
    close: () => {
      closed ??= stop(server).then(() => parts.database.close())
      return closed
    },
  }
}

function warn(error: unknown, request: string): void {
  process.emitWarning(`${request} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
}
