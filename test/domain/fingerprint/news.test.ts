// What is new of a call: whatever one planted change is, the card names it, and no text of an agent hides it.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sha256 } from "../../../src/domain/content/canonical.ts"
import { type JsonObject, parseJson } from "../../../src/domain/content/json.ts"
import { fieldsOf } from "../../../src/domain/fingerprint/call-fields.ts"
import { readFields } from "../../../src/domain/fingerprint/call-reading.ts"
import {
  aged,
  type Fingerprint,
  isLikeRejected,
  maxFields,
  nothingKept,
  oldestDay,
  withApproved,
  withRejected,
} from "../../../src/domain/fingerprint/fingerprint.ts"
import { type NewsItem, newsOf } from "../../../src/domain/fingerprint/news.ts"
import { plainWords } from "../../../src/slack/lines/spans.ts"
import { newsLines } from "../../../src/slack/text/case/news-words.ts"
import { aCardModel, anApproval } from "../../slack/card-models.ts"
import { noon } from "../../support/clock.ts"

const day = 86_400_000
const learning = { at: noon, keepDays: 90 }

function read(args: JsonObject, mask: readonly string[] = []) {
  return readFields(fieldsOf({ args }, mask), (path, value) => sha256(path + JSON.stringify(value)).slice(0, 12))
}

function learnedFrom(history: readonly JsonObject[], mask: readonly string[] = []): Fingerprint {
  return history.reduce((print, args) => withApproved(print, read(args, mask), learning), nothingKept)
}

function newsIn(
  print: Fingerprint,
  args: JsonObject,
  { mask = [], first = [] }: Partial<Record<"mask" | "first", readonly string[]>> = {},
) {
  return newsOf([{ call: 0, print, read: read(args, mask), first }])
}

function kinds(items: readonly NewsItem[]): Readonly<Record<string, NewsItem["kind"]>> {
  return Object.fromEntries(items.map(({ path, kind }) => [path, kind]))
}

/** What the card says of it. */
function onCard(print: Fingerprint, args: JsonObject): string {
  const modelHash = aCardModel(anApproval({ toolArgs: args, requirements: null }), { news: newsIn(print, args) })
  return newsLines(modelHash).map(plainWords).join("\n")
}

interface History {
  readonly calls: readonly JsonObject[]
  readonly usual: JsonObject
  readonly planted: JsonObject
  readonly path: string
  readonly kind: NewsItem["kind"]
}

const names = ["amount", "iban", "currency", "region", "bank", "owner", "batch", "scope", "channel", "priority"]
const pool = ["north", "south", "east", "west"]

/** Calls of one tool: some fields never change, some are one of four, some are numbers, some are always new. */
const history: fc.Arbitrary<History> = fc
  .record({
    length: fc.integer({ min: 16, max: 40 }),
    fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom("same", "pool", "number", "nested")), {
      minLength: 2,
      maxLength: 10,
      selector: ([name]) => name,
    }),
    notes: fc.integer({ min: 0, max: 6 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    target: fc.nat(),
    plant: fc.constantFrom("value", "gone", "field", "type"),
  })
  .map(({ length, fields, notes, seed, target, plant }) => {
    const pick = (call: number, name: string, of: number) =>
      Number.parseInt(sha256(`${seed} ${call} ${name}`).slice(0, 8), 16) % of
    const valueOf = (call: number, name: string, kind: string) => {
      if (kind === "same") return `the ${name}`
      // Each of the pool, and both ends of the numbers, are there from the first calls on.
      if (kind === "pool") return pool[call < pool.length ? call : pick(call, name, pool.length)] ?? ""
      if (kind === "nested") return { list: [{ [name]: `the ${name}` }, { [name]: "another" }] }
      return call === 0 ? 10 : call === 1 ? 5_000.5 : 10 + pick(call, name, 4_990)
    }
    const argsOf = (call: number): JsonObject => ({
      ...Object.fromEntries(fields.map(([name, kind]) => [name, valueOf(call, name, kind)])),
      ...Object.fromEntries(Array.from({ length: notes }, (_, at) => [`note${at}`, `text ${seed} ${call} ${at}`])),
    })
    const calls = Array.from({ length }, (_, call) => argsOf(call))
    const usual = argsOf(length)
    const [name, kind] = fields[target % fields.length] ?? ["", ""]
    const path = kind === "nested" ? `${name}.list[].${name}` : name
    const { [name]: _gone, ...without } = usual
    switch (plant) {
      case "gone":
        return { calls, usual, planted: without, path, kind: "gone" as const }
      case "field":
        return { calls, usual, planted: { ...usual, bcc: "eve" }, path: "bcc", kind: "field" as const }
      case "type":
        return {
          calls,
          usual,
          planted: { ...usual, [name]: true },
          path: name,
          kind: kind === "nested" ? ("field" as const) : ("new" as const),
        }
      case "value": {
        if (kind === "number") {
          const less = target % 2 === 0
          return {
            calls,
            usual,
            planted: { ...usual, [name]: less ? 9.99 : 5_000.51 },
            path,
            kind: less ? ("less" as const) : ("more" as const),
          }
        }
        const value = kind === "nested" ? { list: [{ [name]: `the ${name}` }, { [name]: "eve" }] } : "eve"
        return { calls, usual, planted: { ...usual, [name]: value }, path, kind: "new" as const }
      }
    }
  })

