// The parts of a card model: time, votes, failures, troubles and the run, and that each of them is in its
// hash.

import { describe, expect, test } from "vitest"
import {
  type CardModel,
  cardModelHash,
  cardModelOf,
  isUnfinished,
  lags,
  untimed,
} from "../../../src/domain/case/card-model.ts"
import { replacingModel } from "../../../src/domain/case/card-steps.ts"
import type { Case } from "../../../src/domain/case/case.ts"
import { expire } from "../../../src/domain/case/deadline-steps.ts"
import type { Resumption } from "../../../src/domain/case/resumption.ts"
import { emptyCard } from "../../../src/domain/case/steps.ts"
import { type Decision, type VotedDecision } from "../../../src/domain/case/vote.ts"
import { aCase, anApproval, aPolicy, aRule, aTiming, aVote } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const route = "channel:C1"
const vanished = { kind: "vanished", at: noon } as const
const modelHash = (changes: Partial<Case> = {}, current = aCase()) => cardModelOf({ ...current, ...changes }, route)
const decided = (changes: Partial<VotedDecision> = {}): VotedDecision => ({
  id: "d",
  verb: "approve",
  votes: [aVote()],
  at: noon,
  ...changes,
})
const timed = (...timing: Parameters<typeof aTiming>) =>
  aCase({ policy: aPolicy([aRule({ timing: aTiming(...timing) })]) })

test("a card model names what it is the model of", () => {
  const current = aCase()

  expect(modelHash()).toEqual({
    installation: "test",
    instance: "main",
    caseId: current.id,
    approvalId: "a-1",
    route,
    revision: 1,
    digest: current.revision.digest,
    approval: current.approval,
    summary: current.summary,
    rules: [{ name: "all", quorum: 1, approvers: ["U1", "U2"] }],
    look: current.revision.look,
    around: current.around,
    votes: [],
    status: { kind: "open", progress: [{ rule: "all", have: 0, need: 1 }] },
    failure: null,
    related: [],
    troubles: [],
    openedAt: noon,
    time: untimed,
    replaces: false,
    bound: { era: 0, count: 0 },
  })
  expect(untimed).toEqual({ decideBy: null, thenReject: false, escalatedAt: null, ranOut: false })
})

test("a card model says until when a gate lets an approved call run, while it may still have to", () => {
  const good = decided({ expiresAt: noon + 5 })
  const outcome = { kind: "ours", verb: "approve", decisionId: "d", resolvedBy: null, at: noon } as const
  const end = { kind: "completed", by: "us", detail: null, deviations: [] } as const
  const shown = (changes: Partial<Case>) =>
    modelHash({ state: "settled", decision: good, outcome, ...changes }).time.runBy

  expect(shown({})).toBe(noon + 5)
  expect(shown({ decision: decided() })).toBeUndefined()
  expect(shown({ outcome: null })).toBeUndefined()
  expect(shown({ outcome: { kind: "vanished", at: noon } })).toBeUndefined()
  expect(shown({ resumption: { kind: "ended", at: noon, end } })).toBeUndefined()
})

describe("the votes", () => {
  const late = aVote({ user: "U2", values: { amount: 1 }, reason: "fine" })

  test("are those of the decision, with what was filled in", () => {
    expect(modelHash({ votes: [aVote()], decision: decided({ votes: [late] }) }).votes).toEqual([
      { user: "U2", name: "Name of U2", verb: "approve", reason: "fine", values: { amount: 1 }, at: noon },
    ])
  })

  test("are those that were not enough where nobody decided in time", () => {
    const byExpiry: Decision = { id: "d", verb: "reject", votes: [], at: noon, by: "expiry" }

    expect(modelHash({ votes: [late], decision: byExpiry }).votes).toMatchObject([{ user: "U2" }])
    expect(modelHash({ votes: [late], decision: byExpiry }).time.ranOut).toBe(true)
    expect(modelHash({ decision: decided() }).time.ranOut).toBe(false)
  })
})

describe("the time", () => {
  const rejecting = timed({ remindAfter: [1], expireAfter: 5, onExpiry: "reject" })

  test("is by when it must be decided, and what follows, while it still can be", () => {
    const over = { decideBy: null, thenReject: false }

    expect(modelHash({}, rejecting).time).toMatchObject({ decideBy: noon + 5, thenReject: true })
    expect(modelHash({}, timed({ remindAfter: [1], expireAfter: 5 })).time).toMatchObject({ thenReject: false })
    expect(modelHash({ state: "sending" }, rejecting).time).toMatchObject(over)
    expect(modelHash({}, expire(rejecting, noon + 5).next).time).toMatchObject(over)
  })

  test("is since when others are asked too", () => {
    const escalated = [{ rule: "all", step: 1, at: noon + 3 }]

    expect(modelHash({ time: { ...rejecting.time, escalated } }).time.escalatedAt).toBe(noon + 3)
  })
})

