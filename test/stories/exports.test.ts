// What an auditor opens in a spreadsheet: refunds that people decided, exported by commands, and read back by a library
// that knows nothing of us.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "csv-parse/sync"
import { beforeAll, describe, expect, it } from "vitest"
import { command } from "../cli/command.ts"
import { aReadToken, readingOn } from "../support/read-token.ts"
import { startRedisByAddress } from "../support/redis.ts"
import { ask, card, decided, giveReason, placed, press, settled } from "./acts.ts"
import { sandboxCast, startWorld, type World } from "./world.ts"

const { alice, bob } = sandboxCast
const rules = `
  - name: refunds
    match: { tool: [refund_*] }
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: always
    mask: [card]
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    require_reason: never`

let here: World
let redisUrl: string

beforeAll(async () => {
  const redis = await startRedisByAddress()
  redisUrl = redis.url
  here = await startWorld({ redisUrl, rules, http: readingOn, more: "retain_arguments: 365d" })
  await refunded("refund_large", { args: { amount: 2_500, card: "4111-1111" }, by: alice, why: "=goods came back" })
  await refunded("refund_small", { args: { amount: 400, note: "-1 item" }, by: alice, why: "late" })
  await refunded("refund_odd", { args: { amount: 5_000, "=run": { deep: [1] } }, by: bob, why: "no\ncontract" })
  await ask(here, { tool_name: "delete_user_data", tool_args: { amount: -7, time: "always" } })
  await card(here, "delete user data")
  return async () => {
    await here.close()
    await redis.stop()
  }
})

interface Refund {
  readonly args: Record<string, unknown>
  readonly by: string
  readonly why: string
}

/** A refund that somebody approves, or that Bob rejects, each with a reason. */
async function refunded(tool: string, { args, by, why }: Refund): Promise<void> {
  const row = await ask(here, {
    tool_name: tool,
    tool_args: args,
    source_name: "Billing Agent",
    user_id: "rita@corp.example",
  })
  const words = tool.replace("_", " ")
  const open = await card(here, words)
  await placed(here, row.id)
  await press(here, by, open, by === bob ? "reject" : "approve")
  await giveReason(here, by, why)
  await decided(here, row.id)
  await settled(here, words)
}

/** Gives a command in the bot's folder, with the bot's environment. */
function given(...words: readonly string[]) {
  writeFileSync(join(here.folder, "countersign.yaml"), here.yaml)
  return command(words, { env: { ...here.env, REDIS_URL: redisUrl }, cwd: here.folder }).ended
}

/** The rows of a CSV, by the names of their columns. */
function rowsIn(text: string): readonly Readonly<Record<string, string>>[] {
  return parse(text, { bom: true, columns: true })
}

async function exported(...words: readonly string[]) {
  const { code, out, err } = await given(...words)
  if (code !== 0) throw new Error(err)
  return rowsIn(out)
}

describe("ledger export --format csv", () => {
  it("has a column for each fact of an entry, and for what its case asked", async () => {
    const rows = await exported("ledger", "export", "--format", "csv")

    const large = rows.find(({ event, tool }) => event === "decided" && tool === "refund_large")
    expect(large).toMatchObject({
      time: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
      case: expect.stringMatching(/^[0-9a-f]{20}$/),
      asked: "refund large with amount: 2500 and 1 more argument",
      agent: "Billing Agent",
      requester: "rita@corp.example",
      verb: "approve",
      person: "T0SANDBOX:U0ALICE",
      name: "Alice",
      for: "",
      rule: "refunds",
      reason: "'=goods came back",
      decision: expect.stringMatching(/^[0-9a-f-]{16,}$/),
      receipt: expect.stringMatching(/^[0-9a-f]{64}$/),
      sandbox: "yes",
      ours: "yes",
      text: "kept",
      content: "masked",
    })
    const voted = rows.find(({ event, tool }) => event === "voted" && tool === "refund_odd")
    expect(voted).toMatchObject({ verb: "reject", name: "Bob", rule: "refunds", reason: "no\ncontract", text: "kept" })
    expect(rows.find(({ event, tool }) => event === "resolved" && tool === "refund_odd")?.["outcome"]).toBe("rejected")
    expect(rows.find(({ event }) => event === "installed")).toMatchObject({ case: "", asked: "", content: "" })
  })

  it("has as many lines as the JSON lines have entries, in their order", async () => {
    const { out } = await given("ledger", "export")
    const numbers = out
      .trimEnd()
      .split("\n")
      .map((line) => String(JSON.parse(line).number))

    const rows = await exported("ledger", "export", "--format", "csv", "--to", numbers.at(-1) ?? "")

    expect(rows.map(({ number }) => number)).toEqual(numbers)
  })
})

