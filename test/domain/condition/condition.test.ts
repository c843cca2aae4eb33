// What a condition may say, and what it is told where it says something else.
import { describe, expect, test } from "vitest"
import { looksAt, readCondition } from "../../../src/domain/condition/condition.ts"
import { pathAsText, pathsIn } from "../../../src/domain/condition/tree.ts"

/** Where a condition is wrong and why, as `line:column words`. */
function flawsOf(text: string): readonly string[] {
  const read = readCondition(text)
  return read.ok ? [] : read.flaws.map(({ line, column, words }) => `${line}:${column} ${words}`)
}

function pathsOf(text: string): readonly string[] {
  const read = readCondition(text)
  return read.ok ? pathsIn(read.condition.expression).map(pathAsText) : flawsOf(text)
}

test.each([
  ["args.amount > 1000", ["args.amount"]],
  ['args.amount > 1000 && args.currency == "EUR"', ["args.amount", "args.currency"]],
  ['args["to whom"].name != "x"', ['args["to whom"].name']],
  ["args.amount >= -0.5 || args.amount < 1e3", ["args.amount", "args.amount"]],
  ["args.amount <= 123456789012345678901234567890.5", ["args.amount"]],
  ["args.dry_run == false", ["args.dry_run"]],
  ['args.day < "2026-01-31"', ["args.day"]],
  ['args.env in ["prod", "live"]', ["args.env"]],
  ["args.port in [22, 23]", ["args.port"]],
  ['"pii" in call.classes', ["call.classes"]],
  ['"S0123" in requester.groups', ["requester.groups"]],
  ["has(args.cc) && !has(args.bcc)", ["args.cc", "args.bcc"]],
  ['args.path.startsWith("/etc") || args.path.endsWith(".key")', ["args.path", "args.path"]],
  ['call.tool.contains("delete")', ["call.tool"]],
  ["size(args.to) > 3", ["args.to"]],
  ["args.items.exists(item, item.price > 100 && has(item.gift))", ["args.items", "item.price", "item.gift"]],
  ['args.to.all(one, one.endsWith("@example.com"))', ["args.to", "one"]],
  ['args.rows.exists(row, size(row.cells) > 3 && args.env == "prod")', ["args.rows", "row.cells", "args.env"]],
  ["requester.known == false || requester.guest == true", ["requester.known", "requester.guest"]],
  ['time.weekday in ["sat", "sun"] || time.hour >= 18', ["time.weekday", "time.hour"]],
  [`call.agent == 'a' || call.team == r"b" || call.workflow == """c"""`, ["call.agent", "call.team", "call.workflow"]],
  ["args.a == 1 // what follows is for people\n && args.b == 2", ["args.a", "args.b"]],
])("a condition may say %s", (text, paths) => {
  expect(pathsOf(text)).toEqual(paths)
})

const alone = "is a value and no condition: compare it, as in … == true"
const onTheRight = "is a path on the right: compare with a number, a text, true or false"
const isNull = "is null, which nothing is compared with: a missing or null value is unknown by itself"
const calculated = "is calculated: write the number, the text, true or false itself"

