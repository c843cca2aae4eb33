// The answer of a run in the thread of whoever asked: below the line of its end, literal, shorter where Slack wants.
import { expect, it } from "vitest"
import type { CaseEvent } from "../../../src/domain/case/event.ts"
import type { RunAnswer } from "../../../src/flow/ports.ts"
import { linesOf } from "../../../src/slack/chat/thread-lines.ts"
import { AT } from "../card-models.ts"
import { messageVerdict, wordsOf } from "../sight.ts"

const withdrawn: CaseEvent = { kind: "withdrawn", at: AT, person: "T1:U0ALICE", interaction: "i" }
const ended: CaseEvent = {
  kind: "run-ended",
  at: AT,
  run: "r",
  end: "completed",
  by: "us",
  detail: null,
  deviations: [],
}
const read = (content: string): RunAnswer => ({ kind: "read", content, mask: [] })

it("an answer stands below the line of the run's end, and not in what notifies people", () => {
  const { text, blocks } = linesOf([ended], { answer: read("All is well, <!channel>.") })

  expect(wordsOf(blocks)).toMatch(/The run is completed[^]*What the run answered[^]*All is well, <!channel>\./)
  expect(text).toBe("The run is completed")
})

it("no answer stands below other lines", () => {
  expect(wordsOf(linesOf([withdrawn], { answer: read("All is well.") }).blocks)).not.toContain("All is well.")
})

it("an answer is cut more each time that Slack finds the message too long", () => {
  const answer = read(`${"&".repeat(50)}\n`.repeat(60))

  const sizes = [0, 1, 2].map((shorter) => {
    const message = linesOf([ended], { answer, shorter })
    expect(messageVerdict(message)).toBe("ok")
    expect(wordsOf(message.blocks)).toMatch(/more (?:lines|characters) left out/)
    return wordsOf(message.blocks).length
  })

  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  expect(new Set(sizes).size).toBe(3)
})
