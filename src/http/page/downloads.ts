// Downloads of what the list shows: its cases, and their entries of the ledger, as CSV that is made while it is read.
import type { Context } from "hono"
import { createScopeSet } from "../../auth/scopes.ts"
import type { Reading } from "../../flow/ports.ts"
import type { Log } from "../../log.ts"
import type { CardWords } from "../card-words.ts"
import { casesAsCsv, entriesAsCsv } from "../export/case-lines.ts"
import { readAdminScope } from "../reading/gate.ts"
import type { CasesQuery } from "../reading/query.ts"
import { pageHeaders } from "./layout.ts"

/** What can be downloaded, and the scope that it takes. */
export const downloadScopes = { cases: "cases:read", ledger: "ledger:read" } as const

/** A word of `downloadScopes`. */
export type Download = keyof typeof downloadScopes

/** True if these scopes open a download. */
export function mayDownload(what: Download, scopes: readonly string[]): boolean {
  return createScopeSet(scopes, readAdminScope).covers(downloadScopes[what], null)
}

/** What downloads are made of. */
export interface DownloadOptions {
  readonly reading: Reading
  readonly cardWords: CardWords
  readonly installation: string
  readonly log: Log
  readonly clock: () => number
}

/**
 * Answers with a download. Throws `StoreError` if nothing can be read now. If that happens later, the connection
 * breaks, so that nobody takes a part for the whole.
 */
export async function download(
  context: Context,
  options: DownloadOptions,
  { what, query, asked }: { what: Download; query: CasesQuery; asked: Readonly<Record<string, string>> },
): Promise<Response> {
  const { reading, cardWords, installation, log } = options
  const now = options.clock()
  await reading.cases({ after: null, until: null, limit: 1 })
  const source = { reading, cardWords, query: { ...query, until: Math.min(query.until ?? now, now) } }
  const lines = what === "cases" ? casesAsCsv(source) : entriesAsCsv(source)
  const [from = "", to = ""] = [asked["since"], asked["until"] ?? new Date(now).toISOString()].map(dayIn)
  const range = from === "" ? `until-${to}` : `${from}-to-${to}`
  return context.body(streamOf(lines, log), 200, {
    ...pageHeaders,
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="countersign-${installation}-${what}-${range}.csv"`,
  })
}

function dayIn(moment: string | undefined): string {
  return moment?.slice(0, 10) ?? ""
}

/** How much goes out at once, in UTF-16 units. */
const pieceUnits = 16_384

/** The lines as a stream that reads on when its reader wants more, and ends its reading when the reader goes. */
function streamOf(lines: AsyncGenerator<string, undefined>, log: Log): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        let [piece, over] = ["", false]
        // The first piece, the mark alone, shows the reader that the download has begun.
        do {
          const next = await lines.next()
          over = next.done === true
          piece += next.value ?? ""
        } while (!over && piece.length > 1 && piece.length < pieceUnits)
        if (piece !== "") controller.enqueue(encoder.encode(piece))
        if (over) controller.close()
      } catch (error) {
        log.warn("read-failed", { error })
        controller.error(error)
      }
    },
    cancel: async () => {
      await lines.return(undefined)
    },
  })
}