describe("a verdict that the platform did not take", () => {
  const reopened = { kind: "reopened", at: noon, decision: "d", why: "403" } as const
  const withdrawn = { kind: "withdrawn", at: noon, person: "T1:U1", interaction: "i" } as const
  const found = { kind: "found", at: noon } as const

  test("is told until somebody votes, withdraws or the content changes, while the case is open", () => {
    const voted = { ...withdrawn, kind: "voted" } as unknown as Case["lines"][number]
    const revised = { ...withdrawn, kind: "revised" } as unknown as Case["lines"][number]

    expect(modelHash({ lines: [withdrawn, reopened, found] }).failure).toBe("403")
    for (const line of [withdrawn, voted, revised]) expect(modelHash({ lines: [reopened, line] }).failure).toBeNull()
    expect(modelHash({ lines: [reopened], state: "settled" }).failure).toBeNull()
  })
})

test("routes that take no message are listed with why", () => {
  const cards = [emptyCard("channel:C1"), { ...emptyCard("channel:C2"), trouble: { why: "is_archived", retryAt: 1 } }]

  expect(modelHash({ cards }).troubles).toEqual([{ route: "channel:C2", why: "is_archived" }])
})

test("a card that was posted anew says that it replaces another", () => {
  expect(modelHash({ cards: [{ ...emptyCard(route), reposts: 1 }] }).replaces).toBe(true)
  expect(modelHash({ cards: [] }).replaces).toBe(false)
  expect(replacingModel(modelHash())).toEqual({ ...modelHash(), replaces: true })
})

test("what changed while people are asked is on it, and no more once it is decided", () => {
  const before = { revision: 1, approval: anApproval({ toolArgs: { a: 1 }, requirements: null }) }
  const revised = {
    kind: "revised",
    at: noon,
    revision: 2,
    digest: "d",
    rules: [],
    why: "content",
    voided: [],
  } as const
  const changes = { approval: anApproval({ toolArgs: { a: 2 }, requirements: null }), before, lines: [revised] }

  expect(modelHash(changes).changed).toEqual({ content: { at: noon, times: 1, before: before.approval, parts: ["a"] } })
  expect(modelHash({ ...changes, state: "sending" })).not.toHaveProperty("changed")
  expect(modelHash()).not.toHaveProperty("changed")
})

describe("the status", () => {
  test.each<[Resumption | null, unknown]>([
    [null, undefined],
    [
      { kind: "waiting", since: noon, misses: 1, beside: 2 },
      { kind: "waiting", beside: 2 },
    ],
    [
      { kind: "withheld", at: noon, why: "no" },
      { kind: "withheld", why: "no" },
    ],
    [
      { kind: "ended", at: noon, end: { kind: "completed", by: "us", detail: null, deviations: [] } },
      { kind: "ended", end: { kind: "completed", by: "us", detail: null, deviations: [] } },
    ],
    [
      {
        kind: "continuing",
        sent: {
          at: noon,
          address: { runner: "agents", component: "c", sessionId: "s", runId: "r" },
          calls: [],
          background: false,
          said: null,
        },
      },
      { kind: "continuing", since: noon },
    ],
  ])("the status of a settled case tells of its run: %#", (resumption, run) => {
    const { status } = modelHash({ state: "settled", outcome: vanished, resumption })

    expect(status).toStrictEqual(
      run === undefined ? { kind: "settled", outcome: vanished } : { kind: "settled", outcome: vanished, run },
    )
  })

  test("is deciding during the first POST, and sending once anything speaks against its answer", () => {
    const attempt = (result: "unaccounted" | "unheard") => ({ at: noon, result })
    const status = (...attempts: readonly ReturnType<typeof attempt>[]) =>
      modelHash({ state: "sending", decision: decided(), sending: { body: "{}", attempts } }).status

    expect(status(attempt("unaccounted"))).toEqual({ kind: "deciding", verb: "approve" })
    expect(status(attempt("unheard"))).toEqual({ kind: "sending", verb: "approve" })
    expect(status(attempt("unaccounted"), attempt("unaccounted"))).toEqual({ kind: "sending", verb: "approve" })
    expect(status()).toEqual({ kind: "sending", verb: "approve" })
    expect(modelHash({ state: "sending", decision: decided(), sending: null }).status.kind).toBe("sending")
    expect(modelHash({ state: "sending", decision: null }).status.kind).toBe("open")
  })

  test("is open without progress where the votes would do, held by a rejection, expired with what is owed", () => {
    const current = aCase()
    const quotas = [{ name: "all", hash: "h", quorum: 1 }]
    const revision = { ...current.revision, quotas }

    expect(modelHash({ revision, votes: [aVote()] }).status).toEqual({ kind: "open", progress: [] })
    expect(modelHash({ revision, votes: [aVote({ verb: "reject" })] }).status).toEqual({ kind: "held" })
    const over = { ...current.time, expired: { at: noon, rejectAt: null } }
    expect(modelHash({ time: over }).status).toEqual({ kind: "expired", at: noon, rejecting: false })
    const owing = { ...current.time, expired: { at: noon, rejectAt: noon } }
    expect(modelHash({ time: owing }).status).toEqual({ kind: "expired", at: noon, rejecting: true })
  })
})

