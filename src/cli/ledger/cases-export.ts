// countersign cases export: streams cases as CSV or JSON lines, a line for each call.
import type { Writable } from "node:stream"
import { cardWords } from "../../bot/slack-words.ts"
import { casesAsCsv, casesAsJson } from "../../http/export/case-lines.ts"
import { type CasesQuery, casesQuery } from "../../http/reading/query.ts"
import { withStore } from "../installation/opened-store.ts"
import { createReadProgress } from "../progress.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { put } from "./written.ts"

/** Which cases to write, and how. */
export interface CasesExportOptions {
  /** Days or times (ISO 8601, with a zone) between which a case was first seen; both are included. */
  readonly from?: string
  readonly to?: string
  /** What has to hold for a call, as in a rule's `when`. */
  readonly when?: string
  readonly state?: string
  readonly outcome?: string
  readonly tool?: string
  readonly agent?: string
  readonly team?: string
  readonly person?: string
  readonly text?: string
  readonly format: string
}

/** Writes the chosen cases to `out`, latest first, no faster than `out` takes them. Throws `CommandError`. */
export async function casesExport(terminal: Terminal, out: Writable, options: CasesExportOptions): Promise<void> {
  const { format } = options
  if (format !== "jsonl" && format !== "csv") throw new CommandError(`--format must be csv or jsonl, not ${format}`)
  const now = Date.now()
  const query = queryOf(options)
  await withStore(terminal, async ({ context, store }) => {
    const { installation } = context.config
    if ((await store.check()) === "absent")
      throw new CommandError(`there is no installation ${installation} in this Redis yet: the first start makes it`)
    const progress = (what: string) =>
      createReadProgress(terminal, (count, at) => `${what}: ${count}, back to ${new Date(at).toISOString()}`)
    const looked = { columns: progress("cases read for the columns"), lines: progress("cases read for the lines") }
    const source = {
      reading: store.reading,
      cardWords,
      query: { ...query, until: Math.min(query.until ?? now, now) },
      onLook: (at: number, why: "columns" | "lines") => looked[why](at),
      onLeftOut: (words: string) => terminal.err(words),
    }
    for await (const lines of format === "csv" ? casesAsCsv(source) : casesAsJson(source)) await put(out, lines)
  })
}

/** How the read API calls what is an option of another name here. */
const fieldOptions: Readonly<Record<string, string>> = { since: "from", until: "to" }

/** The query; its fields are those of the read API. Throws `CommandError`. */
function queryOf({
  format: _how,
  config: _file,
  from: since,
  to: until,
  ...others
}: CasesExportOptions & {
  readonly config?: string
}): CasesQuery {
  const read = casesQuery.safeParse({ ...others, ...(since && { since }), ...(until && { until }) })
  if (read.success) return read.data
  const [problem] = read.error.issues
  const field = String(problem?.path[0] ?? "")
  throw new CommandError(`--${fieldOptions[field] ?? field} ${problem?.message ?? ""}`)
}
