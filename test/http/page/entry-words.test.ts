// What the page says of an entry of the ledger, kind by kind, in sentences for people.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { entryWords } from "../../../src/http/page/entry-words.ts"
import type { ToldEntry } from "../../../src/http/reading/models.ts"

const names = new Map([
  ["T1:U1", "Ann"],
  ["U1", "Ann"],
  ["ann@example.com", "Ann"],
  ["S0FINANCE", "finance"],
  ["C2", "#payments"],
])

/** The words as they are read, without the markup around them. */
async function words(entry: Pick<ToldEntry, "kind" | "ours" | "event">): Promise<string> {
  const markup = await entryWords(entry, names)
  return markup
    .toString()
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+|&nbsp;/g, " ")
}

const mustLook = "whoever runs Countersign has to look"
const by = Date.UTC(2026, 10, 28, 12)

describe("an entry says what happened", () => {
  test.for<readonly [string, JsonObject, string]>([
    [
      "opened",
      { asked: [{ rule: "payments", quorum: 2, approvers: ["U1", "S0FINANCE", "U9"] }], rules: ["payments"] },
      "First seen. Asked: Ann, the group finance and U9, 2 approvals needed under rule payments",
    ],
    [
      "opened",
      { asked: [{ rule: "a", quorum: 1, approvers: ["address 1", "address 2"] }], "address 1": "ann@example.com" },
      "First seen. Asked: Ann and an erased address, 1 approval needed under rule a",
    ],
    ["opened", { asked: [], rules: [] }, "First seen. No rule covers this, so nobody was asked"],
    ["opened", { rules: ["payments", "large"] }, "First seen. Under the rules payments and large"],
    [
      "revised",
      { why: "content", revision: 2, voided: ["T1:U1", "T1:U2"], rules: ["payments"] },
      "What would run has changed (the ledger does not keep how): this is revision 2. " +
        "Votes from before do not count: those of Ann and U2. Under the rule payments",
    ],
    [
      "revised",
      { why: "rules", revision: 3, voided: [], asked: [{ rule: "a", quorum: 1, approvers: [] }] },
      "Other rules are in force: this is revision 3. Votes from before do not count. " +
        "Asked now: 1 approval needed under rule a",
    ],
    [
      "raised",
      { asked: [{ rule: "large", quorum: 1, approvers: ["U1"] }] },
      "A limit is exceeded by now, so others are asked too. Asked now: Ann, 1 approval needed under rule large",
    ],
    ["placed", { route: "channel:C1" }, "A card was posted to channel C1"],
    ["placed", { route: "channel:C2" }, "A card was posted to #payments"],
    ["placed", { route: "person:U1" }, "A card was posted to Ann"],
    ["summarised", { route: "channel:C1" }, "A summary names this in channel C1 until it has a card there"],
    ["admitted", {}, "Its turn has come: cards may be posted"],
    [
      "voted",
      { verb: "reject", reason: "too late", person: "T1:U2", name: "Bob", surface: "form", erasable: "e" },
      "Bob rejected this in the form: “too late”",
    ],
    [
      "voted",
      { verb: "approve", person: "T1:U1", name: "Ann", surface: "form", glass: true, reason: "it burns" },
      "Ann broke the glass and approved this in the form: “it burns”",
    ],
    [
      "glass-broken",
      { person: "T1:U1", asked: [{ rule: "payments", quorum: 2, approvers: ["U2", "S0FINANCE"] }] },
      "Approved by breaking glass by Ann, without those who were asked. " +
        "Passed over: U2 and the group finance, 2 approvals needed under rule payments",
    ],
    ["glass-reviewed", { person: "T1:U1", name: "Ann", right: true }, "Ann says that breaking the glass was right"],
    [
      "glass-reviewed",
      { person: "T1:U1", name: "Ann", right: false, reason: "no need" },
      "Ann says that breaking the glass was not right: “no need”. " +
        "Nothing is undone by that: docs/approving.md says what to do now.",
    ],
    ["asked", { person: "T1:U1", to: "requester", text: "Why <b>?" }, "Ann asked: “Why &lt;b&gt;?”"],
    [
      "answered",
      { person: "T1:U1", as: "requester", asker: "T1:U2", text: "So." },
      "Ann, named by the platform as the requester, answered: “So.”",
    ],
    ["answered", { person: "T1:U1", as: "listed", asker: "T1:U2", erasable: "a1" }, "Ann answered: “erased”"],
    ["glass-left", { rules: ["payments"] }, "Nobody said within 30 days whether breaking the glass was right"],
    ["called-back", { verb: "reject", person: "T1:U1", name: "Ann" }, "Ann asked for this and called it back"],
    ["voted", { verb: "approve", person: "T1:U1", name: "Ann", surface: "card" }, "Ann approved this on the card"],
    [
      "voted",
      { verb: "approve", person: "T1:U1", name: "Ann", surface: "card", for: ["T1:U7", 7] },
      "Ann for U7 approved this on the card",
    ],
    [
      "voided",
      { person: "T1:U1", why: "not-standing-in" },
      "The vote of Ann no longer counts: they do not stand in any more",
    ],
    [
      "voided",
      { person: "T1:U1", why: "voted-themselves" },
      "The vote of Ann no longer counts: the one they stood in for has voted",
    ],
    ["voted", { verb: "approve", person: "T1:U9", surface: "home", erasable: "e" }, "U9 approved this in Home"],
    ["withdrawn", { person: "T1:U1" }, "Ann took their vote back"],
    ["revealed", { person: "T1:U1" }, "Ann had what is masked shown to them"],
    ["voided", { person: "T1:U1", why: "guest" }, "The vote of Ann no longer counts: guests may not decide this"],
    [
      "refused",
      { person: "T1:U1", verb: "approve", why: "requester" },
      "Ann tried to approve this, and it did not count: they asked for it themselves",
    ],
    [
      "refused",
      { person: "T1:U1", verb: "reject", why: "of a later version" },
      "Ann tried to reject this, and it did not count: of a later version",
    ],
    [
      "decided",
      { verb: "approve", people: ["T1:U1", "T1:U2"], decision: "d1", subject: "s", reason: "fine" },
      "Decided: approved by Ann and U2: “fine”. Decision d1",
    ],
    [
      "decided",
      { verb: "reject", people: [], decision: "d1", by: "expiry" },
      "Nobody decided in time: rejected, as the rule says. Decision d1",
    ],
    [
      "decided",
      { verb: "reject", people: [], decision: "d1", by: "again", as: { case: "c1", person: "T1:U1" }, reason: "no" },
      "Rejected by itself: Ann rejected the same call before, in case c1: “no”. Decision d1",
    ],
    ["repeated", { case: "c2" }, "The same call came again in case c2, and was rejected by itself"],
    ["looping", { case: "c2" }, "The same call came again and again in one run: left undecided (case c2)"],
    ["asks-again", { person: "T1:U1" }, "Ann pressed Ask Me Again: people are asked about this call again"],
    ["sent", { attempt: 2 }, "The decision is sent to the platform once more, attempt 2"],
    ["unheard", { attempt: 1 }, "The platform gave no answer to attempt 1, and none will come"],
    ["attempted", { attempt: 2, result: "403" }, "The platform refused attempt 2: 403"],
    ["attempted", { attempt: 2, erasable: "e" }, "The platform refused attempt 2: erased"],
    ["reopened", { why: "403" }, "The platform did not take the decision, so this is open again: 403"],
    ["resolved", { verb: "approve", resolvedBy: "ann@example.com" }, "The platform has it: approved, resolved by Ann"],
    [
      "resolved",
      { verb: "reject", erasable: "e" },
      "The platform has it: rejected, resolved by a name that was erased",
    ],
    // A null is left out of the record, and nothing of it lies beside the ledger.
    ["resolved", { verb: "reject" }, "The platform has it: rejected, and names nobody who resolved it"],
    [
      "recovered",
      { verb: "approve", resolvedBy: "root" },
      "The platform's record holds our decision, approved, which was taken up again, resolved by root",
    ],
    [
      "elsewhere",
      { status: "approved", claimsToBeOurs: true },
      "Decided outside Countersign: the platform says approved, and names nobody who resolved it. " +
        `It claims to be ours and is not: ${mustLook}`,
    ],
    [
      "elsewhere",
      { status: "rejected", resolvedBy: "boss", claimsToBeOurs: false },
      "Decided outside Countersign: the platform says rejected, resolved by boss",
    ],
    [
      "elsewhere",
      { status: "cancelled", proposal: { how: "replaced", newer: "c2" }, claimsToBeOurs: false },
      "A newer proposal took its place: case c2",
    ],
    ["elsewhere", { status: "cancelled", proposal: { how: "expired" } }, "Too few people approved it in time"],
    ["elsewhere", { status: "cancelled", proposal: { how: "outdated" } }, "Other rules became active meanwhile"],
    [
      "elsewhere",
      { status: "cancelled", proposal: { how: "unapproved" } },
      "An operator made these rules active without approval",
    ],
    [
      "elsewhere",
      { status: "cancelled", resolvedBy: "x", proposal: { how: "constructor" } },
      "Decided outside Countersign: the platform says cancelled, resolved by x",
    ],
    [
      "decided-outside-rules",
      { why: "the platform names nobody" },
      `The rules do not allow this decision, ${mustLook}: the platform names nobody`,
    ],
    ["missed", { times: 3 }, "The platform did not know the approval, 3 times in a row"],
    ["found", {}, "The platform knows the approval after all"],
    ["vanished", {}, "The platform does not know this approval any more: it was deleted there"],
    [
      "returned",
      { voided: [] },
      "The platform knows this approval again, as it was, so this goes on. Votes from before still count",
    ],
    [
      "returned",
      { voided: ["T1:U1"] },
      "The platform knows this approval again, as it was, so this goes on. The votes of Ann no longer count",
    ],
    [
      "renewed",
      { voided: ["T1:U1"], held: false },
      "Redis lost its last second, or may have. The votes of Ann no longer count",
    ],
    [
      "renewed",
      { voided: [], held: false },
      "Redis lost its last second, or may have. Who voted just before has to vote again",
    ],
    [
      "renewed",
      { voided: [], held: true },
      "Redis lost its last second. The rejection stays held; other votes no longer count",
    ],
    [
      "doubtful",
      {},
      "Redis lost its last second. Whether this was sent is not known, so it is not sent again: the platform says how " +
        "it ended",
    ],
    [
      "doubtful",
      { why: "stopped" },
      "It was on its way when it was stopped. Whether this was sent is not known, so it is not sent again: the " +
        "platform says how it ended",
    ],
    [
      "reminded",
      { people: ["T1:U1", "T1:U2"], more: 3, by },
      "Still waiting for a decision. Ann, U2 and 3 more can decide it, by 2026-11-28 12:00:00 UTC",
    ],
    [
      "escalated",
      { people: [], more: 0, by: null },
      `Nobody has decided yet, so others are asked too. Nobody can decide it at the moment: ${mustLook}`,
    ],
    ["expired", { rejects: true }, "Time is up. It is rejected, as the rule says"],
    [
      "expired",
      { rejects: false },
      "Time is up. Nobody can decide this here any more, and the platform's record stays as it is",
    ],
    [
      "held",
      { person: "T1:U1" },
      "Ann rejected it. Held: the platform would run it all the same, so it was not told. Its record stays pending",
    ],
    ["frozen", { why: "a broken seal" }, `Frozen, ${mustLook}: a broken seal`],
    ["continued", { background: false }, "The run is told, and goes on"],
    ["run-ended", { end: "completed", by: "us", deviations: [] }, "The run is completed"],
    [
      "run-ended",
      { end: "failed", by: "others", detail: "no disk", deviations: ["it ran twice"], ran: ["pay"] },
      "The run went on and failed. It was continued from outside Countersign: no disk. Before that pay had run. " +
        `it ran twice: ${mustLook}`,
    ],
    [
      "not-resumed",
      { why: "it may not", who: "ann@example.com" },
      "The run goes on only when Ann, who started it, continues it on the agent's platform. Countersign does not: " +
        "it may not",
    ],
    [
      "not-resumed",
      { why: "its decision is too old", late: true },
      "The run does not go on: its decision is too old. Whoever wants it has to start it anew",
    ],
    ["not-resumed", { why: "gone", nobody: true }, "The run cannot go on, and nobody can continue it: gone"],
    ["without-effect", { runStatus: "COMPLETED" }, "The run had ended before (COMPLETED): nothing will run"],
    ["paused-again", {}, `The run has paused again, and nobody is asked for its next call: ${mustLook}`],
    [
      "run-over",
      { team: "finance", status: "ERROR" },
      "The team finance ended without waiting for this (ERROR): deciding it has no effect any more",
    ],
    ["ran-otherwise", { deviations: ["it ran twice"] }, `What ran is not what was decided. it ran twice: ${mustLook}`],
    ["closed", {}, "Closed: every card and thread says how it ended"],
    ["erased", { person: "T1:U9" }, "The texts and names of U9 were erased here"],
    ["removed", {}, "The case's record was removed, since it is older than retention"],
    ["foretold", {}, "Something that this version has no words for: foretold"],
  ])("an entry says what happened: %s", async ([kind, event, expected]) => {
    expect(await words({ kind, ours: true, event })).toBe(expected)
  })

  test("an entry that is not ours says nothing of what it claims", async () => {
    const said = await words({ kind: "voted", ours: false, event: { person: "T1:U1" } })

    expect(said).toBe("This entry was not written by Countersign, or was changed.")
  })

  test("a name keeps the id as its title, and neither becomes markup", async () => {
    const hostile = new Map([["T1:U1", `"><script>\u202E`]])
    const markup = (await entryWords({ kind: "withdrawn", ours: true, event: { person: "T1:U1" } }, hostile)).toString()

    expect(markup).toContain('title="T1:U1"')
    expect(markup).toContain("&quot;&gt;&lt;script&gt;⟨U+202E⟩")
  })
})