describe("the hash of a card model", () => {
  const shown = modelHash()

  test.each<Partial<CardModel>>([
    { route: "channel:C2" },
    { revision: 2 },
    { digest: "e" },
    { failure: "403" },
    { around: { ...shown.around, team: "t" } },
    { related: [{ caseId: "c", of: "team", link: null }] },
    { rules: [] },
    { votes: [{ user: "U1", name: "n", verb: "approve", reason: null, values: null, at: 1 }] },
    { time: { ...untimed, decideBy: noon } },
    { time: { ...untimed, escalatedAt: noon } },
    { time: { ...untimed, ranOut: true } },
    { replaces: true },
    { status: { kind: "frozen" } },
  ])("the hash of a card model changes with %o", (changes) => {
    expect(cardModelHash({ ...shown, ...changes })).not.toBe(cardModelHash(shown))
  })

  test("tells one time, related approval and vote from another", () => {
    const related = { caseId: "c", of: "team", link: null } as const
    const vote = { user: "U1", name: "n", verb: "approve", reason: null, values: null, at: 1 } as const
    const models: readonly Partial<CardModel>[] = [
      { time: { ...untimed, decideBy: 1 } },
      { time: { ...untimed, decideBy: 2 } },
      { related: [related] },
      { related: [{ ...related, caseId: "other" }] },
      { votes: [vote] },
      { votes: [{ ...vote, at: 2 }] },
      { rules: [{ name: "a", quorum: 1 }] },
      { rules: [{ name: "a", quorum: 2 }] },
    ]

    expect(new Set(models.map((changes) => cardModelHash({ ...shown, ...changes }))).size).toBe(models.length)
  })

  test("is 16 hex characters, and stays with what no card shows", () => {
    expect(cardModelHash(shown)).toMatch(/^[0-9a-f]{16}$/)
    expect(cardModelHash({ ...shown, approval: null, openedAt: 1, installation: "other" })).toBe(cardModelHash(shown))
  })
})

describe("a card without admission", () => {
  const waiting: Case = { ...aCase(), admission: { agent: "a", given: false } }
  const place = { channel: "C1", ts: "1.1" }

  test("lags only if it hangs, or somebody was about to hang it", () => {
    expect(lags(waiting, emptyCard(route))).toBe(false)
    expect(lags(waiting, { ...emptyCard(route), place })).toBe(true)
    expect(lags(waiting, { ...emptyCard(route), lease: { by: "p", until: 1 } })).toBe(true)
  })

  test("a card on a summary, without admission, wants one of its own while the case is open", () => {
    const current = aCase()
    const hanging = { ...emptyCard(route), place, summary: true, told: current.lines.length }
    const upToDate = (one: Case) => ({ ...hanging, modelHash: cardModelHash(cardModelOf(one, route)) })
    const settled: Case = { ...current, state: "settled", outcome: vanished }

    expect(lags(current, upToDate(current))).toBe(true)
    expect(lags(settled, upToDate(settled))).toBe(false)
    expect(lags(settled, hanging)).toBe(true)
  })

  test("a card that lags leaves its case unfinished; one of several is enough, and a closed case needs none", () => {
    const done = { ...emptyCard(route), place, told: aCase().lines.length, modelHash: cardModelHash(modelHash()) }
    const current: Case = { ...aCase(), cards: [done, emptyCard("channel:C2")] }

    expect(isUnfinished({ ...current, cards: [done] })).toBe(false)
    expect(isUnfinished(current)).toBe(true)
    expect(isUnfinished({ ...current, state: "closed" })).toBe(false)
  })
})
