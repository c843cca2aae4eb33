// Builders for models: approvals from the recorded platform answers, and every state that a case can be in.

import { readFileSync } from "node:fs"
import { type CardModel, type CardStatus, type CardVote, untimed } from "../../src/domain/case/card-model.ts"
import type { ProposalOutcome } from "../../src/domain/case/case.ts"
import type { CardRun } from "../../src/domain/case/resumption.ts"
import { type Approval, openGatedCalls } from "../../src/domain/content/approval.ts"
import { changedParts } from "../../src/domain/content/changes.ts"
import { digestOf } from "../../src/domain/content/digest.ts"
import { inputsOf } from "../../src/domain/content/inputs.ts"
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../src/domain/content/json.ts"
import { unseen, workflowOf } from "../../src/domain/content/surroundings.ts"
import { unknownOrderer } from "../../src/domain/people/orderer.ts"
import type { Verb } from "../../src/domain/policy/judge.ts"
import type { LimitReading } from "../../src/domain/policy/limit-reading.ts"
import { plainLook } from "../../src/domain/policy/look.ts"
import type { WhenReading } from "../../src/domain/policy/when.ts"
import { builtInInstance } from "../../src/domain/rule/rules-change.ts"
import { readItem } from "../../src/platform/contract.ts"
import { anOperator } from "../support/orders.ts"

export const AT = Date.parse("2026-11-21T12:00:00Z")

const stopNote = { stop: "3fa91c02", by: anOperator(), reason: "runaway refunds", at: AT }
const stoppedStatus = { kind: "stopped", ...stopNote } as const

/** How a condition was read. */
function read(text: string, truth: WhenReading["truth"], ...doubts: readonly string[]): WhenReading {
  return { text, truth, doubts }
}

/** How a limit was read: above it, unless `more` says otherwise. */
export function limitRead(more: Partial<LimitReading>): LimitReading {
  const limit = { sum: "args.amount", per: "args.recipient", windowMs: 24 * 3_600_000, above: "5000" }
  return { rule: "payments", limit, passed: true, sums: [{ call: 0, before: "3996", adds: "999", at: AT }], ...more }
}

const known = new Map<string, Approval>()

/** The approval of a recorded answer, numbers kept exact. Read once. */
export function recorded(name: string): Approval {
  const found = known.get(name) ?? readRecorded(name)
  known.set(name, found)
  return found
}

function readRecorded(name: string): Approval {
  const text = readFileSync(new URL(`../fixtures/agentos/${name}.json`, import.meta.url), "utf8")
  const told = parseJson(text)
  const item = readItem("default", isJsonObject(told) ? (told["body"] ?? null) : null)
  if (item.kind !== "approval") throw new Error(`${name} holds no approval: ${item.why}`)
  return item.approval
}

/** An approval with nothing special about it; `more` says what is. */
export function anApproval(more: Partial<Approval> = {}): Approval {
  return { ...recorded("get-pending-confirmation"), ...more }
}

/** The model of an approval, open under one rule of one approver; `more` says what is different. */
export function aCardModel(approval: Approval | null = anApproval(), more: Partial<CardModel> = {}): CardModel {
  return {
    installation: "main",
    instance: "default",
    caseId: "0123456789abcdef0123",
    approvalId: approval?.id ?? "11111111-2222-4333-8444-555555555555",
    route: "channel:C0APPROVALS",
    revision: 1,
    digest: more.digest ?? (approval === null ? "ab".repeat(32) : digestOf(approval)),
    bound: { era: 0, count: 1 },
    approval,
    summary: summaryOf(approval),
    rules: [{ name: "prod-data", quorum: 1, approvers: ["S0FINANCE"] }],
    look: plainLook,
    around: unseen,
    ...placeOf(approval, more),
    votes: [],
    status: openStatus(0, 1),
    failure: null,
    related: [],
    troubles: [],
    openedAt: AT,
    time: untimed,
    replaces: false,
    ...more,
  }
}

function placeOf(approval: Approval | null, { around = unseen }: Partial<CardModel>): Pick<CardModel, "workflow"> {
  const workflow = workflowOf(approval, around)
  return workflow === null ? {} : { workflow }
}

