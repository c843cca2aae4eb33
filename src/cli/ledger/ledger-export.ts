// countersign ledger export: streams the entries as JSON lines or CSV.
import { once } from "node:events"
import type { Writable } from "node:stream"
import { caseIdOf } from "../../domain/case/case.ts"
import type { OpenedEntry } from "../../store/ledger/opened-entries.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"

/** Which entries to write, and how. `from` and `to` are sequence numbers or ISO 8601 times; both are included. */
export interface ExportOptions {
  readonly from?: string
  readonly to?: string
  /** The id of a case or of an approval. */
  readonly case?: string
  readonly format: string
}

/** Writes the chosen entries to `out`, as fast as it takes them. Throws `CommandError`. */
export async function ledgerExport(terminal: Terminal, out: Writable, options: ExportOptions): Promise<void> {
  const { format } = options
  if (format !== "jsonl" && format !== "csv") throw new CommandError(`--format must be jsonl or csv, not ${format}`)
  const [from, to] = [boundOf("--from", options.from), boundOf("--to", options.to)]
  await withStore(terminal, async (opened) => {
    const chains = options.case === undefined ? null : chainsOf(opened, options.case)
    if (format === "csv") await put(out, `${columns.join(",")}\r\n`)
    for await (const entry of opened.store.entries(from?.number === undefined ? 0 : from.number - 1)) {
      if (to?.number !== undefined && entry.number > to.number) break
      const at = typeof entry.entry?.event["at"] === "number" ? entry.entry.event["at"] : null
      const early = from?.at !== undefined && (at === null || at < from.at)
      const late = to?.at !== undefined && (at === null || at > to.at)
      if (early || late || (chains !== null && !chains.has(entry.entry?.chain ?? ""))) continue
      await put(out, format === "csv" ? csvLine(entry, at) : `${JSON.stringify(entryRow(entry, at))}\n`)
    }
  })
}

interface Bound {
  readonly number?: number
  /** Epoch ms. */
  readonly at?: number
}

function boundOf(option: string, text: string | undefined): Bound | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return { number: Number(text) }
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw new CommandError(`${option} must be an entry's number or a time such as 2026-11-21T12:00Z`)
  // A day without a time means the whole day.
  return { at: option === "--to" && /^\d{4}-\d\d-\d\d$/.test(text) ? at + 86_399_999 : at }
}

/** The chains that an id may mean: of the case with that id, and of an approval with that id at each instance. */
function chainsOf({ context }: Opened, id: string): ReadonlySet<string> {
  const { installation, instances } = context.config
  const cases = instances.map(({ name }) => caseIdOf(installation, name, id))
  return new Set([id, ...cases].map((one) => `case:${one}`))
}

const columns = ["number", "time", "chain", "n", "kind", "ours", "sandbox", "event", "text", "mac"] as const

/**
 * The columns of an entry. `ours`: false if the MAC does not hold; then they hold only the entry's body. `text`: the
 * content of its erasable record; or `erased`; or `missing` or `changed`, as in `ledger verify`.
 */
function entryRow({ number, body, mac, entry, erasable }: OpenedEntry, at: number | null) {
  const time = at === null ? null : new Date(at).toISOString()
  if (entry === null)
    return { number, time, chain: null, n: null, kind: null, ours: false, sandbox: null, event: body, text: null, mac }
  const { chain, n, sandbox, event } = entry
  const text = erasable === null ? null : erasable.kind === "kept" ? erasable.text : erasable.kind
  return { number, time, chain, n, kind: event["kind"] ?? null, ours: true, sandbox, event, text, mac }
}

function csvLine(entry: OpenedEntry, at: number | null): string {
  const row = entryRow(entry, at)
  const fields = columns.map((column) => {
    const value = row[column]
    return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)
  })
  return `${fields.map(csvField).join(",")}\r\n`
}

/** A field of CSV (RFC 4180). Marks as text what a spreadsheet would take for a formula. */
function csvField(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, "drain")
}
