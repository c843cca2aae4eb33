// What the page says of an entry of the ledger, kind by kind, in words for people.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { entryWords } from "../../../src/http/page/words.ts"
import type { ToldEntry } from "../../../src/http/reading/models.ts"

const nothing = { number: 1, time: null, chain: null, n: null, sandbox: null, mac: "m" }

/** The words as they are read, without the markup around them. */
async function words(entry: Pick<ToldEntry, "kind" | "ours" | "event">): Promise<string> {
  const markup = await entryWords({ ...nothing, ...entry })
  return markup.toString().replaceAll(/<[^>]*>/g, "")
}

describe("an entry says", () => {
  test.for<readonly [string, JsonObject, string]>([
    [
      "opened",
      { approval: "a1", revision: 1, rules: ["payments", "large"] },
      "First seen: approval a1, revision 1, under payments, large",
    ],
    ["opened", { approval: "a1", revision: 1, rules: [] }, "First seen: approval a1, revision 1, under nothing"],
    [
      "revised",
      { why: "content", revision: 2 },
      "What would run has changed: revision 2; votes before it do not count",
    ],
    ["revised", { why: "rules", revision: 2 }, "Other rules are in force: revision 2; votes before it do not count"],
    ["placed", { route: "channel:C1" }, "A card was posted to channel C1"],
    [
      "voted",
      { verb: "reject", reason: "too late", person: "T1:U1", name: "Ann", surface: "form" },
      "Ann (T1:U1) rejected this on the form: “too late”",
    ],
    ["voted", { verb: "approve", reason: null, person: "T1:U1", surface: "card" }, "T1:U1 approved this on the card"],
    ["withdrawn", { person: "T1:U1" }, "T1:U1 withdrew their vote"],
    ["revealed", { person: "T1:U1" }, "T1:U1 had what is masked shown to them"],
    ["voided", { person: "T1:U1", why: "revised" }, "The vote of T1:U1 does not count any more: revised"],
    ["refused", { person: "T1:U1", verb: "approve", why: "requester" }, "T1:U1 may not approve this: requester"],
    [
      "refused",
      { person: "T1:U1", verb: "approve", why: "unseen" },
      "T1:U1 pressed approve where not everything was shown: nothing was counted",
    ],
    [
      "decided",
      { verb: "approve", people: ["T1:U1", "T1:U2"], decision: "d1", reason: null },
      "Decided: approved by T1:U1, T1:U2; decision d1",
    ],
    ["attempted", { attempt: 2, result: "403" }, "Sending it to the platform, attempt 2: 403"],
    ["reopened", { why: "403" }, "The platform did not take the decision, so this is open again: 403"],
    [
      "resolved",
      { verb: "approve", resolvedBy: "ann@example.com" },
      "The platform has it: approved, resolved by ann@example.com",
    ],
    ["resolved", { verb: "reject" }, "The platform has it: rejected, resolved by erased"],
    [
      "elsewhere",
      { status: "approved", resolvedBy: null, claimsToBeOurs: true },
      "Decided outside Countersign: the platform says approved, resolved by nobody. It claims to be ours and is not.",
    ],
    [
      "elsewhere",
      { status: "rejected", resolvedBy: "boss", claimsToBeOurs: false },
      "Decided outside Countersign: the platform says rejected, resolved by boss",
    ],
    [
      "decided-outside-rules",
      { why: "the platform names nobody who decided it" },
      "The rules would not have admitted this decision, an operator must look: the platform names nobody who decided it",
    ],
    ["missed", { times: 3 }, "The platform did not know the approval, 3 in a row"],
    ["found", {}, "The platform knows the approval after all"],
    ["vanished", {}, "The platform does not know this approval any more: it was deleted there"],
    ["recovered", { verb: "approve" }, "The platform's record holds our decision, approved, which was taken up again"],
    ["frozen", { why: "a broken seal" }, "Frozen, an operator must look: a broken seal"],
    ["closed", {}, "Closed: every card and thread says how it ended, and the content was erased"],
    ["of a later version", {}, "of a later version"],
  ])("an entry says what happened: %s", async ([kind, event, expected]) => {
    expect(await words({ kind, ours: true, event })).toBe(expected)
  })

  test("an entry that is not ours says nothing of what it claims", async () => {
    const said = await words({ kind: "voted", ours: false, event: { person: "T1:U1" } })

    expect(said).toBe("This entry was not written by Countersign, or was changed.")
  })
})
