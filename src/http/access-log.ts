// The access log: who signed in or was refused, and who read what. The ledger has none of this: it tells of decisions.
import { readdirSync, rmSync } from "node:fs"
import { appendFile, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Context } from "hono"
import type { Alarm } from "../flow/ports.ts"
import type { Log } from "../log.ts"

/** One thing that somebody did. */
export interface Access {
  readonly act: "signed-in" | "sign-in-refused" | "signed-out" | "read"
  /** By a token, or by the company's sign-in. */
  readonly by: "token" | "sign-in"
  /** The `sub` of the token, or of the account at the company's provider; null if it is not known. */
  readonly subject: string | null
  /** The name that the provider gives the account; null if none. */
  readonly name?: string | null
  /** Why a sign-in was refused. */
  readonly why?: string
}

/** Where the lines go. */
export interface AccessLog {
  /**
   * Keeps the line about this request. Call it before the answer: whoever reads leaves a line. Rejects with
   * `AccessLogError` if the line cannot be kept; then nothing may be shown.
   */
  note(context: Context, access: Access): Promise<void>
}

/** A line of the access log cannot be kept. Trying again helps once the folder can be written to. */
export class AccessLogError extends Error {
  readonly code = "access-log-not-kept"
  readonly retryable = true
  constructor(folder: string, options: ErrorOptions) {
    super(`the access log in ${folder} cannot be written, so nothing is shown`, options)
    this.name = "AccessLogError"
  }
}

/** What the access log needs. */
export interface AccessLogOptions {
  /** The folder of its files, and how long they are kept, in ms. Undefined: the lines go into `log`. */
  readonly kept: { readonly folder: string; readonly keepMs: number } | undefined
  /** A name that no other process has: each writes files of its own. */
  readonly replica: string
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

const dayMs = 86_400_000
/** How much of a text that a client chooses one line takes. */
const longestText = 500

/**
 * Makes the access log. With a folder, each process writes one file a day there (`2026-11-29-REPLICA.jsonl`, UTC, mode
 * 600), and removes files whose day ended longer ago than they are kept.
 */
export function createAccessLog(options: AccessLogOptions): AccessLog {
  const { kept, clock, log } = options
  if (kept === undefined) return { note: async (context, access) => log.info("access", told(context, access)) }
  const write = createDailyFile({ ...options, ...kept })
  return {
    note: async (context, access) => {
      const now = clock()
      await write(now, `${JSON.stringify({ time: new Date(now).toISOString(), ...told(context, access) })}\n`)
    },
  }
}

/** What a line says: what was done, by whom, from where, at which address. No cookie, no token, no body. */
function told(context: Context, { act, by, subject, name = null, why }: Access) {
  const { pathname, search } = new URL(context.req.url)
  const forwarded = context.req.header("x-forwarded-for")
  return {
    act,
    by,
    subject,
    name,
    from: getConnInfo(context).remote.address ?? null,
    ...(forwarded === undefined ? {} : { forwarded: cut(forwarded) }),
    // The address that a provider sends browsers back to holds a code.
    what: cut(`${context.req.method} ${pathname}${act === "read" ? search : ""}`),
    ...(why === undefined ? {} : { why: cut(why) }),
  }
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}

/** Appends lines to the file of their day. Raises one alarm for each time in which that fails. */
function createDailyFile({
  folder,
  keepMs,
  replica,
  alarm,
}: Pick<AccessLogOptions, "replica" | "alarm"> & { readonly folder: string; readonly keepMs: number }) {
  let today = ""
  let failing = false
  return async (now: number, line: string): Promise<void> => {
    const day = new Date(now).toISOString().slice(0, 10)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await appendFile(join(folder, `${day}-${replica}.jsonl`), line, { mode: 0o600 })
      if (day !== today) removeOld(folder, now - keepMs)
      today = day
      failing = false
    } catch (error) {
      if (!failing) alarm({ code: "access-log-not-kept", folder, error, hint: "make http.access_log.folder writable" })
      failing = true
      throw new AccessLogError(folder, { cause: error })
    }
  }
}

/** Removes the files, of all processes, whose day ended before `before`. Nothing else in the folder is touched. */
function removeOld(folder: string, before: number): void {
  for (const file of readdirSync(folder)) {
    const [, day = ""] = /^(\d{4}-\d\d-\d\d)-[0-9a-f]+\.jsonl$/.exec(file) ?? []
    if (day !== "" && Date.parse(day) + dayMs < before) rmSync(join(folder, file), { force: true })
  }
}