describe("cases export", () => {
  it("has a line for each case, with a column for each argument that is kept", async () => {
    const rows = await exported("cases", "export")

    expect(rows.map(({ tool }) => tool)).toEqual(["delete_user_data", "refund_odd", "refund_small", "refund_large"])
    expect(Object.keys(rows[0] ?? {}).slice(-8)).toEqual([
      "decision",
      "content",
      'args["=run"]',
      "args.amount",
      "args.card",
      "args.note",
      "args.time",
      "other arguments",
    ])
    expect(rows[0]).toMatchObject({ state: "open", "args.amount": "-7", "args.time": "always", call: "1 of 1" })
    expect(rows[1]).toMatchObject({
      verb: "reject",
      name: "Bob",
      reason: "no\ncontract",
      outcome: "rejected",
      rule: "refunds",
      'args["=run"]': '{"deep":[1]}',
      content: "whole",
    })
    expect(rows[2]).toMatchObject({ "args.note": "'-1 item", "args.card": "" })
    expect(rows[3]).toMatchObject({
      "args.amount": "2500",
      "args.card": expect.stringContaining("▒"),
      content: "masked",
    })
  })

  it("answers which refunds above 1,000 there were, by whom and with which reason", async () => {
    const today = new Date().toISOString().slice(0, 10)
    const words = ["--tool", "refund_*", "--from", "2026-01-01", "--to", today, "--when", "args.amount > 1000"]

    const rows = await exported("cases", "export", ...words)

    expect(rows.map(({ name, reason, outcome }) => [name, reason, outcome])).toEqual([
      ["Bob", "no\ncontract", "rejected"],
      ["Alice", "'=goods came back", "approved"],
    ])
  })

  it("leaves out nothing and marks nothing in JSON lines", async () => {
    const { out } = await given("cases", "export", "--format", "jsonl", "--tool", "refund_odd")

    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(rows).toMatchObject([{ name: "Bob", arguments: { amount: 5_000, "=run": { deep: [1] } } }])
  })

  it("says how many cases are left out because nobody can tell whether they fit", async () => {
    const { out, err } = await given("cases", "export", "--when", 'args.card == "4111-1111"')

    const left =
      "Left out: calls of 1 case that may fit. Nobody can tell: what the filter looks at is masked, erased or"
    expect(rowsIn(out)).toMatchObject([{ case: expect.stringContaining(left), state: "", tool: "" }])
    expect(err).toContain(left)
  })
})

describe("ledger export --when", () => {
  it("has the entries of the cases that fit, and of no others", async () => {
    const when = ["--when", 'args.amount > 1000 && call.tool.startsWith("refund")']
    const rows = await exported("ledger", "export", "--format", "csv", ...when)
    const { out } = await given("ledger", "export", ...when)

    expect(new Set(rows.map(({ tool }) => tool))).toEqual(new Set(["refund_large", "refund_odd"]))
    expect(rows.map(({ event }) => event)).toContain("decided")
    expect(out.trimEnd().split("\n")).toHaveLength(rows.length)
  })

  it("says in the last line of CSV, and on stderr, how many entries are left out because nobody can tell", async () => {
    const when = ["--when", 'args.card == "4111-1111"']
    const csv = await given("ledger", "export", "--format", "csv", ...when)
    const lines = await given("ledger", "export", ...when)

    const left =
      /^Left out: \d+ entries that may fit\. Nobody can tell: what the filter looks at is masked, erased or in/
    expect(rowsIn(csv.out)).toMatchObject([{ number: expect.stringMatching(left), event: "", case: "" }])
    for (const { err } of [csv, lines]) expect(err).toMatch(left)
    expect(lines.out).toBe("")
  })
})

describe("an export", () => {
  it.each([
    [
      ["cases", "export", "--when", "amount > 5"],
      "--when at column 1 (amount > 5) begins with amount: write args.amount",
    ],
    [["ledger", "export", "--when", "args.amount"], "--when at column 1 (args.amount) is a value and no condition"],
    [["ledger", "export", "--when", "time.hour > 5"], "--when looks at time, which is not kept"],
    [["cases", "export", "--from", "yesterday"], "--from must be a day or a time such as 2026-11-21"],
    [["cases", "export", "--to", "2026-13-01"], "--to must be a day or a time such as 2026-11-21"],
    [["cases", "export", "--state", "gone"], "--state must be one of open, sending,"],
    [["cases", "export", "--format", "xlsx"], "--format must be csv or jsonl, not xlsx"],
  ])("%j is refused in one line", async (words, why) => {
    const { code, out, err } = await given(...words)

    expect([code, out]).toEqual([1, ""])
    expect(err).toContain(`countersign: ${why}`)
    expect(err.trimEnd().split("\n")).toHaveLength(1)
  })

  it("says that Redis does not answer", async () => {
    const env = { ...here.env, REDIS_URL: "redis://127.0.0.1:9" }
    const { code, out, err } = await command(["cases", "export"], { env, cwd: here.folder }).ended

    expect([code, out]).toEqual([1, ""])
    expect(err).toContain("127.0.0.1:9")
  })

  it.each([["cases"], ["ledger"]])("of %s ends in peace when its reader has enough", async (what) => {
    const running = command([what, "export", "--format", "csv"], {
      env: { ...here.env, REDIS_URL: redisUrl },
      cwd: here.folder,
    })
    running.child.stdout?.destroy()

    expect(await running.ended).toMatchObject({ code: 0, err: "" })
  })
})

