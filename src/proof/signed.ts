// What we sign: compact JWS over canonical JSON (RFC 7515). We verify it against a key set, without any network.

import { sign } from "node:crypto"
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, errors } from "jose"
import { z } from "zod"
import type { ReceiptPurpose } from "../domain/case/receipt.ts"
import { canonicalJson } from "../domain/content/canonical.ts"
import { type Json, type JsonObject, parseJson, tryParseJson } from "../domain/content/json.ts"
import { ProofError } from "./errors.ts"
import type { PublicKey, SigningKey } from "./signing-key.ts"

/** What a signature is for. It is the `typ`, so that no checkpoint passes for a receipt. */
export type Purpose = ReceiptPurpose | "checkpoint" | "ended" | "sandbox-ended"

/** Signs for an installation. */
export interface Signer {
  sign(purpose: Purpose, claims: JsonObject): Promise<string>
  readonly publicKey: PublicKey
}

/** Makes the signer of a key with node:crypto: a click waits for it, and WebCrypto's threads cost a millisecond. */
export function createSigner({ algorithm, privateKey: key, publicKey }: SigningKey): Signer {
  const { kid } = publicKey
  return {
    publicKey,
    sign: async (purpose, claims) => {
      const header = JSON.stringify({ alg: algorithm, kid, typ: typeOf(purpose) })
      const signed = `${base64url(header)}.${base64url(canonicalJson(claims))}`
      const hash = algorithm === "ES256" ? "sha256" : null
      const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
      return `${signed}.${signature.toString("base64url")}`
    },
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url")
}

function typeOf(purpose: Purpose): string {
  return `countersign-${purpose}+jws`
}

const publicKey = z.looseObject({ kty: z.string(), kid: z.string() }).refine((key) => !("d" in key), "is a private key")
const keySet = z.object({ keys: z.array(publicKey) })

/** Public keys that verify signatures. */
export type SigningKeySet = z.infer<typeof keySet>

/** Reads a key set (RFC 7517, section 5). Throws `ProofError` `keys-unusable`, also if it holds a private key. */
export function readKeySet(text: string, from: string): SigningKeySet {
  const read = keySet.safeParse(tryParseJson(text))
  if (read.success) return read.data
  throw new ProofError("keys-unusable", `${from} is no set of public keys: {"keys": [{"kty", "kid", …}]} was expected`)
}

/** What we verified: the claims, and the key that vouches for them. */
export interface Verified {
  readonly claims: Json
  readonly kid: string
  readonly purpose: Purpose
}

/**
 * Verifies a compact JWS of ours, if it is for one of these purposes. Throws `ProofError`: `not-signed` (no JWS, or one
 * for another purpose), `unknown-key` (its key is not in the set), `bad-signature`.
 */
export async function verifySigned(
  signed: string,
  purposes: readonly [Purpose, ...Purpose[]],
  keys: SigningKeySet,
): Promise<Verified> {
  const name = nameOf(purposes[0])
  const header = headerOf(signed, name)
  const purpose = purposes.find((one) => header.typ === typeOf(one))
  if (purpose === undefined) throw new ProofError("not-signed", `this is no ${name}: its type is ${String(header.typ)}`)
  const kid = header.kid ?? ""
  if (!keys.keys.some((key) => key.kid === kid))
    throw new ProofError("unknown-key", `the ${name} names key ${kid || "(none)"}, which the key set does not hold`)
  const algorithms = { algorithms: ["EdDSA", "Ed25519", "ES256"] }
  try {
    const { payload } = await compactVerify(signed, createLocalJWKSet(keys), algorithms)
    return { claims: parseJson(new TextDecoder().decode(payload)), kid, purpose }
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError || cause instanceof SyntaxError)) throw cause
    throw new ProofError("bad-signature", `the signature of the ${name} does not hold`, { cause })
  }
}

/** What messages call something that we signed for a purpose. */
function nameOf(purpose: Purpose): string {
  if (purpose === "checkpoint") return purpose
  return purpose === "ended" || purpose === "sandbox-ended" ? "ended" : "receipt"
}

function headerOf(signed: string, name: string) {
  try {
    return decodeProtectedHeader(signed)
  } catch (cause) {
    throw new ProofError("not-signed", `this is no ${name}: it is no compact JWS`, { cause })
  }
}
