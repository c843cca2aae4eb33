// Browsing by filters: how far one request looks, and what it says of cases that nobody can trust.

import { expect, test } from "vitest"
import { openCase } from "../../../src/domain/case/steps.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { ListedCase, Reading } from "../../../src/flow/ports.ts"
import { browse } from "../../../src/http/reading/browse.ts"
import { casesQuery, cursorOf, readCursor } from "../../../src/http/reading/query.ts"
import { anApproval, aPolicy, installation } from "../../support/builders.ts"

const approval = anApproval()
const policy = aPolicy()
const { next: aCase } = openCase({ installation, approval, policy, at: 1_000, epoch: "e" })

/** So many cases, the latest first; the reading counts how many were looked at. */
function aList(count: number, found: (index: number) => ListedCase["found"] = () => aCase) {
  const all = Array.from({ length: count }, (_, index): ListedCase => {
    const caseId = (count - index).toString(16).padStart(20, "0")
    return { place: { openedAt: count - index, caseId }, found: found(index) }
  })
  let looked = 0
  const reading: Pick<Reading, "cases"> = {
    cases: async ({ after, limit }) => {
      const start = after === null ? 0 : all.findIndex(({ place }) => place.caseId === after.caseId) + 1
      const page = all.slice(start, start + limit)
      looked += page.length
      return page
    },
  }
  return { reading, looked: () => looked }
}

test("one request looks through 2,000 cases and leaves the rest to the next", async () => {
  const list = aList(2_500)

  const first = await browse(list.reading, casesQuery.parse({ text: "nowhere" }))
  const looked = list.looked()
  const rest = await browse(list.reading, casesQuery.parse({ text: "nowhere", cursor: first.next ?? "" }))

  expect([first.cases.length, looked]).toEqual([0, 2_000])
  expect(first.next).not.toBeNull()
  expect(first.lookedTo).toEqual({ at: 501, among: null })
  expect(rest).toEqual({ cases: [], next: null, perhaps: 0, lookedTo: null })
})

test("it stops looking where since begins", async () => {
  const list = aList(2_500)

  const page = await browse(list.reading, { ...casesQuery.parse({}), since: 2_450, limit: 200 })

  expect([page.cases.length, page.next, list.looked()]).toEqual([51, null, 100])
})

test("a page that is full before that many were looked through says nothing of how far it looked", async () => {
  const page = await browse(aList(2_500).reading, casesQuery.parse({ limit: "10" }))

  expect([page.cases.length, page.next === null, page.lookedTo]).toEqual([10, false, null])
})

test("sorted by state, it is said of which state the cases were looked for, how far back", async () => {
  const list = aList(1_500)

  const first = await browse(list.reading, casesQuery.parse({ sort: "state", text: "nowhere" }))

  expect(first.lookedTo).toEqual({ at: 1_001, among: "frozen" })
})

test("the last page has no next, also when it is full", async () => {
  const { reading } = aList(10)

  const page = await browse(reading, casesQuery.parse({ limit: "10" }))

  expect([page.cases.length, page.next]).toEqual([10, null])
})

test("a case that was not written by us is found as frozen and by its id, never by what it says", async () => {
  const tampered = { kind: "tampered", caseId: "0123456789abcdef0123", why: "it was changed" } as const
  const { reading } = aList(1, () => tampered)
  const found = async (query: Record<string, string>) => (await browse(reading, casesQuery.parse(query))).cases.length

  expect(await found({})).toBe(1)
  expect(await found({ state: "frozen" })).toBe(1)
  expect(await found({ text: "0123456789" })).toBe(1)
  expect(await found({ state: "open" })).toBe(0)
  expect(await found({ tool: "*" })).toBe(0)
  expect(await found({ team: "*" })).toBe(0)
  expect(await found({ outcome: "gone" })).toBe(0)
})

