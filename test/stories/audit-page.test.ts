// What an auditor reads on the page: sentences, names and arguments as in Slack, what is erased, and the order.
import { afterAll, beforeAll, expect, it } from "vitest"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { ask, card, decided, giveReason, pausePolls, placed, press, record, until } from "./acts.ts"
import { sandboxCast, startWorld, type World } from "./world.ts"

const rules = `
  - name: kept-back
    match: { tool: [book_trip] }
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    mask: [password]
    arguments: details
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: reject
    mask: [password]`

let world: World

beforeAll(async () => {
  world = await startWorld({ http: readingOn, rules })
})

afterAll(() => world.close())

/** A page, as somebody sees it who is signed in. */
async function page(path: string, at = world): Promise<string> {
  const headers = { cookie: `countersign_read=${await aReadToken()}` }
  return (await fetch(at.bot.url + path, { headers })).text()
}

/** What people read of a page, without its markup; a title stands in brackets. */
function wordsOf(text: string): string {
  const titled = text.replaceAll(/<bdi class="who" title="([^"]*)">([^<]*)<\/bdi>/g, "$2 [$1]")
  const inline = titled.replaceAll(/<\/?(?:bdi|b|code|a|strong|time)\b[^>]*>/g, "")
  return inline.replaceAll(/<[^>]*>/g, " ").replaceAll(/(?:\s|&nbsp;)+/g, " ")
}

/** The page of the case about a tool; "" if there is none yet. */
async function casePage(tool: string, at = world): Promise<string> {
  const path = /\/page\/cases\/[0-9a-f]{20}/.exec(await page(`/page?tool=${tool}`, at))?.[0]
  return path === undefined ? "" : wordsOf(await page(path, at))
}

it("a row says in a sentence what was asked, by which agent, with which tool", async () => {
  const tool_args = { to: "all@example.com", subject: "Prices go up", password: "hunter2-hunter2" }
  await ask(world, { tool_name: "send_news", source_name: "Mail Agent", tool_args, user_id: "rita@sandbox.example" })
  await until("its case", async () => ((await casePage("send_news")) === "" ? undefined : true))

  const row = wordsOf(await page("/page?tool=send_news"))

  expect(row).toContain(
    "send news with to: all@example.com, subject: Prices go up and 1 more argument Mail Agent · send_news Waiting",
  )
  expect(row).not.toContain("hunter2")
})

