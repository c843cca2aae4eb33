// The part of an event that is somebody's own, and so lies beside the ledger where it can be erased.

import { expect, test } from "vitest"
import { sha256 } from "../../../src/domain/content/canonical.ts"
import { splitEvent } from "../../../src/store/ledger/erasable-record.ts"
import type { LedgerEvent } from "../../../src/store/ledger/ledger-event.ts"
import { aSeal } from "../../support/builders.ts"

const at = 1_000
const person = "T1:U1"
const email = "a@example.com"

const decided = { kind: "decided", at, decision: "d-1", verb: "approve", digest: "f00d" } as const

/** Events with what is private in them, and whose it is. */
const cases: readonly (readonly [LedgerEvent, Readonly<Record<string, string>>, string | null])[] = [
  [
    { kind: "elsewhere", at, status: "approved", resolvedBy: "somebody", claimsToBeOurs: false },
    { resolvedBy: "somebody" },
    null,
  ],
  [
    { ...decided, people: [person, "T1:U2"], subject: "u2@example.com", reason: "fits" },
    { subject: "u2@example.com", reason: "fits" },
    "T1:U2",
  ],
  [{ ...decided, people: [], subject: "expiry", reason: null }, { subject: "expiry" }, null],
  [{ kind: "asked", at, person, to: "requester", text: "why?", interaction: "i" }, { text: "why?" }, person],
  [
    { kind: "answered", at, person, as: "requester", asker: "T1:U2", question: "q", text: "so", interaction: "i" },
    { text: "so" },
    person,
  ],
  [{ kind: "pinned", at, email, person }, { email }, person],
  [{ kind: "contested", at, email, person, now: "T1:U2" }, { email }, person],
  [{ kind: "linked", at, email, person, before: null, by: "root" }, { email }, person],
  [{ kind: "unlinked", at, email, person, by: "root" }, { email }, person],
]

test.each(cases)(
  "an entry holds the hash of what is private in it, and nothing else of that: %#",
  (given, text, owner) => {
    const { event, erasable } = splitEvent(aSeal(), given)

    expect(JSON.parse(erasable?.json ?? "{}")).toEqual({
      person: owner,
      salt: expect.stringMatching(/^\S{16,}$/),
      text,
    })
    expect(erasable?.hash).toBe(sha256(erasable?.json ?? ""))
    const kept = Object.entries(given).filter(
      ([name, value]) => !(name in text || (name === "reason" && value === null)),
    )
    expect(event).toEqual({ ...Object.fromEntries(kept), erasable: erasable?.hash })
  },
)

test("an event that says nothing private has no erasable record", () => {
  const silent: LedgerEvent = { kind: "elsewhere", at, status: "approved", resolvedBy: null, claimsToBeOurs: false }
  const closed: LedgerEvent = { kind: "closed", at }

  expect(splitEvent(aSeal(), silent)).toEqual({
    event: { kind: "elsewhere", at, status: "approved", claimsToBeOurs: false },
    erasable: null,
  })
  expect(splitEvent(aSeal(), closed)).toEqual({ event: closed, erasable: null })
})
