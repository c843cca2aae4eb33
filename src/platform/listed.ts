// The list of pending approvals, remembered from poll to poll: a page that has not changed is not read again.
import { createHash } from "node:crypto"
import type { Approval } from "../domain/content/approval.ts"
import { digestOf } from "../domain/content/digest.ts"
import { isJsonObject, type Json } from "../domain/content/json.ts"
import { traceOf } from "../domain/content/surroundings.ts"
import type { Listed, Unreadable } from "../flow/ports.ts"
import { type Item, readItem } from "./contract.ts"
import type { Envelope } from "./envelope.ts"
import type { HttpAnswer } from "./transport.ts"

/**
 * A row of the list. `other`: by its own word it is decided or an audit record, so the service ignored a filter (trap
 * 9).
 */
export type ListedRow = Named<
  | { readonly kind: "approval"; readonly listed: Listed }
  | { readonly kind: "unreadable"; readonly unreadable: Unreadable }
  | { readonly kind: "other" }
>

/** With the id that tells pages apart, whatever else is wrong with the row. */
type Named<Rest> = Rest & { readonly id: string | undefined }

/** An approval of the list without its content. */
type Gist = Omit<Listed, "read">

/** A row as we keep it. */
type Kept = Exclude<ListedRow, { kind: "approval" }> | Named<{ readonly kind: "approval"; readonly gist: Gist }>

/** A page as we keep it. `askedAt`: how many pages we had asked for by then. */
interface KeptPage {
  readonly hash: string
  readonly envelope: Envelope<Kept>
  readonly askedAt: number
}

/** The rows of one page, by its path and answer; `parse` reads the answer, and may throw. */
export type ListMemory = (
  path: string,
  answer: HttpAnswer,
  parse: (answer: HttpAnswer) => Envelope,
) => Envelope<ListedRow>

/** How many pages we keep, each some 40 kB. If we did not ask for a page during twice as many asks, it makes room. */
const maxPages = 1_000

/**
 * Makes the memory of an instance's list. It has no authority: only the very same text (SHA-256) counts as unchanged.
 */
export function createListMemory(instance: string): ListMemory {
  const pages = new Map<string, KeptPage>()
  let asks = 0
  /** The page that was asked for last is the last. */
  const keep = (path: string, page: KeptPage) => {
    const [oldest] = pages
    const left = oldest !== undefined && asks - oldest[1].askedAt > 2 * maxPages
    if (left) pages.delete(oldest[0])
    const known = pages.delete(path)
    if (known || pages.size < maxPages) pages.set(path, page)
  }
  return (path, answer, parse) => {
    asks += 1
    const hash = createHash("sha256").update(answer.bytes).digest("base64")
    const known = pages.get(path)
    const whole = lazily(() => parse(answer))
    const read = lazily(() => whole().items.map((item) => readItem(instance, item)))
    const envelope =
      known?.hash === hash && answer.status === 200
        ? known.envelope
        : { ...whole(), items: keptOf(whole().items, read()) }
    keep(path, { hash, envelope, askedAt: asks })
    return { ...envelope, items: envelope.items.map((row, at) => rowOf(row, () => approvalOf(read()[at]))) }
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function keptOf(items: readonly Json[], read: readonly Item[]): readonly Kept[] {
  return items.map((item, at) => {
    const [id, found] = [idOf(item), read[at]]
    if (!mayBePending(item) || found === undefined) return { id, kind: "other" }
    if (found.kind === "unreadable") return { id, kind: "unreadable", unreadable: { id: found.id, why: found.why } }
    return { id, kind: "approval", gist: gistOf(found.approval) }
  })
}

/** The part of an approval that we keep. */
export function gistOf(approval: Approval): Gist {
  return { ...traceOf(approval), agentId: approval.agentId, digest: digestOf(approval) }
}

function rowOf(row: Kept, read: () => Approval): ListedRow {
  return row.kind === "approval" ? { id: row.id, kind: "approval", listed: { ...row.gist, read } } : row
}

function approvalOf(item: Item | undefined): Approval {
  if (item?.kind !== "approval") throw new Error("a row that was an approval is none in the same text")
  return item.approval
}

/** The id of an item, if it has one that can be read. */
export function idOf(item: Json): string | undefined {
  const id = isJsonObject(item) ? item["id"] : undefined
  return typeof id === "string" && id !== "" ? id : undefined
}

/**
 * False if the row says that it is decided, or only an audit record. Malformed rows stay in, so that we report them.
 */
function mayBePending(item: Json): boolean {
  if (!isJsonObject(item)) return true
  const { status, approval_type: type } = item
  return (status === "pending" || typeof status !== "string") && (type === "required" || typeof type !== "string")
}
