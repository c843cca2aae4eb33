// Slack's dates: a moment in the reader's own time zone, in the app's format.

type Options = Intl.DateTimeFormatOptions

const day: Options = { year: "numeric", month: "long", day: "numeric" }
const short: Options = { year: "numeric", month: "short", day: "numeric" }
const long: Options = { ...day, weekday: "long" }
const timeOfDay: Options = { hour: "2-digit", minute: "2-digit", hour12: false }

/** How tokens are written (https://docs.slack.dev/messaging/formatting-message-text). `_pretty` tokens say "today". */
const tokens: Readonly<Record<string, Options>> = {
  date: day,
  date_short: short,
  date_long: long,
  time: timeOfDay,
  time_secs: { ...timeOfDay, second: "2-digit" },
}

/** The moment (epoch ms) in the `format`, such as "{date_short_pretty} at {time}". `now` decides which day is today. */
export function writeDate(at: number, format: string, now: number): string {
  const pretty = nearDay(at, now)
  return format.replace(/\{(date_num|[a-z]+(?:_[a-z]+)*)\}/g, (token, name: string) => {
    if (name === "date_num") return new Intl.DateTimeFormat("sv-SE").format(at)
    if (name.endsWith("_pretty") && pretty !== undefined) return pretty
    const options = tokens[name.replace(/_pretty$/, "")]
    return options ? new Intl.DateTimeFormat("en", options).format(at) : token
  })
}

/** The time of day of a message's `ts`, such as "14:05". */
export function clockTime(ts: string): string {
  return new Intl.DateTimeFormat("en", timeOfDay).format(Number(ts) * 1_000)
}

/** The date and time of a message's `ts`, in full. */
export function fullTime(ts: string): string {
  return new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" }).format(Number(ts) * 1_000)
}

function nearDay(at: number, now: number): string | undefined {
  const days = Math.round((midnight(at) - midnight(now)) / 86_400_000)
  return new Map([
    [-1, "yesterday"],
    [0, "today"],
    [1, "tomorrow"],
  ]).get(days)
}

function midnight(at: number): number {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}
