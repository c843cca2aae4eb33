// Condensed JSON: hashes, ids and moments (which packing cannot make smaller) as bytes, and known phrases as codes.
//
// JSON has no control characters, so these bytes mark what takes the place of text: 1 a UUID, 2 a hash or MAC in
// base64url, 3 hex (a count of bytes, the bytes), 4 epoch milliseconds, 5 a phrase by the byte that follows, and from 6
// on the first phrases. Each text has one form, so any changed byte is noticed.

/** Phrases with their codes. A text is read with the list that it was written with, so new phrases go to the end. */
export interface Phrases {
  readonly texts: readonly string[]
  readonly codes: ReadonlyMap<string, Buffer>
  readonly pattern: RegExp
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const hash = '(?<=")[A-Za-z0-9_-]{43}(?=")'
const hex = "[0-9a-f]{16,}"
const moment = "(?<![0-9.])1[0-9]{12}(?![0-9])"

const uuidMark = 1
const hashMark = 2
const hexMark = 3
const momentMark = 4
const longMark = 5
const firstPhrase = 6
/** This many phrases have a code of one byte, up to the last control character. */
const shortCodes = 0x20 - firstPhrase
const maxPhrases = shortCodes + 256

/** Makes a list of phrases. The first 26 take one byte each, the others two. */
export function phrasesOf(texts: readonly string[]): Phrases {
  if (texts.length > maxPhrases) throw new RangeError(`${texts.length} phrases are more than ${maxPhrases}`)
  const code = (at: number) => (at < shortCodes ? Buffer.of(firstPhrase + at) : Buffer.of(longMark, at - shortCodes))
  // Longest first: else a phrase would hide a longer phrase that begins with it.
  const words = texts.toSorted((a, b) => b.length - a.length).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return {
    texts,
    codes: new Map(texts.map((text, at) => [text, code(at)])),
    pattern: new RegExp([...words, hash, uuid, hex, moment].join("|"), "g"),
  }
}

/** Condenses a text; null for a text with control characters: that is no JSON of ours. */
export function condense(text: string, { codes, pattern }: Phrases): Buffer | null {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u001f]/.test(text)) return null
  // UTF-8 takes three bytes at most for each unit of a text.
  const out = Buffer.allocUnsafe(3 * text.length)
  let [from, at] = [0, 0]
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (index > from) at += out.write(text.slice(from, index), at)
    const code = codes.get(found)
    at += code === undefined ? writeCode(out, at, found) : code.copy(out, at)
    from = index + found.length
  }
  at += out.write(text.slice(from), at)
  return Buffer.from(out.subarray(0, at))
}

/** Writes the bytes for a hash, an id or a moment; the text itself if the bytes would not give it back. */
function writeCode(out: Buffer, at: number, found: string): number {
  if (found.length === 13) {
    out[at] = momentMark
    return out.writeUIntBE(Number(found), at + 1, 6) - at
  }
  if (found.length === 36 && found.includes("-")) {
    out[at] = uuidMark
    return 1 + out.write(found.replaceAll("-", ""), at + 1, "hex")
  }
  if (found.length === 43 && !/^[0-9a-f]*$/.test(found)) {
    out[at] = hashMark
    const length = 1 + out.write(found, at + 1, "base64url")
    return out.toString("base64url", at + 1, at + length) === found ? length : out.write(found, at)
  }
  const whole = found.slice(0, 2 * Math.min(255, found.length >> 1))
  out[at] = hexMark
  out[at + 1] = whole.length / 2
  const length = 2 + out.write(whole, at + 2, "hex")
  return length + out.write(found.slice(whole.length), at + length)
}

/** Gives back the text; null for bytes that `condense` does not make. */
export function expand(bytes: Buffer, phrases: Phrases): string | null {
  const text = expandAny(bytes, phrases)
  return condense(text, phrases)?.equals(bytes) === true ? text : null
}

/** Gives back the text of bytes that we are known to have made. */
export function expandAny(bytes: Buffer, { texts }: Phrases): string {
  const pieces: string[] = []
  let [from, at] = [0, 0]
  /** Adds the text of a mark. `length`: how many bytes the mark takes with what follows. */
  const take = (piece: string | undefined, length: number) => {
    pieces.push(bytes.toString("utf8", from, at), piece ?? "")
    at += length
    from = at
  }
  while (at < bytes.length) {
    const mark = bytes[at] ?? 0
    const next = bytes[at + 1] ?? 0
    if (mark >= 0x20) at += 1
    else if (mark === uuidMark) take(uuidAt(bytes, at + 1), 17)
    else if (mark === hashMark) take(bytes.toString("base64url", at + 1, at + 33), 33)
    else if (mark === hexMark) take(bytes.toString("hex", at + 2, at + 2 + next), 2 + next)
    else if (mark === momentMark && at + 7 <= bytes.length) take(String(bytes.readUIntBE(at + 1, 6)), 7)
    else if (mark === longMark) take(texts[shortCodes + next], 2)
    else take(texts[mark - firstPhrase], 1)
  }
  return pieces.join("") + bytes.toString("utf8", from)
}

function uuidAt(bytes: Buffer, at: number): string {
  const all = bytes.toString("hex", at, at + 16)
  return [all.slice(0, 8), all.slice(8, 12), all.slice(12, 16), all.slice(16, 20), all.slice(20)].join("-")
}
