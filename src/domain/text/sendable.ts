// Says whether a text can stand in an HTTP header, and whether it can be a credential there.

/** False for control characters and characters outside Latin-1, such as `…` (RFC 9110, 5.5): no client sends them. */
export function isSendable(text: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(text)
}

/** Why a text cannot be sent as a bearer credential, in words that follow its name; null if it can. */
export function flawOfCredential(text: string): string | null {
  if (!isSendable(text))
    return (
      "holds a line break or another character that no header can carry (such as …): give the whole credential, " +
      "on one line"
    )
  // Some people copy the whole header: we would send `Bearer Bearer …`, which every platform refuses.
  if (/^bearer(\s|$)/i.test(text))
    return "begins with the word Bearer: give the token alone, since that word is added when it is sent"
  return null
}
