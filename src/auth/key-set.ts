// Reads a JSON Web Key Set (specification 5.2, rule 4) into keys of exactly one algorithm.
import { createPublicKey, createSecretKey, type JsonWebKey } from "node:crypto"
import { z } from "zod"
import { leastSecretBytes } from "../secret.ts"
import { AuthSetupError } from "./errors.ts"
import { type Algorithm, publicKeyMisfit, ready, type VerificationKey } from "./verification-keys.ts"

/** The usable keys of a set. Several may share a `kid`. The `nameless` keys are tried if no key has a token's kid. */
export interface KeySet {
  readonly named: ReadonlyMap<string, readonly VerificationKey[]>
  readonly nameless: readonly VerificationKey[]
}

const keySetSchema = z.object({
  keys: z.array(
    z.looseObject({
      kty: z.string(),
      kid: z.string().optional(),
      alg: z.string().optional(),
      use: z.string().optional(),
      key_ops: z.array(z.string()).optional(),
    }),
  ),
})

type Jwk = z.output<typeof keySetSchema>["keys"][number]

/**
 * Reads a key set. It leaves out keys for other algorithms, keys for encryption and keys that are too weak, because
 * providers mix them in. Throws `AuthSetupError` if the text is no key set or holds a private key. Never quotes a key.
 */
export function readKeySet(text: string, algorithm: Algorithm): KeySet {
  const usable = parse(text).keys.flatMap((jwk): readonly NamedKey[] => {
    const key = toKey(jwk, algorithm)
    return key === null ? [] : [{ kid: jwk.kid, key }]
  })
  const named = Map.groupBy(
    usable.filter((entry) => entry.kid !== undefined),
    (entry) => entry.kid ?? "",
  )
  return {
    named: new Map([...named].map(([kid, entries]) => [kid, entries.map((entry) => entry.key)])),
    nameless: usable.filter((entry) => entry.kid === undefined).map((entry) => entry.key),
  }
}

interface NamedKey {
  readonly kid: string | undefined
  readonly key: VerificationKey
}

function parse(text: string): z.output<typeof keySetSchema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AuthSetupError("key_set_unreadable", "key set: it is no JSON", { cause })
  }
  const outcome = keySetSchema.safeParse(value)
  if (outcome.success) return outcome.data
  throw new AuthSetupError("key_set_unreadable", 'key set: expected {"keys": […]} with a "kty" in each key')
}

function toKey(jwk: Jwk, algorithm: Algorithm): VerificationKey | null {
  if (jwk["d"] !== undefined)
    throw new AuthSetupError("key_private", "key set: it holds a private key, it takes public ones")
  const forVerifying = jwk.use === undefined || jwk.use === "sig"
  const operations = jwk.key_ops === undefined || jwk.key_ops.includes("verify")
  if (!forVerifying || !operations || (jwk.alg !== undefined && jwk.alg !== algorithm)) return null
  if (algorithm === "HS256") return jwk.kty === "oct" && typeof jwk["k"] === "string" ? secretOf(jwk["k"]) : null
  return jwk.kty === (algorithm === "RS256" ? "RSA" : "EC") ? publicKeyOf(jwk, algorithm) : null
}

function secretOf(encoded: string): VerificationKey | null {
  const bytes = Buffer.from(encoded, "base64url")
  return bytes.byteLength < leastSecretBytes ? null : ready(createSecretKey(bytes), "HS256")
}

function publicKeyOf(jwk: JsonWebKey, algorithm: "RS256" | "ES256"): VerificationKey | null {
  try {
    const key = createPublicKey({ key: jwk, format: "jwk" })
    return publicKeyMisfit(key, algorithm) === null ? ready(key, algorithm) : null
  } catch (cause) {
    throw new AuthSetupError("key_set_unreadable", `key set: one of its ${algorithm} keys cannot be read`, { cause })
  }
}
