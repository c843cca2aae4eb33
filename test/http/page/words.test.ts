// What the page says of a case's content (R15), and of a case that Countersign did not write (R14).
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { listPage } from "../../../src/http/page/list-page.ts"
import { contentWords } from "../../../src/http/page/words.ts"
import { tellCase } from "../../../src/http/reading/telling.ts"
import { anApproval, aPolicy, installation } from "../../support/builders.ts"

const approval = anApproval()
const { next: open } = openCase({ installation, approval, policy: aPolicy(), at: 1_000, epoch: "e" })
const closed: Case = { ...open, state: "closed", approval: null }
const until = Date.UTC(2027, 1, 26)

async function said(found: Parameters<typeof contentWords>[0]): Promise<string | null> {
  const markup = await contentWords(found)
  return markup === null
    ? null
    : markup
        .toString()
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll("&nbsp;", " ")
}

test("R15 content is called erased only where it was there and is gone", async () => {
  expect(await said(closed)).toBe("Its content was erased after the case was closed. Its digest stands above.")
  expect(await said({ ...closed, summary: { ...closed.summary, calls: 0 } })).toBeNull()
  expect(await said(open)).toBeNull()
  expect(await said({ ...open, state: "settled" })).toBeNull()
  expect(await said({ kind: "tampered", caseId: open.id, why: "it was changed" })).toBeNull()
})

test("R15 of kept content it says until when, and that masks are all that is left of masked values", async () => {
  const masked = anApproval({ toolArgs: { password: "▒▒▒▒ 8 characters masked ▒▒▒▒" } })

  expect(await said({ ...closed, kept: { approval, until } })).toBe("Kept until 2027-02-26 00:00:00 UTC, then erased.")
  expect(await said({ ...closed, kept: { approval: masked, until } })).toBe(
    "Kept until 2027-02-26 00:00:00 UTC, then erased. What is masked was erased when the case was closed.",
  )
})

test("R14 a row says that Countersign did not write the record, and shows nothing of it", async () => {
  const told = tellCase({ kind: "tampered", caseId: "0123456789abcdef0123", why: "it was changed" }, () => null)
  const page = await listPage({ asked: {}, rows: [{ told, subject: null }], next: null, problems: [] })

  expect(page.toString()).toContain(
    '<a href="/page/cases/0123456789abcdef0123">Its record was not written by Countersign</a></th>',
  )
  expect(page.toString()).toContain("Frozen")
})

test("two deciders stand in one cell of a row, so that a phone does not tear them apart", async () => {
  const vote = { subject: "s", verb: "approve", reason: null, surface: "card", revealed: false } as const
  const votes = ["Ann", "Bob"].map((name) => ({
    ...vote,
    rules: [],
    name,
    person: `T1:${name}`,
    revision: 1,
    at: "2026",
  }))
  const decision = { id: "d", verb: "approve", at: "2026" } as const
  const outcome = { kind: "ours", status: "approved", resolved_by: "s", at: "2026" } as const
  const told = { ...tellCase(open, () => null), votes, decision, outcome }
  const page = await listPage({ asked: {}, rows: [{ told, subject: null }], next: null, problems: [] })

  const [, cell = ""] = /data-label="Decided by"[^>]*>(.*?)<\/td>/s.exec(page.toString()) ?? []
  expect(cell).toMatch(/^<div>.*Ann<\/bdi> and <bdi.*Bob<\/bdi><\/div>$/s)
})
