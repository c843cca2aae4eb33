// The options of the embedded service, and the settings that are made from them.
import { type CredentialPlace, defaultPlace } from "../auth/credential.ts"
import { defaultAdminScope } from "../auth/scopes.ts"
import type { Algorithm } from "../auth/verification-keys.ts"
import type { TokenVerifierOptions } from "../auth/verify-token.ts"
import type { Script, ScriptInput } from "./components/script.ts"
import { defaultA2aPrefix, type RouteTable } from "./gate/route-table.ts"
import type { ServiceSettings } from "./handler.ts"
import { readSources } from "./knowledge/sources.ts"
import type { ModelVariables } from "./model/model-keys.ts"
import type { UpstreamOptions } from "./upstream/upstream-options.ts"

/** How the embedded service is started. */
export interface ServiceOptions {
  /** Port to listen on; default 0, which means any free port. */
  readonly port?: number
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string
  /** SQLite file, or ":memory:" for a database that is gone when the service closes. */
  readonly database: string
  /** The scripted agents (see `script.ts`); default none. */
  readonly script?: ScriptInput | Script
  /** True: all routes except public ones need a credential with scopes. False: they need one only if there are keys. */
  readonly authorization: boolean
  /** Keys for JWTs: public PEMs for RS256 and ES256, secrets for HS256. Default none: service accounts only. */
  readonly verificationKeys?: readonly string[]
  /** The one algorithm that all keys are for; default RS256. */
  readonly algorithm?: Algorithm
  /** A JSON Web Key Set file. It is tried before the other keys, and read again if it changes; default none. */
  readonly jwksFile?: string
  /** For JWTs: scopes claim, accepted audiences and issuers, leeway, and whether `exp` is required (default: not). */
  readonly tokens?: Pick<TokenVerifierOptions, "scopesClaim" | "audience" | "issuer" | "leewaySeconds" | "requireExp">
  /** Where we read tokens from; default the Authorization header, and `access_token` as the cookie's name. */
  readonly credentialPlace?: Partial<CredentialPlace>
  /** Required scopes by "METHOD /path" (specification 5.5); default none. */
  readonly scopeMappings?: RouteTable
  /** Where the A2A routes stand; default `/a2a`. */
  readonly a2aPrefix?: string
  /** True: callers who are not admin see only their own rows, and resolve none, as in AgentOS. Default false. */
  readonly userIsolation?: boolean
  /** The instance that gets the requests that we do not serve; default none: 501. */
  readonly upstream?: UpstreamOptions
  /** The one scope of full access; default `service:admin`. If another is chosen, `service:admin` opens nothing. */
  readonly adminScope?: string
  /** True: the token's subject overwrites `resolved_by`, as in AgentOS. Default false (specification 3.1). */
  readonly resolvedByFromSubject?: boolean
  /** Longest request body in bytes; default 8 MiB. A longer body is answered with 413. */
  readonly maxBodyBytes?: number
  /** Other origins whose pages may send requests; default none. */
  readonly allowedOrigins?: readonly string[]
  /** The places from which we may fetch knowledge, as `name=address` or `name=folder`; default none. */
  readonly knowledgeSources?: readonly string[]
  /** How often we look for schedules that are due, in milliseconds; default 1000. */
  readonly schedulePollMs?: number
  /** Called with every failure that became a 500; default: a process warning. `request` is method and path. */
  readonly onFailure?: (error: unknown, request: string) => void
  /** Called with a line for each event that matters only to somebody who looks for a cause. Default: no call. */
  readonly onDebug?: (line: string) => void
  /** The variables that hold the keys of the script's models; default none. */
  readonly environment?: ModelVariables
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Returns this many unpredictable bytes, as `crypto.randomBytes` does. */
  readonly random: (size: number) => Uint8Array
}

const defaultMaxBodyBytes = 8 * 1024 * 1024

/** Fills in the defaults. A service that has keys, or enforces scopes, asks for a credential. */
export function settingsOf(options: ServiceOptions): ServiceSettings {
  const hasKeys = (options.verificationKeys ?? []).length > 0 || options.jwksFile !== undefined
  return {
    adminScope: options.adminScope ?? defaultAdminScope,
    authMode: options.authorization || hasKeys ? "jwt" : "none",
    resolvedByFromSubject: options.resolvedByFromSubject ?? false,
    userIsolation: options.userIsolation ?? false,
    a2aPrefix: options.a2aPrefix ?? defaultA2aPrefix,
    ownScopes: new Set(Object.values(options.scopeMappings ?? {}).flat()),
    knowledgeSources: readSources(options.knowledgeSources ?? []),
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    startedAt: options.clock(),
  }
}

/** Where credentials are read from. */
export function credentialPlaceOf({ credentialPlace }: ServiceOptions): CredentialPlace {
  return { ...defaultPlace, ...credentialPlace }
}
