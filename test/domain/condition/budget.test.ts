// What a condition may cost: a hostile list or text costs its budget at most, and then nobody knows.
import { describe, expect, test } from "vitest"
import { readCondition } from "../../../src/domain/condition/condition.ts"
import { evaluate, type Truth } from "../../../src/domain/condition/evaluate.ts"
import type { Json } from "../../../src/domain/content/json.ts"
import { cpuMs } from "../../support/cpu-time.ts"

function about(args: Json, text: string): Truth {
  const read = readCondition(text)
  if (!read.ok) throw new Error(`${text}: ${read.flaws.map(({ words }) => words).join("; ")}`)
  return evaluate(read.condition.expression, { args, call: {}, requester: null, time: null })
}

/** This many tests of one item, none of which holds but the last. */
function manyTests(count: number): string {
  return Array.from({ length: count }, (_, at) => `x == ${at + 2 - count}`).join(" || ")
}

describe("R20 a budget of ten thousand steps:", () => {
  const list = Array.from({ length: 1_000 }, () => 1)

  test("a list is decided within it, and unknown beyond it", () => {
    expect(about({ l: list }, `args.l.all(x, ${manyTests(8)})`)).toBe("true")
    expect(about({ l: list }, `args.l.all(x, ${manyTests(9)})`)).toBe("unknown")
  })

  test("a spent budget makes all of the condition unknown, in whatever order its parts stand", () => {
    const costly = `args.l.all(x, ${manyTests(9)})`

    expect(about({ l: list, a: 1 }, `args.a == 1 || ${costly}`)).toBe("unknown")
    expect(about({ l: list, a: 1 }, `${costly} || args.a == 1`)).toBe("unknown")
    expect(about({ l: list, a: 1 }, `args.a == 2 && ${costly}`)).toBe("unknown")
    expect(about({ l: list, a: 1 }, `!(${costly} && args.a == 2)`)).toBe("unknown")
  })

  test("a list of values costs a step for each", () => {
    const values = Array.from({ length: 9 }, (_, at) => at + 2).join(", ")

    expect(about({ l: list }, `args.l.exists(x, x in [${values}])`)).toBe("unknown")
    expect(about({ l: list }, "args.l.exists(x, x in [2, 3, 4])")).toBe("false")
  })

  test("a thousand characters are a step, those that are not plain more than one", () => {
    expect(about({ a: "a".repeat(4_000_000) }, 'args.a == "b"')).toBe("false")
    expect(about({ a: "a".repeat(6_000_000) }, 'args.a == "b"')).toBe("unknown")
    expect(about({ a: "ä".repeat(100_000) }, 'args.a == "b"')).toBe("false")
    expect(about({ a: "ä".repeat(200_000) }, 'args.a == "b"')).toBe("unknown")
  })
})

test.each([
  ["a", "a"],
  ["an invisible character", "\u200b"],
  ["marks that have to be sorted", "\u0301\u0323"],
  ["marks of half width that have to be sorted", "ﾞ\u0301"],
  ["letters that become eighteen", "\ufdfa"],
  ["letters that become three", "ΐ"],
  ["syllables in parts", "\u1100\u1161"],
  ["emoji with a selector", "❤\ufe0f"],
  ["a part of what is looked for", "aaaaaaaaab"],
])("R20 a megabyte of %s takes no time to speak of", (_, part) => {
  const text = part.repeat(Math.floor(1_000_000 / Buffer.byteLength(part)))
  const long = `${"a".repeat(100)}b${"a".repeat(100)}`
  const questions = ['args.a == "b"', 'args.a < "ÿ"', `args.a.contains("${long}")`, `args.a.startsWith("${long}")`]
  const begun = cpuMs()

  for (const question of questions) about({ a: text }, question)

  expect(cpuMs() - begun).toBeLessThan(5_000)
})