describe("a condition is refused, with its place and the right form,", () => {
  test.each([
    ["args.dry_run", `1:1 ${alone}`],
    ["!args.dry_run", `1:2 ${alone}`],
    ["args.a == 1 && args.b", `1:16 ${alone}`],
    ["args.a == args.b", `1:11 ${onTheRight}`],
    ["args.a == EUR", `1:11 ${onTheRight}`],
    ["args.a == True", "1:11 is written true"],
    ["args.a != FALSE", "1:11 is written false"],
    ["args.a in [1, True]", "1:15 is written true"],
    ["args.a == None", `1:11 ${isNull}`],
    ["args.a == NULL", `1:11 ${isNull}`],
    ["args.a.startsWith(args.b)", '1:19 is a path: write a text, as in startsWith("text")'],
    ["1000 < args.a", "1:1 stands before the path, as in args.amount > 1000"],
    ["1 == 1", "1:1 compares two fixed values: begin with a path, as in args.amount == 1000"],
    ["true", "1:1 is always the same: compare a value, as in args.amount > 1000"],
    ["args.a == 1 == true", "1:1 is compared once more: join two comparisons with &&"],
  ])("if it compares no path with a literal: %s", (text, flaw) => {
    expect(flawsOf(text)).toEqual([flaw])
  })

  test.each([
    ["args.a == null", "1:11 is null, which nothing is compared with: a missing or null value is unknown by itself"],
    ['args.a == b"x"', "1:11 is bytes: write a number, a text, true or false"],
    ["args.a == 1u", "1:11 is an unsigned number: write a number, a text, true or false"],
    ['args.a == {"b": 1}', "1:11 is a map in braces: write a number, a text, true or false"],
    ["args.a == [1]", "1:11 is no number, text, true or false"],
    ['args.a == -"x"', `1:11 ${calculated}`],
    ["args.a == 1 + 1", `1:11 ${calculated}`],
    ["args.a + 1 > 2", "1:1 calculates with +: compare the value itself with a number"],
    ["-args.a > 2", "1:1 is calculated: write the number itself"],
    ["args.a == 010", "1:11 is not written as a plain number: write it as 1000 or 0.5"],
    ["args.a == 0x10", "1:11 is not written as a plain number: write it as 1000 or 0.5"],
    ["args.a == 1e400", "1:11 is no number, or too large a one: write it as 1000 or 0.5"],
    [`args.a == ${"9".repeat(1_001)}`, "1:11 has more digits, or a larger exponent, than is compared: 1,000"],
    ['args.a == "a\u200bb"', "1:11 has a character that nobody sees, or one in two parts: type the text anew"],
    ['args.a == "e\u0301"', "1:11 has a character that nobody sees, or one in two parts: type the text anew"],
    ["args.a < true", "1:10 has no order: write == true or == false"],
    ...["1000", "1,000.50", "1e3", " 7 ", "0x1F", "€ 5", "5 €", "50%", "１２"].map((number): [string, string] => [
      `args.a > "${number}"`,
      "1:10 is a text that reads as a number: write a number, such as 1000",
    ]),
    ["args.a in []", '1:11 is an empty list: write in ["a", "b"]'],
    ['args.a in [1, "a"]', "1:11 mixes numbers, texts, true and false: write a list of one kind"],
    ['args.a in ["a", null]', expect.stringContaining("1:17 is null")],
    ['args.a in "abc"', '1:11 is no list of values: write in ["a", "b"]'],
    ['args.a.contains("  ")', "1:17 is blank, and every text has that"],
    ["args.a.contains(5)", '1:17 is no text: write contains("text")'],
    ["size(args.a) > 1.5", "1:16 is no length of a list: write a whole number, such as 3"],
    ['size(args.a) > "3"', "1:16 is no length of a list: write a whole number, such as 3"],
  ])("if its literal is none that it may have: %s", (text, flaw) => {
    expect(flawsOf(text)).toEqual([flaw])
  })

  test.each([
    ["amount > 1", "1:1 begins with amount: write args.amount, or begin with call, requester or time"],
    ["args == 1", "1:1 args alone is no value: write args.name"],
    ["has(args)", "1:5 args alone is no value: write args.name"],
    ["args.l.exists(i, has(i))", "1:22 has no name: write has(item.name)"],
    ["args.l[0] == 1", expect.stringContaining('1:8 is no name: a name stands in brackets, as in args["name"]')],
    ["args[args.a] == 1", expect.stringContaining("1:6 is no name")],
    ["has(args.l).x == 1", expect.stringContaining("1:1 is no path: write args.name")],
    ['call.tol == "x"', "1:1 is nothing that call has: it has tool, agent, team, workflow, instance, pause, classes"],
    ['call.tool.name == "x"', expect.stringContaining("1:1 is nothing that call has")],
    ['requester.name == "x"', "1:1 is nothing that requester has: it has known, guest, groups"],
    ["call.tool == 5", "1:14 is no text, as call.tool is"],
    ['requester.known == "yes"', "1:20 is no true or false, as requester.known is"],
    ['requester.groups == "S1"', '1:21 is compared with a list: write "name" in requester.groups'],
    ['time.weekday == "monday"', "1:17 is none of mon, tue, wed, thu, fri, sat, sun"],
    ['time.weekday in ["sat", "Sun"]', "1:17 is none of mon, tue, wed, thu, fri, sat, sun"],
    ["time.hour < 24", "1:13 is no hour: they go from 0 to 23"],
    ["time.hour == 9.5", "1:14 is no hour: they go from 0 to 23"],
    ['time.hour.startsWith("1")', "1:1 is no text, so startsWith says nothing about it"],
    ['"x" in args.tags', expect.stringContaining("1:8 is no list of ours: write args.tags.exists(tag, tag == …)")],
    ['"x" in call.tool', expect.stringContaining("1:8 is no list of ours")],
    ["5 in requester.groups", "1:1 is no text: names are texts"],
    ["time.weekday.exists(d, d == 1)", "1:1 is no list"],
  ])("if its path leads nowhere: %s", (text, flaw) => {
    expect(flawsOf(text)).toEqual([flaw])
  })

  test.each([
    [
      'args.a.matches("x")',
      "1:1 takes a pattern, which conditions do not have: write startsWith, endsWith or contains",
    ],
    ['args.a.lower() == "x"', "1:1 is compared: compare a path, or how long a list is, as in size(args.items) > 3"],
    ["args.l.size() > 3", "1:1 is compared: compare a path, or how long a list is, as in size(args.items) > 3"],
    ["size(args.l)", "1:1 is a length and no condition: compare it, as in size(args.items) > 3"],
    ["int(args.a)", "1:1 has int, which is none of has, size, startsWith, endsWith, contains, exists, all"],
    ["args.has(args.a)", "1:1 is written has(args.name)"],
    ["contains(args.a)", '1:1 is written args.name.contains("text")'],
    ["args.l.exists(1)", "1:1 is written args.items.exists(item, item.price > 100)"],
    ["args.l.map(x, x == 1)", expect.stringContaining("1:1 has map, which is none of has")],
    ["args.l.exists(x.y, true)", "1:15 needs a name first, as in args.items.exists(item, item.price > 100)"],
    ["args.l.all(x, x.m.exists(y, y == 1))", expect.stringContaining("1:15 stands within another exists or all")],
    ["args.l.all(args, args.a == 1)", expect.stringContaining("1:12 is a name that is taken")],
    ["args.a == 1 ? args.b == 1 : args.c == 1", "1:1 chooses between two values: write it with && and ||"],
  ])("if it calls what is not there: %s", (text, flaw) => {
    expect(flawsOf(text)).toEqual([flaw])
  })

  test.each([
    ["", "1:1 ends too early: something is missing after it"],
    ["(args.a == 1", "1:13 ends too early: something is missing after it"],
    ["args.a == 1)", "1:12 is not expected here"],
    ["args.a == 1 and args.b == 1", "1:13 write && for and"],
    ["args.a == 1 OR args.b == 1", "1:13 write || for or"],
    ["args.a = 1", "1:8 write == for equal"],
    ["args.a == 1 & args.b == 1", "1:13 write && for and"],
    ["args.a <> 1", "1:8 write != for not equal"],
    ["args.a => 5", "1:8 write >= for at least"],
    ["args.a =< 5", "1:8 write <= for at most"],
    ["args.a ≥ 5", "1:8 write >= for at least"],
    ["args.a > = 5", "1:8 write >= without a space"],
    ["args.a === 5", "1:8 write == for equal"],
    ["args.a !== 5", "1:8 write != for not equal"],
    ["args.a =! 5", "1:8 write != for not equal"],
    ["args.a ! = 5", "1:8 write != without a space"],
    ["args.a := 5", "1:8 write == for equal"],
    ["args.a =~ /x/", "1:8 write startsWith, endsWith or contains: conditions have no patterns"],
    ["args.a == 1 | args.b == 1", "1:13 write || for or"],
    ["args.a == 1 && && args.b == 1", "1:16 is not expected here"],
    ["args.a == 1 OR args.b == 1", "1:13 write || for or"],
    ["not args.a == 1", "1:1 write ! for not"],
    ["args.a not in [1]", "1:8 write !(… in […]) for not in"],
    ["args.a ! in [1]", "1:8 write !(… in […]) for not in"],
    ["args.a is 1", "1:8 write == for equal"],
    ["args.a between 1 and 5", "1:8 write two comparisons with && for between"],
    ["args.a contains 'x'", '1:8 write it behind a dot, as in args.name.contains("x")'],
    ["args.a in ('a', 'b')", '1:15 write a list in brackets, as in args.currency in ["EUR", "USD"]'],
    ["args.a > 1,000", "1:11 write a number without separators, as in 1000 or 0.5"],
    ["args.a > 5 €", "1:12 write the number alone, without a unit"],
    ["args.a > 5%", "1:11 write the number alone, without a unit"],
    ["(args.a > 5 %)", "1:13 write the number alone, without a unit"],
    ["args.a > 5% && args.b == 1", "1:11 write the number alone, without a unit"],
    ["args.a > 5% and args.b == 1", "1:11 write the number alone, without a unit"],
    ["args.a > 5% != args.b", "1:11 write the number alone, without a unit"],
    ["args.a > $5", "1:10 write the number alone, without a unit"],
    ["args.a == 1;", "1:12 ends without a ;"],
    ["True", "1:1 is written true"],
    ["args.a == “x”", '1:11 put texts in straight quotes, as in "prod"'],
    ['args.a == "x', "1:11 begins a text that never ends: close its quotes"],
    ['args.a == "x\ny"', String.raw`1:13 breaks the line within a text: write \n`],
    [String.raw`args.a == "\y"`, String.raw`1:12 has a \ that stands for nothing: write \\ for the character itself`],
    ["package.a == 1", '1:1 is a word that CEL keeps for itself: write args["name"] for an argument of that name'],
    [`${"(".repeat(300)}args.a == 1`, expect.stringContaining("is nested too deeply: write several rules instead")],
    [`args.a == "${"x".repeat(4_000)}"`, "1:4001 is longer than 4000 characters: write several rules instead"],
    ["args.a == 1 &&\n  args.b == nothing", `2:13 ${onTheRight}`],
  ])("if it is no condition at all: %s", (text, flaw) => {
    expect(flawsOf(text)).toEqual([flaw])
  })
})

test("everything that is wrong with a condition is told at once, in the order of its text", () => {
  expect(flawsOf("args.a == null || args.b")).toEqual([
    expect.stringMatching(/^1:11 /),
    expect.stringMatching(/^1:19 /),
  ])
})

test("a condition says whether it looks at the requester or at the time", () => {
  const read = readCondition("args.a == 1 && !args.l.exists(x, requester.known == true || time.hour > 8)")

  expect(read.ok && [looksAt(read.condition, "requester"), looksAt(read.condition, "time")]).toEqual([true, true])
  expect(read.ok && looksAt(read.condition, "call")).toBe(false)
})
