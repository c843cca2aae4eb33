// What the page says of a case's content (R15), of a case that Countersign did not write (R14), and of a demo.
import { html } from "hono/html"
import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { openCase } from "../../../src/domain/case/steps.ts"
import { casePage } from "../../../src/http/page/case-page.ts"
import { listPage } from "../../../src/http/page/list-page.ts"
import { contentWords } from "../../../src/http/page/words.ts"
import type { ToldEntry } from "../../../src/http/reading/models.ts"
import { tellCase } from "../../../src/http/reading/telling.ts"
import { anApproval, aPolicy, installation } from "../../support/builders.ts"

const approval = anApproval()
const { next: open } = openCase({ installation, approval, policy: aPolicy(), at: 1_000, epoch: "e" })
const closed: Case = { ...open, state: "closed", approval: null }
const until = Date.UTC(2027, 1, 26)
const kept = "These arguments are kept until 2027-02-26 00:00:00 UTC, then erased."
const stays = "Who asked, the votes, the receipt, the digest and the timeline stay."

async function said(found: Parameters<typeof contentWords>[0], hold: string | null = null): Promise<string | null> {
  const markup = await contentWords(found, hold)
  return markup === null
    ? null
    : markup
        .toString()
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll("&nbsp;", " ")
}

test("R15 content is called erased only where it was there and is gone", async () => {
  expect(await said(closed)).toBe(`The arguments were erased after the case was closed. ${stays}`)
  expect(await said({ ...closed, summary: { ...closed.summary, calls: 0 } })).toBeNull()
  expect(await said(open)).toBeNull()
  expect(await said({ ...open, state: "settled" })).toBeNull()
  expect(await said({ kind: "tampered", caseId: open.id, why: "it was changed" })).toBeNull()
})

test("R15 of kept content it says until when, and that masks are all that is left of masked values", async () => {
  const masked = anApproval({ toolArgs: { password: "▒▒▒▒ 8 characters masked ▒▒▒▒" } })

  expect(await said({ ...closed, kept: { approval, until } })).toBe(`${kept} ${stays}`)
  expect(await said({ ...closed, kept: { approval: masked, until } })).toBe(
    `${kept} ${stays} What is masked was erased when the case was closed.`,
  )
})

test("R15 a case on hold says so, by which hold, and that its arguments stay until that ends", async () => {
  const hold = "tool <refund_*>, hold 3fa9"

  expect(await said({ ...closed, kept: { approval, until } }, hold)).toBe(
    `This case is on hold (tool &lt;refund_*&gt;, hold 3fa9). These arguments are kept until it ends. ${stays}`,
  )
  expect(await said(open, hold)).toContain("hold 3fa9). Once it is closed, it stays until the hold ends.")
  expect(await said(closed, hold)).toMatch(/^This case is on hold .* The arguments were erased after/)
  expect(await said({ ...closed, summary: { ...closed.summary, calls: 0 } }, hold)).toMatch(/^This case is on hold/)
})

/** The list with one case, as it is read. */
function listWith(told: ReturnType<typeof tellCase>) {
  const rows = [{ told, subject: null }]
  return listPage({ asked: {}, rows, next: null, perhaps: 0, lookedTo: null, downloads: [], problems: [], stops: [] })
}

test("R14 a row says that Countersign did not write the record, and shows nothing of it", async () => {
  const told = tellCase({ kind: "tampered", caseId: "0123456789abcdef0123", why: "it was changed" }, () => null)
  const page = await listWith(told)

  expect(page.toString()).toContain(
    '<a href="/page/cases/0123456789abcdef0123">Its record was not written by Countersign</a></th>',
  )
  expect(page.toString()).toContain("Frozen")
})

/** The page of a case with such entries, as it is read. */
async function caseWith(sandboxes: readonly boolean[], changes: Partial<Parameters<typeof casePage>[0]> = {}) {
  const entries = sandboxes.map((sandbox, index): ToldEntry => {
    const number = 10 + index
    return { number, ours: true, time: null, chain: "c", n: index + 1, kind: "found", sandbox, event: {}, mac: "m" }
  })
  const shown = {
    headline: null,
    calls: [],
    changed: [],
    content: null,
    names: new Map(),
    receipt: null,
    next: null,
    list: "/page",
  }
  const markup = await casePage({ told: tellCase(open, () => null), ...shown, entries, ...changes })
  return markup.toString().replaceAll(/<[^>]*>/g, "")
}

