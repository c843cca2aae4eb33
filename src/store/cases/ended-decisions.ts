// The decisions that ended without effect: the platform refused the verdict, or holds another verdict. We keep them as
// long as a gate at a tool could take their receipts. Each is sealed, so nobody else can add a decision.
import { z } from "zod"
import type { Case } from "../../domain/case/case.ts"
import { longestReceiptLifeMs } from "../../domain/case/receipt.ts"
import { attempt } from "../errors.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import type { Keys } from "../redis/keys.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

/** We tell of a decision this many ms longer than its receipt lives: the clock of whoever checks it may be off. */
export const marginMs = 3_600_000

/** We list at most this many decisions: those that we keep longest. Such a list takes 350 kB. */
const mostTold = 10_000

const kept = z.object({ until: z.number() })

/** The decisions that ended. Throws `StoreError` if Redis does not answer. */
export interface EndedDecisions {
  /** The decisions' ids in order. `cut`: there are more. Leaves out what is too old at `at` (epoch ms). */
  readonly read: (at: number) => Promise<{ readonly ids: readonly string[]; readonly cut: boolean }>
  /** Removes what is too old at `at` (epoch ms), and what is not ours. */
  readonly forget: (at: number) => Promise<void>
}

/** The writes that keep the decisions that a commit ends. */
export function endedWrites(
  place: Pick<SealedPlace, "keys" | "seal">,
  next: Case,
  events: readonly LedgerEvent[],
): readonly IndexWrite[] {
  const key = place.keys.ended
  return events.flatMap((event): readonly IndexWrite[] => {
    const decision = endedBy(event, next)
    if (decision === null) return []
    const until = event.at + longestReceiptLifeMs + marginMs
    return [
      { command: "HSET", key, args: [decision, valuesOf(place).seal(endedContext(place.keys, decision), { until })] },
    ]
  })
}

/** The decision that an event ends. A case that was decided elsewhere still holds our decision that was on its way. */
function endedBy(event: LedgerEvent, next: Case): string | null {
  if (event.kind === "reopened") return event.decision === "" ? null : event.decision
  return event.kind === "elsewhere" ? (next.decision?.id ?? null) : null
}

function valuesOf({ seal }: Pick<SealedPlace, "seal">) {
  return createSealedValues(seal, "ended", kept)
}

function endedContext(keys: Keys, decision: string): string {
  return `${keys.ended} ${decision}`
}

/** Makes the ended decisions of an installation. */
export function createEndedDecisions(place: SealedPlace): EndedDecisions {
  const { redis, keys } = place
  const values = valuesOf(place)
  const all = async () => {
    const fields = await attempt("read which decisions ended", () => redis.hgetallBuffer(keys.ended))
    return Object.entries(fields).map(([id, sealed]) => ({
      id,
      until: values.open(endedContext(keys, id), sealed)?.until ?? 0,
    }))
  }
  return {
    read: async (at) => {
      const ours = (await all()).filter(({ until }) => until >= at).toSorted((one, other) => other.until - one.until)
      const told = ours.slice(0, mostTold).map(({ id }) => id)
      return { ids: told.toSorted(), cut: ours.length > mostTold }
    },
    forget: async (at) => {
      const past = (await all()).filter(({ until }) => until < at).map(({ id }) => id)
      if (past.length > 0) await attempt("forget decisions that ended", () => redis.hdel(keys.ended, ...past))
    },
  }
}
