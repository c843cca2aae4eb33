// The signed list of decisions that ended without effect. Their receipts are signed and still around, but nothing may
// run by these any more. Gates at tools ask for this list (docs/tool-gate.md).
import { z } from "zod"
import type { JsonObject } from "../domain/content/json.ts"
import { ProofError } from "./errors.ts"
import { type Purpose, type Signer, type SigningKeySet, verifySigned } from "./signed.ts"

/** The path at which the bot serves the list. */
export const endedListPath = "/.well-known/countersign-ended"

/** How long a list counts, in seconds. After that it counts as no list. */
const lifeS = 300

/** We serve one list for this long, in ms, so that a request costs neither a read nor a signature. */
export const endedListKeptMs = 10_000

const claimsSchema = z.strictObject({
  version: z.literal(1),
  installation: z.string(),
  sandbox: z.boolean(),
  /** Epoch seconds (RFC 7519). */
  iat: z.number(),
  exp: z.number(),
  /** Ids of decisions, in order. */
  ended: z.array(z.string()),
})

/** What a list says. */
export type EndedClaims = z.infer<typeof claimsSchema>

/** What we need to make the lists. */
interface Publisher {
  readonly installation: string
  readonly sandbox: boolean
  readonly signer: Signer
  /** Epoch ms. */
  readonly clock: () => number
  /** The ids of the decisions, and whether there are more. */
  readonly read: (at: number) => Promise<{ readonly ids: readonly string[]; readonly cut: boolean }>
  /** Called if there are more decisions than a list holds. */
  readonly onCut: () => void
}

/** Gives the list as it is now, as a compact JWS. Throws what `read` throws. */
export function createEndedList(publisher: Publisher): () => Promise<string> {
  let made: { readonly at: number; readonly list: Promise<string> } | null = null
  return () => {
    const at = publisher.clock()
    if (made !== null && at >= made.at && at < made.at + endedListKeptMs) return made.list
    const list = signList(publisher, at)
    made = { at, list }
    list.catch(() => (made = null))
    return list
  }
}

async function signList({ installation, sandbox, signer, read, onCut }: Publisher, at: number): Promise<string> {
  const { ids, cut } = await read(at)
  if (cut) onCut()
  const iat = Math.floor(at / 1_000)
  const claims: JsonObject = { version: 1, installation, sandbox, iat, exp: iat + lifeS, ended: ids }
  return signer.sign(purposeOf(sandbox), claims)
}

function purposeOf(sandbox: boolean): Purpose {
  return sandbox ? "sandbox-ended" : "ended"
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
