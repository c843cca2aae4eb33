// Words: every answer and refusal has a true sentence of its own, and what others wrote in it stays text.

import { describe, expect, it } from "vitest"
import type { CaseEvent } from "../../../src/domain/case/event.ts"
import type { RunEnd } from "../../../src/domain/case/resumption.ts"
import type { Refusal } from "../../../src/domain/policy/judge.ts"
import type { Answer } from "../../../src/flow/ports/reply.ts"
import { linesOf } from "../../../src/slack/chat/thread-lines.ts"
import { bold, code, mrkdwn, say } from "../../../src/slack/lines/spans.ts"
import { answerWords, judgementWords, refusalWords } from "../../../src/slack/text/answer-words.ts"
import { anOperator } from "../../support/orders.ts"
import { AT } from "../card-models.ts"

const said = (answer: Answer) => mrkdwn(answerWords(answer))

describe("answers", () => {
  const answers: readonly (readonly [Answer, RegExp])[] = [
    [
      { kind: "counted", verb: "approve", progress: [{ rule: "prod", have: 1, need: 2 }] },
      /you approved this\. So far 1 of 2 under rule prod\.$/,
    ],
    [{ kind: "counted", verb: "approve", progress: [] }, /waits for the others/],
    [
      { kind: "again", verb: "approve", progress: [{ rule: "prod", have: 1, need: 2 }] },
      /^You already approved\. One more is needed\.$/,
    ],
    [
      {
        kind: "again",
        verb: "reject",
        progress: [
          { rule: "prod", have: 1, need: 3 },
          { rule: "<ops>", have: 0, need: 1 },
          { rule: "done", have: 1, need: 1 },
        ],
      },
      /^You already rejected\. Needed: 2 more under rule prod and 1 more under rule &lt;ops&gt;\.$/,
    ],
    [{ kind: "resolved", verb: "approve", resolvedBy: "a@b" }, /this is approved\. The platform recorded a@b\.$/],
    [{ kind: "resolved", verb: "approve", resolvedBy: null }, /this is approved\. $/],
    [{ kind: "resolved", verb: "approve", result: true, resolvedBy: null }, /Thank you: your result is sent\. $/],
    [{ kind: "unknown-outcome", verb: "approve", barred: false }, /has not confirmed it yet/],
    [
      { kind: "unknown-outcome", verb: "approve", barred: true },
      /^You approved this. Your vote counts. Your press was fine: .* need not press again\.$/,
    ],
    [{ kind: "reopened", why: "403 <no>" }, /open again: 403 &lt;no&gt;$/],
    [{ kind: "refused", refusal: { code: "guest" } }, /^Guests may not decide this\.$/],
    [{ kind: "changed", change: null }, /has changed since this was shown/],
    [{ kind: "held" }, /^You rejected this, and it does not run\. .*has not told it.*You can withdraw your vote\.$/],
    [{ kind: "withdrawn" }, /^Your vote is withdrawn/],
    [{ kind: "glass-reviewed", right: true, left: 0 }, /^Thank you: you said that it was right\.$/],
    [
      { kind: "glass-reviewed", right: false, left: 1 },
      /was not right\. Nothing is undone.*other rules are still asked/,
    ],
    [{ kind: "question-asked", to: "requester" }, /^Your question is sent to whoever asked for this\./],
    [{ kind: "question-asked", to: "listed" }, /^Your question is sent to those whom the rules name/],
    [{ kind: "not-asked", why: "over", said: "<why>?" }, /was not sent\. You wrote: _?“&lt;why&gt;\?”/],
    [{ kind: "not-asked", why: "changed", said: "" }, /so your question was not sent\. Please look at it again\.$/],
    [{ kind: "not-asked", why: "not-voter", said: "" }, /^Only people who may decide this/],
    [{ kind: "not-asked", why: "nobody", said: "" }, /^There is nobody to ask/],
    [{ kind: "not-asked", why: "asked-out", said: "" }, /^Five questions were asked/],
    [{ kind: "not-asked", why: "too-often", said: "" }, /ten questions within an hour/],
    [{ kind: "not-asked", why: "not-posted", said: "" }, /stands in the thread alone/],
    [{ kind: "answer-given", asker: { team: "T1", user: "U0ALICE" } }, /your answer is kept, and <@U0ALICE> is told/],
    [{ kind: "not-answered", why: "over", said: "yes" }, /was not kept\. You wrote: _?“yes”/],
    [{ kind: "not-answered", why: "not-asked", said: "" }, /^This question is not for you to answer/],
    [{ kind: "not-answered", why: "shared-channel", said: "" }, /shared with another company now/],
    [
      {
        kind: "not-answered",
        why: "answered",
        said: "no",
        first: { interaction: "i", by: { team: "T1", user: "U0BOB" }, at: AT, text: "<yes>" },
      },
      /answered already, .* <@U0BOB> wrote: _?“&lt;yes&gt;”_? You wrote: _?“no”/,
    ],
    [{ kind: "review-refused", why: "breaker" }, /^You broke the glass yourself/],
    [{ kind: "review-refused", why: "requester" }, /^You asked for this yourself/],
    [{ kind: "review-refused", why: "linked" }, /stands in for the other/],
    [{ kind: "review-refused", why: "not-reviewer" }, /not one of those who say/],
    [{ kind: "review-refused", why: "none-owed" }, /said already/],
    [{ kind: "review-refused", why: "unsettled" }, /Nobody knows yet/],
    [
      { kind: "refused", refusal: { code: "no-glass", rule: "<ops>" } },
      /rule &lt;ops&gt; does not let you break the glass/,
    ],
    [
      { kind: "refused", refusal: { code: "open-reviews", rule: "ops" } },
      /Five times .* Nobody can break it again until/,
    ],
    [{ kind: "no-vote" }, /no vote here to withdraw/],
    [{ kind: "expired", rejected: false }, /Time is up.*not counted.*stays as it is/],
    [{ kind: "expired", rejected: true }, /Time is up.*not counted.*so it was rejected/],
    [
      { kind: "input-missing", names: ["<a>", "b"] },
      /Please fill in &lt;a&gt; and b to approve this\. Nothing was counted/,
    ],
    [{ kind: "replaced" }, /another card/],
    [{ kind: "unapprovable" }, /cannot be approved/],
    [
      { kind: "stopped", by: anOperator(), at: 0, reason: "runaway", perhaps: false },
      /not counted.*Stopped by ops.*runaway/,
    ],
    [{ kind: "stopped", by: anOperator(), at: 0, reason: "runaway", perhaps: true }, /may be meant/],
    [{ kind: "run-over", status: "CANCELLED" }, /run is over \(CANCELLED\).*nothing is left.*can reject it/],
    [{ kind: "late" }, /too late.*press again/],
    [{ kind: "reason-missing", verb: "reject" }, /Please give a reason to reject/],
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
    [
      {
        kind: "elsewhere",
        outcome: {
          kind: "elsewhere",
          status: "cancelled",
          resolvedBy: "countersign:replaced",
          at: AT,
          proposal: { how: "replaced", newer: "fedcba9876543210fedc" },
        },
      },
      /^A newer proposal took its place; the command show fedcba9876543210fedc opens it\.$/,
    ],
    [{ kind: "elsewhere", outcome: { kind: "vanished", at: AT } }, /deleted there/],
    [
      { kind: "elsewhere", outcome: { kind: "ours", verb: "reject", decisionId: "d", resolvedBy: null, at: AT } },
      /already rejected/,
    ],
    [
      { kind: "missing" },
      /does not know this approval at the moment, so your press is not carried out yet\. It is tried/,
    ],
    [{ kind: "frozen" }, /frozen/],
    ...(["bot", "deactivated", "guest", "external", "stranger"] as const).map(
      (why) => [{ kind: "hidden", why }, /cannot open this|can open this/] as const,
    ),
    [{ kind: "unknown-case" }, /no approval with that id/],
    [{ kind: "platform-down" }, /your press is not carried out yet\. It is tried again by itself/],
    ...(["platform-down", "credential-refused", "slack-down", "failed"] as const).map(
      (cause) => [{ kind: "not-shown", failure: { cause } }, /^This cannot be shown now: .* Please try again/] as const,
    ),
    [
      { kind: "not-shown", failure: { cause: "slack-refuses", word: "view_too_large" } },
      /^This cannot be shown: Slack refuses .*view_too_large.* Trying again helps only after/,
    ],
    [
      { kind: "credential-refused", retrying: true },
      /refuses Countersign's own credential .* is tried again by itself/,
    ],
    [
      { kind: "credential-refused", retrying: false },
      /Please press again once whoever runs Countersign has fixed that/,
    ],
    [{ kind: "slack-down" }, /Slack did not answer/],
    [{ kind: "slack-refuses", word: "missing_scope" }, /refuses.*missing_scope.*Pressing again helps only after/],
    [{ kind: "failed-for-good" }, /pressing again does not help.*press-failed/],
    [{ kind: "other-config" }, /may not decide under the configuration/],
    [{ kind: "early" }, /kept and taken up within seconds/],
    [{ kind: "failed" }, /our side.*tried again by itself/],
  ]

  it.each(answers)("a person is told what became of their act: %j", (answer, words) => {
    expect(said(answer)).toMatch(words)
  })

  it("no failure says that nothing is decided: others may have decided it", () => {
    expect(answers.map(([answer]) => said(answer)).filter((words) => /nothing is decided/i.test(words))).toEqual([])
  })

  it("no two kinds of answer share their words", () => {
    expect(new Set(answers.map(([answer]) => said(answer))).size).toBe(answers.length)
  })
})

