// Service account tokens: how they look, and the hash that is kept instead of them.
import { createHash } from "node:crypto"

const prefix = "cs_sa_"
const secretBytes = 32

/** True if a text is meant as a service account token: by its prefix alone, so a damaged one is not taken for a JWT. */
export function isServiceAccountToken(token: string): boolean {
  return token.startsWith(prefix)
}

/** Makes a token: the prefix and 43 characters that carry 256 random bits. `random` gives that many bytes. */
export function makeServiceAccountToken(random: (size: number) => Uint8Array): string {
  return prefix + Buffer.from(random(secretBytes)).toString("base64url")
}

/** SHA-256 of a token in hex: all that is stored of it. Unsalted, since the token itself is random. */
export function hashServiceAccountToken(token: string): string {
  return createHash("sha256").update(token).digest("hex")
}

/** The token's first characters, to recognise it in a list: the prefix and 7 more. */
export function tokenPrefix(token: string): string {
  return token.slice(0, prefix.length + 7)
}
