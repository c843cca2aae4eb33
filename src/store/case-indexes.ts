// The indexes of cases, written in the same commit as the case itself.
import { type Case, markOf } from "../domain/case.ts"
import { isUnfinished } from "../domain/face.ts"
import type { IndexWrite } from "./commit.ts"
import type { Keys } from "./keys.ts"

/** The writes that make the indexes say what the case says. */
export function indexWrites(keys: Keys, next: Case): readonly IndexWrite[] {
  const { id, instance, approvalId, openedAt } = next
  const waits = next.state === "open" || next.state === "sending"
  const over = next.state === "settled" || next.state === "closed"
  const madeAt = next.summary.createdAt ?? openedAt
  return [
    {
      command: "HSET",
      key: keys.known(instance),
      args: [approvalId, over ? "" : markOf(next.revision.digest, next.revision.policy)],
    },
    { command: waits ? "SADD" : "SREM", key: keys.open(instance), args: [approvalId] },
    sorted({ key: keys.unfinished, member: id, score: openedAt, in: isUnfinished(next) }),
    sorted({ key: keys.list, member: id, score: madeAt, in: waits }),
    sorted({ key: keys.settled, member: id, score: next.outcome?.at ?? openedAt, in: over }),
  ]
}

function sorted(options: { key: string; member: string; score: number; in: boolean }): IndexWrite {
  const { key, member, score } = options
  return options.in ? { command: "ZADD", key, args: [score, member] } : { command: "ZREM", key, args: [member] }
}