function summaryOf(approval: Approval | null): CardModel["summary"] {
  if (approval === null) {
    return { tool: "delete_user_data", agent: "Admin Agent", requester: "alice@example.com", calls: 1, createdAt: AT }
  }
  const calls = openGatedCalls(approval)
  const agent = approval.sourceName ?? approval.agentId ?? approval.teamId
  const { userId: requester, createdAt } = approval
  return { tool: calls[0]?.tool ?? approval.toolName, agent, requester, calls: calls.length, createdAt }
}

/** Open, with so many of so many votes under the rule. */
export function openStatus(have: number, need: number): CardStatus {
  return { kind: "open", progress: [{ rule: "prod-data", have, need }] }
}

/** A vote on a model. */
export function aVote(more: Partial<CardVote> = {}): CardVote {
  return { user: "U0ALICE", name: "Alice", verb: "approve", reason: null, values: null, at: AT + 60_000, ...more }
}

/** That the content was another one until a minute ago. */
export function changedFrom(before: Approval, now: Approval): NonNullable<CardModel["changed"]> {
  return { content: { at: AT + 60_000, times: 1, before, parts: changedParts(before, now) } }
}

/** Another value for each recorded argument that a look of a changed content replaces. */
const otherValues = new Map([
  ["U-100", "U-99"],
  ["db-1", "db-2"],
  ["all@example.com", "team@example.com"],
  ["lunch", "dinner"],
])

/** The same calls with other values. */
function withOthers({ toolArgs, requirements }: Approval): Pick<Approval, "toolArgs" | "requirements"> {
  return {
    toolArgs: toolArgs && otherObject(toolArgs),
    requirements: requirements && requirements.map(otherObject),
  }
}

function otherObject(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, otherwise(value)]))
}

function otherwise(value: Json): Json {
  if (typeof value === "string") return otherValues.get(value) ?? value
  if (Array.isArray(value)) return value.map(otherwise)
  return isJsonObject(value) ? otherObject(value) : value
}

/** What an approver fills in where a call asks for it; else null. */
function filledIn(approval: Approval): CardVote["values"] {
  const { fields, result } = inputsOf(approval)
  if (result.length > 0) return { result: "db-1 is up again" }
  const values = Object.fromEntries(fields.map(({ name }) => [name, name === "amount" ? 50 : "Jane Doe"]))
  return fields.length > 0 ? { values } : null
}

