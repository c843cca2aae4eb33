// The errors of this module: Redis does not answer, or holds something that we did not write.
import { isPortError } from "../flow/ports.ts"
import { type WriteRefusal, writeRefusalIn, writeRefusals } from "./redis/write-refusal.ts"

/** Codes of `StoreError`; stable, for callers to switch on. */
export type StoreErrorCode =
  | "redis-unreachable"
  | "redis-timeout"
  | "redis-refused"
  | "tampered"
  | "ledger-damaged"
  | "other-key"
  | "config-unreadable"
  /** No config was ever active. */
  | "no-config"
  | "newer-data"
  | "older-data"
  /** We are finding out where the ledger ends. */
  | "unsettled"
  /** A record is older than the ledger says. */
  | "behind"
  | "no-checkpoint"
  | "not-as-shown"
  /** So many erasures wait for the end of a hold that no other is remembered. */
  | "too-many-erasures"

const passing: ReadonlySet<StoreErrorCode> = new Set(["redis-unreachable", "redis-timeout", "newer-data", "unsettled"])

/** Something that the store cannot do. Holds no secret. `retryable`: a retry may help, perhaps on another replica. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly retryable: boolean

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "StoreError"
    this.code = code
    this.retryable = passing.has(code)
  }
}

/** Carries out calls to Redis; a failure becomes a `StoreError` that says what was `tried`. */
export async function attempt<Result>(tried: string, calls: () => Promise<Result>): Promise<Result> {
  try {
    return await calls()
  } catch (error) {
    throw error instanceof StoreError || isOurs(error) ? error : storeErrorOf(tried, error)
  }
}

/** True for a mistake of ours (`TypeError`, …) and for another module's error: these stay as they are. */
function isOurs(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || isPortError(error)
}

const clusterAdvice = "use redis-cluster://<host>:<port> in REDIS_URL (redis_url)"

function storeErrorOf(tried: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? cause.message : String(cause)
  if (/timed? ?out/i.test(said))
    return new StoreError("redis-timeout", `${tried}: Redis did not answer in time`, { cause })
  if (said.startsWith("MOVED "))
    return new StoreError("redis-refused", `${tried}: this is a node of a Redis Cluster: ${clusterAdvice}`, { cause })
  const refused = cause instanceof Error && cause.name === "ReplyError"
  const refusal = writeRefusalIn(said)
  const todo = refusal === null ? "" : `; ${writeRefusals[refusal].means}: ${writeRefusals[refusal].todo}`
  if (refused && !isPassing(said, refusal))
    return new StoreError("redis-refused", `${tried}: Redis refused: ${said}${todo}`, { cause })
  return new StoreError("redis-unreachable", `${tried}: Redis cannot be used now: ${said}${todo}`, { cause })
}

/** True if a retry may help. If our user lacks a right, it will hardly get that right in a moment. */
function isPassing(said: string, refusal: WriteRefusal | null): boolean {
  if (refusal === null) return /^(LOADING|BUSY|TRYAGAIN|CLUSTERDOWN)\b/.test(said)
  return refusal !== "NOPERM" && refusal !== "NOAUTH"
}
