// The proposals of an installation: made, read and resolved. Approving one makes its config the active one, in the same
// commit (R16).
import { hashOf } from "../../domain/content/canonical.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import { configRevisionOf, type SharedConfig } from "../../domain/policy/shared-config.ts"
import {
  endInFavour,
  isRefused,
  isTooLarge,
  maxProposals,
  newerThan,
  type Proposal,
  type Proposals,
  proposalWaiting,
  unapprovedAfterMs,
  withEnded,
  withProposal,
} from "../../domain/rule/proposal.ts"
import { StoreError } from "../errors.ts"
import type { LedgerEvent } from "../ledger/ledger-event.ts"
import { type ActivationOptions, type ActivationRight, changeTo, wantedOf, writeChange } from "./config-change.ts"
import { notRead, otherVersion, putConfig, type StoredConfig } from "./config-record.ts"
import {
  contentWrite,
  forgetWrites,
  type KeptProposal,
  type ProposalResolution,
  readKept,
  resolutionWrite,
} from "./kept-proposals.ts"
import { readActive } from "./orders-record.ts"

/** A config to propose. */
export interface ProposalWanted {
  readonly shared: SharedConfig
  /** The active revision that `shown` was worked out against. */
  readonly from: string
  /** What people are shown of it. */
  readonly shown: JsonObject
  readonly host: string
  readonly file: string | null
  /** Epoch ms, by the clock of this process. */
  readonly at: number
  /** True if an operator asks for it: then what was rejected or expired is proposed again. */
  readonly again: boolean
}

/**
 * What became of a wish to propose. `waiting`: it is proposed already. `refused`: it was rejected, or expired, and a
 * start does not propose it again. `moved`: another revision is active than the one that it was worked out against.
 */
export type Proposed =
  | { readonly kind: "proposed"; readonly proposal: Proposal; readonly replaced: Proposal | null }
  | { readonly kind: "waiting"; readonly proposal: Proposal }
  | { readonly kind: "refused" | "not-needed" | "too-large" }
  | { readonly kind: "moved" }

/** How a proposal was decided, as the resolve says. */
export interface ProposalVerdict extends ProposalResolution {
  readonly status: "approved" | "rejected"
  readonly decision: string | null
  readonly at: number
}

/** `conflict`: it was decided or ended before. */
export type ProposalResolved = "resolved" | "conflict" | "unknown"

/** What became of a wish to activate without approval. `until`: the moment from which it may be done, epoch ms. */
export type Unapproved =
  | { readonly kind: "activated" | "not-proposed" | "not-needed" }
  | { readonly kind: "early"; readonly until: number }

/** A proposal with what is kept of it. */
export interface ProposalRead {
  readonly proposal: Proposal
  /** False if another config is active than the one that it was made from. */
  readonly current: boolean
  /** The id of the one that took its place; null if none did. */
  readonly newer: string | null
  readonly kept: KeptProposal
}

/** The acts, and what is known. Each throws `StoreError`: `behind`, `tampered`, `newer-data`, `no-config`. */
export interface ProposalBook {
  /** The config that is active now, and what is known of proposals. */
  active(): Promise<StoredConfig>
  /** Proposes a config. It takes the place of another one that waits. */
  propose(wanted: ProposalWanted): Promise<Proposed>
  /** A proposal; null if there is none with this id. */
  read(id: string): Promise<ProposalRead | null>
  /** Carries out a decision, once. An approved proposal becomes the active config. */
  resolve(id: string, verdict: ProposalVerdict): Promise<ProposalResolved>
  /** Makes a config active that waits for approval since a day, by this process' clock and by the shared one. */
  activateUnapproved(order: {
    readonly shared: SharedConfig
    readonly by: string
    readonly at: number
  }): Promise<Unapproved>
}

/** Makes the proposal book of an installation. */
export function createProposalBook(options: ActivationOptions): ProposalBook {
  return {
    active: () => readActive(options),
    propose: (wanted) => propose(options, wanted),
    read: async (id) => {
      const { proposals, revision } = await readActive(options)
      const proposal = proposals.list.find((one) => one.id === id)
      if (proposal === undefined) return null
      const kept = await readKept(options, proposal)
      return { proposal, current: proposal.from === revision, newer: newerThan(proposals, proposal), kept }
    },
    resolve: (id, verdict) => resolveProposal(options, id, verdict),
    activateUnapproved: (order) => activateUnapproved(options, order),
  }
}

