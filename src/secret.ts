// What may be the secret of an HMAC: long enough that nobody guesses it, and no name of a file that holds one.

/** The least length of a secret, in bytes (RFC 7518, 3.2). */
export const leastSecretBytes = 32

/** What ends in = is base64, which may begin with a slash. */
const fileName = /^(?:\/|\.{1,2}\/|~).*[^=]$|\.(?:txt|pem|key)$/is

/** Says that a text is a file's name, else null. To know where a secret lies must not be to know the secret. */
export function nameOfFile(text: string): string | null {
  return fileName.test(text.trim()) ? "is the name of a file, and no secret" : null
}

/** Why a text that stands in a setting cannot be a secret, or null if it can. Never quotes it. */
export function flawOfSecret(text: string): string | null {
  const short = Buffer.byteLength(text) < leastSecretBytes
  return nameOfFile(text) ?? (short ? `is shorter than ${leastSecretBytes} bytes` : null)
}