/** Every state that the card of an approval can show, by its name. */
export function everyState(approval: Approval = anApproval()): Readonly<Record<string, CardModel>> {
  const voted = { votes: [aVote({ values: filledIn(approval) })] }
  const rejected = { votes: [aVote({ verb: "reject", reason: "Not on a *Friday* <!channel>" })] }
  const ours = { kind: "ours", decisionId: "d1", resolvedBy: "alice@example.com", at: AT + 61_000 } as const
  const settled = (outcome: Extract<CardStatus, { kind: "settled" }>["outcome"]): CardStatus => ({
    kind: "settled",
    outcome,
  })
  const resumed = (run: CardRun, verb: Verb = "approve"): CardStatus => ({
    kind: "settled",
    outcome: { ...ours, verb },
    run,
  })
  const tool = openGatedCalls(approval)[0]?.tool ?? "a tool"
  const deviations = [`${tool} ran with other arguments than those approved`]
  const end = { kind: "completed", by: "others", detail: null, deviations } as const
  const done = { ...end, by: "us", deviations: [] } as const
  const elsewhere = (status: string, resolvedBy: string | null): CardStatus =>
    settled({ kind: "elsewhere", status, resolvedBy, at: AT + 61_000 })
  const paid = { amount: 999, recipient: "Acme <!here>" }
  const payment: Approval = { ...approval, toolName: "send_money", toolArgs: paid, requirements: null }
  const takesForm = inputsOf(approval).fields.length > 0
  const oversize = { characters: 3_477_795, values: 300_014, sha256: "f".repeat(64) }
  const ranOut = { time: { ...untimed, ranOut: true } }
  const related = {
    caseId: "fedcba9876543210fedc",
    link: "https://example.slack.com/archives/C0APPROVALS/p1795262400000100",
  }
  const other: Approval = { ...approval, userId: "bob@example.com", ...withOthers(approval) }
  const two = { rules: [{ name: "prod-data", quorum: 2, approvers: ["S0FINANCE"] }] }
  const owed = { owed: true, here: false, left: false, reviews: [] }
  const broken = { votes: [aVote({ reason: "the shop is down" })], status: resumed({ kind: "left" }) } as const
  const standIns = [{ rule: "prod-data", person: "T1:U0RITA", standIn: "T1:U0BOB" }]
  const away = { rules: [{ name: "prod-data", quorum: 2, approvers: ["U0ALICE", "U0RITA"], standIns }] }
  return {
    open: aCardModel(approval),
    "high-risk": aCardModel(approval, { look: { ...plainLook, risk: "high" } }),
    danger: aCardModel(approval, { look: { ...plainLook, risk: "low", danger: true } }),
    "one-of-two": aCardModel(approval, { ...two, ...voted, status: openStatus(1, 2) }),
    away: aCardModel(approval, { ...away, ...voted, status: openStatus(1, 2) }),
    changed: aCardModel(approval, { revision: 2, changed: changedFrom(other, approval) }),
    uncovered: aCardModel(approval, { rules: [], status: { kind: "uncovered" } }),
    stopped: aCardModel(approval, { ...two, ...voted, status: stoppedStatus }),
    "stopped-perhaps": aCardModel(approval, {
      status: { ...stoppedStatus, by: unknownOrderer, reason: "Redis lost what was ordered", perhaps: true },
    }),
    unapprovable: aCardModel(
      { ...approval, toolArgs: { a: "\ud800" }, requirements: null },
      {
        status: { kind: "unapprovable" },
      },
    ),
    oversize: aCardModel(
      { ...approval, toolArgs: null, requirements: null, oversize },
      { status: { kind: "unapprovable" } },
    ),
    "run-over": aCardModel(approval, { status: { kind: "run-over", status: "CANCELLED", ran: [] } }),
    "run-over-after-it-ran": aCardModel(approval, {
      status: { kind: "run-over", status: "COMPLETED", ran: ["delete_user_data ran although nobody had decided"] },
    }),
    deciding: aCardModel(approval, { ...voted, status: { kind: "deciding", verb: "approve" } }),
    "sending-approve": aCardModel(approval, { ...voted, status: { kind: "sending", verb: "approve" } }),
    "sending-barred": aCardModel(approval, { ...voted, status: { kind: "sending", verb: "approve", barred: true } }),
    "sending-reject": aCardModel(approval, { ...rejected, status: { kind: "sending", verb: "reject" } }),
    held: aCardModel(approval, { ...rejected, status: { kind: "held" } }),
    failed: aCardModel(approval, { failure: "the platform refused: 403 Insufficient permissions" }),
    approved: aCardModel(approval, { ...voted, status: resumed({ kind: "left" }) }),
    broken: aCardModel(approval, { ...broken, glass: { ...owed, here: true } }),
    "broken-reviewed": aCardModel(approval, {
      ...broken,
      glass: {
        ...owed,
        owed: false,
        reviews: [
          { user: "U0RITA", right: true, reason: null },
          { user: "U0SAM", right: false, reason: "the others were there <!here>" },
        ],
      },
    }),
    "approved-for": aCardModel(approval, {
      votes: [aVote({ for: ["T1:U0RITA"], values: filledIn(approval) })],
      status: resumed({ kind: "left" }),
    }),
    rejected: aCardModel(approval, {
      ...rejected,
      status: resumed({ kind: "left" }, "reject"),
    }),
    "rejected-lasting": aCardModel(approval, {
      ...rejected,
      status: resumed({ kind: "left" }, "reject"),
      again: {
        kind: "lasting",
        here: true,
        until: AT + 600_000,
        repeats: [
          ...[1, 2, 3, 4].map((at) => ({ case: `${at}`.repeat(20), run: "run-1", at: AT + 61_000 * at })),
          { case: "f".repeat(20), run: "run-1", at: AT + 400_000, undecided: true },
        ],
      },
    }),
    "rejected-again": aCardModel(approval, {
      status: resumed({ kind: "left" }, "reject"),
      again: { kind: "repeat", case: "c".repeat(20), user: "U0RITA", until: AT + 600_000 },
    }),
    looped: aCardModel(approval, { again: { kind: "looped", case: "c".repeat(20) } }),
    "called-back": aCardModel(approval, {
      votes: [aVote({ verb: "reject", calledBack: true, reason: "wrong account" })],
      status: resumed({ kind: "left" }, "reject"),
    }),
    "rejected-run-ended": aCardModel(approval, {
      ...rejected,
      status: resumed({ kind: "ended", end: done }, "reject"),
    }),
    "run-waits": aCardModel(approval, {
      ...voted,
      status: resumed({ kind: "waiting", beside: 2, links: [related.link] }),
    }),
    "run-stopped": aCardModel(approval, {
      ...voted,
      status: resumed({ kind: "waiting", beside: 0, stopped: stopNote }),
    }),
    "run-too-late": aCardModel(approval, {
      ...voted,
      status: resumed({ kind: "withheld", why: "it was stopped for longer than its approval counts", late: true }),
    }),
    "run-continued": aCardModel(approval, { ...voted, status: resumed({ kind: "continuing", since: AT + 60_000 }) }),
    "run-ended": aCardModel(approval, { ...voted, status: resumed({ kind: "ended", end }) }),
    "run-cancelled-too-late": aCardModel(approval, {
      ...voted,
      status: resumed({ kind: "ended", end: { ...done, kind: "cancelled", ran: [tool] } }),
    }),
    "run-withheld": aCardModel(approval, {
      ...voted,
      status: resumed({ kind: "withheld", why: "its calls are longer than the platform takes back <!here>" }),
    }),
    "elsewhere-approved": aCardModel(approval, { status: elsewhere("approved", "ops@example.com") }),
    "elsewhere-rejected": aCardModel(approval, { status: elsewhere("rejected", null) }),
    expired: aCardModel(approval, { status: elsewhere("expired", null) }),
    cancelled: aCardModel(approval, { status: elsewhere("cancelled", null) }),
    "elsewhere-other": aCardModel(approval, { status: elsewhere("constructor", "somebody") }),
    vanished: aCardModel(approval, { status: settled({ kind: "vanished", at: AT + 61_000 }) }),
    "related-team": aCardModel(approval, { related: [{ ...related, of: "team" }] }),
    "related-member": aCardModel(approval, { related: [{ ...related, of: "member" }] }),
    "related-hidden": aCardModel(approval, { related: [{ ...related, of: "member", link: null }] }),
    "from-a-thread": aCardModel(approval, {
      origin: { place: { channel: "C0OPS", ts: "1700000000.000100" }, link: `${related.link}?thread_ts=1` },
    }),
    "workflow-not-continued": aCardModel(approval, {
      around: { seen: true, team: null, workflow: { id: "month-end", name: null, step: "clean up" }, unenforced: true },
    }),
    frozen: aCardModel(approval, { status: { kind: "frozen" } }),
    replaced: aCardModel(approval, { status: { kind: "replaced", link: related.link } }),
    "several-rules": aCardModel(approval, {
      rules: [
        { name: "prod-data", quorum: 1, approvers: ["U0ALICE"] },
        { name: "payments", quorum: 2, approvers: ["U0BOB", "jane@corp.example", "S0FINANCE", "S0LEGAL"] },
      ],
      status: {
        kind: "open",
        progress: [
          { rule: "prod-data", have: 0, need: 1 },
          { rule: "payments", have: 0, need: 2 },
        ],
      },
    }),
    conditions: aCardModel(takesForm ? approval : payment, {
      ...voted,
      rules: [
        { name: "large", quorum: 2, approvers: ["S0FINANCE"], when: read("args.amount > 500", "true") },
        { name: "abroad", quorum: 1, approvers: ["U0BOB"], when: read('args.to != "DE"', "unknown", "args.to") },
        ...(takesForm ? [{ name: "rest", quorum: 1, approvers: ["U0ALICE"] }] : []),
      ],
      status: {
        kind: "open",
        progress: [
          { rule: "large", have: 1, need: 2 },
          { rule: "abroad", have: 0, need: 1 },
        ],
      },
    }),
    "within-a-limit": aCardModel(payment, { limits: [limitRead({ passed: false })] }),
    "above-a-limit": aCardModel(payment, {
      rules: [
        { name: "payments", quorum: 1, approvers: ["U0ALICE"] },
        { name: "payments, above its limit", quorum: 2, approvers: ["S0FINANCE"] },
      ],
      status: {
        kind: "open",
        progress: [
          { rule: "payments", have: 0, need: 1 },
          { rule: "payments, above its limit", have: 0, need: 2 },
        ],
      },
      limits: [
        limitRead({ sums: [{ call: 0, before: "4995.5", adds: "999", at: AT }] }),
        limitRead({ rule: "odd", doubt: "amount" }),
        limitRead({ rule: "new", doubt: "unknown" }),
        ...(takesForm ? [limitRead({ rule: "form", doubt: "open" })] : []),
      ],
    }),
    "platform-expires": aCardModel(
      { ...approval, expiresAt: AT + 600_000 },
      { time: { ...untimed, decideBy: AT + 3_600_000 } },
    ),
    "decide-by": aCardModel(approval, { time: { ...untimed, decideBy: AT + 3_600_000 } }),
    escalated: aCardModel(approval, {
      time: { ...untimed, decideBy: AT + 3_600_000, thenReject: true, escalatedAt: AT + 60_000 },
    }),
    "expired-left": aCardModel(approval, {
      ...two,
      ...voted,
      status: { kind: "expired", at: AT + 120_000, rejecting: false },
    }),
    "expired-rejecting": aCardModel(approval, {
      status: { kind: "expired", at: AT, rejecting: true },
      failure: "the platform refused: 403 Insufficient permissions",
    }),
    "sending-expired": aCardModel(approval, { ...ranOut, status: { kind: "sending", verb: "reject" } }),
    "rejected-expired": aCardModel(approval, {
      ...two,
      ...voted,
      ...ranOut,
      status: settled({ ...ours, verb: "reject" }),
    }),
    blank: aCardModel(null, { ...voted, blank: true, status: settled({ ...ours, verb: "approve" }) }),
    closed: aCardModel(null, { ...voted, status: settled({ ...ours, verb: "approve" }) }),
  }
}

