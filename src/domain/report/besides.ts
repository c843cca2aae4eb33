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

/** Changes of the rules that all replicas work under. The first config of an installation is none. */
export interface RuleChanges {
  /** Other rules that became active, by whatever right. */
  readonly activated: number
  /** Those of them that people approved, and those that an operator made active without approval. */
  readonly approved: number
  readonly unapproved: number
  /** Rules that were proposed, and proposals that people rejected. */
  readonly proposed: number
  readonly rejected: number
}

/** Cases with broken glass, by what the range tells of them. */
export interface BrokenGlass {
  /** Somebody approved them by breaking glass. */
  readonly broken: number
  /** A reviewer said that it was not right. */
  readonly notRight: number
  /** Nobody looked at them in time. */
  readonly left: number
}

/** What a range's entries tell besides how cases ended. */
export interface Besides {
  /** Cases whose run did otherwise than was decided. */
  readonly ranOtherwise: number
  /** Cases that somebody decided elsewhere, and our rules would not have let them. */
  readonly outsideRules: number
  readonly glass: BrokenGlass
  /** Cases on which somebody voted for an approver who was away. */
  readonly stoodIn: number
  /** Cases that somebody sent back, and those in which an agent then asked as was proposed. */
  readonly counterproposals: { readonly sentBack: number; readonly taken: number }
  readonly unasked: Unasked
  readonly unaskedByTool: readonly UnaskedGroup[]
  readonly unaskedByTeam: readonly UnaskedGroup[]
  /** Since when (epoch ms) each instance's audit rows are in the ledger; before that nobody knows of such calls. */
  readonly auditedSince: readonly { readonly instance: string; readonly at: number }[]
  readonly ruleChanges: RuleChanges
}

/** Counts of one kind of thing by name. */
type Names = Map<string | null, number>

/** Takes the entries of a range, and counts. */
export function createBesides() {
  const cases = { ranOtherwise: new Set<string>(), outsideRules: new Set<string>(), stoodIn: new Set<string>() }
  const proposed = { sentBack: new Set<string>(), taken: new Set<string>() }
  const glass = { broken: new Set<string>(), notRight: new Set<string>(), left: new Set<string>() }
  const unasked = { approved: 0, rejected: 0, other: 0 }
  const [byTool, byTeam]: readonly [Names, Names] = [new Map(), new Map()]
  const since = new Map<string, number>()
  const changes = { activated: 0, approved: 0, unapproved: 0, proposed: 0, rejected: 0 }
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
        case "voted":
          if (Array.isArray(event["for"]) && event["for"].length > 0) cases.stoodIn.add(chain)
          if (event["sentBack"] === true) proposed.sentBack.add(chain)
          return
        case "counterproposal-answered":
          if (event["asProposed"] === true) proposed.taken.add(chain)
          return
        case "decided-outside-rules":
          cases.outsideRules.add(chain)
          return
        case "glass-broken":
          glass.broken.add(chain)
          return
        case "glass-reviewed":
          if (event["right"] === false) glass.notRight.add(chain)
          return
        case "glass-left":
          glass.left.add(chain)
          return
        case "audited":
          unasked[statusOf(event)] += 1
          count(byTool, wordIn(event["tool"]))
          count(byTeam, wordIn(event["team"]))
          return
        case "activated":
          if (event["before"] !== null) for (const kind of activationKinds(event)) changes[kind] += 1
          return
        case "proposed":
          changes.proposed += 1
          return
        case "proposal-ended":
          if (event["how"] === "rejected") changes.rejected += 1
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
      glass: { broken: glass.broken.size, notRight: glass.notRight.size, left: glass.left.size },
      stoodIn: cases.stoodIn.size,
      counterproposals: { sentBack: proposed.sentBack.size, taken: proposed.taken.size },
      unasked: { ...unasked },
      unaskedByTool: sorted(byTool),
      unaskedByTeam: sorted(byTeam),
      auditedSince: [...since].map(([instance, at]) => ({ instance, at })),
      ruleChanges: { ...changes },
    }),
  }
}

function activationKinds(event: TellingEvent): readonly ("activated" | "approved" | "unapproved")[] {
  if (event["unapproved"] === true) return ["activated", "unapproved"]
  return wordIn(event["decision"]) === null ? ["activated"] : ["activated", "approved"]
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
