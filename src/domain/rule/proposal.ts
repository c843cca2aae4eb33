// Proposals of another config (R16): who proposed what, how each ended, and what a start does not propose again. Pure.
import { countValues, isJsonObject, type JsonObject } from "../content/json.ts"

/** The ends of a proposal that no vote brings about. */
export const proposalOvers = ["replaced", "expired", "outdated", "unapproved"] as const

/**
 * `replaced`: another one took its place. `expired`: the same, after its time was over. `outdated`: another config
 * became active meanwhile. `unapproved`: it became active without approval.
 */
export type ProposalOver = (typeof proposalOvers)[number]

/** How a proposal ended: by votes, or without them. */
export type ProposalEnd = "approved" | "rejected" | ProposalOver

/** What such an end means, for threads, cards and the page: its name, and a sentence. */
export const proposalOverWords: Readonly<Record<ProposalOver, { readonly name: string; readonly said: string }>> = {
  replaced: { name: "Replaced", said: "A newer proposal took its place" },
  expired: { name: "Expired", said: "Too few people approved it in time" },
  outdated: { name: "Out of date", said: "Other rules became active meanwhile" },
  unapproved: { name: "Active without approval", said: "An operator made these rules active without approval" },
}

/** A config that somebody wants to be the active one. Its content lies beside this (`kept-proposals.ts`). */
export interface Proposal {
  readonly id: string
  /** The revision that was active, and the one that is proposed. */
  readonly from: string
  readonly to: string
  /** The machine on which it was proposed. */
  readonly host: string
  /** SHA-256 of the file; null: the config came from the environment. */
  readonly file: string | null
  /** When, epoch ms: the later of the proposer's clock and the one that replicas share. */
  readonly at: number
  readonly expiresAt: number
  /** Null while people can decide it. `decision`: the id of the decision, if one ended it. */
  readonly end: { readonly how: ProposalEnd; readonly at: number; readonly decision: string | null } | null
}

/** What is known of changes of the config. */
export interface Proposals {
  /** True while the active config has `rules_change`. */
  readonly guarded: boolean
  /** The newest, oldest first. At most one is undecided. */
  readonly list: readonly Proposal[]
  /** Revisions that were rejected, or expired: a start does not propose them again. */
  readonly refused: readonly string[]
  /** The last config that became active without approval; null after a later one was approved. */
  readonly unapproved: { readonly revision: string; readonly at: number } | null
}

/** What is known where no config ever had `rules_change`. */
export const noProposals: Proposals = { guarded: false, list: [], refused: [], unapproved: null }

/** The most proposals that we keep: those before them are over for long. */
export const maxProposals = 10
const maxRefused = 500
/** The content of a proposal may have at most this many bytes, and this many values. */
export const maxContent = { bytes: 200_000, values: 4_500 } as const

/** A config may become active without approval this long after it was proposed, in ms. */
export const unapprovedAfterMs = 24 * 3_600_000

/** The proposal that waits; null if none does. */
export function proposalWaiting({ list }: Pick<Proposals, "list">): Proposal | null {
  return list.findLast(({ end }) => end === null) ?? null
}

/** True if nothing has to be remembered, so that a record without proposals stays as it was. */
export function saysNoProposals({ guarded, list, refused, unapproved }: Proposals): boolean {
  return !guarded && list.length === 0 && refused.length === 0 && unapproved === null
}

/** True if both say the same. */
export function isSameProposals(one: Proposals, other: Proposals): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** How a proposal ends if another takes its place at `at`. */
export function endInFavour({ expiresAt }: Proposal, at: number): "replaced" | "expired" {
  return expiresAt <= at ? "expired" : "replaced"
}

/** The id of the proposal that took another one's place; null if none did. */
export function newerThan({ list }: Pick<Proposals, "list">, { id, end }: Proposal): string | null {
  return end?.how === "replaced" ? (list[list.findIndex((one) => one.id === id) + 1]?.id ?? null) : null
}

/** Ends the proposal that waits, if one does. */
export function withEnded(proposals: Proposals, end: NonNullable<Proposal["end"]>): Proposals {
  const waiting = proposalWaiting(proposals)
  if (waiting === null) return proposals
  const refused = end.how === "rejected" || end.how === "expired" ? [...proposals.refused, waiting.to] : []
  return {
    ...proposals,
    list: proposals.list.map((one) => (one === waiting ? { ...one, end } : one)),
    refused: [...new Set([...proposals.refused, ...refused])].slice(-maxRefused),
  }
}

/** Adds a proposal. No other may wait beside it. */
export function withProposal(proposals: Proposals, made: Proposal): Proposals {
  return { ...proposals, list: [...proposals.list, made].slice(-maxProposals) }
}

/** True if a start may not propose a revision: it was rejected, or the proposal that waits for it has expired. */
export function isRefused(proposals: Proposals, revision: string, now: number): boolean {
  const waiting = proposalWaiting(proposals)
  const over = waiting !== null && waiting.to === revision && waiting.expiresAt <= now
  return over || proposals.refused.includes(revision)
}

/** What stands in either: nobody knows which of two is the newer. Of two that wait, the later one does. */
export function joinedProposals(one: Proposals, other: Proposals): Proposals {
  const ids = new Set(one.list.map(({ id }) => id))
  const ends = new Map(other.list.map(({ id, end }) => [id, end]))
  const all = [
    ...one.list.map((own) => ({ ...own, end: own.end ?? ends.get(own.id) ?? null })),
    ...other.list.filter(({ id }) => !ids.has(id)),
  ].toSorted((a, b) => a.at - b.at)
  const last = proposalWaiting({ list: all })
  const list = all.map((each) =>
    each.end !== null || each === last
      ? each
      : { ...each, end: { how: "replaced" as const, at: each.at, decision: null } },
  )
  return {
    guarded: one.guarded,
    list: list.slice(-maxProposals),
    refused: [...new Set([...one.refused, ...other.refused])].slice(-maxRefused),
    unapproved: one.unapproved ?? other.unapproved,
  }
}

/** True if a proposal's content is too large to be shown. */
export function isTooLarge(content: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(content)) > maxContent.bytes || countValues(content) > maxContent.values
}

/** What the record of a proposal says of an end without votes. `newer`: the id of the one that took its place. */
export interface ProposalOverRecord {
  readonly how: ProposalOver
  readonly newer: string | null
}

/** The data of such a record. */
export function proposalOverData({ how, newer }: ProposalOverRecord): JsonObject {
  return { proposal: { how, newer } }
}

/** Reads what `proposalOverData` wrote; null if the record says nothing of it. */
export function readProposalOver(data: JsonObject | null): ProposalOverRecord | null {
  const said = data?.["proposal"]
  if (!isJsonObject(said)) return null
  const { how, newer } = said
  const known = proposalOvers.find((one) => one === how)
  return known === undefined ? null : { how: known, newer: typeof newer === "string" ? newer : null }
}
