// What a condition comes to: true, false, or unknown where anything about a value is in doubt.
import { describe, expect, test } from "vitest"
import { readCondition } from "../../../src/domain/condition/condition.ts"
import { type CallFacts, evaluate, type Truth } from "../../../src/domain/condition/evaluate.ts"
import { type Json, parseJson } from "../../../src/domain/content/json.ts"

const noFacts: CallFacts = { args: {}, call: {}, requester: null, time: null }

function decided(text: string, facts: Partial<CallFacts>): Truth {
  const read = readCondition(text)
  if (!read.ok) throw new Error(`${text}: ${read.flaws.map(({ words }) => words).join("; ")}`)
  return evaluate(read.condition.expression, { ...noFacts, ...facts })
}

/** The condition about arguments as the wire has them. */
function about(args: string, text: string): Truth {
  return decided(text, { args: parseJson(args) })
}

/** What a text in `args.a` makes of a condition. */
function ofText(value: string, text: string): Truth {
  return decided(text, { args: { a: value } })
}

describe("a plain engine's traps:", () => {
  const lax = ['args.env != "prod"', '!(args.env == "prod")', '!(args.env in ["prod"])']

  test.each(lax)("%s is unknown for a list and for null, where plain CEL says true", (text) => {
    expect(about('{"env": ["prod"]}', text)).toBe("unknown")
    expect(about('{"env": null}', text)).toBe("unknown")
  })

  test.each([
    ["size(args.a) > 2", '{"a": "long text"}'],
    ["size(args.a) > 0", '{"a": {"b": 1}}'],
    ['args.a.exists(k, k == "b")', '{"a": {"b": 1}}'],
    ['args.a.all(k, k == "b")', '{"a": {"b": 1}}'],
  ])("%s looks at lists alone", (text, args) => {
    expect(about(args, text)).toBe("unknown")
  })
})

describe("what is joined:", () => {
  // By name of the argument: 1 for true, 2 for false, absent for unknown.
  const args = '{"t": 1, "f": 2}'
  const [yes, no, doubt] = ["args.t == 1", "args.f == 1", "args.u == 1"]

  test.each([
    [`${no} && ${doubt}`, "false"],
    [`${doubt} && ${no}`, "false"],
    [`${yes} && ${doubt}`, "unknown"],
    [`${doubt} && ${doubt}`, "unknown"],
    [`${yes} && ${yes}`, "true"],
    [`${yes} || ${doubt}`, "true"],
    [`${doubt} || ${yes}`, "true"],
    [`${no} || ${doubt}`, "unknown"],
    [`${no} || ${no}`, "false"],
    [`!(${doubt})`, "unknown"],
    [`!(${yes})`, "false"],
    [`!(${no})`, "true"],
    [`${doubt} || ${no} || ${yes}`, "true"],
    [`(${yes} || ${doubt}) && !(${no} && ${doubt})`, "true"],
  ])("%s is %s", (text, truth) => {
    expect(about(args, text)).toBe(truth)
  })
})

describe("numbers are exact decimals:", () => {
  test.each([
    ["1000", "args.a > 1000", "false"],
    ["1000.00000000000000000001", "args.a > 1000", "true"],
    ["1000.0", "args.a == 1000", "true"],
    ["1e3", "args.a == 1000.00", "true"],
    ["9007199254740993", "args.a == 9007199254740993", "true"],
    ["9007199254740993", "args.a == 9007199254740992", "false"],
    ["9007199254740992", "args.a == 9007199254740993", "false"],
    ["0.1", "args.a == 0.1", "true"],
    ["0.1", "args.a == 0.1000000000000000055511151231257827", "false"],
    ["0.30000000000000004", "args.a > 0.3", "true"],
    ["-5", "args.a < -4", "true"],
    ["-1e400", "args.a < -1e300", "true"],
    ["1e400", "args.a > 1e300", "true"],
    ["-0", "args.a == 0", "true"],
    ["0.0", "args.a >= -0.0", "true"],
    ["1", "args.a in [2, 1]", "true"],
    ["3", "args.a in [2, 1]", "false"],
    ["1e1000", "args.a > 1", "true"],
    ["1e1001", "args.a > 1", "unknown"],
    ["1e-1001", "args.a < 1", "unknown"],
    [`1${"0".repeat(999)}`, "args.a > 1", "true"],
    [`1${"1".repeat(1_000)}`, "args.a > 1", "unknown"],
    [`0.${"1".repeat(1_000)}`, "args.a < 1", "unknown"],
    ['"1000"', "args.a == 1000", "unknown"],
    ["true", "args.a == 1", "unknown"],
    ["[1]", "args.a == 1", "unknown"],
    ['{"a": 1}', "args.a == 1", "unknown"],
    ["null", "args.a != 1", "unknown"],
  ])("for %s %s is %s", (value, text, truth) => {
    expect(about(`{"a": ${value}}`, text)).toBe(truth)
  })

  test("a true or false is compared with its like alone", () => {
    expect(about('{"a": true}', "args.a == true")).toBe("true")
    expect(about('{"a": true}', "args.a != true")).toBe("false")
    expect(about('{"a": 1}', "args.a == true")).toBe("unknown")
    expect(about('{"a": "true"}', "args.a != false")).toBe("unknown")
    expect(about('{"a": false}', "args.a in [true, false]")).toBe("true")
  })
})