test("in 1,000 generated histories the card names the one field that was planted, each time", () => {
  fc.assert(
    fc.property(history, ({ calls, usual, planted, path, kind }) => {
      const print = learnedFrom(calls)
      const { items } = newsIn(print, planted)

      expect(kinds(items)[path]).toBe(kind)
      expect(onCard(print, planted)).toContain(path)
      expect(onCard(print, planted).split("\n").length).toBeLessThanOrEqual(3)
      // Without it, nothing of the kind is said of that field.
      const before = kinds(newsIn(print, usual).items)[path]
      expect([undefined, "changed"]).toContain(before)
    }),
    { numRuns: 1_000 },
  )
})

describe("what an agent writes", () => {
  const usual = { iban: "DE1", amount: 10, note: "one" }
  const print = learnedFrom([usual, { ...usual, note: "two" }, { ...usual, note: "three", amount: 20 }])

  test("cannot hide a changed field behind many new ones, or behind a huge text", () => {
    const junk = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`a${at}`, `${at}`]))
    const flooded = { ...junk, note: "x".repeat(1_000_000), amount: 15, iban: "DE2" }

    expect(onCard(print, flooded)).toMatch(/^Never approved so far: iban DE2, a0 0 \(a new field\), /)
    expect(onCard(print, flooded)).toContain("more")
  })

  test("cannot hide a value among thousands of others", () => {
    const many = learnedFrom([{ to: ["a", "b"] }, { to: ["b"] }])
    const recipients = Array.from({ length: 3_000 }, (_, at) => (at < 2_999 ? "a" : "eve"))

    expect(kinds(newsIn(many, { to: recipients }).items)).toEqual({ "to[]": "new" })
    expect(kinds(newsIn(many, { to: [...recipients.slice(0, 1_500), "eve"] }).items)).toEqual({ "to[]": "new" })
    expect(kinds(newsIn(many, { to: ["a", "b"] }).items)).toEqual({ "to[]": "changed" })
  })

  test("cannot pass another name or value off as the usual one", () => {
    const odd = { іban: "DE1", "iban ": "DE1", amount: 10, note: "one" }

    expect(kinds(newsIn(print, odd).items)).toMatchObject({ iban: "gone", '["іban"]': "field", '["iban "]': "field" })
    expect(kinds(newsIn(print, { ...usual, iban: "DЕ1" }).items)).toMatchObject({ iban: "new" })
    expect(kinds(newsIn(print, { ...usual, iban: "DE1\u200b" }).items)).toMatchObject({ iban: "new" })
    expect(kinds(newsIn(print, { ...usual, amount: "10" }).items)).toMatchObject({ amount: "new" })
    expect(kinds(newsIn(print, { ...usual, iban: { "": "DE1" } }).items)).toMatchObject({ iban: "gone" })
  })

  test("is taken apart in linear time, however deep and wide it is", () => {
    const deep = parseJson(`${'{"a":'.repeat(900)}1${"}".repeat(900)}`)
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`${at}${"k".repeat(90)}`, at]))

    const news = newsIn(print, { ...usual, deep, wide })

    expect(news.items.length + news.more).toBe(50_003)
    expect(fieldsOf({ args: { deep } }, []).map(({ path }) => path)).toEqual(["deep.a.a.a.a.a"])
  })

  test("pushes nothing out of what is kept that is always there", () => {
    const odd = Array.from({ length: 10 }, (_, call) =>
      Object.fromEntries(Array.from({ length: 50 }, (__, at) => [`odd${call}${at}`, at])),
    )
    const after = odd.reduce((state, args) => withApproved(state, read({ ...usual, ...args }), learning), print)

    expect(after.fields.length).toBe(maxFields)
    expect(JSON.stringify(after).length).toBeLessThan(40_000)
    expect(kinds(newsIn(after, { ...usual, iban: "DE2" }).items)).toMatchObject({ iban: "new" })
  })
})