async function propose(options: ActivationOptions, wanted: ProposalWanted): Promise<Proposed> {
  const before = await readActive(options)
  const to = configRevisionOf(wanted.shared)
  const { proposals, revision, shared } = before
  if (!proposals.guarded || to === revision) return { kind: "not-needed" }
  if (shared?.rulesChange === undefined) throw unread(before)
  if (revision !== wanted.from) return { kind: "moved" }
  const at = Math.max(wanted.at, (await options.clock())())
  const waiting = proposalWaiting(proposals)
  if (waiting !== null && waiting.to === to && waiting.from === revision && waiting.expiresAt > at)
    return { kind: "waiting", proposal: waiting }
  if (!wanted.again && isRefused(proposals, to, at)) return { kind: "refused" }
  if (isTooLarge(wanted.shown)) return { kind: "too-large" }
  const { host, file, shown } = wanted
  const made = { from: revision, to, host, file, at, expiresAt: at + shared.rulesChange.expireAfterMs }
  const id = hashOf({ ...made, shown, after: before.chain.mac }).slice(0, 16)
  const proposal: Proposal = { id, ...made, end: null }
  const how = waiting === null ? null : endInFavour(waiting, at)
  const ended = how === null ? proposals : withEnded(proposals, { how, at, decision: null })
  const dropped = ended.list.slice(0, Math.max(0, ended.list.length + 1 - maxProposals)).map((one) => one.id)
  const events: readonly LedgerEvent[] = [
    ...(waiting === null || how === null ? [] : [{ kind: "proposal-ended", at, proposal: waiting.id, how } as const]),
    { kind: "proposed", at, proposal: id, revision: to, before: revision, host, file },
  ]
  const done = await putConfig(options, before, {
    next: { ...before, shared, proposals: withProposal(ended, proposal) },
    events,
    writes: [contentWrite(options, id, { shown, shared: wanted.shared }), ...forgetWrites(options.keys, dropped)],
  })
  if (!done) return propose(options, wanted)
  return { kind: "proposed", proposal, replaced: how === "replaced" ? waiting : null }
}

async function resolveProposal(
  options: ActivationOptions,
  id: string,
  verdict: ProposalVerdict,
): Promise<ProposalResolved> {
  const before = await readActive(options)
  const proposal = before.proposals.list.find((one) => one.id === id)
  if (proposal === undefined) return "unknown"
  if (proposal.end !== null || proposal.from !== before.revision) return "conflict"
  const { status, decision, at } = verdict
  const writes = [resolutionWrite(options, id, verdict)]
  const proposals = withEnded(before.proposals, { how: status, at, decision })
  const done =
    status === "approved"
      ? await activateProposal(options, before, { proposal, proposals, at, approval: rightBy(id, decision), writes })
      : await reject(options, before, { proposal, proposals, verdict, writes })
  return done ? "resolved" : resolveProposal(options, id, verdict)
}

function rightBy(proposal: string, decision: string | null): ActivationRight {
  return decision === null ? { proposal } : { proposal, decision }
}

interface ProposalEnding {
  readonly proposal: Proposal
  readonly proposals: Proposals
  readonly writes: readonly ReturnType<typeof resolutionWrite>[]
}

/** Makes a proposal's config the active one. False: somebody was faster. */
async function activateProposal(
  options: ActivationOptions,
  before: StoredConfig,
  ending: ProposalEnding & { readonly at: number; readonly approval: ActivationRight },
): Promise<boolean> {
  const { proposal, proposals, writes, at, approval } = ending
  const { config } = await readKept(options, proposal)
  // Another replica, of the version that proposed it, can read it.
  if (config.shared === null) throw new StoreError("newer-data", `${notRead(config.unread)}: ${otherVersion}`)
  const change = changeTo(wantedOf(config.shared, at), { ...before, proposals })
  const unapproved = approval.unapproved === undefined ? null : { revision: proposal.to, at }
  return writeChange(options, { ...change, proposals: { ...change.proposals, unapproved }, approval, writes })
}

async function reject(
  options: ActivationOptions,
  before: StoredConfig,
  { proposal, proposals, writes, verdict }: ProposalEnding & { readonly verdict: ProposalVerdict },
): Promise<boolean> {
  const { shared } = before
  if (shared === null) throw unread(before)
  const { at, decision } = verdict
  const told = decision === null ? {} : { decision }
  const event = { kind: "proposal-ended", at, proposal: proposal.id, how: "rejected", ...told } as const
  return putConfig(options, before, { next: { ...before, shared, proposals }, events: [event], writes })
}

async function activateUnapproved(
  options: ActivationOptions,
  order: { readonly shared: SharedConfig; readonly by: string; readonly at: number },
): Promise<Unapproved> {
  const { by, at } = order
  const before = await readActive(options)
  const to = configRevisionOf(order.shared)
  if (!before.proposals.guarded || to === before.revision) return { kind: "not-needed" }
  const proposal = proposalWaiting(before.proposals)
  if (proposal === null || proposal.to !== to || proposal.from !== before.revision) return { kind: "not-proposed" }
  const until = proposal.at + unapprovedAfterMs
  if (Math.min(at, (await options.clock())()) < until) return { kind: "early", until }
  const proposals = withEnded(before.proposals, { how: "unapproved", at, decision: null })
  const approval = { proposal: proposal.id, unapproved: true, name: by } as const
  const done = await activateProposal(options, before, { proposal, proposals, at, approval, writes: [] })
  return done ? { kind: "activated" } : activateUnapproved(options, order)
}

function unread({ unread: why = "" }: StoredConfig): StoreError {
  return new StoreError("config-unreadable", `${notRead(why)}: ${otherVersion}`)
}