test("cases are found by team, and by how they ended", async () => {
  const { next: ofTeam } = openCase({
    installation,
    approval: anApproval({ teamId: "finance" }),
    policy,
    at: 1_000,
    epoch: "e",
  })
  const ended = (outcome: NonNullable<typeof aCase.outcome>) =>
    ({ ...aCase, state: "closed", approval: null, outcome }) as const
  const all = [
    ofTeam,
    ended({ kind: "ours", verb: "reject", decisionId: "d", resolvedBy: null, at: 2_000 }),
    ended({ kind: "elsewhere", status: "expired", resolvedBy: null, at: 2_000 }),
    ended({ kind: "vanished", at: 2_000 }),
  ]
  const { reading } = aList(4, (index) => all[index] ?? aCase)
  const found = async (query: Record<string, string>) => {
    const { cases } = await browse(reading, casesQuery.parse(query))
    return cases.map((one) => all.findIndex((other) => other === one))
  }

  expect(await found({ team: "FIN*" })).toEqual([0])
  expect(await found({ outcome: "rejected" })).toEqual([1])
  expect(await found({ outcome: "expired" })).toEqual([2])
  expect(await found({ outcome: "elsewhere" })).toEqual([2])
  expect(await found({ outcome: "gone" })).toEqual([3])
  expect(await found({ outcome: "approved" })).toEqual([])
  expect(() => casesQuery.parse({ outcome: "lost" })).toThrow(
    "must be one of approved, rejected, expired, elsewhere, gone",
  )
})

test("sorted by state, those that wait come first, whatever their age, and pages go on where the last one ended", async () => {
  const ended = (outcome: NonNullable<typeof aCase.outcome>) =>
    ({ ...aCase, state: "closed", approval: null, outcome }) as const
  const approved = ended({ kind: "ours", verb: "approve", decisionId: "d", resolvedBy: null, at: 2_000 })
  const rejected = ended({ kind: "ours", verb: "reject", decisionId: "d", resolvedBy: null, at: 2_000 })
  const elsewhere = ended({ kind: "elsewhere", status: "approved", resolvedBy: null, at: 2_000 })
  const all = [rejected, approved, { ...aCase, state: "frozen" } as const, elsewhere, aCase]
  // Enough that each group ends on a page of its own.
  const { reading } = aList(250, (index) => all[index % 5] ?? aCase)
  const words: string[] = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const asked: Record<string, string> = { sort: "state", limit: "30", ...(cursor === "" ? {} : { cursor }) }
    const page: Awaited<ReturnType<typeof browse>> = await browse(reading, casesQuery.parse(asked))
    for (const one of page.cases)
      words.push(String(all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one))))
    cursor = page.next
  }

  expect(words.join("")).toBe(["4", "2", "1", "0", "3"].map((one) => one.repeat(50)).join(""))
  expect(() => casesQuery.parse({ sort: "age" })).toThrow("must be state")
})

test("sorted by state, one request looks through 2,000 cases, too", async () => {
  const list = aList(2_500)

  const first = await browse(list.reading, casesQuery.parse({ sort: "state", text: "nowhere" }))
  const looked = list.looked()
  let { next } = first
  let requests = 1
  while (next !== null) {
    const query = casesQuery.parse({ sort: "state", text: "nowhere", cursor: next })
    next = (await browse(list.reading, query)).next
    requests += 1
  }

  expect([first.cases.length, looked]).toEqual([0, 2_000])
  expect(requests).toBeLessThan(10)
})

test("a cursor leads back to its place, and anything else leads nowhere", () => {
  const place = { group: 2, openedAt: 1_764_000_000_000, caseId: "0123456789abcdef0123" }

  const earlier = Buffer.from(`${place.openedAt}.${place.caseId}`).toString("base64url")

  expect(readCursor(cursorOf(place))).toEqual(place)
  expect(readCursor(earlier)).toEqual({ ...place, group: 0 })
  for (const wrong of ["", "x", Buffer.from("1.xyz").toString("base64url"), "é".repeat(500)])
    expect(readCursor(wrong)).toBeNull()
})

test("cases are found by what holds for their arguments, and those of which nobody can tell are counted", async () => {
  const refund = (toolArgs: JsonObject) =>
    openCase({ installation, approval: anApproval({ toolArgs, requirements: null }), policy, at: 1_000, epoch: "e" })
      .next
  const all = [refund({ amount: 2_000 }), refund({ amount: 5 }), { ...refund({ amount: 3_000 }), approval: null }]
  const { reading } = aList(3, (index) => all[index] ?? aCase)

  const { cases, next, perhaps } = await browse(reading, casesQuery.parse({ when: "args.amount > 1000" }))

  expect([cases.length, cases[0] === all[0], next, perhaps]).toEqual([1, true, null, 1])
  expect(() => casesQuery.parse({ when: "amount > 5" })).toThrow("at column 1 (amount > 5) begins with amount")
})

test("while one request looks through many cases, others get their turn", async () => {
  const list = aList(2_500)
  let turns = 0
  let goes = true
  const take = () => {
    turns += 1
    if (goes) setImmediate(take)
  }
  setImmediate(take)

  await browse(list.reading, casesQuery.parse({ when: 'args.never == "there"' }))
  goes = false

  expect(turns).toBeGreaterThan(1_000)
})