it("a case shows names and values as Slack does, masks included, and the name of who asked", async () => {
  const tool_args = { city: "Rome", note: "one\ntwo", list: [{ sku: "A-1" }], password: "hunter2-hunter2", left: "" }
  await ask(world, {
    tool_name: "book_trip",
    source_name: "Travel Agent",
    tool_args,
    user_id: "rita@sandbox.example",
  })
  await until("its case", async () => ((await casePage("book_trip")) === "" ? undefined : true))

  const words = await casePage("book_trip")

  expect(words).toContain("“Travel Agent” wants to run book trip with city: Rome")
  expect(words).toContain("What was asked book_trip city: Rome note one two list: - sku: A-1")
  expect(words).toContain("password: ▒▒▒▒ 15 characters masked ▒▒▒▒ left: empty")
  expect(words).not.toMatch(/hunter2|\{|are kept until|erased/)
  expect(words).toContain("Asked by Rita rita@sandbox.example")
  expect(words).toContain(
    "First seen. Asked: the group approvers [S0APPROVERS], 1 approval needed under rule kept-back",
  )
})

it("a decided case names people, tells each step in a sentence, and how long its content stays", async () => {
  const row = await ask(world, { tool_name: "close_shop", tool_args: { password: "hunter2-hunter2" } })
  const open = await card(world, "close_shop")
  await placed(world, row.id)
  await press(world, sandboxCast.alice, open, "reject")
  await giveReason(world, sandboxCast.alice, "not on a Saturday")
  await decided(world, row.id)
  await until("its end", async () => ((await casePage("close_shop")).includes("Closed: every card") ? true : undefined))

  const list = wordsOf(await page("/page?tool=close_shop"))
  const words = await casePage("close_shop")

  expect(list).toMatch(/Rejected .* Alice \[T0SANDBOX:U0ALICE\]/)
  expect(words).toContain("Alice rejected this in the form, ")
  expect(words).toContain("Alice [T0SANDBOX:U0ALICE] rejected this in the form: “not on a Saturday”")
  expect(words).toMatch(/Decided: rejected by Alice \[T0SANDBOX:U0ALICE\]: “not on a Saturday”\. Decision [0-9a-f]+/)
  expect(words).toContain("The platform has it: rejected, resolved by Alice [alice@sandbox.example]")
  expect(words).toContain("A card was posted to #approvals [C0APPROVALS]")
  expect(words).toMatch(/The ids behind these names .*#approvals C0APPROVALS/)
  expect(words).toMatch(
    /arguments are kept until [0-9: -]+ UTC, then erased\. .* What is masked was erased when the case was closed\./,
  )
  expect(words).not.toContain("arguments were erased")
})

it("says of a press that did not count whose it was, and why", async () => {
  await ask(world, { tool_name: "send_gift" })
  await press(world, sandboxCast.rita, await card(world, "send_gift"), "approve")
  const said = "Rita [T0SANDBOX:U0RITA] tried to approve this, and it did not count: they are not among the approvers"

  await until("the refusal", async () => ((await casePage("send_gift")).includes(said) ? true : undefined))
})

it("R2 says which arguments changed after people were asked, by their names alone", async () => {
  const moved = await startWorld({ http: readingOn })
  try {
    const row = await ask(moved, { tool_name: "pay_out", tool_args: { iban: "DE02", amount: 5 } })
    const open = await card(moved, "DE02")
    pausePolls(moved)
    const body: unknown = JSON.parse(JSON.stringify(await record(moved, row.id)).replaceAll("DE02", "LT60"))
    const path = new RegExp(`/approvals/${row.id}$`)
    moved.proxy.fail({ method: "GET", path, fault: { kind: "answer", status: 200, body } })
    await press(moved, sandboxCast.alice, open, "approve")
    await card(moved, "LT60")

    const words = await casePage("pay_out", moved)

    expect(words).toContain("Changed after people were asked: iban. Votes from before do not count.")
    expect(words).toContain("What would run has changed (the ledger does not keep how): this is revision 2.")
    expect(words).not.toContain("DE02")
  } finally {
    await moved.close()
  }
})

it("can be sorted by state, and says by which column it is sorted", async () => {
  const plain = await page("/page?limit=3")
  const sorted = await page("/page?sort=state")
  const states = [...sorted.matchAll(/<span class="state \w+">([^<]+)/g)].map(([, word]) => word)

  expect(plain).toContain('href="/page?limit=3&amp;sort=state"')
  expect(sorted).toContain('aria-sort="other"')
  expect(states.indexOf("Rejected")).toBeGreaterThan(states.lastIndexOf("Waiting"))
  expect(states).toContain("Waiting")
})

it("R15 says that the content was erased where it was, and keeps the sentence without its arguments", async () => {
  const forgetful = await startWorld({ http: readingOn, more: "retain_arguments: 0" })
  try {
    const tool_args = { invoice: "INV-7" }
    const row = await ask(forgetful, { tool_name: "pay_once", source_name: "Billing Agent", tool_args })
    await until("its case", async () => ((await casePage("pay_once", forgetful)) === "" ? undefined : true))
    const waiting = await casePage("pay_once", forgetful)
    await press(forgetful, sandboxCast.alice, await card(forgetful, "pay_once"), "approve")
    await decided(forgetful, row.id)
    const closed = await until("its end", async () => {
      const words = await casePage("pay_once", forgetful)
      // The page reads the case first, and then its entries: these may be newer.
      return /Closed: every card/.test(words) && !words.includes("INV-7") ? words : undefined
    })

    expect(waiting).toContain("invoice: INV-7")
    expect(waiting).not.toContain("erased")
    expect(closed).toContain("What was asked The arguments were erased after the case was closed.")
    expect(closed.match(/erased/g)).toHaveLength(1)
  } finally {
    await forgetful.close()
  }
})
