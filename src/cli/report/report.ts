// countersign report: what the ledger tells of a range of time, as Markdown or JSON.
import { createReport, type EntryRange, type LedgerReport, type TimeRange } from "../../domain/report/report.ts"
import type { CountedVoter } from "../../domain/report/voters.ts"
import { caseOfChain } from "../../store/redis/keys.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { type AnchorOptions, anchorsOf } from "../ledger/ledger.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { reportWords } from "./report-words.ts"
import { demandBegun, momentWords, type SpanOptions, spanOf } from "./span.ts"
import { type ReadLedger, readVerified } from "./verified-entries.ts"

/** What the command takes. */
export interface ReportOptions extends SpanOptions, AnchorOptions {
  readonly people: boolean
  readonly json: boolean
}

/** A person who voted, by the name of their newest vote; null: it was erased, or removed with its case. */
export interface NamedVoter extends Omit<CountedVoter, "newest"> {
  readonly name: string | null
}

/** All that a report tells. Moments are ISO 8601 in UTC, times are in ms. */
export interface ReportTold extends Omit<LedgerReport, "entries" | "voters"> {
  readonly installation: string
  readonly madeAt: string
  readonly zone: "UTC"
  /** `to` is not in the range. `over`: false if it was not over when the report was made. */
  readonly range: { readonly from: string; readonly to: string; readonly over: boolean }
  readonly ledger: EntryRange & ReadLedger & { /** When the first entry of all was made. */ readonly begins: string }
  /** Only if they were asked for. */
  readonly people?: readonly NamedVoter[]
}

/** Prints the report. Throws `CommandError` for a range that makes no sense, or a ledger that does not verify. */
export async function ledgerReport(terminal: Terminal, options: ReportOptions): Promise<void> {
  const now = Date.now()
  const span = spanOf(options, now)
  await withStore(terminal, async (opened) => {
    const { installation } = opened.context.config
    if ((await opened.store.check()) === "absent")
      throw new CommandError(`there is no installation ${installation} in this Redis yet: the first start makes it`)
    const told = await reportOver(terminal, opened, span, { ...options, now })
    if (options.json) return terminal.out(JSON.stringify(told, null, 2))
    for (const line of reportWords(told)) terminal.out(line)
  })
}

/** Makes the report of an installation. Throws as `ledgerReport` does. */
async function reportOver(
  terminal: Terminal,
  opened: Opened,
  span: TimeRange,
  { people, now, ...anchoring }: AnchorOptions & { readonly people: boolean; readonly now: number },
): Promise<ReportTold> {
  const counting = createReport(span)
  let begins = now
  const read = await readVerified(opened, await anchorsOf(terminal, opened, anchoring), (entry) => {
    if (entry.number === 1) begins = demandBegun(entry.event, span)
    return counting.take(entry)
  })
  const { entries, voters, ...counted } = counting.report()
  return {
    installation: opened.context.config.installation,
    madeAt: momentWords(now),
    zone: "UTC",
    range: { from: momentWords(span.from), to: momentWords(span.to), over: span.to <= now },
    ledger: { ...entries, ...read, begins: momentWords(begins) },
    ...counted,
    ...(people ? { people: await Promise.all(voters.map((voter) => named(opened, voter))) } : {}),
  }
}

async function named({ store }: Opened, { newest, ...voter }: CountedVoter): Promise<NamedVoter> {
  const caseId = caseOfChain(newest.chain) ?? ""
  const [entry] = await store.reading.entriesOf(caseId, { after: newest.n - 1, limit: 1 })
  const name = entry?.said?.event["name"]
  return { ...voter, name: typeof name === "string" ? name : null }
}
