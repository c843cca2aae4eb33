// What may be the secret of an HMAC: long enough that nobody guesses it, and not the name of a file with a secret.

/** The least length of a secret, in bytes (RFC 7518, 3.2). */
export const leastSecretBytes = 32

/** How the name of a file looks. A text that ends in = is base64, which may begin with a slash. */
const fileName = /^(?:\/|\.{1,2}\/|~).*[^=]$|\.(?:txt|pem|key)$/is

/** Says in words that a text is a file's name, else null: the place of a secret must not be the secret. */
export function nameOfFile(text: string): string | null {
  return fileName.test(text.trim()) ? "is the name of a file, and no secret" : null
}

/** Why the text of a setting cannot be a secret; null if it can. Never quotes it. */
export function flawOfSecret(text: string): string | null {
  const short = Buffer.byteLength(text) < leastSecretBytes
  return nameOfFile(text) ?? (short ? `is shorter than ${leastSecretBytes} bytes` : null)
}
