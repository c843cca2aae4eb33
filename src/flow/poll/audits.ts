// Audits: rows of type `audit`, which the platform writes after somebody confirmed a call elsewhere. Each enters the
// ledger once, without a card.
import type { Approval } from "../../domain/content/approval.ts"
import { digestOf } from "../../domain/content/digest.ts"
import { largest, smallest } from "../../domain/content/largest.ts"
import { type AuditMark, type AuditRow, isPortError, type Platform, type Ports, type SeenRow } from "../ports.ts"

export type AuditPorts = Pick<Ports, "audits" | "store" | "freshness" | "platforms" | "alarm" | "log" | "clock">

/** How often a process looks at the audit rows of an instance, in ms. */
const everyMs = 60_000
/** A row may come into the list this long after a later row was made, in ms; we still take it in. */
const overlapMs = 60_000
/** This many rows enter the ledger in one commit. */
const maxAtOnce = 100

/**
 * Makes the look at audit rows, to be called after each poll of an instance; most of the time it does nothing. It
 * leaves out rows that were there at the very first look. It logs a failure, and the next poll tries again. `current`
 * gives the ports of the active config.
 */
export function createAuditLook(current: () => AuditPorts): (instance: string) => Promise<void> {
  const lookedAt = new Map<string, number>()
  return async (instance) => {
    const ports = current()
    const platform = ports.platforms.get(instance)
    const due = ports.clock() - (lookedAt.get(instance) ?? Number.NEGATIVE_INFINITY) >= everyMs
    // If the ledger is rolled back, an operator has to judge it first.
    if (platform === undefined || !due || ports.freshness.standing().kind === "rolled-back") return
    try {
      await lookAtAudits(ports, instance, platform)
      lookedAt.set(instance, ports.clock())
    } catch (error) {
      if (!isPortError(error)) throw error
      ports.log.warn("audits-not-read", { instance, error })
      if (error.code === "tampered") ports.alarm({ code: "audits-tampered", instance, why: error.message })
    }
  }
}

async function lookAtAudits(ports: AuditPorts, instance: string, platform: Platform): Promise<void> {
  const now = (await ports.store.sharedClock())()
  const known = await ports.audits.read(instance)
  if (known === null) return beginAudits(ports, { instance, platform, now })
  let mark = known
  const rows = await rowsSince(ports, { instance, platform, now, since: mark.readTo - overlapMs })
  const seen = new Set(mark.seen.map(({ approval }) => approval))
  const news = rows.filter(({ approval }) => !seen.has(approval)).toReversed()
  for (let at = 0; at < news.length; at += maxAtOnce) {
    const portion = news.slice(at, at + maxAtOnce)
    mark = markAfter(mark, portion, now)
    // False: another replica was faster, and enters the rest, too.
    if (!(await ports.audits.enter(instance, mark, { rows: portion, at: ports.clock() }))) return
    for (const row of portion) ports.log.info("audited", { instance, ...row })
  }
}

/** Writes the first mark. Rows that the platform lists at the first look get no entry. */
async function beginAudits(ports: AuditPorts, look: Omit<Look, "since">): Promise<void> {
  const { instance, now } = look
  const rows = await rowsSince(ports, { ...look, since: null })
  // If there is no row yet, the next row in the list is new.
  const readTo = rows.length === 0 ? now - overlapMs : 0
  await ports.audits.enter(instance, markAfter({ version: 0, readTo, seen: [] }, rows, now), { rows: [], at: now })
}

/** The mark that counts these rows as read. A row with a future time never hides later rows. */
function markAfter({ version, readTo, seen }: AuditMark, rows: readonly SeenRow[], now: number): AuditMark {
  const latest = largest(
    readTo,
    rows.map(({ madeAt }) => Math.min(madeAt, now)),
  )
  const all = [...seen, ...rows.map(({ approval, madeAt }) => ({ approval, madeAt }))]
  return { version: version + 1, readTo: latest, seen: all.filter(({ madeAt }) => madeAt >= latest - overlapMs) }
}

interface Look {
  readonly instance: string
  readonly platform: Platform
  /** By the clock that all replicas share, epoch ms. */
  readonly now: number
  /** The moment from which we want rows, epoch ms. Null: we want the newest row and those made shortly before it. */
  readonly since: number | null
}

/** The rows that were made since that moment, newest first. */
async function rowsSince(ports: Pick<AuditPorts, "alarm">, look: Look): Promise<readonly AuditRow[]> {
  const { instance, platform, now } = look
  let { since } = look
  const rows: AuditRow[] = []
  for await (const { approvals, unreadable } of platform.audits()) {
    const undated = approvals.filter(({ createdAt }) => createdAt === null)
    const why = "an audit row that does not say when it was made"
    for (const one of [...unreadable, ...undated.map(({ id }) => ({ id, why }))])
      ports.alarm({ code: "unreadable-approval", instance, approval: one.id, why: one.why })
    const read = approvals.flatMap((one) => rowOf(one) ?? [])
    const from = (since ??=
      smallest(
        now,
        read.slice(0, 1).map(({ madeAt }) => madeAt),
      ) - overlapMs)
    for (const one of read.filter(({ madeAt }) => madeAt >= from)) rows.push(one)
    if (read.some(({ madeAt }) => madeAt < from)) break
  }
  return rows
}

function rowOf(approval: Approval): AuditRow | null {
  const { id, runId: run, agentId: agent, teamId: team, toolName: tool, status, createdAt: madeAt } = approval
  return madeAt === null ? null : { approval: id, run, agent, team, tool, status, digest: digestOf(approval), madeAt }
}