test("a case says once that it was made in a demo, and each entry keeps its number", async () => {
  const demo = await caseWith([true, true])
  const real = await caseWith([false, false])

  expect(demo.match(/demo/g)).toHaveLength(1)
  expect(demo).toContain("no real people asked or decided")
  expect(demo).toMatch(/entry 10[\s\S]*entry 11/)
  expect(real).not.toContain("demo")
})

test("if only a part was made in a demo, its entries say so one by one", async () => {
  const words = await caseWith([true, false])

  expect(words).not.toContain("no real people")
  expect(words).toContain("entry 10, made in a demo")
  expect(words).not.toContain("entry 11, made in a demo")
})

test("a case says what its ids are, why numbers of entries are left out, and which ids stand behind names", async () => {
  const names = new Map([
    ["T1:U1", "Ann"],
    ["U1", "Ann"],
    ["T1:U2", "Ann"],
    ["U2", "Ann"],
  ])
  const words = await caseWith([false], { names })

  expect(words).toContain(`${open.revision.digest}SHA-256 of all that was asked.`)
  expect(words).toContain("The ledger numbers its entries over all cases")
  expect(words.slice(words.indexOf("The ids behind"))).toMatch(/Ann T1:U1Ann T1:U2(?!Ann)/)
})

test("a case whose content changed says which arguments, and that earlier votes are void", async () => {
  expect(await caseWith([false], { changed: ["iban", "amount"], content: html`kept` })).toContain(
    "Changed after people were asked: iban and amount. Votes from before do not count.",
  )
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
  const page = await listWith(told)

  const [, cell = ""] = /data-label="Decided by"[^>]*>(.*?)<\/td>/s.exec(page.toString()) ?? []
  expect(cell).toMatch(/^<div>.*Ann<\/bdi> and <bdi.*Bob<\/bdi><\/div>$/s)
})

test("a proposal that another replaced says so in the list and on its page, with a link to the newer one", async () => {
  const proposal = { how: "replaced", newer: "0123456789abcdef0123" } as const
  const outcome = {
    kind: "elsewhere",
    status: "cancelled",
    resolved_by: "countersign:replaced",
    at: "2026",
    proposal,
  } as const
  const told = { ...tellCase(open, () => null), outcome }
  const shown = {
    headline: null,
    calls: [],
    changed: [],
    content: null,
    names: new Map(),
    receipt: null,
    next: null,
    list: "/page",
  }

  const list = await listPage({
    asked: {},
    rows: [{ told, subject: null }],
    next: null,
    perhaps: 0,
    lookedTo: null,
    downloads: [],
    problems: [],
    stops: [],
  })
  const page = await casePage({ told, ...shown, entries: [] })

  const said = 'A newer proposal took its place: <a href="/page/cases/0123456789abcdef0123">case'
  for (const markup of [list.toString(), page.toString()]) {
    expect(markup).toContain(said)
    expect(markup).toContain(">Replaced</span>")
    expect(markup).not.toMatch(/countersign:replaced|outside Countersign|elsewhere<\/span>/)
  }
})

test.each([
  ["with rows", 1, null, "Looked back to 2026-11-29 08:00:00 UTC so far. Next page"],
  ["without rows", 0, null, "Looked back to 2026-11-29 08:00:00 UTC so far. Next page"],
  [
    "sorted by state",
    0,
    "elsewhere",
    "Looked for cases that are decided elsewhere, back to 2026-11-29 08:00:00 UTC so far. Next page",
  ],
] as const)("a list that ends before all cases are looked through says how far back it is: %s", async (...given) => {
  const [, count, among, words] = given
  const lookedTo = { at: Date.UTC(2026, 10, 29, 8), among }
  const rows = Array.from({ length: count }, () => ({ told: tellCase(open, () => null), subject: null }))
  const none = { perhaps: 0, downloads: [], problems: [], stops: [] }

  const list = String(await listPage({ asked: {}, rows, next: "cursor", lookedTo, ...none }))
  const full = String(await listPage({ asked: {}, rows, next: "cursor", lookedTo: null, ...none }))

  const plain = (markup: string) => markup.replaceAll(/<[^>]*>/g, "").replaceAll("&nbsp;", " ")
  expect(plain(list)).toContain(words)
  expect(plain(list).includes("None among those looked through")).toBe(count === 0)
  expect(full).not.toContain("Looked")
})
