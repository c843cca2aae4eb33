// JSON that nobody has parsed yet: where a value ends in its text, how much it holds, and how deep it is nested.

/** A value in a text. */
export interface Extent {
  readonly start: number
  /** The place after its last character. */
  readonly end: number
  /** How many values it holds, itself included. If a member is named twice, it counts twice. */
  readonly values: number
  /** Levels of nesting; 0 for text, numbers, true, false and null. */
  readonly depth: number
}

/** A member of an object, or an item of a list, which has no name. */
export interface TextMember extends Extent {
  readonly name: string
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Measures the value that begins at `from`, or after white space there, in linear time. We do not check the text: for
 * broken JSON the extent means nothing.
 */
export function extentOf(text: string, from = 0): Extent {
  const start = spaceEnd(text, from)
  let [at, values, level, depth] = [start, 1, 0, 0]
  do {
    switch (text.charCodeAt(at)) {
      case quote:
        at = textEnd(text, at)
        break
      case openList:
      case openObject:
        level += 1
        depth = Math.max(depth, level)
        at = spaceEnd(text, at + 1)
        if (!isClosing(text.charCodeAt(at))) values += 1
        break
      case closeList:
      case closeObject:
        level -= 1
        at += 1
        break
      case comma:
        values += 1
        at += 1
        break
      default:
        at = level > 0 ? at + 1 : wordEnd(text, at)
    }
  } while (level > 0 && at < text.length)
  return { start, end: Math.min(at, text.length), values, depth }
}

/**
 * The members of the object, or the items of the list, that begins at `from`, one after the other. Throws `SyntaxError`
 * if what stands between two members is no JSON. It does not check the members themselves.
 */
export function* membersOf(text: string, from = 0): Generator<TextMember> {
  const start = spaceEnd(text, from)
  const end = text.charCodeAt(start) === openObject ? closeObject : closeList
  let at = spaceEnd(text, start + 1)
  let more = text.charCodeAt(at) !== end
  while (more) {
    const member = memberAt(text, at, end === closeObject)
    yield member
    at = spaceEnd(text, member.end)
    more = text.charCodeAt(at) === comma
    if (more) at = spaceEnd(text, at + 1)
  }
  if (text.charCodeAt(at) !== end) throw new SyntaxError(`JSON is broken at character ${at}`)
}

function memberAt(text: string, at: number, named: boolean): TextMember {
  if (!named) return { name: "", ...extentOf(text, at) }
  const nameEnd = textEnd(text, at)
  const colon = spaceEnd(text, nameEnd)
  if (text[at] !== '"' || text[colon] !== ":") throw new SyntaxError(`JSON is broken at character ${at}`)
  return { name: nameIn(text.slice(at, nameEnd)), ...extentOf(text, colon + 1) }
}

/** True if an object in the text has a name that is written with a backslash. */
export function hasEscapedName(text: string): boolean {
  let at = text.indexOf("\\")
  while (at !== -1) {
    const end = textEnd(text, at - 1)
    if (text[spaceEnd(text, end)] === ":") return true
    at = text.indexOf("\\", end)
  }
  return false
}

/** The place after the closing quote of a text. `from` is the place of its opening quote, or any place inside. */
function textEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === backslash) before -= 1
    if ((end - before) % 2 === 0) return end + 1
  }
  return text.length
}

/** The place after a number, `true`, `false` or `null`. */
function wordEnd(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && !isBreak(text.charCodeAt(end))) end += 1
  return end
}

function isBreak(code: number): boolean {
  return code === comma || isClosing(code) || isSpace(code)
}

function spaceEnd(text: string, from: number): number {
  let end = from
  while (isSpace(text.charCodeAt(end))) end += 1
  return end
}

/** JSON's four kinds of white space (RFC 8259 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isClosing(code: number): boolean {
  return code === closeList || code === closeObject
}

/** A name without its quotes. V8 reads a name rightly if its text stands alone. */
function nameIn(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}
