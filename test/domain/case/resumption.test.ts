// Where a decided case stands with its run, step by step: continued once, at most twice, and ended or withheld once.

import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import {
  answerMaskOf,
  awaitRun,
  beginContinue,
  type Continue,
  continueInBackground,
  endRun,
  isResuming,
  noteSaid,
  noteWait,
  type Resumption,
  type RunEnd,
  takeBack,
  withhold,
} from "../../../src/domain/case/resumption.ts"
import { aCase } from "../../support/builders.ts"
import { noon } from "../../support/clock.ts"

const address = { runner: "agents", component: "agent-1", sessionId: "session-1", runId: "run-1" } as const
const sent: Continue = { at: noon, address, calls: ["c-1"], background: false, said: null }
const end: RunEnd = { kind: "completed", by: "us", detail: "fine", deviations: ["it did more"] }

const resumptions = {
  none: null,
  waiting: { kind: "waiting", since: noon, misses: 0, beside: 0 },
  continuing: { kind: "continuing", sent },
  ended: { kind: "ended", at: noon, end },
  withheld: { kind: "withheld", at: noon, why: "no" },
} as const satisfies Record<string, Resumption | null>

function caseOf(resumption: keyof typeof resumptions, changes: Partial<Case> = {}): Case {
  return { ...aCase(), state: "settled", lines: [], resumption: resumptions[resumption], ...changes }
}

/** The resumptions from which a step can be made. */
function madeFrom(step: (current: Case) => unknown): readonly string[] {
  return (["none", "waiting", "continuing", "ended", "withheld"] as const).filter((name) => step(caseOf(name)) !== null)
}

test("something is left to do about a run that is waited for or being continued", () => {
  expect(madeFrom((current) => (isResuming(current) ? true : null))).toEqual(["waiting", "continuing"])
})

describe("a run that is waited for", () => {
  test("starts without misses", () => {
    expect(awaitRun(caseOf("none"), noon).resumption).toEqual(resumptions.waiting)
  })

  test("is noted again only when something changed, and is no news", () => {
    const wait = { misses: 1, beside: 2 }

    expect(madeFrom((current) => noteWait(current, wait))).toEqual(["waiting"])
    expect(noteWait(caseOf("waiting"), { misses: 0, beside: 0 })).toBeNull()
    expect(noteWait(caseOf("waiting"), { misses: 0, beside: 2 })).not.toBeNull()
    expect(noteWait(caseOf("waiting"), { misses: 1, beside: 0 })).not.toBeNull()
    expect(noteWait(caseOf("waiting"), { misses: 0, beside: 0, links: ["https://a"] })).not.toBeNull()
    expect(noteWait(caseOf("waiting"), wait)).toMatchObject({
      next: { resumption: { ...resumptions.waiting, ...wait } },
      events: [],
    })
  })
})

describe("a continue", () => {
  const continued = { kind: "continued", run: "run-1", runner: "agents", component: "agent-1" }

  test("begins once, on a settled case, and is entered", () => {
    expect(madeFrom((current) => beginContinue(current, sent))).toEqual(["waiting"])
    expect(beginContinue(caseOf("waiting", { state: "closed" }), sent)).toBeNull()
    expect(beginContinue(caseOf("waiting"), sent)).toMatchObject({
      next: { resumption: { kind: "continuing", sent } },
      events: [{ ...continued, at: noon, background: false }],
    })
  })

  test("is sent once more in the background, and not a third time", () => {
    const step = continueInBackground(caseOf("continuing"), noon + 1)

    expect(madeFrom((current) => continueInBackground(current, noon))).toEqual(["continuing"])
    expect(step).toMatchObject({
      next: { resumption: { kind: "continuing", sent: { ...sent, at: noon + 1, background: true } } },
      events: [{ ...continued, at: noon + 1, background: true }],
    })
    expect(continueInBackground(step?.next ?? caseOf("none"), noon)).toBeNull()
  })

  test("keeps the first thing that the platform said of it", () => {
    const step = noteSaid(caseOf("continuing"), "404 no")

    expect(madeFrom((current) => noteSaid(current, "404 no"))).toEqual(["continuing"])
    expect(step).toMatchObject({
      next: { resumption: { kind: "continuing", sent: { ...sent, said: "404 no" } } },
      events: [],
    })
    expect(noteSaid(step?.next ?? caseOf("none"), "500")).toBeNull()
  })

  test("a continue that never left is waited with again", () => {
    expect(madeFrom((current) => takeBack(current, noon))).toEqual(["continuing"])
    expect(takeBack(caseOf("continuing"), noon)).toMatchObject({ next: caseOf("waiting"), events: [] })
  })
})

test("a run ends once, and its end is entered and told", () => {
  expect(madeFrom((current) => endRun(current, "run-1", end, noon))).toEqual(["waiting", "continuing"])
  expect(endRun(caseOf("continuing"), "run-1", end, noon + 1)).toMatchObject({
    next: { resumption: { kind: "ended", at: noon + 1, end }, lines: [{ kind: "run-ended" }] },
    events: [
      {
        kind: "run-ended",
        at: noon + 1,
        run: "run-1",
        end: "completed",
        by: "us",
        detail: "fine",
        deviations: ["it did more"],
      },
    ],
  })
})

test("a completed run that we continued says where its answer is, if a rule wants that sent", () => {
  const wanted = caseOf("continuing", { resumption: { kind: "continuing", sent: { ...sent, answerMask: ["key"] } } })
  const endOf = (current: Case, more: Partial<RunEnd> = {}) =>
    endRun(current, "run-1", { ...end, ...more }, noon)?.next.resumption

  expect(endOf(wanted)).toEqual({ kind: "ended", at: noon, end, answer: { address, mask: ["key"] } })
  expect(endOf(caseOf("continuing"))).toEqual({ kind: "ended", at: noon, end })
  expect(endOf(wanted, { kind: "failed" })).not.toHaveProperty("answer")
  expect(endOf(wanted, { by: "others" })).not.toHaveProperty("answer")
})

test("an answer is sent if a rule of any case of the pause wants that, and masked as all of them say", () => {
  const looking = (look: Partial<Case["revision"]["look"]>): Pick<Case, "revision"> => {
    const { revision } = aCase()
    return { revision: { ...revision, look: { ...revision.look, ...look } } }
  }

  expect(answerMaskOf([looking({ mask: ["a"] })])).toBeUndefined()
  expect(answerMaskOf([looking({ mask: ["a"] }), looking({ mask: ["b", "a"], resultToRequester: true })])).toEqual([
    "a",
    "b",
  ])
})

test("a run that somebody else has to continue is withheld once, and it is told who that is", () => {
  expect(madeFrom((current) => withhold(current, { why: "not here" }, noon))).toEqual(["waiting", "continuing"])
  expect(withhold(caseOf("waiting"), { why: "not here" }, noon + 1)).toMatchObject({
    next: { resumption: { kind: "withheld", at: noon + 1, why: "not here" }, lines: [{ kind: "not-resumed" }] },
    events: [{ kind: "not-resumed", at: noon + 1, why: "not here", who: "asker@example.com" }],
  })
})
