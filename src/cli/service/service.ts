// countersign service: runs the embedded Agent Platform Service by itself.
import type { ServiceOptions } from "../../service/service-options.ts"
import { remarksOnUpstream } from "../../service/upstream/upstream-credential.ts"
import { type RunningService, startService } from "../../service.ts"
import { gather, type OptionPlaces } from "../options.ts"
import { stopped } from "../run.ts"
import type { Terminal } from "../terminal.ts"
import { databaseFile, toServiceOptions } from "./service-options.ts"
import { serviceOptionRows, servicePrefix } from "./service-rows.ts"

/** Where to find the service's options. The flag `config` is the path of a YAML file. */
export type ServicePlaces = Pick<OptionPlaces, "flags" | "env">

/**
 * Starts the service; the first line on stdout is `listening on http://…`. The YAML file is `--config` or
 * `SERVICE_CONFIG`. Throws `CommandError`, `ServiceError` or `AuthSetupError`, in the operator's words.
 */
export async function openService(terminal: Terminal, { flags, env }: ServicePlaces): Promise<RunningService> {
  const config = flags["config"] ?? env[`${servicePrefix}CONFIG`]
  const file = typeof config === "string" && config !== "" ? config : undefined
  const given = gather(serviceOptionRows, { flags, env, prefix: servicePrefix, file })
  const options = toServiceOptions(given, Date.now)
  const onFailure = (error: unknown, request: string): void => terminal.err(failureLine(error, request))
  const onDebug = (line: string): void => terminal.err(`debug: ${line}`)
  const service = await startService({
    ...options,
    environment: env,
    database: databaseFile(given),
    onFailure,
    onDebug,
  })
  terminal.out(`listening on ${service.url}`)
  for (const warning of warningsOn(options)) terminal.err(`warning: ${warning}`)
  return service
}

function warningsOn({ authorization, upstream, clock }: ServiceOptions): readonly string[] {
  const remarks = upstream?.routes === "all" ? remarksOnUpstream(upstream.token ?? "", clock()) : []
  return [
    ...(authorization ? [] : ["authorization is off, scopes of JWTs are not enforced"]),
    ...remarks.map((remark) => `upstream-token ${remark} (docs/how-to/agentos-gate.md)`),
  ]
}

/**
 * Runs the service until SIGINT or SIGTERM; then answers what is under way, and closes. Nothing else ends it: no error
 * that nobody caught, and no closed log.
 */
export async function runService(terminal: Terminal, places: ServicePlaces): Promise<void> {
  const told = stopped()
  const service = await openService(terminal, places)
  const lastResort = (error: unknown): void => service.failed(error, "work that nobody waited for")
  process.on("unhandledRejection", lastResort).on("uncaughtException", lastResort)
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  await told
  await service.close()
}

function failureLine(error: unknown, request: string): string {
  return `${request} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}
