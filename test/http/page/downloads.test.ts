// Downloads of the page: they are read no faster than somebody takes them, and none looks whole that is not.
import { parse } from "csv-parse/sync"
import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { ListedCase, Reading } from "../../../src/flow/ports.ts"
import { casesAsCsv } from "../../../src/http/export/case-lines.ts"
import { type Download, download } from "../../../src/http/page/downloads.ts"
import { casesQuery } from "../../../src/http/reading/query.ts"
import { startHttp } from "../../../src/http/server.ts"
import { createLog } from "../../../src/log.ts"
import { StoreError } from "../../../src/store/errors.ts"
import { aCase, anApproval, aPolicy, aRequirement, aRule, aVote } from "../../support/builders.ts"

const noon = Date.UTC(2026, 10, 29, 12)
const silent = createLog({ write: () => undefined, clock: () => noon, level: "error", secrets: [] })

interface World {
  readonly cases?: readonly Case[]
  /** How many cases there are, one as the other. */
  readonly count?: number
  /** How many entries each case has. */
  readonly entries?: number
  /** The read of cases that fails, from 1. */
  readonly failsAt?: number
}

/** A reading that counts what is read, and the answer to a request for a download. */
function aWorld({ cases = [aCase()], count = cases.length, entries = 1, failsAt = Number.POSITIVE_INFINITY }: World) {
  const read = { pages: 0, entries: 0 }
  const listed = (index: number): ListedCase => ({
    place: { openedAt: noon - index, caseId: index.toString(16).padStart(20, "0") },
    found: cases[index % cases.length] ?? aCase(),
  })
  const reading = {
    cases: async ({ after, limit }) => {
      read.pages += 1
      if (read.pages >= failsAt) throw new StoreError("redis-unreachable", "Redis does not answer")
      const start = after === null ? 0 : noon - after.openedAt + 1
      return Array.from({ length: Math.max(0, Math.min(limit, count - start)) }, (_, at) => listed(start + at))
    },
    entriesOf: async (_caseId, { after, limit }) => {
      const length = Math.max(0, Math.min(limit, entries - after))
      read.entries += length
      const event = { kind: "voted", at: noon, verb: "approve", person: "T1:U1", name: "=Eve" }
      const said = { chain: "case", n: 1, sandbox: false, event, text: "kept" } as const
      return Array.from({ length }, (_, at) => ({ number: after + at + 1, mac: "m", said: { ...said, n: at + 1 } }))
    },
  } satisfies Pick<Reading, "cases" | "entriesOf">
  const cardWords = { subject: () => [{ text: "refund 5", style: "plain" } as const] }
  const app = new Hono()
  app.get("/:what", (context) => {
    const asked = context.req.query()
    const what = context.req.param("what") as Download
    const options = { reading, cardWords, installation: "main", log: silent, clock: () => noon }
    return download(context, options as never, { what, query: casesQuery.parse(asked), asked })
  })
  return { app, read, reading, cardWords, get: (path: string) => app.request(path) }
}

function rowsIn(text: string): readonly Readonly<Record<string, string>>[] {
  return parse(text, { bom: true, columns: true })
}

function refund(toolArgs: JsonObject, mask: readonly string[] = []): Case {
  return aCase({ approval: anApproval({ toolArgs, requirements: null }), policy: aPolicy([aRule({ mask })]) })
}

async function casesIn(world: World, query = "") {
  return rowsIn(await (await aWorld(world).get(`/cases?${query}`)).text())
}

