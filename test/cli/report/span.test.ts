// The range of a report: what may be typed, what it means, and what a refusal tells to do.
import { describe, expect, test } from "vitest"
import { demandBegun, spanOf } from "../../../src/cli/report/span.ts"

const now = Date.UTC(2026, 10, 21, 12)
const day = 86_400_000

describe("the range of a report", () => {
  test("is the last full month by UTC, also in January, unless something is typed", () => {
    expect(spanOf({}, now)).toEqual({ from: Date.UTC(2026, 9, 1), to: Date.UTC(2026, 10, 1) })
    expect(spanOf({}, Date.UTC(2026, 0, 31))).toEqual({ from: Date.UTC(2025, 11, 1), to: Date.UTC(2026, 0, 1) })
  })

  test("takes days whole, the last one too, and instants in any zone", () => {
    const from = Date.UTC(2026, 10, 1)

    expect(spanOf({ from: "2026-11-01", to: "2026-11-30" }, now)).toEqual({ from, to: Date.UTC(2026, 11, 1) })
    expect(spanOf({ from: "2026-11-01", to: "2026-11-01" }, now)).toEqual({ from, to: from + day })
    expect(spanOf({ from: "2026-11-01T01:00+01:00", to: "2026-11-01T00:00:00.001Z" }, now)).toEqual({
      from,
      to: from + 1,
    })
  })

  test("goes on until now if only its beginning is typed", () => {
    expect(spanOf({ from: "2026-11-01" }, now)).toEqual({ from: Date.UTC(2026, 10, 1), to: now })
  })

  test.each([
    [{ to: "2026-11-01" }, "--to alone leaves open where the range begins: give --from too"],
    [{ from: "2026-11-09", to: "2026-11-08" }, "--from 2026-11-09 lies after --to 2026-11-08: exchange them"],
    [{ from: "2026-11-09", to: "2026-11-08T23:59Z" }, "lies after --to 2026-11-08T23:59Z: exchange them"],
    [
      { from: "2026-11-09", to: "2026-11-09T00:00Z" },
      "nothing lies between --from 2026-11-09 and --to 2026-11-09T00:00Z",
    ],
    [{ from: "2026-11-21T12:00Z" }, "--from 2026-11-21T12:00Z is not over yet: name a time before now"],
    [{ from: "2027-01-01", to: "2027-01-31" }, "--from 2027-01-01 is not over yet"],
    [{ from: "yesterday" }, "--from must be a day such as 2026-11-01, or an instant with its zone"],
    [{ from: "2026-02-31" }, "not 2026-02-31"],
    [{ from: "2026-13-01" }, "not 2026-13-01"],
    [{ from: "2026-11-01T25:00Z" }, "not 2026-11-01T25:00Z"],
    [{ from: "2026-11-01T08:00" }, "not 2026-11-01T08:00"],
    [{ from: "2026-11-01", to: "42" }, "--to must be a day such as 2026-11-01"],
    [{ from: "" }, "--from must be a day"],
  ])("refuses %o, and says what to do", (typed, words) => {
    expect(() => spanOf(typed, now)).toThrow(expect.objectContaining({ code: "bad-command" }))
    expect(() => spanOf(typed, now)).toThrow(words)
  })

  test("may begin before the ledger, and may not end before it", () => {
    const span = { from: now - 2 * day, to: now - day }

    expect(demandBegun({ at: now - day - 1 }, span)).toBe(now - day - 1)
    expect(() => demandBegun({ at: now - day }, span)).toThrow(
      "the ledger begins at 2026-11-20T12:00:00.000Z, after the range from 2026-11-19T12:00:00.000Z to " +
        "2026-11-20T12:00:00.000Z: give --from and --to for a later one",
    )
  })
})
