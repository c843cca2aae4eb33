// Lines of CSV, read back by another library: what a spreadsheet would run, tear apart or round.
import { parse } from "csv-parse/sync"
import { describe, expect, test } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { csvLine, csvMark } from "../../../src/http/export/csv.ts"

/** A line's cells, as a reader of CSV has them. */
function readBack(cells: readonly Json[], delimiter = ","): readonly (readonly string[])[] {
  return parse(csvLine(cells), { delimiter, relax_column_count: true, relax_quotes: true })
}

/** The one cell of a line, as a reader of CSV has it. */
function cell(value: Json): string {
  return readBack([value, "end"])[0]?.[0] ?? ""
}

describe("a cell", () => {
  test.each([
    "plain words",
    'a "quoted" word',
    "one, two",
    "two\nlines",
    "Grüße ∑ 漢字",
    "2026-11-29T08:00:00.000Z",
    "a - b + c = d",
    "",
  ])("with %j is read back as it was", (text) => {
    expect(cell(text)).toBe(text)
  })

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("x")', "＝1", " =1", "-"])(
    "with %j begins with an apostrophe, so that nothing runs",
    (text) => {
      expect(cell(text)).toMatch(/^'/)
      expect(cell(text).replaceAll("'", "")).toBe(text)
    },
  )

  test("has an apostrophe too where a spreadsheet that parts cells at semicolons or tabs begins one", () => {
    expect(cell("a;=1\t@b\n -c;d")).toBe("a;'=1\t'@b\n' -c;d")
  })

  test("holds no formula in a spreadsheet that parts cells at semicolons", () => {
    const hostile = ['x;=cmd|"/c calc"!A1', "y\n=1", "z;\t@b"]

    const found = readBack(hostile, ";").flat()

    expect(found.filter((one) => /^\s*[=+\-@]/.test(one))).toEqual([])
  })

  test("keeps a number as a number, also below zero, but a text of one is a text", () => {
    expect([-5, 1000.5, -1.5e-7].map(cell)).toEqual(["-5", "1000.5", "-1.5e-7"])
    expect(csvLine([-5])).toBe("-5\r\n")
    expect(cell("-5")).toBe("'-5")
  })

  test.each([
    "00123",
    "12e5",
    "12E+5",
    "1.50",
    "1,000",
    "1 000",
    "007",
    "3/4",
    "1-2",
    "12:30",
    "2026-11-29",
    " 5 ",
    "50%",
    "１２",
    ".5",
    "5",
  ])("with the text %j stands behind an apostrophe, so that no spreadsheet makes another value of it", (text) => {
    expect(cell(text)).toBe(`'${text}`)
  })

  test.each(["12 days", "e5", "E", "1 of 2", ".", "%", "v1.2", "0x1f", "2026-11-29T08:00:00.000Z"])(
    "with the text %j, which reads as no number, stands there bare",
    (text) => {
      expect(cell(text)).toBe(text)
    },
  )

  test("with the text of a number that has a sign has one apostrophe, not two", () => {
    expect(["-5", "+1e9", "-4111111111111111"].map(cell)).toEqual(["'-5", "'+1e9", "'-4111111111111111"])
    expect(["1\n-5", "1\t+1", "\t5"].map(cell)).toEqual(["'1\n'-5", "'1\t'+1", "'\t5"])
  })

  test("with more than 15 digits is a text, which no spreadsheet rounds", () => {
    expect(cell(JSON.rawJSON("12345678901234567890"))).toBe("'12345678901234567890")
    expect(cell("4111111111111111")).toBe("'4111111111111111")
    expect(cell(123_456_789_012_345)).toBe("123456789012345")
  })

  test("shows what nobody would see by its number", () => {
    expect(cell("refund \u202E0001\u202C\u0000")).toBe("refund ⟨U+202E⟩0001⟨U+202C⟩⟨U+0000⟩")
    expect(cell("a\rb")).toBe("a⟨U+000D⟩b")
  })

  test("of 100,000 characters is cut where a spreadsheet would tear it, and says how much is missing", () => {
    const text = cell("x".repeat(100_000))

    expect(text).toBe(`${"x".repeat(32_000)}… (68000 more characters)`)
  })

  test("shows lists and objects as JSON, and null as nothing", () => {
    expect([null, true, ["=a", 1], { of: { sum: JSON.rawJSON("1.10") } }].map(cell)).toEqual([
      "",
      "true",
      '["=a",1]',
      '{"of":{"sum":1.10}}',
    ])
  })

  test("is made in linear time, whatever it holds", () => {
    const long = 1_000_000
    for (const text of ["\n".repeat(long), "; ".repeat(long / 2), `;${" ".repeat(long)}`, "1".repeat(long)])
      expect(cell(text).length).toBeLessThan(200_000)
  })
})

test("the first line says to spreadsheets that the file is UTF-8, and names the columns", () => {
  expect(csvMark + csvLine(["time", 'args["=a, b"]'])).toBe('\uFEFFtime,"args[""=a, b""]"\r\n')
})