describe("a download", () => {
  test("is a file whose name says what it holds, and from when until when", async () => {
    const { get } = aWorld({})
    const nameOf = async (path: string) => (await get(path)).headers.get("content-disposition")

    expect(await nameOf("/cases")).toBe('attachment; filename="countersign-main-cases-until-2026-11-29.csv"')
    expect(await nameOf("/ledger?since=2026-07-01&until=2026-09-30")).toBe(
      'attachment; filename="countersign-main-ledger-2026-07-01-to-2026-09-30.csv"',
    )
  })

  test("of 100,000 cases is read no faster than it is taken", async () => {
    const { get, read } = aWorld({ count: 100_000, entries: 1 })

    const reader = (await get("/ledger")).body?.getReader()
    for (let pieces = 0; pieces < 5; pieces += 1) await reader?.read()
    const ahead = read.entries
    await reader?.cancel()

    expect(ahead).toBeGreaterThan(100)
    expect(ahead).toBeLessThan(2_000)
    expect(read.pages).toBeLessThan(25)
  })

  test("of 100,000 entries has each of them, in small pieces", async () => {
    const { get, read } = aWorld({ entries: 100_000 })
    let [lines, largest] = [0, 0]

    for await (const piece of (await get("/ledger")).body ?? []) {
      lines += Buffer.from(piece).toString("latin1").split("\r\n").length - 1
      largest = Math.max(largest, piece.length)
    }

    expect([lines, read.entries]).toEqual([100_001, 100_000])
    expect(largest).toBeLessThan(40_000)
  })

  test("stops reading when its reader goes", async () => {
    const { get, read } = aWorld({ count: 100_000 })
    const reader = (await get("/ledger")).body?.getReader()
    await reader?.read()

    await reader?.cancel()
    const then = read.entries
    await new Promise((resolve) => setImmediate(resolve))

    expect(read.entries).toBe(then)
  })

  test("breaks off where Redis fails on the way, so that nobody takes a part for the whole", async () => {
    const { app } = aWorld({ count: 1_000, failsAt: 4 })
    const server = await startHttp({ app, port: 0, host: "127.0.0.1" })
    try {
      const answer = await fetch(`${server.url}/ledger`)

      expect(answer.status).toBe(200)
      await expect(answer.text()).rejects.toThrow()
    } finally {
      await server.close()
    }
  })

  test("does not begin where Redis does not answer at all", async () => {
    const { app } = aWorld({ failsAt: 1 })
    app.onError((error, context) => context.text(error.message, 503))

    expect((await app.request("/cases")).status).toBe(503)
  })
})

describe("a download that leaves out what nobody can tell to fit", () => {
  const masked = () => refund({ card: "4111", amount: 9_000 }, ["amount"])
  const query = `when=${encodeURIComponent("args.amount > 1000")}`
  const left = (what: string) =>
    `Left out: ${what} that may fit. Nobody can tell: what the filter looks at is masked, erased or in doubt there.`
  const lastOf = async (path: string, cases: readonly Case[]) => {
    const lines: readonly string[][] = parse(await (await aWorld({ cases }).get(path)).text(), { bom: true })
    return { lines: lines.length, width: lines[0]?.length ?? 0, last: lines.at(-1) ?? [] }
  }

  test.each([
    ["cases", "calls of 2 cases"],
    ["ledger", "the entries of 2 cases"],
  ])("says so in its last line, which is as wide as the others: %s", async (which, what) => {
    const cases = [refund({ amount: 2_000 }), masked(), refund({ to: "x" }), masked(), refund({ amount: 5 })]

    const { lines, width, last } = await lastOf(`/${which}?${query}`, cases)

    expect(lines).toBe(3)
    expect(last).toEqual([left(what), ...Array.from({ length: width - 1 }, () => "")])
  })

  test("counts a case, too, of which it has some calls and can tell nothing of another one", async () => {
    const requirements = [{ amount: 2_000 }, { amount: null }].map((args, index) =>
      aRequirement("refund", { tool_call_id: `c${index}`, tool_args: args }),
    )

    const { lines, last } = await lastOf(`/cases?${query}`, [aCase({ approval: anApproval({ requirements }) })])

    expect([lines, last[0]]).toEqual([3, left("calls of 1 case")])
  })

  test.each(["cases", "ledger"])("has no such line if nothing is left out: %s", async (which) => {
    expect((await lastOf(`/${which}?${query}`, [refund({ amount: 2_000 }), refund({ amount: 5 })])).lines).toBe(2)
    expect((await lastOf(`/${which}`, [masked(), masked()])).lines).toBe(3)
  })
})

