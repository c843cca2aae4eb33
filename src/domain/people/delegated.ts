// What a delegated token needs: a subject that the platform accepts, and a key that can sign for it. Pure.

import { createPrivateKey, createSecretKey, type KeyObject } from "node:crypto"
import { leastSecretBytes } from "../../secret.ts"
import { isJsonObject, type JsonObject, parseJson } from "../content/json.ts"

/** What AgentOS verifies (`docs/platform-facts.md` 6.3). */
export type DelegateAlgorithm = "ES256" | "RS256" | "HS256"

/** How we sign delegated tokens. */
export interface DelegatedSigning {
  readonly algorithm: DelegateAlgorithm
  /** The key's text, or the absolute path of a file that is read anew for each token: a new key needs no restart. */
  readonly key: { readonly kind: "given"; readonly value: string } | { readonly kind: "file"; readonly path: string }
  /** Names the key to the platform. If the key is a JWK with its own `kid`, that `kid` counts. */
  readonly kid: string | undefined
  readonly audience: string | undefined
  readonly issuer: string | undefined
}

/** A key with the id that its file gives it, or why the text holds none. */
export type DelegateKey =
  | { readonly ok: true; readonly key: KeyObject; readonly kid: string | null }
  | { readonly ok: false; readonly why: string }

/** True for subjects that AgentOS keeps for itself (`docs/platform-facts.md` 6.2), and for texts that are no name. */
export function isReservedSubject(subject: string): boolean {
  return subject === "" || /^(sa|__oauth__):/.test(subject) || subject === "__scheduler__"
}

/**
 * Reads a private key: PEM or a JWK; for HS256 a secret of at least 32 bytes as it stands. A JWK has its own `kid`, so
 * that key and id change together. `why` never holds any of the text.
 */
export function readDelegateKey(text: string, algorithm: DelegateAlgorithm): DelegateKey {
  try {
    const jwk = jwkIn(text)
    const key = keyOf(text, algorithm, jwk)
    const why = keyUnfitness(key, algorithm)
    const kid = jwk?.["kid"]
    return why === null ? { ok: true, key, kid: typeof kid === "string" ? kid : null } : { ok: false, why }
  } catch {
    // The error may quote the key.
    return { ok: false, why: algorithm === "HS256" ? "is no secret" : "is no private key (PEM or JWK)" }
  }
}

function jwkIn(text: string): JsonObject | null {
  if (!text.trimStart().startsWith("{")) return null
  const told = parseJson(text)
  return isJsonObject(told) ? told : null
}

function keyOf(text: string, algorithm: DelegateAlgorithm, jwk: JsonObject | null): KeyObject {
  if (algorithm === "HS256") {
    const secret = jwk?.["k"]
    return createSecretKey(typeof secret === "string" ? Buffer.from(secret, "base64url") : Buffer.from(text.trim()))
  }
  // A variable of one line holds PEM with line feeds written as \n.
  if (jwk === null) return createPrivateKey(text.replaceAll(String.raw`\n`, "\n"))
  const members = Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  return createPrivateKey({ key: Object.fromEntries(members), format: "jwk" })
}

function keyUnfitness(key: KeyObject, algorithm: DelegateAlgorithm): string | null {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  switch (algorithm) {
    case "HS256":
      return (key.symmetricKeySize ?? 0) < leastSecretBytes ? "is shorter than the 32 bytes that HS256 needs" : null
    case "RS256":
      return key.asymmetricKeyType === "rsa" && modulusLength >= 2048 ? null : "is no RSA key of 2048 bits or more"
    case "ES256":
      return namedCurve === "prime256v1" ? null : "is no EC key on P-256"
  }
}
