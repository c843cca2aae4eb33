// Uses fingerprints: says what is new about an approval when we make its revision, and learns from its decision.
import type { Case } from "../../domain/case/case.ts"
import { erasedName } from "../../domain/case/erasure.ts"
import { isCalledBack } from "../../domain/case/vote.ts"
import { type Approval, type Call, openGatedCalls } from "../../domain/content/approval.ts"
import { type FingerprintId, fieldsOf, fingerprintIdOf, fingerprintName } from "../../domain/fingerprint/call-fields.ts"
import { type CallReading, readFields } from "../../domain/fingerprint/call-reading.ts"
import {
  type Fingerprint,
  type Learning,
  nothingKept,
  withApproved,
  withRejected,
} from "../../domain/fingerprint/fingerprint.ts"
import {
  type CallComparison,
  type News,
  newsOf,
  type RejectedBefore,
  rejectedLike,
} from "../../domain/fingerprint/news.ts"
import { lookOf } from "../../domain/policy/look.ts"
import { demandOf, type PolicyNow } from "../../domain/policy/policy.ts"
import type { FingerprintAsRead, FingerprintChange, FingerprintEvent, Ports } from "../ports.ts"

/** We compare and learn at most this many calls of one approval. */
const maxCalls = 20
/** How often we try to commit a decision with what it teaches. After that we commit it alone, so it never waits. */
const maxTries = 5
const dayMs = 86_400_000

export type NewsPorts = Pick<Ports, "store" | "seal" | "alarm">

/** What is new about an approval's calls; null if nothing is new, or if a rule does not want it. */
export async function newsNow(ports: NewsPorts, approval: Approval, policy: PolicyNow): Promise<News | null> {
  const calls = openGatedCalls(approval)
  const prints = await ports.store.fingerprints(fingerprintIdsOf(approval, calls))
  if (prints.every(({ doubt }) => doubt === "none")) return null
  const look = lookOf(approval, demandOf(approval, policy.rules, policy).rules, policy)
  if (look.withoutNews === true) return null
  for (const { doubt, name } of prints) if (doubt === "behind") ports.alarm(printBehindAlarm(approval, name))
  const byName = new Map(prints.map((one) => [one.name, one]))
  const comparisons = calls.slice(0, maxCalls).map((call, at): CallComparison => {
    const id = fingerprintIdOf(approval, call)
    const print = byName.get(fingerprintName(id))?.state ?? nothingKept
    return { call: at, print, read: readCall(ports, id, call, look.mask), first: look.showFirst ?? [] }
  })
  const found = newsOf(comparisons)
  const rejected = await rejectionOf(ports, comparisons)
  const unread = calls.length > maxCalls || prints.some(({ doubt }) => doubt === "behind")
  if (found.items.length === 0 && rejected === null && !unread) return null
  return { ...found, ...(rejected && { rejected }), ...(unread && { unread }) }
}

function printBehindAlarm({ id, instance }: Approval, fingerprint: string) {
  const hint = "cards say that nothing is compared, until a call of the same tool and agent is decided"
  return { code: "fingerprint-behind", instance, approval: id, fingerprint, hint }
}

function fingerprintIdsOf(approval: Approval, calls: readonly Call[]): readonly FingerprintId[] {
  const ids = calls.slice(0, maxCalls).map((call) => fingerprintIdOf(approval, call))
  return [...new Map(ids.map((id) => [fingerprintName(id), id])).values()]
}

function readCall({ seal }: Pick<Ports, "seal">, id: FingerprintId, call: Call, mask: readonly string[]): CallReading {
  const name = fingerprintName(id)
  return readFields(fieldsOf(call, mask), (path, value) => seal.mac("fingerprint", [name, path, value]).slice(0, 12))
}

/** Who rejected the call before, and why, as the rejected case has it. Parts that were erased there are missing. */
async function rejectionOf(ports: NewsPorts, comparisons: readonly CallComparison[]): Promise<RejectedBefore | null> {
  const like = rejectedLike(comparisons)
  if (like === null) return null
  const found = await ports.store.read(like.case)
  const { at, times } = like
  if (found === null || "kind" in found) return { at, times, routes: [], by: null, reason: null }
  const [vote] = found.decision?.votes ?? []
  const routes = found.cards.flatMap(({ route, place }) => (place === null ? [] : [route]))
  const named = vote !== undefined && vote.name !== erasedName
  return { at, times, routes, by: named ? vote.name : null, reason: vote?.reason ?? null }
}

/**
 * Makes the function that changes fingerprints with a case that settles, in the same commit. We learn only from what
 * people decided through us.
 */
export function createTeacher(ports: Pick<Ports, "store" | "seal" | "closedTimes">) {
  let tries = 0
  return async (before: Case, settled: Case): Promise<readonly FingerprintChange[]> => {
    tries += 1
    const keepDays = Math.floor(ports.closedTimes.retainArgumentsMs / dayMs)
    return tries > maxTries || keepDays === 0 ? [] : taught(ports, before, settled, keepDays)
  }
}

async function taught(
  ports: Pick<Ports, "store" | "seal">,
  { approval, revision, decision }: Case,
  { id: caseId, outcome }: Case,
  keepDays: number,
): Promise<readonly FingerprintChange[]> {
  if (outcome?.kind !== "ours" || approval === null || revision.look.withoutNews === true) return []
  if (outcome.verb === "reject" && (decision === null || decision.by !== undefined || isCalledBack(decision))) return []
  const calls = openGatedCalls(approval).slice(0, maxCalls)
  const ids = fingerprintIdsOf(approval, calls)
  const prints = await ports.store.fingerprints(ids)
  return prints.map((read, at): FingerprintChange => {
    const id = ids[at]
    const own = calls.filter((call) => fingerprintName(fingerprintIdOf(approval, call)) === read.name)
    const learning = { at: outcome.at, keepDays, case: caseId }
    const teach = outcome.verb === "approve" ? withApproved : withRejected
    const next = own.reduce<Fingerprint>(
      (state, call) =>
        id === undefined ? state : teach(state, readCall(ports, id, call, revision.look.mask), learning),
      read.state ?? nothingKept,
    )
    return { read, next, event: learnedEvent(read, learning) }
  })
}

function learnedEvent(
  { doubt }: FingerprintAsRead,
  { at, case: caseId }: Learning & { readonly case: string },
): FingerprintEvent {
  return doubt === null
    ? { kind: "fingerprint-changed", at, case: caseId }
    : { kind: "fingerprint-begun", at, why: doubt, case: caseId }
}
