// Whether a text can stand in a header of HTTP at all.

/**
 * False for control characters and all characters outside Latin-1, such as `…` (RFC 9110, 5.5): no client sends them.
 */
export function isSendable(text: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(text)
}
