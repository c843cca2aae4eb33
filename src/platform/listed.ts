// The list of pending approvals, remembered from poll to poll. We do not read a row again if its text has not changed.
import { createHash } from "node:crypto"
import { setImmediate as othersHadTheirTurn } from "node:timers/promises"
import type { Approval } from "../domain/content/approval.ts"
import { digestOf } from "../domain/content/digest.ts"
import { traceOf } from "../domain/content/surroundings.ts"
import type { Listed, Unreadable } from "../flow/ports.ts"
import type { Item } from "./contract.ts"
import type { Envelope } from "./envelope.ts"
import { type Labels, labelsOf, readListedRow } from "./row.ts"
import type { HttpAnswer } from "./transport.ts"

/**
 * A row of the list. `other`: the row says that it is decided or an audit record, so the service ignored a filter (trap
 * 9).
 */
export type ListedRow = Named<
  | { readonly kind: "approval"; readonly listed: Listed }
  | { readonly kind: "unreadable"; readonly unreadable: Unreadable }
  | { readonly kind: "other" }
>

/** Adds the row's id, whatever else is wrong with the row. */
type Named<Rest> = Rest & { readonly id: string | undefined }

/** An approval of the list without its content. */
type Gist = Omit<Listed, "read">

/** A row as we keep it, by the SHA-256 of its text. */
type Kept = { readonly hash: string } & (
  | Exclude<ListedRow, { kind: "approval" }>
  | Named<{ readonly kind: "approval"; readonly gist: Gist }>
)

/** A page as we keep it. `askedAt`: how many pages we had asked for until then. */
interface KeptPage {
  readonly hash: string
  readonly envelope: Envelope<Kept>
  readonly askedAt: number
}

/** Gives the rows of one page, by its path and answer. `parse` reads the answer, and may throw. */
export type ListMemory = (
  path: string,
  answer: HttpAnswer,
  parse: (answer: HttpAnswer) => Envelope<string>,
) => Promise<Envelope<ListedRow>>

/** A row with more characters than this is large. */
const largeRow = 100_000

/** How many pages we keep, each some 40 kB. We drop a page once we have asked for over twice this many others since. */
const maxPages = 1_000

/**
 * Makes the memory of an instance's list. It has no authority: only the very same text (SHA-256) counts as unchanged.
 */
export function createListMemory(instance: string): ListMemory {
  const pages = new Map<string, KeptPage>()
  const rowOf = createRowMemory(instance, () => pages.values())
  let asks = 0
  /** The page that we asked for last comes last in the map. */
  const keep = (path: string, page: KeptPage) => {
    const [oldest] = pages
    const left = oldest !== undefined && asks - oldest[1].askedAt > 2 * maxPages
    if (left) pages.delete(oldest[0])
    const known = pages.delete(path)
    if (known || pages.size < maxPages) pages.set(path, page)
  }
  return async (path, answer, parse) => {
    asks += 1
    const hash = hashOf(answer.bytes)
    const known = pages.get(path)
    if (known?.hash === hash && answer.status === 200) {
      keep(path, { ...known, askedAt: asks })
      const texts = lazily(() => parse(answer).items)
      const items = known.envelope.items.map((row, at) => listed(row, () => approvalOf(instance, texts()[at])))
      return { ...known.envelope, items }
    }
    const envelope = parse(answer)
    const rows = await inTurns(envelope.items, rowOf)
    keep(path, { hash, envelope: { ...envelope, items: rows.map(({ kept }) => kept) }, askedAt: asks })
    return { ...envelope, items: rows.map(({ kept, read }) => listed(kept, read)) }
  }
}

/** Makes the memory of rows. Rows move from page to page as others come and go, so we know them by their text alone. */
function createRowMemory(instance: string, pages: () => Iterable<KeptPage>) {
  let rows = new Map<string, Kept>()
  let lately = 0
  /** Forgets rows that are on no page any more. Runs whenever half as many new rows came as there are rows. */
  const forget = () => {
    rows = new Map()
    for (const { envelope } of pages()) for (const row of envelope.items) rows.set(row.hash, row)
    lately = 0
  }
  return (text: string): { readonly kept: Kept; readonly read: () => Approval } => {
    const hash = hashOf(text)
    const known = rows.get(hash)
    if (known !== undefined) return { kept: known, read: () => approvalOf(instance, text) }
    if (lately > Math.max(1_000, rows.size / 2)) forget()
    const { id, ...labels } = labelsOf(text)
    const item = saysOther(labels) ? null : readListedRow(instance, text)
    const kept = keptOf({ hash, id }, item)
    rows.set(hash, kept)
    lately += 1
    return { kept, read: () => asApproval(item) }
  }
}

/** Reads the rows one after the other. Before a large row, other work has a turn (R20). */
async function inTurns<Row>(texts: readonly string[], read: (text: string) => Row): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const text of texts) {
    if (text.length > largeRow) await othersHadTheirTurn()
    rows.push(read(text))
  }
  return rows
}

function hashOf(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("base64")
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function keptOf(row: { readonly hash: string; readonly id: string | undefined }, item: Item | null): Kept {
  if (item === null) return { ...row, kind: "other" }
  if (item.kind === "unreadable") return { ...row, kind: "unreadable", unreadable: { id: item.id, why: item.why } }
  return { ...row, kind: "approval", gist: gistOf(item.approval) }
}

/** The part of an approval that we keep. */
export function gistOf(approval: Approval): Gist {
  const { agentId, runStatus } = approval
  return { ...traceOf(approval), agentId, runStatus, digest: digestOf(approval) }
}

function listed(row: Kept, read: () => Approval): ListedRow {
  return row.kind === "approval" ? { id: row.id, kind: "approval", listed: { ...row.gist, read } } : row
}

function approvalOf(instance: string, text: string | undefined): Approval {
  return asApproval(text === undefined ? null : readListedRow(instance, text))
}

function asApproval(item: Item | null): Approval {
  if (item?.kind !== "approval") throw new Error("a row that was an approval is none in the same text")
  return item.approval
}

/** True if the row says that it is decided, or an audit record. False for a malformed row, so that we report it. */
function saysOther({ status = "pending", approval_type: type = "required" }: Omit<Labels, "id">): boolean {
  return status !== "pending" || type !== "required"
}
