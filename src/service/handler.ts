// What a handler of a route is, and what handlers work with: database, clock, randomness, settings.
import type { DatabaseSync } from "node:sqlite"
import type { Context } from "hono"
import type { Script } from "./components/script.ts"
import type { CallerStanding } from "./gate/standings.ts"
import type { KnowledgeSource } from "./knowledge/sources.ts"
import type { LaterWork } from "./later-work.ts"
import type { AskModel } from "./model/ask-model.ts"
import type { Thinking } from "./model/thinking.ts"
import type { ServiceReply } from "./wire/reply.ts"

/**
 * A request that the gate let through. `ids` are the decoded segments for each `*`, in order; `standing` is who asks.
 * `forward` sends the request to the upstream (with `body`, if the handler has read that already); null if there is no
 * upstream.
 */
export interface HandlerRequest {
  readonly context: Context
  readonly ids: readonly string[]
  readonly standing: CallerStanding
  readonly forward: ((body?: Uint8Array<ArrayBuffer>) => Promise<Answered>) | null
}

/** A handler's answer: a reply, or its own `Response` for a stream. */
export type Answered = ServiceReply | Response

/** An answer, at once or later. */
export type Answering = Answered | Promise<Answered>

/** Answers one request. If it throws, that becomes a 500 and is reported. */
export type Handler = (request: HandlerRequest) => Answering

/** Handlers by the pattern of their route. A route without a handler goes to the upstream, or is 501. */
export type Handlers = Readonly<Record<string, Handler>>

/** What every handler gets. */
export interface ServiceParts {
  readonly database: DatabaseSync
  /** All components as they are now: those of the operator's script, and those that were made over the wire. */
  readonly script: Script
  /** The operator's own script. */
  readonly ownScript: Script
  /** Call this after you made, changed or deleted components. */
  readonly scriptChanged: () => void
  /** Now, in epoch milliseconds. */
  readonly clock: () => number
  /** Makes this many random bytes. */
  readonly random: (size: number) => Uint8Array
  readonly settings: ServiceSettings
  /** Asks the model of a run. */
  readonly askModel: AskModel
  /** The runs whose models are being asked. */
  readonly thinking: Thinking
  /** Carries out work that goes on after its request was answered. */
  readonly later: LaterWork
  /** What became of the last count of all days; times are ISO 8601. */
  readonly counting: { state: Readonly<Record<string, string>> }
  /** Runs that were cancelled in AgentOS's way, by id; only in memory. */
  readonly cancelledUnseen: Set<string>
}

/** Settings that change what handlers answer. */
export interface ServiceSettings {
  readonly adminScope: string
  /** `none`: callers need no credential. `jwt`: they need one. */
  readonly authMode: "jwt" | "none"
  /** True: an authenticated subject overwrites the request's `resolved_by`, as AgentOS does. */
  readonly resolvedByFromSubject: boolean
  /** True: callers who are not admin see only their own rows (see `ServiceRoute`). */
  readonly userIsolation: boolean
  /** Where the A2A routes stand, for the addresses in agent cards. */
  readonly a2aPrefix: string
  /** Scopes that only this service's mappings name; service accounts can get them, too. */
  readonly ownScopes: ReadonlySet<string>
  /** The places from which we may fetch knowledge. */
  readonly knowledgeSources: readonly KnowledgeSource[]
  /** Longest accepted body, in bytes. */
  readonly maxBodyBytes: number
  /** Epoch milliseconds at which this instance started. */
  readonly startedAt: number
}