/** A page, as somebody sees it who is signed in. */
async function page(path: string, scopes: readonly string[] = ["cases:read", "ledger:read"]) {
  const headers = { cookie: `countersign_read=${await aReadToken({ scopes: [...scopes] })}` }
  const answer = await fetch(here.bot.url + path, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Where a link of a page leads. */
function linkIn(text: string, words: string): string {
  const found = [...text.matchAll(/href="([^"]+)"[^>]*>([^<]*)</g)].find(([, , label]) => label === words)
  return (found?.[1] ?? "").replaceAll("&amp;", "&")
}

describe("on /page", () => {
  const quarter = "tool=refund_*&since=2026-01-01&when=args.amount%20%3E%201000"

  it("an auditor finds the refunds above 1,000, and takes them home: by whom, and with which reason", async () => {
    const list = await page(`/page?${quarter}`)
    const cases = await page(linkIn(list.text, "Cases (CSV)"))
    const entries = await page(linkIn(list.text, "Ledger entries (CSV)"))

    expect(list.text).toContain('name="when" value="args.amount &gt; 1000"')
    expect(list.text.match(/href="\/page\/cases\/[0-9a-f]{20}\?/g)).toHaveLength(2)
    expect(cases.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(cases.headers.get("content-disposition")).toMatch(
      /^attachment; filename="countersign-.+-cases-2026-01-01-to-/,
    )
    expect(rowsIn(cases.text).map((row) => [row["args.amount"], row["name"], row["reason"]])).toEqual([
      ["5000", "Bob", "no\ncontract"],
      ["2500", "Alice", "'=goods came back"],
    ])
    const decisions = rowsIn(entries.text).filter(({ event }) => event === "decided")
    expect(decisions.map(({ tool, name, verb }) => [tool, name, verb])).toEqual([
      ["refund_odd", "Bob", "reject"],
      ["refund_large", "Alice", "approve"],
    ])
  })

  it("the list says what it shows, with each reason, and a case leads back to it", async () => {
    const query = "tool=refund_*&when=args.amount+%3E+1000&since=2026-01-01"
    const { text } = await page(`/page?${query}`)
    const [, link = ""] = /href="(\/page\/cases\/[^"]+)"/.exec(text) ?? []
    const { text: found } = await page(link.replaceAll("&amp;", "&"))

    const plain = text.replaceAll(/<[^>]*>/g, "")
    expect(plain).toContain("2 cases")
    expect(plain).toMatch(/Bob\s*“no\s+contract”/)
    expect(plain).toMatch(/Filter:\s*Arguments args\.amount &gt; 1000\s*.*Tool refund_\*/s)
    expect(found.replaceAll("&amp;", "&")).toMatch(
      /<a href="\/page\?tool=refund_\*&when=args\.amount\+%3E\+1000&since=2026-01-01">/,
    )
  })

  it("a range that ends before it begins is refused, by the page and by the command", async () => {
    const { status, text } = await page("/page?since=2026-02-01&until=2026-01-01")
    const { code, err } = await given("cases", "export", "--from", "2026-02-01", "--to", "2026-01-01")

    expect([status, text]).toEqual([
      422,
      expect.stringContaining("First seen to (UTC) must not be before the beginning"),
    ])
    expect([code, err]).toEqual([1, expect.stringContaining("must not be before the beginning")])
  })

  it("the download has the same lines as the command", async () => {
    const { text } = await page("/page/cases.csv?tool=refund_*")
    const { out } = await given("cases", "export", "--tool", "refund_*")

    expect(Buffer.from(text)).toEqual(Buffer.from(out.replace("\uFEFF", "")))
  })

  it("a filter that makes no sense says why, in the words of the config, and offers no download", async () => {
    const { status, text } = await page("/page?when=amount%20%3E%205")
    const download = await page("/page/cases.csv?when=amount%20%3E%205")

    const why = "Arguments at column 1 (amount &gt; 5) begins with amount: write args.amount, or begin with call,"
    for (const one of [text, download.text]) expect(one).toContain(why)
    expect([status, download.status, linkIn(text, "Cases (CSV)")]).toEqual([422, 422, ""])
  })

  it("says how many more cases may fit, where nobody can tell", async () => {
    const { text } = await page("/page?when=args.card%20%3D%3D%20%224%22&tool=refund_large")

    expect(text).toContain("1 more case may fit: what the filter looks at is masked, erased or in doubt there.")
  })

  it("entries of the ledger take ledger:read, and nothing is given to whoever is not signed in", async () => {
    const list = await page("/page", ["cases:read"])
    const refused = await page("/page/ledger.csv", ["cases:read"])
    const nobody = await fetch(`${here.bot.url}/page/cases.csv`)

    expect([linkIn(list.text, "Cases (CSV)"), linkIn(list.text, "Ledger entries (CSV)")]).toEqual([
      "/page/cases.csv?",
      "",
    ])
    expect(refused.status).toBe(403)
    expect(refused.text).toContain("ledger:read")
    expect([nobody.status, nobody.headers.get("content-type")]).toEqual([401, "text/html; charset=UTF-8"])
  })
})
