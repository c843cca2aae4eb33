// The indexes of cases, written in the same commit as the case itself.

import { isUnfinished } from "../../domain/case/card-model.ts"
import { type Card, type Case, ownPlace } from "../../domain/case/case.ts"
import { nextDeadline } from "../../domain/case/deadline-steps.ts"
import { markOf } from "../../domain/content/run-report.ts"
import { isAnswerable } from "../../domain/send-back/proposals.ts"
import type { Admission } from "../../flow/ports.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import type { Keys } from "../redis/keys.ts"

/** In lists, cases that wait for admission stand this many ms further back, behind all cases that have it (R20). */
const behindMs = 1e14

/**
 * The writes that bring the indexes in line with a case. If `before` is known, they leave out what is written already.
 * For a new case they only add.
 */
export function indexChanges(keys: Keys, before: Case | null, next: Case): readonly IndexWrite[] {
  const writes = indexWrites(keys, next)
  if (next.version === 1) return writes.filter(({ command }) => adding.has(command))
  if (before === null) return writes
  const made = new Set(indexWrites(keys, before).map(indexWriteText))
  return writes.filter((write) => !made.has(indexWriteText(write)))
}

const adding: ReadonlySet<IndexWrite["command"]> = new Set(["HSET", "SADD", "ZADD"])

function indexWriteText({ command, key, args }: IndexWrite): string {
  return [command, key, ...args].join(" ")
}

/** All that the indexes say about a case. */
export function indexWrites(keys: Keys, next: Case): readonly IndexWrite[] {
  const { id, instance, approvalId, openedAt } = next
  const waits = next.state === "open" || next.state === "sending"
  const over = next.state === "settled" || next.state === "closed"
  const due = nextDeadline(next)
  const madeAt = next.summary.createdAt ?? openedAt
  return [
    knownWrite(keys, next, waits),
    sorted({ key: keys.cases, member: id, score: openedAt, in: true }),
    ...[id, `${approvalId}:${id}`].map((member) => sorted({ key: keys.beginnings, member, score: 0, in: waits })),
    ...[...next.calls, ...(next.lasting === undefined ? [] : [next.lasting.key])].map((call) =>
      sorted({ key: keys.calls(instance), member: `${call}:${id}`, score: 0, in: next.state !== "closed" }),
    ),
    ...(next.sentBack === undefined ? [] : [sentBackWrite(keys, next, next.sentBack)]),
    sorted({ key: keys.unfinished, member: id, score: openedAt, in: isUnfinished(next) }),
    sorted({ key: keys.deadlines, member: id, score: due ?? 0, in: due !== null }),
    sorted({ key: keys.list, member: id, score: next.admission.given ? madeAt : madeAt - behindMs, in: waits }),
    sorted({ key: keys.settled, member: id, score: next.outcome?.at ?? openedAt, in: over }),
    ...roomWrites(keys, next, { waits, madeAt }),
    ...next.cards.map((card) => uncardedWrite(keys, next, { card, madeAt })),
  ]
}

function sentBackWrite(keys: Keys, next: Case, { session }: NonNullable<Case["sentBack"]>): IndexWrite {
  return sorted({
    key: keys.sentBack(next.instance),
    member: `${session}:${next.id}`,
    score: 0,
    in: isAnswerable(next),
  })
}

function knownWrite(keys: Keys, { instance, approvalId, revision, reported }: Case, waits: boolean): IndexWrite {
  const key = keys.known(instance)
  if (!waits) return { command: "HDEL", key, args: [approvalId] }
  return {
    command: "HSET",
    key,
    args: [approvalId, markOf(revision.digest, revision.policy, reported?.status ?? null)],
  }
}

/** The limits that a commit keeps (R20): one on an instance's cases that do not wait, one on an agent's cases. */
export function limitsOf(keys: Keys, { instance, admission }: Case, { perInstance, perAgent }: Admission) {
  return [
    { key: keys.known(instance), less: keys.waiting(instance), max: perInstance },
    { key: keys.admitted(instance, admission.agent), max: perAgent },
  ]
}

function roomWrites(
  keys: Keys,
  { id, instance, openedAt, admission }: Case,
  { waits, madeAt }: { readonly waits: boolean; readonly madeAt: number },
): readonly IndexWrite[] {
  const command = waits && admission.given ? "SADD" : "SREM"
  // All members have one score, so Redis sorts them by name: an agent's oldest is found without a look at the others.
  // The platform's times are whole seconds. Within a second, the cases are in the order in which we met them.
  const order = [madeAt, openedAt].map((at) => String(Math.max(0, Math.trunc(at))).padStart(16, "0")).join("-")
  const member = `${admission.agent}:${order}:${id}`
  return [
    { command, key: keys.admitted(instance, admission.agent), args: [id] },
    sorted({ key: keys.waiting(instance), member, score: 0, in: waits && !admission.given }),
  ]
}

function uncardedWrite(
  keys: Keys,
  { id, state, admission }: Case,
  { card, madeAt }: { readonly card: Card; readonly madeAt: number },
): IndexWrite {
  const uncarded = state === "open" && admission.given && ownPlace(card) === null
  return sorted({ key: keys.uncarded(card.route), member: id, score: madeAt, in: uncarded })
}

function sorted(options: { key: string; member: string; score: number; in: boolean }): IndexWrite {
  const { key, member, score } = options
  return options.in ? { command: "ZADD", key, args: [score, member] } : { command: "ZREM", key, args: [member] }
}
