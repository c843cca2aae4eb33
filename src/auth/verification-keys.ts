// Turns configured verification keys into keys of exactly one algorithm (specification 5.2).
import { createPublicKey, createSecretKey, type KeyObject, type webcrypto } from "node:crypto"
import { leastSecretBytes } from "../secret.ts"
import { AuthSetupError } from "./errors.ts"

/** The algorithms of 5.2. One instance accepts exactly one of them from its static keys. */
export type Algorithm = "RS256" | "ES256" | "HS256"

/** A key of one algorithm, made ready for node:crypto and for jose, so that no token waits for it. */
export interface VerificationKey {
  readonly own: KeyObject
  readonly web: webcrypto.CryptoKey
}

/**
 * Reads a key: a public key in PEM for RS256 (2048 bits or more) and ES256 (P-256), a shared secret for HS256 (32 bytes
 * or more). Takes no PEM as an HMAC secret, and no private key as a public one. Throws `AuthSetupError`, which never
 * quotes the key.
 */
export function readVerificationKey(text: string, algorithm: Algorithm): VerificationKey {
  if (text.trim() === "") throw new AuthSetupError("key_empty", "verification key: it is empty")
  if (algorithm === "HS256") return ready(readSecret(text, "verification key"), algorithm)
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new AuthSetupError(
      "key_private",
      `verification key: ${algorithm} takes the public key, this is the private one`,
    )
  }
  const key = readPublicKey(text, algorithm)
  const misfit = publicKeyMisfit(key, algorithm)
  if (misfit !== null) throw new AuthSetupError("key_mismatch", `verification key: ${misfit}`)
  return ready(key, algorithm)
}

/** Reads a secret for HS256 as it is. Throws `AuthSetupError` for a PEM, and for less than 32 bytes. */
export function readSecret(text: string, what: string): KeyObject {
  if (text.includes("-----BEGIN")) {
    throw new AuthSetupError("key_mismatch", `${what}: HS256 takes a shared secret, this is a PEM`)
  }
  const secret = createSecretKey(text, "utf8")
  if ((secret.symmetricKeySize ?? 0) >= leastSecretBytes) return secret
  const todo = "make one by: openssl rand -hex 32"
  throw new AuthSetupError("key_mismatch", `${what}: the secret is shorter than ${leastSecretBytes} bytes; ${todo}`)
}

const webAlgorithms = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  HS256: { name: "HMAC", hash: "SHA-256" },
} as const

/** A key that fits the algorithm, only for verifying. */
export function ready(key: KeyObject, algorithm: Algorithm): VerificationKey {
  return { own: key, web: key.toCryptoKey(webAlgorithms[algorithm], false, ["verify"]) }
}

function readPublicKey(text: string, algorithm: Algorithm): KeyObject {
  try {
    return createPublicKey(text)
  } catch (cause) {
    throw new AuthSetupError(
      "key_unreadable",
      `verification key: ${algorithm} takes a public key in PEM, this is none`,
      { cause },
    )
  }
}

/** Why a public key does not fit an algorithm, or null if it does. */
export function publicKeyMisfit(key: KeyObject, algorithm: "RS256" | "ES256"): string | null {
  return algorithm === "RS256" ? rsaMisfit(key) : curveMisfit(key)
}

function rsaMisfit(key: KeyObject): string | null {
  if (key.asymmetricKeyType !== "rsa") return "RS256 takes an RSA key"
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? "RS256 takes an RSA key of 2048 bits or more" : null
}

function curveMisfit(key: KeyObject): string | null {
  const fits = key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1"
  return fits ? null : "ES256 takes a key on the curve P-256"
}