describe("a text is decided where every reader agrees:", () => {
  test.each([
    ["prod", 'args.a == "prod"', "true"],
    ["prod", 'args.a != "prod"', "false"],
    ["test", 'args.a == "prod"', "false"],
    ["test", 'args.a != "prod"', "true"],
    ...["Prod", " prod", "prod\n", "PROD\r\n", "ｐｒｏｄ", "𝐩rod"].flatMap((odd) => [
      [odd, 'args.a == "prod"', "unknown"] as const,
      [odd, 'args.a != "prod"', "unknown"] as const,
      [odd, 'args.a in ["test", "prod"]', "unknown"] as const,
      [odd, '!(args.a in ["test", "prod"])', "unknown"] as const,
    ]),
    ["straße", 'args.a == "STRASSE"', "unknown"],
    ["ΟΔΟΣ", 'args.a == "οδος"', "unknown"],
    ["ﬁne", 'args.a == "fine"', "unknown"],
    ["prod", 'args.a in ["test", "prod"]', "true"],
    ["live", 'args.a in ["test", "prod"]', "false"],
    ["/etc/x", 'args.a.startsWith("/etc")', "true"],
    ["/usr/x", 'args.a.startsWith("/etc")', "false"],
    ["/ETC/x", 'args.a.startsWith("/etc")', "unknown"],
    [" /etc/x", '!args.a.startsWith("/etc")', "unknown"],
    ["a.key", 'args.a.endsWith(".key")', "true"],
    ["a.key ", 'args.a.endsWith(".key")', "unknown"],
    ["a.pem", 'args.a.endsWith(".key")', "false"],
    ["do drop it", 'args.a.contains("drop")', "true"],
    ["do DROP it", 'args.a.contains("drop")', "unknown"],
    ["do keep it", 'args.a.contains("drop")', "false"],
    ["2026-02-01", 'args.a < "2026-01-31"', "false"],
    ["2026-01-01", 'args.a < "2026-01-31"', "true"],
    ["B", 'args.a < "a"', "unknown"],
    ["b", 'args.a > "B"', "unknown"],
    ["b", 'args.a < "B"', "false"],
    ["a", 'args.a <= "a"', "true"],
    ["", 'args.a == ""', "true"],
    ["x", 'args.a == ""', "false"],
    [" ", 'args.a == ""', "unknown"],
  ] as const)("for %j %s is %s", (value, text, truth) => {
    expect(ofText(value, text)).toBe(truth)
  })

  test("characters are in the order of their numbers, not of the halves that JavaScript has of them", () => {
    expect(["\u{1F600}", "\uFD3E"].toSorted()).toEqual(["\u{1F600}", "\uFD3E"])
    expect(ofText("\u{1F600}", 'args.a > "\uFD3E"')).toBe("true")
    expect(ofText("\uFD3E", 'args.a < "\u{1F600}"')).toBe("true")
  })

  test.each([
    ["a zero-width space", "pr\u200bod"],
    ["a soft hyphen", "pr\u00adod"],
    ["a no-break space", "pr\u00a0od"],
    ["an override of its direction", "\u202eprod"],
    ["what stands for an object that is not there", "pr\ufffcod"],
    ["a byte order mark", "\ufeffprod"],
    ["a blank of Braille", "prod\u2800"],
    ["a control character", "prod\u0000"],
    ["half a character", "prod\ud800"],
    ["a character in two parts", "cafe\u0301"],
    ["a hundred marks on one letter", `a${"\u0301".repeat(100)}`],
    ["a variation selector after a letter", "a\ufe0f"],
  ])("a text with %s is unknown to every question", (_, value) => {
    const questions = ['args.a == "x"', 'args.a != "x"', 'args.a < "x"', 'args.a in ["x"]', 'args.a.contains("o")']

    expect(questions.map((text) => ofText(value, text))).toEqual(questions.map(() => "unknown"))
  })

  test.each([
    ["//etc/passwd", 'args.a.startsWith("/etc")'],
    ["/./etc/passwd", 'args.a.startsWith("/etc")'],
    ["/tmp/../etc/passwd", 'args.a.startsWith("/etc")'],
    ["x@evil.com\n@ours.com", '!args.a.endsWith("@ours.com")'],
    ["\u0440rod", 'args.a == "prod"'],
  ])("a condition does not know that %j is another spelling, as its page says", (value, text) => {
    expect(ofText(value, text)).toBe("false")
  })

  test("line ends, tabs and a coloured emoji hide nothing", () => {
    expect(ofText("a\r\n\tb ❤\ufe0f é", 'args.a.contains("b")')).toBe("true")
  })

  test.each(["5", "true", "null", '["prod"]', '{"prod": 1}'])("what is no text is unknown: %s", (value) => {
    expect(about(`{"a": ${value}}`, 'args.a != "prod"')).toBe("unknown")
    expect(about(`{"a": ${value}}`, '!args.a.contains("prod")')).toBe("unknown")
  })
})