describe("refusals", () => {
  const refusals: readonly Refusal[] = [
    ...(
      ["bot", "deactivated", "not-covered", "no-approvers", "not-approver", "guest", "external", "no-subject"] as const
    ).map((code) => ({ code })),
    { code: "requester", rule: "prod" },
    { code: "unknown-requester", rule: "prod" },
    { code: "conflicting-email", email: "a@b" },
  ]

  it("each refusal has its own words", () => {
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
  const unvoted = { kind: "elsewhere", at: AT, status: "cancelled", resolvedBy: null, claimsToBeOurs: false } as const
  const person = "T1:U0ALICE"
  const reviewed = (right: boolean, reason: string | null) =>
    ({ kind: "glass-reviewed", at: AT, person, name: "A", rules: ["a"], right, reason, interaction: "i" }) as const
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
  const ended = (end: RunEnd["kind"], more: Partial<Omit<RunEnd, "kind">> = {}): CaseEvent => {
    const plain = { by: "us", detail: null, deviations: [] } as const
    return { kind: "run-ended", at: AT, run: "r", end, ...plain, ...more }
  }
  const lines: readonly (readonly [CaseEvent, RegExp])[] = [
    [{ ...voted, verb: "approve", reason: null }, /^<@U0ALICE> approved this$/],
    [
      { ...voted, kind: "called-back", verb: "reject", reason: "wrong account" },
      /^<@U0ALICE> asked for this and called it back: “wrong account”$/,
    ],
    [{ ...voted, verb: "approve", reason: null, for: ["T1:U0RITA"] }, /^<@U0ALICE> for <@U0RITA> approved this$/],
    [
      { kind: "voided", at: 1, person: "T1:U0BOB", why: "voted-themselves" },
      /^The vote of <@U0BOB> does not count any more: the one they stood in for has voted$/,
    ],
    [{ kind: "voided", at: 1, person: "T1:U0BOB", why: "not-standing-in" }, /: they do not stand in any more$/],
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
      /^The platform has it: approved, and names nobody who resolved it$/,
    ],
    [
      { kind: "recovered", at: AT, decision: "d", verb: "reject", resolvedBy: "ops" },
      /our decision, rejected, resolved by ops$/,
    ],
    [{ kind: "reopened", at: AT, decision: "d", why: "403" }, /open again: 403/],
    [
      { kind: "elsewhere", at: AT, status: "approved", resolvedBy: "ops", claimsToBeOurs: true },
      /approved, resolved by ops\. It claims to be ours/,
    ],
    [
      { ...unvoted, resolvedBy: "countersign:replaced", proposal: { how: "replaced", newer: "fedcba9876543210fedc" } },
      /^A newer proposal took its place; the command show fedcba9876543210fedc opens it$/,
    ],
    [
      { ...unvoted, resolvedBy: "countersign:expired", proposal: { how: "expired" } },
      /^Too few people approved it in time$/,
    ],
    [
      { ...unvoted, resolvedBy: "countersign:outdated", proposal: { how: "outdated" } },
      /^Other rules became active meanwhile$/,
    ],
    [
      { ...unvoted, resolvedBy: "countersign:unapproved", proposal: { how: "unapproved" } },
      /^An operator made these rules active without approval$/,
    ],
    // Another platform may write such words, too.
    [{ ...unvoted, resolvedBy: "countersign:replaced" }, /^Decided outside Countersign: the platform says cancelled/],
    [{ kind: "vanished", at: AT }, /deleted there/],
    [
      { kind: "revised", at: AT, revision: 2, digest: "abcdef0123456789", rules: [], why: "content", voided: [person] },
      /has changed: revision 2, digest abcdef012345\. Please decide anew, <@U0ALICE>/,
    ],
    [
      { kind: "revised", at: AT, revision: 2, digest: "ab", rules: [], why: "rules", voided: [] },
      /^Other rules are in force: revision 2, digest ab$/,
    ],
    [
      { kind: "reminded", at: AT, people: [person, "T1:U0BOB"], more: 3, by: AT },
      /^Still waiting for a decision\. <@U0ALICE>, <@U0BOB> and 3 more can decide it, by <!date\^/,
    ],
    [
      { kind: "reminded", at: AT, people: [person], more: 0, by: null },
      /^Still waiting for a decision\. <@U0ALICE> can decide it$/,
    ],
    [{ kind: "reminded", at: AT, people: [], more: 0, by: null }, /Nobody can decide it at the moment/],
    [
      { kind: "escalated", at: AT, rules: ["a"], people: [person], more: 0, by: null },
      /^Nobody has decided yet, so others are asked too\. <@U0ALICE> can decide it$/,
    ],
    [{ kind: "expired", at: AT, rejects: false }, /Nobody can decide this here any more\. The platform's record stays/],
    [{ kind: "expired", at: AT, rejects: true }, /It is rejected, as the rule says$/],
    [
      {
        kind: "decided",
        at: AT,
        decision: "d",
        verb: "reject",
        people: [],
        subject: "countersign:expiry",
        reason: null,
        digest: "d",
        by: "expiry",
      },
      /^Time is up: rejected, as the rule says\. It is sent to the platform$/,
    ],
    [
      {
        kind: "decided",
        at: AT,
        decision: "d",
        verb: "reject",
        people: [],
        subject: "countersign:again",
        reason: "no",
        digest: "d",
        by: "again",
        as: { case: "c", decision: "d0", person },
      },
      /^Rejected by itself: <@U0ALICE> rejected the same call before\. It is sent to the platform$/,
    ],
    [
      { kind: "looping", at: AT, case: "c1" },
      /^Asked again and again in one run, .* the run stands still \(case c1\)$/,
    ],
    [
      { kind: "asks-again", at: AT, person },
      /^<@U0ALICE> pressed Ask Me Again: people are asked about this call again$/,
    ],
    [
      { kind: "asks-again", at: AT, person: null, asked: [{ rule: "r", quorum: 1, approvers: ["U1"] }] },
      /^The rejection lasts no longer: .* again\. Asked: <@U1>, 1 approval needed under rule r$/,
    ],
    [{ kind: "frozen", at: AT, why: "bad seal" }, /Frozen, whoever runs Countersign has to look: bad seal/],
    [
      { kind: "refused", at: AT, person, verb: "approve", why: "guest", interaction: "i" },
      /may not approve this: guest/,
    ],
    [
      { kind: "without-effect", at: AT, runStatus: "<COMPLETED>" },
      /had ended before \(&lt;COMPLETED&gt;\): nothing will run$/,
    ],
    [
      { kind: "paused-again", at: AT },
      /paused again, and nobody is asked for its next call: whoever runs Countersign has to look$/,
    ],
    [
      { kind: "run-over", at: AT, team: "<!here>", status: "COMPLETED" },
      /The team &lt;!here&gt; ended without waiting/,
    ],
    [
      { kind: "run-over", at: AT, team: null, status: "CANCELLED" },
      /The run ended without waiting for this \(CANCELLED\): deciding it has no effect any more$/,
    ],
    [
      { kind: "ran-otherwise", at: AT, deviations: ["pay ran although it was rejected", "a", "b", "c", "d", "e"] },
      /not what was decided, whoever runs .* has to look: pay ran although it was rejected, a, b, c, d and 1 more$/,
    ],
    [
      { kind: "decided-outside-rules", at: AT, why: "the platform names nobody who decided it" },
      new RegExp(
        "^The rules do not allow this decision; whoever runs Countersign has to look: " +
          "the platform names nobody who decided it$",
      ),
    ],
    [{ kind: "held", at: AT, person: null }, /^Held: .* although the rules reject it now, so it was not told/],
    [{ kind: "held", at: AT, person }, /^Held: .* although <@U0ALICE> rejected it, so it was not told/],
    [
      { kind: "glass-broken", at: AT, person, asked: [{ rule: "a", quorum: 2, approvers: ["U0BOB", "S0FINANCE"] }] },
      /^⚠ <@U0ALICE> approved this by breaking glass, without <@U0BOB> and <!subteam\^S0FINANCE>$/,
    ],
    [reviewed(true, null), /^<@U0ALICE> says that breaking the glass was right$/],
    [reviewed(false, "<no>"), /was not right: .*&lt;no&gt;.* Nothing is undone by that: .* says what to do now$/],
    [
      { kind: "asked", at: AT, person, to: "requester", text: "<@U1>\nwhy?", interaction: "i" },
      /^<@U0ALICE> asks whoever asked for this: _?“&lt;@U1&gt;⟨U\+000A⟩why\?”_?$/,
    ],
    [
      { kind: "asked", at: AT, person, to: "listed", text: "why?", interaction: "i" },
      /asks those whom the rules name for questions: /,
    ],
    [
      {
        kind: "answered",
        at: AT,
        person,
        as: "requester",
        asker: "T1:U0BOB",
        question: "q",
        text: "so",
        interaction: "i",
      },
      /^<@U0ALICE>, named by the platform as the requester, answers <@U0BOB>: _?“so”_?$/,
    ],
    [
      {
        kind: "answered",
        at: AT,
        person,
        as: "listed",
        asker: "T1:U0BOB",
        question: "q",
        text: "so",
        interaction: "i",
      },
      /^<@U0ALICE> answers <@U0BOB>: _?“so”_?$/,
    ],
    [{ kind: "glass-left", at: AT, rules: ["a"] }, /^Nobody said within 30 days/],
    [ended("completed"), /^The run is completed$/],
    [ended("failed"), /^The run went on and failed$/],
    [ended("cancelled"), /^The run was cancelled$/],
    [ended("paused"), /has paused again: its next approval is asked for by itself$/],
    [ended("unasked"), /nobody is asked for its next call: whoever runs Countersign has to look$/],
    [ended("forked", { detail: "run <2> answered" }), /^Another run answered .*: run &lt;2&gt; answered$/],
    [ended("refused", { detail: "403 no" }), /did not continue the run; it has to be continued by hand: 403 no$/],
    [ended("unknown"), /It is not continued again; whoever runs Countersign has to look$/],
    [
      ended("completed", { by: "others", deviations: ["x ran although it was rejected"] }),
      /⚠ x ran although it was rejected\. .*It was continued from outside .*Whoever runs .* was told, and has to look$/,
    ],
    [
      { kind: "not-resumed", at: AT, why: "<why>", who: "rita@x" },
      /^Countersign does not continue the run: &lt;why&gt;\. .* rita@x, who started it, has to continue it$/,
    ],
    [
      { kind: "not-resumed", at: AT, why: "w", who: null },
      /^Countersign does not continue the run: w\. On the agent's platform whoever started it has to continue it$/,
    ],
    [
      { kind: "not-resumed", at: AT, why: "its session is gone", nobody: true, who: "rita@x" },
      /^The run cannot go on, and nobody can continue it: its session is gone$/,
    ],
    [{ kind: "continued", at: AT, run: "r", runner: "agents", component: "a", background: false }, /^continued$/],
    [{ kind: "closed", at: AT }, /^closed$/],
  ]

  it.each(lines)("a thread is told in a line of words: %j", (event, words) => {
    expect(linesOf([event]).text).toMatch(words)
  })

  it("agent and action come first where people are asked, before all that the message tells, and nowhere else", () => {
    const headline = [bold("“Agent”"), say(" wants to run "), code("pay")]
    const approved = { ...voted, verb: "approve", reason: null } as const
    const renewed = { kind: "renewed", at: AT, revision: 2, voided: [person], held: false } as const
    const texts = [[approved, renewed], [approved]].map((events) => linesOf(events, { headline }).text)

    expect(texts[0]?.split("\n")).toEqual([
      "“Agent” wants to run pay",
      "<@U0ALICE> approved this",
      expect.stringContaining("Please decide anew, <@U0ALICE>"),
    ])
    expect(texts[1]).toBe("<@U0ALICE> approved this")
  })

  const decided = { at: AT, decision: "d", subject: "s", reason: null, digest: "d", people: [person] } as const
  const decidedBy = (verb: "approve" | "reject", by?: "expiry"): CaseEvent =>
    ({ kind: "decided", verb, ...decided, ...(by && { by }) }) as const
  const resolved = (verb: "approve" | "reject"): CaseEvent =>
    ({ kind: "resolved", at: AT, decision: "d", verb, resolvedBy: "ops", sandbox: false }) as const
  const approved = { ...voted, verb: "approve", reason: "ok" } as const
  const rejected = { ...voted, verb: "reject", reason: null } as const
  const decisions: readonly (readonly [readonly CaseEvent[], readonly string[]])[] = [
    [
      [approved, decidedBy("approve"), resolved("approve")],
      ["<@U0ALICE> approved this: “ok”. The platform has it, resolved by ops"],
    ],
    [[approved, decidedBy("approve")], ["<@U0ALICE> approved this: “ok”. It is sent to the platform"]],
    [
      [approved, approved, decidedBy("approve"), resolved("approve")],
      ["<@U0ALICE> approved this: “ok”", "<@U0ALICE> approved this: “ok”. The platform has it, resolved by ops"],
    ],
    [
      [decidedBy("approve"), resolved("approve")],
      ["Decided: approved by <@U0ALICE>. The platform has it, resolved by ops"],
    ],
    [
      [{ kind: "expired", at: AT, rejects: true }, decidedBy("reject", "expiry"), resolved("reject")],
      ["Time is up. It is rejected, as the rule says. " + "The platform has it, resolved by ops"],
    ],
    [
      [rejected, { kind: "held", at: AT, person }],
      [
        "<@U0ALICE> rejected this. Held: the platform would run it all the same, so it was not told. " +
          "Its record stays pending, and that keeps the run stopped",
      ],
    ],
    [
      [approved, { kind: "voided", at: AT, person, why: "guest" }, decidedBy("approve"), resolved("approve")],
      [
        "<@U0ALICE> approved this: “ok”",
        "The vote of <@U0ALICE> does not count any more: guest",
        "Decided: approved by <@U0ALICE>. The platform has it, resolved by ops",
      ],
    ],
  ]

  it.each(decisions)("a decision is one line, with the vote that made it and its end: %#", (events, texts) => {
    const { text, told } = linesOf(events)

    expect(text.split("\n")).toEqual(texts)
    expect(told).toBe(events.length)
  })

  it("say of an approval that the platform knows again whose votes count", () => {
    const texts = [[], [person]].map((voided) => linesOf([{ kind: "returned", at: AT, revision: 1, voided }]).text)

    const back = "The platform knows this approval again, as it was, so this goes on. Votes from before still count"
    expect(texts).toEqual([back, `${back}, but for <@U0ALICE>`])
  })
})
