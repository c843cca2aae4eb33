// Cases and entries in the read API's own words.

import { isThread } from "../../domain/case/card-steps.ts"
import { type Case, maskSummary, type Outcome, type Place } from "../../domain/case/case.ts"
import { type Decision, forWhom, isBroken, type Vote } from "../../domain/case/vote.ts"
import { openGatedCalls } from "../../domain/content/approval.ts"
import { type Stop, wordsOfStop } from "../../domain/order/stop.ts"
import { personKey } from "../../domain/people/person.ts"
import { maskApproval } from "../../domain/text/mask.ts"
import type { ShownEntry, Tampered, UnderStop } from "../../flow/ports.ts"
import type { CountedUnder, ShownStop, ToldCase, ToldEntry } from "./models.ts"

/** The link to a card, or null if nobody can tell it. */
export type CardLink = (place: Place) => string | null

/** Describes a case. It leaves out what people filled in, and hides what the rules mask. */
export function tellCase(found: Case | Tampered, cardLink: CardLink): ToldCase {
  if ("kind" in found) return nothingOf(found.caseId)
  const { id, state, instance, approvalId, openedAt, revision, decision, outcome } = found
  const summary = maskSummary(found.summary, revision.look.mask)
  return {
    id,
    state,
    trusted: true,
    instance,
    approval: approvalId,
    tool: summary.tool,
    agent: summary.agent,
    requester: summary.requester,
    opened_at: timeOf(openedAt),
    created_at: summary.createdAt === null ? null : timeOf(summary.createdAt),
    revision: revision.number,
    digest: revision.digest,
    rules: revision.quotas.map(({ name, hash, quorum }) => ({ name, hash, quorum })),
    calls: callsIn(found),
    votes: (decision?.votes ?? found.votes).map(tellVote),
    decision: decision === null ? null : tellDecision(decision),
    outcome: outcome === null ? null : tellOutcome(outcome),
    cards: found.cards.flatMap(({ route, place }) =>
      place === null || isThread({ route })
        ? []
        : [{ route, channel: place.channel, ts: place.ts, link: cardLink(place) }],
    ),
    entries: found.chain.count,
  }
}

function tellDecision(decision: Decision): NonNullable<ToldCase["decision"]> {
  const { id, verb, at } = decision
  return { id, verb, at: timeOf(at), ...(isBroken(decision) ? { glass: true } : {}) }
}

function nothingOf(id: string): ToldCase {
  const empty = { instance: null, approval: null, tool: null, agent: null, requester: null, opened_at: null }
  const none = { created_at: null, revision: null, digest: null, decision: null, outcome: null, entries: null }
  return { id, state: "frozen", trusted: false, ...empty, ...none, rules: [], calls: [], votes: [], cards: [] }
}

function callsIn({ approval, kept, revision }: Case): ToldCase["calls"] {
  const shown = approval === null ? kept?.approval : maskApproval(approval, revision.look.mask).approval
  if (shown === undefined) return []
  return openGatedCalls(shown).map(({ tool, args }) => ({ tool, arguments: args }))
}

function tellVote(vote: Vote) {
  const { person, name, subject, verb, reason, surface, revealed, rules, revision, at } = vote
  const said = { person: personKey(person), name, subject, verb, reason, surface, revealed }
  return { ...said, rules: rules.map((rule) => rule.name), ...toldFor(vote), revision, at: timeOf(at) }
}

function toldFor(vote: Vote): { readonly for?: string[] } {
  const { for: people } = forWhom(vote)
  return people === undefined ? {} : { for: [...people] }
}

function tellOutcome(outcome: Outcome): NonNullable<ToldCase["outcome"]> {
  const at = timeOf(outcome.at)
  if (outcome.kind === "vanished") return { kind: outcome.kind, status: null, resolved_by: null, at }
  const { kind, resolvedBy: resolved_by } = outcome
  if (kind === "ours") return { kind, status: outcome.verb === "approve" ? "approved" : "rejected", resolved_by, at }
  const { status, proposal } = outcome
  return { kind, status, resolved_by, at, ...(proposal && { proposal: { ...proposal } }) }
}

/** An entry in the API's words. */
export function tellEntry({ number, mac, said }: ShownEntry): ToldEntry {
  if (said === null)
    return { number, ours: false, time: null, chain: null, n: null, kind: null, sandbox: null, event: null, mac }
  const { chain, n, sandbox, event } = said
  const { at, kind } = event
  return {
    number,
    ours: true,
    time: typeof at === "number" ? timeOf(at) : null,
    chain,
    n,
    kind: typeof kind === "string" ? kind : null,
    sandbox,
    event,
    mac,
  }
}

/** A moment as ISO 8601. A platform may claim any moment; after the year 9999 we show the last day of 9999. */
export function timeOf(at: number): string {
  return new Date(Math.min(Math.max(at, 0), lastMoment)).toISOString()
}

const lastMoment = Date.UTC(9999, 11, 31)

/** Describes a stop, to whoever made it over HTTP and to readers. */
export function tellStop({ id, match, by, reason, at, until }: Stop): ShownStop {
  const person = by.kind === "person" ? personKey(by) : null
  const name = by.kind === "countersign" ? `countersign:${by.why}` : by.name
  const end = until === null ? null : timeOf(until)
  return { id, covers: wordsOfStop(match), by: { kind: by.kind, person, name }, reason, at: timeOf(at), until: end }
}

/** Counts what is under a stop, and names nothing: whoever may stop over HTTP need not see cases. */
export function tellUnder({ waiting, perhaps, runs, gates, onWay }: UnderStop): CountedUnder {
  return { waiting, perhaps, runs: runs.length, gates, on_way: onWay.length }
}
