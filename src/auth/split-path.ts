// Takes a path apart so that everybody who reads it afterwards reads the same.

/** What nearly every path looks like: nothing encoded, no empty segment, none that begins with a dot. */
const plain = /^(?:\/[\w:~-][\w:~.-]*)+\/?$/
/** What another reader could take for an end of the segment, or for nothing. */
const misleading = /[/\\\p{Cc}]/u

/**
 * The segments of a URL's path, decoded once. One trailing slash is ignored. Null for a path that does not begin with a slash or cannot be
 * decoded, and for one with a segment that another reader could take for several or for none: with a slash, a backslash or a
 * control character inside, "." or "..", or empty.
 */
export function splitPath(path: string): readonly string[] | null {
  if (!path.startsWith("/")) return null
  if (path === "/") return []
  const raw = cut(path, path.endsWith("/") ? path.length - 1 : path.length)
  if (plain.test(path)) return raw
  const segments = decode(raw)
  return segments?.every(isClear) === true ? segments : null
}

function isClear(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== ".." && !misleading.test(segment)
}

/** Like `split("/")` from the first character to `end`, in half the time: every request pays for this. */
function cut(path: string, end: number): readonly string[] {
  const segments: string[] = []
  let from = 1
  for (let at = path.indexOf("/", from); at !== -1 && at < end; at = path.indexOf("/", from)) {
    segments.push(path.slice(from, at))
    from = at + 1
  }
  segments.push(path.slice(from, end))
  return segments
}

function decode(raw: readonly string[]): readonly string[] | null {
  try {
    return raw.map(decodeURIComponent)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