/** Every kind of pause that was recorded, by the name of its fixture. */
export const PAUSES = [
  "get-pending-big-integer",
  "get-pending-confirmation",
  "get-pending-external-execution",
  "get-pending-extra-argument",
  "get-pending-hostile-text",
  "get-pending-multi-tool",
  "get-pending-not-a-number",
  "get-pending-team",
  "get-pending-team-member",
  "get-pending-team-second-call",
  "get-pending-user-input",
  "get-pending-user-input-all-fields",
  "get-pending-user-input-choices",
  "get-pending-workflow-step",
] as const

/** The card of a proposal of other rules for each way in which it ends without votes. */
export function proposalEnds(): Readonly<Record<string, CardModel>> {
  const proposal = anApproval({
    instance: builtInInstance,
    toolName: "activate_config",
    toolArgs: {},
    requirements: null,
  })
  const ended = (over: ProposalOutcome): CardModel =>
    aCardModel(proposal, {
      instance: builtInInstance,
      status: {
        kind: "settled",
        outcome: {
          kind: "elsewhere",
          status: "cancelled",
          resolvedBy: `countersign:${over.how}`,
          at: AT + 61_000,
          proposal: over,
        },
      },
    })
  return {
    "proposal-replaced": ended({ how: "replaced", newer: "fedcba9876543210fedc" }),
    "proposal-expired": ended({ how: "expired" }),
    "proposal-outdated": ended({ how: "outdated" }),
    "proposal-unapproved": ended({ how: "unapproved" }),
  }
}
