// Anchors: signed checkpoints outside Redis. Each vouches for all entries up to its size, and for their order.

import { z } from "zod"
import { tryParseJson } from "../domain/content/json.ts"
import type { Hash } from "../domain/proof/merkle.ts"
import { ProofError } from "./errors.ts"
import { type SigningKeySet, verifySigned } from "./signed.ts"

const claimsSchema = z.strictObject({
  version: z.literal(1),
  installation: z.string(),
  /** How many entries. */
  size: z.int().positive(),
  /** RFC 6962 root over them, 64 hex characters. */
  root: z.string().regex(/^[0-9a-f]{64}$/),
  /** Epoch ms. */
  at: z.number(),
})

/** A checkpoint whose signature holds. */
export interface Anchor extends Readonly<Omit<z.infer<typeof claimsSchema>, "version">> {
  /** The compact JWS. */
  readonly checkpoint: string
  /** Hashes of the last entries that it covers, if the line has them, to name a bad entry. Only `root` proves them. */
  readonly leaves: readonly Hash[]
}

const filed = z.object({ checkpoint: z.string(), leaves: z.array(z.string()).default([]) })
/** A line of the bot's log. It has the JWS in its flattened form, because logs remove what looks like a token. */
const logged = z.object({
  event: z.literal("ledger-checkpoint"),
  signed: z.object({ protected: z.string(), payload: z.string(), signature: z.string() }),
})

/** Verifies one checkpoint. Throws `ProofError` as `verifySigned` does, and `bad-claims`. */
export async function verifyCheckpoint(checkpoint: string, keys: SigningKeySet): Promise<Omit<Anchor, "leaves">> {
  const { claims } = await verifySigned(checkpoint, ["checkpoint"], keys)
  const read = claimsSchema.safeParse(claims)
  if (!read.success) throw new ProofError("bad-claims", "the checkpoint says something that this version does not know")
  const { installation, size, root, at } = read.data
  return { installation, size, root, at, checkpoint }
}

/**
 * Reads anchors from text with one on each line: lines of our file, bare JWS, or lines of our log. It skips other
 * lines, and sorts by size. Throws `ProofError`, which names the line that is not what it claims to be.
 */
export async function readAnchors(text: string, keys: SigningKeySet): Promise<readonly Anchor[]> {
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }))
  const anchors: Anchor[] = []
  for (const { line, number } of lines) {
    const found = readAnchorLine(line)
    if (found === null) continue
    const anchor = await verifyCheckpoint(found.checkpoint, keys).catch((error: unknown) => at(number, error))
    anchors.push({ ...anchor, leaves: found.leaves.map((leaf) => Buffer.from(leaf, "base64url")) })
  }
  return anchors.toSorted((a, b) => a.size - b.size)
}

function at(number: number, error: unknown): never {
  if (!(error instanceof ProofError)) throw error
  throw new ProofError(error.code, `line ${number} of the anchors: ${error.message}`, { cause: error })
}

function readAnchorLine(line: string): { readonly checkpoint: string; readonly leaves: readonly string[] } | null {
  if (line === "") return null
  if (!line.startsWith("{")) return { checkpoint: line, leaves: [] }
  const value = tryParseJson(line)
  const entry = filed.safeParse(value)
  if (entry.success) return entry.data
  const told = logged.safeParse(value)
  if (!told.success) return null
  const { protected: head, payload, signature } = told.data.signed
  return { checkpoint: `${head}.${payload}.${signature}`, leaves: [] }
}
