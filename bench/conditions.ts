// Measures how many conditions we decide a second on one core, in three values and within their budget.
//
// Floor: the package that reads conditions decides the same ones over the same arguments by itself, as plain CEL: with
// doubles, in two values, without a look at what a text hides. Product: `src/domain/condition`. Arguments are of the
// usual kind: some conditions hold, some do not, and some have to read a text twice.
import { Environment } from "@marcbachmann/cel-js"
import { readCondition } from "../src/domain/condition/condition.ts"
import { evaluate } from "../src/domain/condition/evaluate.ts"
import type { Json } from "../src/domain/content/json.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute, alternate, compare } from "./parts/rounds.ts"

const texts = [
  'args.amount > 1000 && args.currency == "EUR"',
  'args.env in ["prod", "live"] && !(args.dry_run == true)',
  'args.path.startsWith("/etc") || args.path.contains("secret")',
  "args.items.exists(item, item.price > 500 && item.count >= 2)",
  'has(args.cc) || args.to.all(one, one.endsWith("@example.com"))',
]

const ten = Array.from({ length: 10 }, (_, at) => at)

/** Half of them are what nobody minds, half what somebody should look at; one has letters beyond ASCII. */
const calls: readonly Record<string, Json>[] = [
  { amount: 120.5, currency: "EUR", env: "test", dry_run: false, path: "/var/tmp/räume", ...lists(1, "ann") },
  { amount: 4_000, currency: "EUR", env: "prod", dry_run: false, path: "/etc/passwd", ...lists(60, "ben") },
]

function lists(price: number, name: string): Record<string, Json> {
  return {
    items: ten.map((at) => ({ price: price * at, count: at })),
    to: ten.map((at) => `${name}${at}@example.com`),
    cc: [],
  }
}

const times = 5_000

/** Reports 22 and 22b. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const where = fixOneCore()
  const [floor = [], product = []] = await alternate([plain(), ours()])
  const what = `a condition of a rule over ten items or one value, ${where}`
  report(compare({ scenario: "22", what, unit: "ms", floor, product }))
  const figures = product.map((ms) => 1_000 / ms)
  report(absolute({ scenario: "22b", what: "conditions decided", unit: "per second", atMost: false }, figures))
}

/** A block that decides each condition over all arguments; gives the ms of one. */
function block(decisions: readonly ((args: Record<string, Json>) => unknown)[]): () => number {
  return () => {
    const begun = performance.now()
    for (let at = 0; at < times; at += 1)
      for (const decide of decisions)
        for (const args of calls) if (decide(args) === undefined) throw new Error("a condition came to nothing")
    return (performance.now() - begun) / (times * decisions.length * calls.length)
  }
}

function plain(): () => number {
  const engine = new Environment({ unlistedVariablesAreDyn: true })
  return block(
    texts.map((text) => {
      const decide = engine.parse(text)
      return (args) => decide({ args })
    }),
  )
}

function ours(): () => number {
  const facts = { call: {}, requester: null, time: null }
  return block(
    texts.map((text) => {
      const read = readCondition(text)
      if (!read.ok) throw new Error(`${text}: ${read.flaws.map(({ words }) => words).join("; ")}`)
      return (args) => evaluate(read.condition.expression, { ...facts, args })
    }),
  )
}
