// countersign ledger export: streams the entries as JSON lines or CSV.
import type { Writable } from "node:stream"
import { cardWords } from "../../bot/slack-words.ts"
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import type { Truth } from "../../domain/condition/evaluate.ts"
import { type CallFilter, readFilter, truthOfFilter } from "../../domain/simulation/kept-filter.ts"
import type { Tampered } from "../../flow/ports.ts"
import { type CaseFacts, createCaseMemory, factsOf } from "../../http/export/case-facts.ts"
import { csvLine, csvMark } from "../../http/export/csv.ts"
import { entryColumns, entryLine } from "../../http/export/entry-line.ts"
import { leftOutLine, leftOutWords } from "../../http/export/left-out.ts"
import type { OpenedEntry } from "../../store/ledger/opened-entries.ts"
import { caseOfChain } from "../../store/redis/keys.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { createReadProgress } from "../progress.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { put } from "./written.ts"

/** Which entries to write, and how. `from` and `to` are sequence numbers or ISO 8601 times; both are included. */
export interface ExportOptions {
  readonly from?: string
  readonly to?: string
  /** The id of a case or of an approval. */
  readonly case?: string
  /** What has to hold for a call of the entry's case, as in a rule's `when`. */
  readonly when?: string
  readonly format: string
}

/** Writes the chosen entries to `out`, no faster than `out` takes them. Throws `CommandError`. */
export async function ledgerExport(terminal: Terminal, out: Writable, options: ExportOptions): Promise<void> {
  const { format } = options
  if (format !== "jsonl" && format !== "csv") throw new CommandError(`--format must be jsonl or csv, not ${format}`)
  const [from, to] = [boundOf("--from", options.from), boundOf("--to", options.to)]
  const filter = filterOf(options.when)
  await withStore(terminal, async (opened) => {
    const chains = options.case === undefined ? null : chainsOf(opened, options.case)
    const about = createCaseMemory(opened.store.reading, (found) => aboutCase(found, filter))
    let perhaps = 0
    const progress = createReadProgress(
      terminal,
      (count, at) => `entries read: ${count}, up to ${new Date(at).toISOString()}`,
    )
    if (format === "csv") await put(out, csvMark + csvLine(entryColumns))
    for await (const entry of opened.store.entries(from?.number === undefined ? 0 : from.number - 1)) {
      if (to?.number !== undefined && entry.number > to.number) break
      const at = typeof entry.entry?.event["at"] === "number" ? entry.entry.event["at"] : null
      if (at !== null) progress(at)
      const early = from?.at !== undefined && (at === null || at < from.at)
      const late = to?.at !== undefined && (at === null || at > to.at)
      if (early || late || (chains !== null && !chains.has(entry.entry?.chain ?? ""))) continue
      const asked = await askedFor(entry, filter, about)
      if (asked === "unknown") perhaps += 1
      if (asked !== "true") continue
      await put(out, format === "csv" ? await csvOf(entry, about) : `${JSON.stringify(entryRow(entry, at))}\n`)
    }
    if (perhaps === 0) return
    const left = perhaps === 1 ? "1 entry" : `${perhaps} entries`
    terminal.err(leftOutWords(left))
    if (format === "csv") await put(out, leftOutLine(left, entryColumns.length))
  })
}

function filterOf(when: string | undefined): CallFilter | null {
  const read = when === undefined ? null : readFilter(when)
  if (read !== null && !read.ok) throw new CommandError(`--when ${read.why}`)
  return read === null ? null : read.filter
}

/** What lines tell of a case, and whether the filter holds for one of its calls. */
interface AboutCase {
  readonly facts: CaseFacts
  readonly asked: Truth
}

type AboutCases = (caseId: string) => Promise<AboutCase>

function aboutCase(found: Case | Tampered | null, filter: CallFilter | null): AboutCase {
  const facts = factsOf(found, cardWords)
  if (filter === null) return { facts, asked: "true" }
  return { facts, asked: found === null || "kind" in found ? "unknown" : truthOfFilter(filter, found) }
}

/** Whether an entry is asked for. With a filter, only entries of cases are. */
async function askedFor({ entry }: OpenedEntry, filter: CallFilter | null, about: AboutCases): Promise<Truth> {
  if (filter === null) return "true"
  const caseId = caseOfChain(entry?.chain ?? "")
  return caseId === null ? "false" : (await about(caseId)).asked
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

/**
 * An entry as JSON. `ours`: false if the MAC does not hold; then only the entry's body is in it. `text`: the content of
 * its erasable record; or `erased`; or `missing` or `changed`, as in `ledger verify`.
 */
function entryRow({ number, body, mac, entry, erasable }: OpenedEntry, at: number | null) {
  const time = at === null ? null : new Date(at).toISOString()
  if (entry === null)
    return { number, time, chain: null, n: null, kind: null, ours: false, sandbox: null, event: body, text: null, mac }
  const { chain, n, sandbox, event } = entry
  const text = erasable === null ? null : erasable.kind === "kept" ? erasable.text : erasable.kind
  return { number, time, chain, n, kind: event["kind"] ?? null, ours: true, sandbox, event, text, mac }
}

/** An entry as a line of CSV, with the facts of its case. */
async function csvOf({ number, entry, erasable }: OpenedEntry, about: AboutCases): Promise<string> {
  if (entry === null) return entryLine({ entry: { number, said: null }, caseId: null, facts: null })
  const { chain, sandbox, event } = entry
  const caseId = caseOfChain(chain)
  const beside = erasable?.kind === "kept" ? erasable.text : {}
  const said = { event: { ...event, ...beside }, sandbox, text: erasable?.kind ?? null }
  return entryLine({ entry: { number, said }, caseId, facts: caseId === null ? null : (await about(caseId)).facts })
}
