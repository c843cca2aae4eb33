// The signed list of decisions whose receipts are signed and still around, although nothing may run by them: those that
// ended without effect and, while a stop lasts, those that it covers (R21). Gates ask for it (docs/tool-gate.md).
import { z } from "zod"
import type { JsonObject } from "../domain/content/json.ts"
import type { Orders } from "../domain/order/orders.ts"
import { ProofError } from "./errors.ts"
import { type Purpose, type Signer, type SigningKeySet, verifySigned } from "./signed.ts"

/** The path at which the bot serves the list. */
export const endedListPath = "/.well-known/countersign-ended"

/** How long a list counts, in seconds. After that it counts as no list. */
const lifeS = 300

/**
 * We serve one list for this long, in ms, so that a request costs neither a read nor a signature. If the orders change,
 * we make another one at once.
 */
export const endedListKeptMs = 10_000

/** Stands in the list before the decisions that a stop covers. Gates that do not know it take it for one more id. */
export const stoppedMark = "stopped"

const claimsSchema = z.strictObject({
  version: z.literal(1),
  installation: z.string(),
  sandbox: z.boolean(),
  /** Epoch seconds (RFC 7519). */
  iat: z.number(),
  exp: z.number(),
  /** Ids of the decisions that ended, in order. Behind `stoppedMark`: of those that a stop covers, in order. */
  ended: z.array(z.string()),
})

/** What a list says. */
export type EndedClaims = z.infer<typeof claimsSchema>

/** Some of the decisions that a list names. `cut`: there are more. */
interface Told {
  readonly ids: readonly string[]
  readonly cut: boolean
}

/** What we need to make the lists. */
interface Publisher {
  readonly installation: string
  readonly sandbox: boolean
  readonly signer: Signer
  /** Epoch ms. */
  readonly clock: () => number
  /** The orders in force as this process last saw them; null before it has seen any. */
  readonly orders: () => Orders | null
  /** The decisions that ended. */
  readonly ended: (at: number) => Promise<Told>
  /** The approvals that these orders stop. */
  readonly stopped: (at: number, orders: Orders) => Promise<Told>
  /** Called if there are more decisions than a list holds. */
  readonly onCut: () => void
}

/**
 * Gives the list as it is now, as a compact JWS. Throws what its reads throw, and if nobody knows yet what is stopped.
 */
export function createEndedList(publisher: Publisher): () => Promise<string> {
  let made: { readonly at: number; readonly orders: Orders; readonly list: Promise<string> } | null = null
  return async () => {
    const at = publisher.clock()
    const orders = publisher.orders()
    if (orders === null) throw new Error("which orders are in force is not known yet")
    if (made !== null && made.orders === orders && at >= made.at && at < made.at + endedListKeptMs) return made.list
    const list = signList(publisher, at, orders)
    const next = { at, orders, list }
    made = next
    list.catch(() => {
      if (made === next) made = null
    })
    return list
  }
}

async function signList(publisher: Publisher, at: number, orders: Orders): Promise<string> {
  const { installation, sandbox, signer } = publisher
  const [ended, stopped] = await Promise.all([publisher.ended(at), publisher.stopped(at, orders)])
  if (ended.cut || stopped.cut) publisher.onCut()
  const iat = Math.floor(at / 1_000)
  const marked = stopped.ids.length === 0 ? [] : [stoppedMark, ...stopped.ids]
  const claims: JsonObject = {
    version: 1,
    installation,
    sandbox,
    iat,
    exp: iat + lifeS,
    ended: [...ended.ids, ...marked],
  }
  return signer.sign(purposeOf(sandbox), claims)
}

function purposeOf(sandbox: boolean): Purpose {
  return sandbox ? "sandbox-ended" : "ended"
}

/** What a list says of a decision: that it ended, that a stop covers it, or nothing. */
export function standingIn({ ended }: EndedClaims, decision: string): "ended" | "stopped" | null {
  const [at, mark] = [ended.indexOf(decision), ended.indexOf(stoppedMark)]
  if (at < 0 || decision === stoppedMark) return null
  return mark >= 0 && at > mark ? "stopped" : "ended"
}

/**
 * Verifies a list against a key set. The caller checks whether it is still good at a moment. Throws `ProofError` as
 * `verifySigned` does; `bad-claims` for a wrong shape.
 */
export async function verifyEndedList(list: string, keys: SigningKeySet): Promise<EndedClaims> {
  const { claims, purpose } = await verifySigned(list, ["ended", "sandbox-ended"], keys)
  const read = claimsSchema.safeParse(claims)
  if (read.success && purpose === purposeOf(read.data.sandbox)) return read.data
  throw new ProofError("bad-claims", "the list is signed, but says something that this version does not know")
}
