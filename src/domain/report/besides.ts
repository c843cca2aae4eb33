// Counts what a range's entries tell besides how cases ended. A new kind of act that reports count is added here: a
// field of `Besides`, and its entry in `take`.
import { type TellingEvent, wordIn } from "./course.ts"

/** Calls that somebody confirmed at the platform, and nobody was asked about: audit rows, by their status. */
export interface Unasked {
  readonly approved: number
  readonly rejected: number
  /** Rows with another status. */
  readonly other: number
}

/** Unasked calls of one tool or team. */
export interface UnaskedGroup {
  /** Null: the row names none. */
  readonly name: string | null
  readonly calls: number
}

/** What a range's entries tell besides how cases ended. */
export interface Besides {
  /** Cases whose run did otherwise than was decided. */
  readonly ranOtherwise: number
  /** Cases that somebody decided elsewhere, and our rules would not have let them. */
  readonly outsideRules: number
  readonly unasked: Unasked
  readonly unaskedByTool: readonly UnaskedGroup[]
  readonly unaskedByTeam: readonly UnaskedGroup[]
  /** Since when (epoch ms) each instance's audit rows are in the ledger; before that nobody knows of such calls. */
  readonly auditedSince: readonly { readonly instance: string; readonly at: number }[]
}

/** Counts of one kind of thing by name. */
type Names = Map<string | null, number>

/** Takes the entries of a range, and counts. */
export function createBesides() {
  const cases = { ranOtherwise: new Set<string>(), outsideRules: new Set<string>() }
  const unasked = { approved: 0, rejected: 0, other: 0 }
  const [byTool, byTeam]: readonly [Names, Names] = [new Map(), new Map()]
  const since = new Map<string, number>()
  return {
    /** Takes an entry of the range. */
    take: (chain: string, event: TellingEvent): void => {
      switch (wordIn(event["kind"]) ?? "") {
        case "ran-otherwise":
          cases.ranOtherwise.add(chain)
          return
        case "run-ended":
          if (Array.isArray(event["deviations"]) && event["deviations"].length > 0) cases.ranOtherwise.add(chain)
          return
        case "decided-outside-rules":
          cases.outsideRules.add(chain)
          return
        case "audited":
          unasked[statusOf(event)] += 1
          count(byTool, wordIn(event["tool"]))
          count(byTeam, wordIn(event["team"]))
      }
    },
    /** Takes an entry of the range, or of the time before it, that says from when on audit rows are entered. */
    begun: (event: TellingEvent, at: number): void => {
      const instance = wordIn(event["instance"]) ?? ""
      if (!since.has(instance)) since.set(instance, at)
    },
    counted: (): Besides => ({
      ranOtherwise: cases.ranOtherwise.size,
      outsideRules: cases.outsideRules.size,
      unasked: { ...unasked },
      unaskedByTool: sorted(byTool),
      unaskedByTeam: sorted(byTeam),
      auditedSince: [...since].map(([instance, at]) => ({ instance, at })),
    }),
  }
}

function statusOf({ status }: TellingEvent): keyof Unasked {
  return status === "approved" || status === "rejected" ? status : "other"
}

function count(names: Names, name: string | null): void {
  names.set(name, (names.get(name) ?? 0) + 1)
}

function sorted(names: Names): readonly UnaskedGroup[] {
  const groups = [...names].map(([name, calls]) => ({ name, calls }))
  return groups.toSorted((a, b) => b.calls - a.calls || ((a.name ?? "") < (b.name ?? "") ? -1 : 1))
}