describe("a fingerprint", () => {
  test("says nothing while nothing was approved, and keeps no value", () => {
    const secret = "a-very-secret-value"
    const print = learnedFrom([{ iban: secret }])

    expect(newsIn(nothingKept, { iban: secret })).toEqual({ items: [], more: 0 })
    expect(JSON.stringify(print)).not.toContain(secret)
  })

  test("keeps no numbers of what is masked, and says only that it is another", () => {
    const print = learnedFrom(
      [
        { pin: 1234, key: "sk-1" },
        { pin: 1234, key: "sk-2" },
      ],
      ["pin", "/sk-\\d/"],
    )

    expect(print.fields.flatMap(({ ranges }) => ranges)).toEqual([])
    expect(kinds(newsIn(print, { pin: 99_999, key: "sk-1" }, { mask: ["pin", "/sk-\\d/"] }).items)).toEqual({
      pin: "new",
      key: "changed",
    })
  })

  test("compares numbers by every digit, and one that nobody can compare is new", () => {
    const exact = parseJson('{"id": 9007199254740993}') as JsonObject
    const print = learnedFrom([exact])

    expect(kinds(newsIn(print, exact).items)).toEqual({})
    expect(kinds(newsIn(print, parseJson('{"id": 9007199254740992}') as JsonObject).items)).toEqual({ id: "less" })
    expect(kinds(newsIn(print, parseJson(`{"id": ${"9".repeat(200)}}`) as JsonObject).items)).toEqual({ id: "new" })
  })

  test("knows the last 24 values of a field, and says where it may have forgotten one", () => {
    const print = learnedFrom(Array.from({ length: 30 }, (_, at) => ({ to: `user ${at}` })))
    const [old] = newsIn(print, { to: "user 1" }).items
    const [recent] = newsIn(print, { to: "user 20" }).items

    expect(old).toMatchObject({ kind: "new", perhaps: true })
    expect(recent).toMatchObject({ kind: "changed" })
  })

  test("puts first what the rules show first", () => {
    const print = learnedFrom([{ a: "1", b: "1", c: "1" }])
    const [first] = newsIn(print, { a: "2", b: "2", c: "2" }, { first: ["c"] }).items

    expect(first?.path).toBe("c")
  })

  test("forgets what is older than arguments are kept", () => {
    const print = withRejected(learnedFrom([{ to: "bob", amount: 5 }]), read({ to: "eve", amount: 7 }), {
      ...learning,
      case: "c",
    })
    const later = withApproved(print, read({ to: "carol" }), { at: noon + 80 * day, keepDays: 90 })
    const last = aged(later, { at: noon + 95 * day, keepDays: 90 })

    expect(aged(print, { at: noon + 89 * day, keepDays: 90 })).toEqual(print)
    expect(aged(print, { at: noon + 90 * day, keepDays: 90 })).toMatchObject({ fields: [], rejected: [] })
    expect(last.fields.map(({ path, seen }) => [path, seen.length])).toEqual([["to", 1]])
    expect(oldestDay(last)).toBe(Math.floor((noon + 80 * day) / day))
    expect(oldestDay(nothingKept)).toBeNull()
  })
})

describe("a call is like a rejected one", () => {
  const usual = { iban: "DE1", currency: "EUR", amount: 10 }
  const print = withRejected(learnedFrom([usual]), read({ ...usual, iban: "EVE", amount: 900 }), {
    ...learning,
    case: "c",
  })
  const like = (args: JsonObject) => print.rejected.some((one) => isLikeRejected(one, read(args)))

  test.each([
    ["the same", { ...usual, iban: "EVE", amount: 900 }, true],
    ["what set it apart, with another amount", { ...usual, iban: "EVE", amount: 899 }, true],
    ["the same among much else", { iban: "EVE", amount: 900, a: 1, b: 2, c: 3, d: 4 }, true],
    ["only what all have", usual, false],
    ["nothing of it", { iban: "DE7", currency: "USD", amount: 1 }, false],
  ])("if it has %s", (_what, args, is) => {
    expect(like(args)).toBe(is)
  })

  test("until one like it is approved", () => {
    const after = withApproved(print, read({ ...usual, iban: "EVE", amount: 899 }), learning)

    expect(after.rejected).toEqual([])
  })
})
