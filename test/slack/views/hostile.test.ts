// Hostile input in threads, lists and Home: Slack takes what we make of it, and nothing in it becomes active.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linesOf } from "../../../src/slack/chat/thread-lines.ts"
import { homeView } from "../../../src/slack/lists/home-and-summary.ts"
import { listMessage } from "../../../src/slack/lists/list-messages.ts"
import { AT } from "../card-models.ts"
import { activeMarkup, LINK, model, onlyLiteral, patienceMs, runs, text } from "../hostile.ts"
import { messageVerdict, viewVerdict } from "../sight.ts"

describe("for any input", () => {
  it(
    "a line in the thread is one that Slack takes, with nothing active in it",
    () => {
      fc.assert(
        fc.property(text, text, (reason, who) => {
          const common = { at: AT, decision: "d", person: who, name: who, subject: who, reason, why: reason }
          const opened = {
            kind: "opened",
            approval: who,
            instance: who,
            revision: 1,
            digest: "ab",
            rules: [who],
          } as const
          const events = [
            { ...common, kind: "voided" },
            { ...common, kind: "reopened" },
            { ...common, kind: "frozen" },
            { ...common, kind: "resolved", verb: "approve", resolvedBy: reason, sandbox: true },
            { ...common, kind: "elsewhere", status: reason, resolvedBy: who, claimsToBeOurs: true },
            { ...common, kind: "decided", verb: "reject", people: [who, who], digest: "ab" },
            { ...common, ...opened, asked: [{ rule: reason, quorum: 2, approvers: [who, reason] }] },
          ] as const
          const end = { at: AT, run: who, by: "us", detail: null, deviations: [reason] } as const
          const answer = { kind: "read", content: reason, mask: [] } as const
          for (const event of [...events, { ...end, kind: "run-ended", end: "completed" } as const]) {
            const line = linesOf([event], { card: LINK, answer })
            expect(messageVerdict(line)).toBe("ok")
            expect(onlyLiteral(line.blocks)).toBe(true)
            expect(activeMarkup(line.text)).toBe("")
          }
        }),
        runs,
      )
    },
    patienceMs,
  )

  it(
    "a page of the list is one that Slack takes",
    () => {
      fc.assert(
        fc.property(fc.array(model, { maxLength: 5, minLength: 1 }), (models) => {
          const message = listMessage({ models, total: 23, more: true }, 2, { words: [], at: AT })

          expect(messageVerdict(message)).toBe("ok")
          expect(onlyLiteral(message.blocks)).toBe(true)
          expect(activeMarkup(message.text)).toBe("")
        }),
        { numRuns: 500 },
      )
    },
    patienceMs,
  )

  it(
    "the Home is one that Slack takes, and nothing in it is active",
    () => {
      fc.assert(
        fc.property(model, (one) => {
          const listing = { models: [one], total: 1, more: false }

          const view = homeView(
            {
              mine: listing,
              page: 1,
              waiting: 3,
              requests: listing,
              decided: listing,
              found: { asked: "<!channel>", waiting: listing, decided: listing },
              at: AT,
            },
            "/approvals",
          )

          expect(viewVerdict(view)).toBe("ok")
          expect(onlyLiteral(view.blocks)).toBe(true)
        }),
        runs,
      )
    },
    patienceMs,
  )
})
