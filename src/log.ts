// Writes one JSON line for each event, without secrets.

/** How much an event matters. We write `debug` only on demand. */
export type Level = "debug" | "info" | "warn" | "error"

/** What an event says besides its name: any values, and errors with their causes. */
export type Fields = Readonly<Record<string, unknown>>

/** Writes events. An event's name is a fixed word such as `card_posted`; what varies goes into the fields. */
export interface Log {
  debug(event: string, fields?: Fields): void
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  error(event: string, fields?: Fields): void
  /** A log whose events also carry `fields`. */
  child(fields: Fields): Log
  /** From now on no log of this process writes this text. The last hundred such texts count. */
  hide(secret: string): void
}

/** What a log needs. */
export interface LogOptions {
  /** Takes one line, without its line feed. */
  readonly write: (line: string) => void
  /** Epoch ms. */
  readonly clock: () => number
  /** The lowest level that we write. Default `info`. */
  readonly level?: Level
  /** Texts that we must never write: every token and key that the process was given. */
  readonly secrets: readonly string[]
}

const rankOf = { debug: 0, info: 1, warn: 2, error: 3 } as const

/** Makes a log. Each line is `{time, level, event, ...fields}`; `time` is ISO 8601. */
export function createLog(options: LogOptions): Log {
  const { clean, hide } = createCleaner(options.secrets)
  const least = rankOf[options.level ?? "info"]
  const bind = (bound: Fields): Log => {
    const put = (level: Level) => (event: string, fields?: Fields) => {
      if (rankOf[level] < least) return
      const time = new Date(options.clock()).toISOString()
      options.write(JSON.stringify({ time, level, event, ...asFields(clean({ ...bound, ...fields })) }))
    }
    return {
      debug: put("debug"),
      info: put("info"),
      warn: put("warn"),
      error: put("error"),
      child: (fields) => bind({ ...bound, ...fields }),
      hide,
    }
  }
  return bind({})
}

/** An event's fields, renamed if they would replace its time, level or name. */
function asFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [headFields.has(key) ? `_${key}` : key, member]),
  )
}

const headFields = new Set(["time", "level", "event"])
const removed = "[removed]"
const longestText = 8_000
const deepest = 8
const maxLater = 100

/**
 * How secrets of all kinds look: tokens of Slack, the platform, GitHub, AWS and makers of models, JWTs, credentials in
 * addresses, response URLs.
 */
const secretPatterns: readonly RegExp[] = [
  /\b(?:xox[a-z]|xapp)(?:\.[a-z]+)?-[\w.-]+/gi,
  /\b(?:agno_pat|cs_sa)_[\w-]+/g,
  /\b(?:gh[a-z]_|github_pat_)\w{16,}/g,
  /\bA[KS]IA[0-9A-Z]{16}\b/g,
  /(?<![\w-])sk-[\w-]{16,}/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=\bBearer\s{1,9})[^\s"',;]+/gi,
  /\bhttps?:\/\/[^\s"'<>,]{0,2000}?(?:hooks\.slack|\/(?:actions|commands|response_url|responses)\/)[^\s"'<>,]*/g,
  /(?<=[?&](?:ticket|token|app_id)=)[^&\s"']+/g,
  /(?<=:\/\/)[^\s/@"']*:[^\s/@"']*(?=@)/g,
]

/** Fields whose whole value is a secret, by name. */
const secretKey = new RegExp(
  [
    "^(?:.*_)?(?:token|secret|password|authorization|cookie|response_?url|private_?key)$",
    "^(?:bot|app|access)Token$|^signingSecret$|^responseUrl$",
  ].join("|"),
  "i",
)

/** Makes a copier: it makes plain JSON of any value, without secrets, cycles and endless text. It can learn secrets. */
function createCleaner(secrets: readonly string[]) {
  let later: readonly string[] = []
  let known = longestFirst(secrets)
  const cleanText = (text: string): string => {
    const bare = known.reduce((rest, secret) => rest.replaceAll(secret, removed), text)
    // Searches only what we write, and a little more: a text of a megabyte must not stall anybody (R20).
    const head = bare.slice(0, longestText + 500)
    const clean = secretPatterns.reduce((rest, pattern) => rest.replace(pattern, removed), head)
    const length = clean.length + bare.length - head.length
    return length > longestText ? `${clean.slice(0, longestText)}… (${length} characters)` : clean
  }
  const clean = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === "string") return cleanText(value)
    if (typeof value === "bigint") return value.toString()
    if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value
    if (above.includes(value)) return "[circular]"
    if (above.length >= deepest) return "[deep]"
    return cleanObject(value, (member) => clean(member, [...above, value]), cleanText)
  }
  return {
    clean: (value: unknown) => clean(value, []),
    hide: (secret: string) => {
      later = [...later, secret].slice(-maxLater)
      known = longestFirst([...secrets, ...later])
    },
  }
}

/** Secrets in order, the longest first: a shorter one may be part of a longer one, and would cut it in two. */
function longestFirst(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length)
}

function cleanObject(value: object, clean: (member: unknown) => unknown, cleanText: (text: string) => string): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Map) return clean([...value])
  if (Array.isArray(value) || value instanceof Set) return [...value].map(clean)
  const members = value instanceof Error ? errorMembers(value) : Object.entries(value)
  return Object.fromEntries(
    members.map(([key, member]) => [cleanText(key), secretKey.test(key) && member ? removed : clean(member)]),
  )
}

/** An error's own fields, with those that are not enumerable. */
function errorMembers(error: Error): readonly (readonly [string, unknown])[] {
  const { name, message, stack, cause } = error
  const errors = error instanceof AggregateError ? [["errors", error.errors] as const] : []
  const head = [["name", name] as const, ["message", message] as const]
  const tail = [["cause", cause] as const, ["stack", stack] as const].filter(([, member]) => member !== undefined)
  return [...head, ...Object.entries(error).filter(([key]) => !errorFields.has(key)), ...errors, ...tail]
}

const errorFields = new Set(["name", "message", "stack", "cause"])
