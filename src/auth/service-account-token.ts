// Service account tokens: their form, and the hash that we store instead of them.
import { createHash } from "node:crypto"

const prefix = "cs_sa_"
const secretBytes = 32

/** True if a text is meant as a service account token. The prefix decides, so a damaged one is not taken for a JWT. */
export function isServiceAccountToken(token: string): boolean {
  return token.startsWith(prefix)
}

/** Makes a token: the prefix and 43 characters that carry 256 random bits. `random` gives that many bytes. */
export function makeServiceAccountToken(random: (size: number) => Uint8Array): string {
  return prefix + Buffer.from(random(secretBytes)).toString("base64url")
}

/** SHA-256 of a token in hex: we store nothing else of it. It needs no salt, because the token itself is random. */
export function hashServiceAccountToken(token: string): string {
  return createHash("sha256").update(token).digest("hex")
}

/** The prefix and the next 7 characters of a token, by which people recognise it in a list. */
export function tokenPrefix(token: string): string {
  return token.slice(0, prefix.length + 7)
}