describe("cases as CSV", () => {
  test("have a column for an argument that is named like another column, and for one with any name", async () => {
    const [row] = await casesIn({ cases: [refund({ case: "mine", "=1+1": "a", 'x"\n,y': "b", __proto__x: 1 })] })

    expect(row).toMatchObject({
      case: expect.stringMatching(/^[0-9a-f]{20}$/),
      "args.case": "mine",
      'args["=1+1"]': "a",
      'args["x\\"\\n,y"]': "b",
      "args.__proto__x": "1",
    })
  })

  test("show nested values as JSON, a null as null, and nothing for an argument that a call lacks", async () => {
    const nested = refund({ to: { iban: "DE02", parts: [1, "-2"] }, none: null })
    const [first, second] = await casesIn({ cases: [nested, refund({ amount: 5 })] })

    expect(first).toMatchObject({
      "args.to": '{"iban":"DE02","parts":[1,"-2"]}',
      "args.none": "null",
      "args.amount": "",
    })
    expect(second).toMatchObject({ "args.to": "", "args.none": "", "args.amount": "5" })
  })

  test("R15: masked stays masked, and what is erased is empty and says so", async () => {
    const masked = refund({ amount: 5, card: "4111" }, ["card"])
    const { approval: _gone, ...rest } = refund({ amount: 7 })
    const [first, second] = await casesIn({ cases: [masked, { ...rest, approval: null }] })

    expect(first).toMatchObject({ "args.amount": "5", content: "masked" })
    expect(first?.["args.card"]).toMatch(/^▒+/)
    expect(second).toMatchObject({ "args.amount": "", "args.card": "", content: "erased", asked: "refund 5" })
  })

  test("have a line for each call of a case, and with a filter for each call that fits", async () => {
    const requirements = [500, 2_000].map((amount, index) =>
      aRequirement("refund", { tool_call_id: `c${index}`, tool_args: { amount } }),
    )
    const cases = [aCase({ approval: anApproval({ toolName: "refund", requirements }) })]
    const sums = (rows: readonly Readonly<Record<string, string>>[]) =>
      rows.map((row) => [row["call"], row["args.amount"]])

    expect(sums(await casesIn({ cases }))).toEqual([
      ["1 of 2", "500"],
      ["2 of 2", "2000"],
    ])
    expect(sums(await casesIn({ cases }, `when=${encodeURIComponent("args.amount > 1000")}`))).toEqual([
      ["2 of 2", "2000"],
    ])
  })

  test("have at most 200 columns for arguments; others stand together in the last one", async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`a${1_000 + index}`, index]))
    const long = "n".repeat(300)

    const [row = {}] = await casesIn({ cases: [refund({ [long]: "=x", ...many })] })

    const own = Object.keys(row).filter((name) => name.startsWith("args."))
    const others = JSON.parse(row["other arguments"] ?? "")
    expect(own).toHaveLength(200)
    expect(Object.keys(others)).toHaveLength(51)
    expect(others[long]).toBe("=x")
  })

  test("say whose reason is whose, and who stood in for whom, where several people voted", async () => {
    const standsIn = [{ name: "all", hash: "h", for: "T1:U9" }]
    const [silent, brief, odd] = [
      aVote({ user: "U1", name: "A", reason: null }),
      aVote({ user: "U2", name: "B", reason: "x; y", rules: standsIn }),
      aVote({ user: "U3", name: "C", reason: "=z" }),
    ]

    const [several, alone] = await casesIn({
      cases: [
        { ...aCase(), votes: [silent, brief, odd] },
        { ...aCase(), votes: [brief] },
      ],
    })

    expect(several).toMatchObject({ name: "A; B; C", reason: "B: x; y; C: =z", for: "B: T1:U9" })
    expect(alone).toMatchObject({ name: "B", reason: "x; y", for: "T1:U9" })
  })

  test("are looked at twice, which is told apart: for the columns, and for the lines", async () => {
    const { reading, cardWords } = aWorld({ count: 3 })
    const looked: string[] = []
    const source = { reading, cardWords, query: { ...casesQuery.parse({}), until: noon } }

    for await (const _line of casesAsCsv({ ...source, onLook: (at, why) => looked.push(`${why} ${noon - at}`) }))
      expect(_line).not.toBe("")

    expect(looked).toEqual(["columns 0", "columns 1", "columns 2", "lines 0", "lines 1", "lines 2"])
  })

  test("hold hostile values as they were, without a formula", async () => {
    const hostile = {
      a: '=HYPERLINK("http://evil")',
      b: "x\n+1",
      c: 'q"u,o;t"e',
      d: "\u202Etxt",
      e: "y".repeat(100_000),
    }

    const [row] = await casesIn({ cases: [refund(hostile)] })

    expect(row).toMatchObject({
      "args.a": `'${hostile.a}`,
      "args.b": "x\n'+1",
      "args.c": hostile.c,
      "args.d": "⟨U+202E⟩txt",
    })
    expect(row?.["args.e"]).toMatch(/^y{32000}… \(68000 more characters\)$/)
  })

  test("of a case that was not written by us tell only its id", async () => {
    const tampered = { kind: "tampered", caseId: "0123456789abcdef0123", why: "changed" } as const

    const [row] = await casesIn({ cases: [tampered as never] })

    expect(row).toMatchObject({ case: "0123456789abcdef0123", state: "frozen", asked: "", content: "not ours" })
  })
})
