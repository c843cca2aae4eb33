// The key that signs receipts and checkpoints: Ed25519, or P-256 for ES256. It is never in Redis.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject } from "node:crypto"
import { calculateJwkThumbprint, exportJWK } from "jose"
import { isJsonObject, type JsonObject, parseJson } from "../domain/content/json.ts"
import { ProofError } from "./errors.ts"

/** The algorithms by which we sign (RFC 8037, RFC 7518). */
export type SigningAlgorithm = "EdDSA" | "ES256"

/** The public half of a key, as a member of a key set (RFC 7517). */
export type PublicKey = JsonObject & { readonly kid: string; readonly alg: SigningAlgorithm; readonly use: "sig" }

/** A key that signs. */
export interface SigningKey {
  readonly algorithm: SigningAlgorithm
  readonly privateKey: KeyObject
  readonly publicKey: PublicKey
}

/** A fresh private key as PKCS#8 PEM. */
export function makeKeyText(algorithm: SigningAlgorithm): string {
  const { privateKey } =
    algorithm === "EdDSA" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" })
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString()
}

/** The bytes before the 32 bytes of an Ed25519 private key in PKCS#8 (RFC 8410, section 7). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex")

/** The Ed25519 key derived from an installation's key (R14), as PKCS#8 PEM: the same in every replica. */
export function derivedKeyText(key: Buffer, installation: string): string {
  const seed = Buffer.from(hkdfSync("sha256", key, installation, "countersign receipt key", 32))
  const der = Buffer.concat([pkcs8Head, seed])
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" })
    .toString()
}

/**
 * Reads an Ed25519 or P-256 private key: PKCS#8 or SEC 1 PEM (line feeds may be written `\n`), or a JWK. `from` names
 * its source in messages. For anything else it throws `ProofError` `key-unusable`, which never quotes the key.
 */
export async function readSigningKey(text: string, from: string): Promise<SigningKey> {
  const privateKey = parse(text.trim(), from)
  const algorithm = algorithmOf(privateKey)
  if (algorithm === null)
    throw new ProofError("key-unusable", `${from} must be a private key on Ed25519 or P-256; it is another kind of key`)
  const jwk = await exportJWK(createPublicKey(privateKey))
  const kid = await calculateJwkThumbprint(jwk)
  const members = parseJson(JSON.stringify(jwk))
  const publicKey: PublicKey = { ...(isJsonObject(members) ? members : {}), kid, alg: algorithm, use: "sig" }
  return { algorithm, privateKey, publicKey }
}

function parse(text: string, from: string): KeyObject {
  try {
    if (text.startsWith("{")) return createPrivateKey({ key: JSON.parse(text), format: "jwk" })
    return createPrivateKey(text.replaceAll("\\n", "\n"))
  } catch (cause) {
    const advice = "make one with: openssl genpkey -algorithm ed25519"
    // The cause may quote the key.
    throw new ProofError("key-unusable", `${from} holds no private key in PEM or JWK (${codeOf(cause)}); ${advice}`)
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable"
}

function algorithmOf(key: KeyObject): SigningAlgorithm | null {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA"
  const p256 = key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1"
  return p256 ? "ES256" : null
}
