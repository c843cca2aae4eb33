// An absence as it is typed: which day ends it, where the person is, and who stands in.
import { expect, test } from "vitest"
import { dayBegins, readAbsence } from "../../../src/domain/order/read-absence.ts"

// A Friday, 23:30 in Berlin and 07:30 of Saturday in Tokyo.
const friday = Date.parse("2026-11-27T22:30:00Z")
const berlin = "Europe/Berlin"

test.each([
  ["tomorrow", berlin, "2026-11-27T23:00:00Z"],
  ["tomorrow", "Asia/Tokyo", "2026-11-28T15:00:00Z"],
  ["monday", berlin, "2026-11-29T23:00:00Z"],
  ["Mon", berlin, "2026-11-29T23:00:00Z"],
  ["friday", berlin, "2026-12-03T23:00:00Z"],
  ["saturday", "Asia/Tokyo", "2026-12-04T15:00:00Z"],
  ["2027-03-29", berlin, "2027-03-28T22:00:00Z"],
])("%s begins in %s at %s", (word, zone, moment) => {
  expect(new Date(dayBegins(word, friday, zone) ?? 0).toISOString()).toBe(moment.replace("Z", ".000Z"))
})

test.each(["", "soon", "2026-13-01", "2026-02-30", "mo", "12/01/2026"])("%s is no day", (word) => {
  expect(dayBegins(word, friday, berlin)).toBeNull()
})

test("a day and a person are read in any order, and what is not clear is left to the form", () => {
  const until = dayBegins("monday", friday, berlin)
  const read = (text: string) => readAbsence(text.split(" ").filter(Boolean), friday, berlin)

  expect(read("until monday <@U0BOB|bob>")).toEqual({ until, standIn: "U0BOB" })
  expect(read("<@U0BOB> Until Monday")).toEqual({ until, standIn: "U0BOB" })
  expect(read("until monday")).toEqual({ until, standIn: null })
  expect(read("until monday @bob")).toEqual({ until: null, standIn: null })
  expect(read("<@U0BOB>")).toEqual({ until: null, standIn: "U0BOB" })
  expect(read("monday <@U0BOB> <@U0ANN>")).toEqual({ until, standIn: null })
  expect(read("")).toEqual({ until: null, standIn: null })
})