describe("has is false only of an object that lacks the name:", () => {
  test.each([
    ['{"o": {"x": 1}}', "true"],
    ['{"o": {"x": false}}', "true"],
    ['{"o": {"y": 1}}', "false"],
    ['{"o": {}}', "false"],
    ['{"o": {"x": null}}', "unknown"],
    ['{"o": null}', "unknown"],
    ['{"o": [1]}', "unknown"],
    ['{"o": "x"}', "unknown"],
    ["{}", "unknown"],
    ["[]", "unknown"],
  ])("for %s it is %s", (args, truth) => {
    expect(about(args, "has(args.o.x)")).toBe(truth)
  })

  test("names that every object of JavaScript has are no names of arguments", () => {
    expect(about("{}", "has(args.constructor)")).toBe("false")
    expect(about("{}", 'args.toString == "x"')).toBe("unknown")
    expect(about('{"__proto__": 1}', "args.__proto__ == 1")).toBe("true")
  })
})

describe("lists:", () => {
  test.each([
    ["[1, 5]", "args.l.exists(x, x > 4)", "true"],
    ["[1, 2]", "args.l.exists(x, x > 4)", "false"],
    ['[1, "5"]', "args.l.exists(x, x > 4)", "unknown"],
    ['["5", 7]', "args.l.exists(x, x > 4)", "true"],
    ["[]", "args.l.exists(x, x > 4)", "false"],
    ["[]", "args.l.all(x, x > 4)", "true"],
    ["[5, 6]", "args.l.all(x, x > 4)", "true"],
    ["[5, null]", "args.l.all(x, x > 4)", "unknown"],
    ["[null, 1]", "args.l.all(x, x > 4)", "false"],
    ['[{"p": 5}, {}]', "args.l.all(x, x.p > 4)", "unknown"],
    ['[{"p": 5}, {}]', "args.l.all(x, has(x.p))", "false"],
    ["[1, 2, 3]", "size(args.l) == 3", "true"],
    ["[1, 2, 3]", "size(args.l) > 3", "false"],
    ["[[1, 2], [1]]", "args.l.exists(x, size(x) > 1)", "true"],
    ["{}", "size(args.l) == 0", "unknown"],
    ["null", "args.l.all(x, x > 4)", "unknown"],
    [`[${"1,".repeat(999)}1]`, "args.l.all(x, x == 1)", "true"],
    [`[${"1,".repeat(1_000)}1]`, "args.l.exists(x, x == 1)", "unknown"],
    [`[${"1,".repeat(1_000)}1]`, "size(args.l) > 3", "unknown"],
  ])("for %.30s %s is %s", (list, text, truth) => {
    expect(about(`{"l": ${list}}`, text)).toBe(truth)
  })

  test.each([
    [["S1", "S2"], "true"],
    [["S3"], "false"],
    [["s1"], "unknown"],
    [[], "false"],
    [null, "unknown"],
  ])("with the groups %j a member of S1 is asked for: %s", (groups: Json, truth) => {
    expect(decided('"S1" in requester.groups', { requester: { groups } })).toBe(truth)
  })

  test("without anybody, groups and the rest of a requester are unknown", () => {
    expect(decided('"S1" in requester.groups', {})).toBe("unknown")
    expect(decided("requester.known == false", {})).toBe("unknown")
    expect(decided("time.hour > 8", {})).toBe("unknown")
  })
})

describe("what is not there:", () => {
  test.each(['"text"', "5", "[]", "null"])("arguments that are no object are unknown: %s", (args) => {
    expect(about(args, "args.a == 1")).toBe("unknown")
    expect(about(args, "has(args.a)")).toBe("unknown")
    expect(about(args, "args.a.exists(x, x == 1)")).toBe("unknown")
  })

  test("a field that is to be filled in is unknown, whatever stands there and for has too", () => {
    const facts = { args: { a: 5, l: [1], o: { x: 1 }, b: 5 }, unfilled: new Set(["a", "l", "o", "new"]) }
    const unknown = [
      "args.a == 5",
      "has(args.a)",
      "has(args.new)",
      "has(args.o.x)",
      "size(args.l) == 1",
      "args.o.x == 1",
    ]

    expect(unknown.map((text) => decided(text, facts))).toEqual(unknown.map(() => "unknown"))
    expect(decided("args.b == 5 && !has(args.c)", facts)).toBe("true")
  })

  test("what is known of the call is looked at, and null is unknown", () => {
    const call = { tool: "delete_user", agent: "ops", team: null, classes: null }

    expect(decided('call.tool.startsWith("delete") && call.agent == "ops"', { call })).toBe("true")
    expect(decided('call.team != "billing"', { call })).toBe("unknown")
    expect(decided('"pii" in call.classes', { call })).toBe("unknown")
  })
})
