// The face of a case: everything a card shows, so that a change of it, and nothing else, makes an update.
import type { Approval } from "./approval.ts"
import { hashOf } from "./canonical.ts"
import type { Card, Case, Outcome } from "./case.ts"
import type { JsonObject } from "./json.ts"
import type { Verb } from "./judge.ts"
import type { Look } from "./look.ts"
import { type Progress, tally } from "./vote.ts"

/** Who voted how, as the card tells it. */
export interface FaceVote {
  readonly user: string
  readonly name: string
  readonly verb: Verb
  readonly reason: string | null
  /** What they filled in, `{values?, result?}`, or null; the next voter must see it (R3). */
  readonly values: JsonObject | null
  readonly at: number
}

/** Where the case stands, in the words that cards have. */
export type FaceStatus =
  | { readonly kind: "open"; readonly progress: readonly Progress[] }
  | { readonly kind: "uncovered" }
  | { readonly kind: "unapprovable" }
  | { readonly kind: "sending"; readonly verb: Verb }
  /** A rejection that the platform would not enforce: nothing is sent, and the pending record keeps the run stopped (R12). */
  | { readonly kind: "held" }
  | { readonly kind: "settled"; readonly outcome: Outcome }
  | { readonly kind: "frozen" }
  /** An orphan: a message that is not the card on record. It gets no buttons. */
  | { readonly kind: "replaced" }

/** What the card of one route shows. */
export interface Face {
  readonly installation: string
  readonly instance: string
  readonly caseId: string
  readonly approvalId: string
  readonly route: string
  readonly revision: number
  readonly digest: string
  /** Null only after the case was closed, when no card is rendered any more but lists still are. */
  readonly approval: Approval | null
  readonly summary: Case["summary"]
  readonly rules: readonly { readonly name: string; readonly quorum: number }[]
  readonly look: Look
  readonly votes: readonly FaceVote[]
  readonly status: FaceStatus
  /** Why the platform did not take the last verdict, until somebody votes again; else null. */
  readonly failure: string | null
  readonly openedAt: number
}

/** The face of a case on a route. */
export function faceOf(current: Case, route: string): Face {
  const { installation, instance, id, approvalId, revision, approval, summary, openedAt } = current
  const votes = (current.decision?.votes ?? current.votes).map((vote) => {
    const { name, verb, reason, values, at } = vote
    return { user: vote.person.user, name, verb, reason, values, at }
  })
  const rules = revision.quotas.map(({ name, quorum }) => ({ name, quorum }))
  const shown = {
    installation,
    instance,
    caseId: id,
    approvalId,
    route,
    revision: revision.number,
    digest: revision.digest,
  }
  return {
    ...shown,
    approval,
    summary,
    rules,
    look: revision.look,
    votes,
    status: statusOf(current),
    failure: failureOf(current),
    openedAt,
  }
}

function failureOf(current: Case): string | null {
  const last = current.lines.findLast((line) => ["reopened", "voted", "withdrawn", "revised"].includes(line.kind))
  return current.state === "open" && last?.kind === "reopened" ? last.why : null
}

function statusOf(current: Case): FaceStatus {
  if (current.outcome !== null) return { kind: "settled", outcome: current.outcome }
  if (current.state === "frozen") return { kind: "frozen" }
  if (current.state === "sending" && current.decision !== null) return { kind: "sending", verb: current.decision.verb }
  if (!current.revision.covered) return { kind: "uncovered" }
  if (!current.revision.approvable) return { kind: "unapprovable" }
  const counted = tally(current.votes, current.revision.quotas)
  return { kind: "open", progress: counted.verdict === null ? counted.progress : [] }
}

/** The face of a message that is not the card on record of its route. */
export function orphanFace(current: Case, route: string): Face {
  return { ...faceOf(current, route), status: { kind: "replaced" } }
}

/** Names what a face shows: 16 hex characters over everything but the content, which its digest stands for. */
export function faceHash(face: Face): string {
  const { route, revision, digest, status, failure, votes, rules } = face
  const shown = {
    route,
    revision,
    digest,
    failure,
    rules: rules.map((rule) => ({ ...rule })),
    votes: votes.map((vote) => ({ ...vote })),
  }
  return hashOf({ ...shown, status: JSON.stringify(status) }).slice(0, 16)
}

/** True while something has to be done that no person asks for: a verdict on its way, a card or thread that lags behind. */
export function isUnfinished(current: Case): boolean {
  if (current.state === "sending" || current.state === "settled") return true
  return current.state !== "closed" && current.cards.some((card) => lags(current, card))
}

/** True if a card does not show the case as it is, or its thread lacks a line, or somebody who posted there did not finish. */
export function lags(current: Case, card: Card): boolean {
  if (card.place === null || card.claim !== null || card.told < current.lines.length) return true
  return card.face !== faceHash(faceOf(current, card.route))
}
