// Words: every answer and refusal has a true sentence of its own, and what others wrote in it stays text.
import { describe, expect, it } from "vitest"
import type { CaseEvent } from "../../src/domain/event.ts"
import type { Refusal } from "../../src/domain/judge.ts"
import type { Answer } from "../../src/flow/answer.ts"
import { lineOf } from "../../src/slack/lines.ts"
import { mrkdwn } from "../../src/slack/spans.ts"
import { answerWords, judgementWords, refusalWords } from "../../src/slack/words.ts"
import { AT } from "./faces.ts"

const said = (answer: Answer) => mrkdwn(answerWords(answer))

describe("answers", () => {
  const answers: readonly (readonly [Answer, RegExp])[] = [
    [
      { kind: "counted", verb: "approve", progress: [{ rule: "prod", have: 1, need: 2 }] },
      /you approved this\. So far 1 of 2 under rule prod\.$/,
    ],
    [{ kind: "counted", verb: "approve", progress: [] }, /waits for the others/],
    [{ kind: "decided", verb: "reject" }, /this is rejected now/],
    [{ kind: "resolved", verb: "approve", resolvedBy: "a@b" }, /this is approved\. The platform recorded a@b\.$/],
    [{ kind: "resolved", verb: "approve", resolvedBy: null }, /this is approved\. $/],
    [{ kind: "unknown-outcome", verb: "approve" }, /has not confirmed it yet/],
    [{ kind: "reopened", why: "403 <no>" }, /open again: 403 &lt;no&gt;$/],
    [{ kind: "refused", refusal: { code: "guest" } }, /^Guests may not decide this\.$/],
    [{ kind: "changed", change: null }, /has changed since this was shown/],
    [{ kind: "withdrawn" }, /^Your vote is withdrawn/],
    [{ kind: "no-vote" }, /no vote of yours/],
    [
      { kind: "input-missing", names: ["<a>", "b"] },
      /filled in to approve this: &lt;a&gt; and b\. Nothing was counted/,
    ],
    [{ kind: "replaced" }, /not the place/],
    [{ kind: "unapprovable" }, /cannot be approved/],
    [{ kind: "late" }, /too late.*press again/],
    [{ kind: "reason-missing", verb: "reject" }, /reason has to be given to reject/],
    [{ kind: "subject-too-long", length: 300 }, /300 characters, and at most 255/],
    [
      { kind: "already", verb: "approve", users: ["U0A", "U0B"], pending: false },
      /approved by <@U0A> and <@U0B>\. Your press was not counted/,
    ],
    [
      { kind: "already", verb: "reject", users: [], pending: true },
      /rejected by somebody, and the platform has not confirmed/,
    ],
    [
      { kind: "elsewhere", outcome: { kind: "elsewhere", status: "approved", resolvedBy: "ops", at: AT } },
      /the platform says approved by ops\.$/,
    ],
    [{ kind: "elsewhere", outcome: { kind: "vanished", at: AT } }, /deleted there/],
    [
      { kind: "elsewhere", outcome: { kind: "ours", verb: "reject", decisionId: "d", resolvedBy: null, at: AT } },
      /already rejected/,
    ],
    [{ kind: "missing" }, /does not know this approval at the moment/],
    [{ kind: "frozen" }, /frozen/],
    [{ kind: "unknown-case" }, /no approval with that id/],
    [{ kind: "platform-down", retrying: true }, /nothing is decided yet\. It is tried again by itself/],
    [{ kind: "platform-down", retrying: false }, /Please press again/],
    [{ kind: "slack-down" }, /Slack did not answer/],
    [{ kind: "other-config" }, /Another configuration/],
    [{ kind: "failed", retrying: false }, /our side.*press again/],
  ]

  it.each(answers)("%j", (answer, words) => {
    expect(said(answer)).toMatch(words)
  })

  it("no two kinds of answer share their words", () => {
    expect(new Set(answers.map(([answer]) => said(answer))).size).toBe(answers.length)
  })
})

describe("refusals", () => {
  const refusals: readonly Refusal[] = [
    ...(["bot", "deactivated", "not-covered", "no-approvers", "not-approver", "guest", "external"] as const).map(
      (code) => ({ code }),
    ),
    { code: "requester", rule: "prod" },
    { code: "unknown-requester", rule: "prod" },
    { code: "conflicting-email", email: "a@b" },
  ]

  it("each has its own words", () => {
    expect(new Set(refusals.map((refusal) => mrkdwn(refusalWords(refusal)))).size).toBe(refusals.length)
  })

  it("a judgement names the rules, or why not", () => {
    expect(mrkdwn(judgementWords("approve", { ok: true, rules: ["a", "b", "c"] }))).toBe(
      "You may approve this under rules a, b and c.",
    )
    expect(mrkdwn(judgementWords("reject", { ok: false, refusal: { code: "bot" } }))).toBe(
      "You may not reject this. Bots and workflows may not decide.",
    )
  })
})

describe("lines in the thread", () => {
  const person = "T1:U0ALICE"
  const voted = {
    kind: "voted",
    at: AT,
    person,
    name: "A",
    subject: "a",
    values: null,
    revealed: false,
    rules: [],
    revision: 1,
    digest: "d",
    surface: "card",
    interaction: "i",
    mac: "m",
  } as const
  const lines: readonly (readonly [CaseEvent, RegExp])[] = [
    [{ ...voted, verb: "approve", reason: null }, /^<@U0ALICE> approved this$/],
    [{ ...voted, verb: "reject", reason: "<!here>" }, /^<@U0ALICE> rejected this: “&lt;!here&gt;”$/],
    [{ kind: "withdrawn", at: AT, person, interaction: "i" }, /^<@U0ALICE> withdrew their vote$/],
    [{ kind: "voided", at: AT, person, why: "guest" }, /vote of <@U0ALICE> does not count any more: guest/],
    [
      {
        kind: "decided",
        at: AT,
        decision: "d",
        verb: "approve",
        people: [person, "T1:U0BOB"],
        subject: "s",
        reason: null,
        digest: "d",
      },
      /approved by <@U0ALICE> and <@U0BOB>/,
    ],
    [
      { kind: "resolved", at: AT, decision: "d", verb: "approve", resolvedBy: null, sandbox: false },
      /^The platform has it: approved$/,
    ],
    [{ kind: "recovered", at: AT, decision: "d", verb: "reject" }, /our decision, rejected/],
    [{ kind: "reopened", at: AT, decision: "d", why: "403" }, /open again: 403/],
    [
      { kind: "elsewhere", at: AT, status: "approved", resolvedBy: "ops", claimsToBeOurs: true },
      /approved, resolved by ops\. It claims to be ours/,
    ],
    [{ kind: "vanished", at: AT }, /deleted there/],
    [
      { kind: "revised", at: AT, revision: 2, digest: "abcdef0123456789", rules: [], why: "content", voided: [person] },
      /has changed: revision 2, digest abcdef012345\. Please decide anew, <@U0ALICE>/,
    ],
    [
      { kind: "revised", at: AT, revision: 2, digest: "ab", rules: [], why: "rules", voided: [] },
      /^Other rules are in force: revision 2, digest ab$/,
    ],
    [{ kind: "frozen", at: AT, why: "bad seal" }, /Frozen, an operator must look: bad seal/],
    [
      { kind: "refused", at: AT, person, verb: "approve", why: "guest", interaction: "i" },
      /may not approve this: guest/,
    ],
    [{ kind: "closed", at: AT }, /^closed$/],
  ]

  it.each(lines)("%j", (event, words) => {
    expect(lineOf(event).text).toMatch(words)
  })
})
