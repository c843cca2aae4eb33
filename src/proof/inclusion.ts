// Inclusion proofs: one ledger entry stands at its place among the entries that a signed checkpoint covers (RFC 6962).
import { z } from "zod"
import { isJsonObject, type JsonObject, parseJson } from "../domain/content/json.ts"
import { entryLeaf, type Hash, inclusionPath, rootFromPath } from "../domain/proof/merkle.ts"
import { type Anchor, verifyCheckpoint } from "./anchors.ts"
import { ProofError } from "./errors.ts"
import type { SigningKeySet } from "./signed.ts"

const proofSchema = z.strictObject({
  kind: z.literal("countersign-inclusion"),
  version: z.literal(1),
  /** The entry's sequence number, from 1. */
  number: z.int().positive(),
  entry: z.strictObject({ body: z.string(), mac: z.string() }),
  /** The hashes beside the path from the leaf up to the root; 64 hex characters each. */
  path: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  /** Compact JWS. */
  checkpoint: z.string(),
})

/** A proof as we print it. */
export type InclusionProof = Readonly<z.infer<typeof proofSchema>>

/** Builds the proof of an entry. `leaves` are the hashes of exactly the entries that the anchor covers. */
export function proveInclusion(options: {
  readonly number: number
  readonly entry: { readonly body: string; readonly mac: string }
  readonly leaves: readonly Hash[]
  readonly anchor: Pick<Anchor, "checkpoint">
}): InclusionProof {
  const { number, entry, leaves, anchor } = options
  const path = inclusionPath(leaves, number - 1).map((hash) => hash.toString("hex"))
  const { body, mac } = entry
  const { checkpoint } = anchor
  return { kind: "countersign-inclusion", version: 1, number, entry: { body, mac }, path, checkpoint }
}

/** What a proof proves. */
export interface Included {
  readonly number: number
  /** What the entry says: `chain`, `event` and the rest. */
  readonly entry: JsonObject
  readonly anchor: Omit<Anchor, "leaves">
}

/** True if a JSON value claims to be an inclusion proof. */
export function isInclusionProof(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "countersign-inclusion"
}

/** Verifies a proof against a key set. Throws `ProofError` as `verifySigned` does; `bad-proof` for a wrong root. */
export async function verifyInclusion(value: unknown, keys: SigningKeySet): Promise<Included> {
  const read = proofSchema.safeParse(value)
  if (!read.success) throw new ProofError("bad-proof", "this is no inclusion proof that this version knows")
  const { number, entry, path, checkpoint } = read.data
  const anchor = await verifyCheckpoint(checkpoint, keys)
  const hashes = path.map((hash) => Buffer.from(hash, "hex"))
  const root = rootFromPath({ leaf: entryLeaf(entry), index: number - 1, size: anchor.size, path: hashes })
  if (root?.toString("hex") !== anchor.root)
    throw new ProofError("bad-proof", `entry ${number} is not among the ${anchor.size} entries that were signed`)
  const body = parseJson(entry.body)
  return { number, entry: isJsonObject(body) ? body : {}, anchor }
}
