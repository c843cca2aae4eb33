// A hold: what it covers stays until somebody ends it, cases with their arguments (R15). Says which cases it covers.
import type { Case } from "../case/case.ts"
import { erasedName } from "../case/erasure.ts"
import { callsOf } from "../content/approval.ts"
import { hashOf } from "../content/canonical.ts"
import type { Orderer } from "../people/orderer.ts"
import { foldName } from "../people/person.ts"
import type { HoldOf } from "../policy/shared-config.ts"
import { globMatches } from "../text/glob.ts"
import type { Stop } from "./stop.ts"

/** One hold that somebody ordered. */
export interface Hold {
  readonly id: string
  readonly of: HoldOf
  readonly by: Orderer
  /** Why, in their words. */
  readonly reason: string
  /** When, epoch ms. */
  readonly at: number
}

/** The most holds at once, in the config and as orders each. */
export const maxHolds = 100

/** For how long a case on hold is kept before we look again whether it still is, in ms. */
export const lookAgainMs = 86_400_000

/**
 * A hold that counts. `id`: that of its order; null: the config says it. `of`: what it covers; null: everything, since
 * nobody knows which orders are in force.
 */
export interface HoldInForce {
  readonly id: string | null
  readonly of: HoldOf | null
}

/** Every hold that counts: those of the config, then those that people ordered. */
export function holdsInForce(
  said: readonly HoldOf[],
  { stops, holds = [] }: { readonly stops: readonly Stop[]; readonly holds?: readonly Hold[] },
): readonly HoldInForce[] {
  const unknown = stops.filter(({ by }) => by.kind === "countersign" && by.why === "unknown")
  return [
    ...said.map((of) => ({ id: null, of })),
    ...holds.map(({ id, of }) => ({ id, of })),
    ...unknown.map(({ id }) => ({ id, of: null })),
  ]
}

/** Names what holds cover: another text if anything else is covered. */
export function holdsHash(holds: readonly HoldInForce[]): string {
  const covers = holds.map(({ of }) => (of === null ? "everything" : holdWords(of)))
  return hashOf([...new Set(covers)].toSorted())
}

/** What a hold looks at of a case. */
export type Holdable = Pick<Case, "id" | "approvalId" | "approval" | "kept" | "summary">

/**
 * The hold that covers a case: the first that does for certain, else the first that may. Null if none does. What the
 * platform left null, or what is erased, counts as covered: rather keep.
 */
export function holdOn(current: Holdable, holds: readonly HoldInForce[]): HoldInForce | null {
  const found = holds.flatMap((hold) => {
    const cover = hold.of === null ? "perhaps" : coverOfHold(hold.of, current)
    return cover === "no" ? [] : [{ hold, cover }]
  })
  return (found.find(({ cover }) => cover === "certain") ?? found[0])?.hold ?? null
}

function coverOfHold({ kind, value }: HoldOf, current: Holdable): "certain" | "perhaps" | "no" {
  switch (kind) {
    case "case":
      return value === current.id || value === current.approvalId ? "certain" : "no"
    case "requester": {
      const { requester } = current.summary
      if (requester === null || requester === erasedName) return "perhaps"
      return globMatches(foldName(value), foldName(requester)) ? "certain" : "no"
    }
    case "tool": {
      const { known, whole } = toolsOf(current)
      if (known.some((tool) => globMatches(value, tool))) return "certain"
      return whole ? "no" : "perhaps"
    }
  }
}

/** The tools of a case, as far as it still knows them; `whole`: it knows all. */
function toolsOf({ approval, kept, summary }: Holdable): {
  readonly known: readonly string[]
  readonly whole: boolean
} {
  const content = approval ?? kept?.approval ?? null
  const calls = content === null ? [] : callsOf(content).map(({ tool }) => tool)
  const named = [summary.tool, content?.toolName ?? null, ...calls].filter((tool) => tool !== null)
  const whole = content === null ? summary.calls <= 1 : calls.every((tool) => tool !== null)
  return { known: named, whole: whole && named.length > 0 }
}

/** What a hold covers as it is typed: `tool refund_*`. */
export function holdWords({ kind, value }: HoldOf): string {
  return `${kind} ${value}`
}

/** A hold for terminals: what it covers, and where it is ended. */
export function holdInWords({ id, of }: HoldInForce): string {
  if (of === null) return `everything, while nobody knows what was ordered (stop ${id ?? ""})`
  return id === null ? `${holdWords(of)}, by the config` : `${holdWords(of)}, hold ${id}`
}
