// Entries as lines of CSV: what a line tells of a case that is gone, and of an entry that is not ours.
import { parse } from "csv-parse/sync"
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import { createCaseMemory, factsOf } from "../../../src/http/export/case-facts.ts"
import { csvLine, csvMark } from "../../../src/http/export/csv.ts"
import { type ExportedEntry, entryColumns, entryLine } from "../../../src/http/export/entry-line.ts"
import { aCase, anApproval, aVote } from "../../support/builders.ts"

const subject = () => [{ text: "refund 5", style: "plain" } as const]
const caseId = "0123456789abcdef0123"

/** The columns of a line that hold something. */
function told(said: ExportedEntry["said"], found: Parameters<typeof factsOf>[0]): Readonly<Record<string, string>> {
  const facts = factsOf(found, { subject })
  const text = csvMark + csvLine(entryColumns) + entryLine({ entry: { number: 7, said }, caseId, facts })
  const [row = {}]: readonly Record<string, string>[] = parse(text, { bom: true, columns: true })
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""))
}

function event(event: JsonObject, text: string | null = null): ExportedEntry["said"] {
  return { event: { at: 0, ...event }, sandbox: false, text }
}

test("a case whose record was removed is told by what its entry says, and that it was removed", () => {
  const opened = event({ kind: "opened", tool: "refund", rules: ["money", "much"] })

  expect(told(opened, null)).toEqual({
    number: "7",
    time: "1970-01-01T00:00:00.000Z",
    case: caseId,
    event: "opened",
    tool: "refund",
    rule: "money; much",
    sandbox: "no",
    ours: "yes",
    content: "removed",
  })
})

test("nothing is told of a record that was not written by us, and of a foreign entry only its number", () => {
  const tampered = { kind: "tampered", caseId, why: "changed" } as const

  expect(told(event({ kind: "closed" }), tampered)).toMatchObject({ event: "closed", content: "not ours" })
  expect(told(event({ kind: "closed" }), tampered)).not.toHaveProperty("asked")
  expect(told(null, aCase())).toEqual({ number: "7", ours: "no" })
})

test("an erased vote says who voted, that the texts are erased, and no name", () => {
  const voted = event({ kind: "voted", verb: "approve", person: "T1:U1", rules: ["money"], for: ["T1:U2"] }, "erased")

  expect(told(voted, null)).toMatchObject({ verb: "approve", person: "T1:U1", for: "T1:U2", text: "erased" })
  expect(told(voted, null)).not.toHaveProperty("name")
  expect(told(voted, null)).not.toHaveProperty("reason")
})

test("a decision names all whose votes made it, and the rules under which they count", () => {
  const votes = [aVote({ user: "U1", name: "Alice" }), aVote({ user: "U2", name: "Bob" })]
  const found: Case = { ...aCase({ approval: anApproval() }), votes }
  const people = votes.map(({ person }) => `${person.team}:${person.user}`)

  expect(told(event({ kind: "decided", verb: "approve", people, decision: "d1", receipt: "aa" }), found)).toMatchObject(
    {
      asked: "refund 5",
      person: people.join("; "),
      name: "Alice; Bob",
      rule: votes[0]?.rules.map(({ name }) => name).join("; "),
      decision: "d1",
      receipt: "aa",
      content: "whole",
    },
  )
})

test.each([
  [{ kind: "called-back", person: "T1:U1" }, { verb: "reject" }],
  [{ kind: "recovered", verb: "approve" }, { outcome: "approved" }],
  [{ kind: "elsewhere", status: "approved" }, { outcome: "approved" }],
  [{ kind: "expired", rejects: true }, { outcome: "rejected" }],
  [{ kind: "expired", rejects: false }, { outcome: "expired" }],
  [{ kind: "vanished" }, { outcome: "gone" }],
  [{ kind: "frozen", why: "changed" }, { outcome: "frozen" }],
  [{ kind: "raised", asked: [{ rule: "much", quorum: 2, approvers: [] }] }, { rule: "much" }],
])("%j tells %j", (said, columns) => {
  expect(told(event(said), null)).toMatchObject(columns)
})

test("of 100,000 cases the last are remembered, and each is read once while its entries come together", async () => {
  let reads = 0
  const factsOfCase = createCaseMemory(
    {
      case: async () => {
        reads += 1
        return null
      },
    },
    () => ({ large: "x".repeat(10) }),
  )

  const kept = []
  for (let index = 0; index < 100_000; index += 1)
    for (let entry = 0; entry < 3; entry += 1) kept.push(await factsOfCase(String(index)))

  expect(reads).toBe(100_000)
  expect(new Set(kept.slice(-3)).size).toBe(1)
  await factsOfCase("99500")
  expect(reads).toBe(100_000)
  await factsOfCase("5")
  expect(reads).toBe(100_001)
})
