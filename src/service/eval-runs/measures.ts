// Measures for evaluations which tool calls ran, by the rules of the real service, and how long runs took.
import { everyRun, type Family } from "../engine/run.ts"
import { type WireObject, writeExact } from "../wire/exact-json.ts"

/** The calls that are expected: their names, whether others may run, and the arguments of one call or several. */
interface Expected {
  readonly calls: readonly string[]
  readonly others: "allowed" | "refused"
  readonly args: Readonly<Record<string, WireObject | readonly WireObject[]>>
}

/** The verdict, call by call. A call counts only if it ran without an error; a call that waits does not count. */
export function judgeCalls(family: Family, expected: Expected): Readonly<Record<string, unknown>> {
  const calls = everyRun(family).flatMap(({ state }) => state.tools)
  const clean = calls.filter(({ result, tool_call_error: failed }) => result !== null && failed !== true)
  const tried = new Set(calls.map(({ tool_name: name }) => name))
  const ran = new Set(clean.map(({ tool_name: name }) => name))
  const strangers = calls.map(({ tool_name: name }) => name).filter((name) => !expected.calls.includes(name))
  const missing = expected.calls.filter((name) => !ran.has(name))
  const checks = Object.entries(expected.args).filter(([name]) => !missing.includes(name))
  const failed = checks.filter(([name, wanted]) => !isMet(wanted, argumentsOf(clean, name))).map(([name]) => name)
  const refused = expected.others === "refused" ? strangers : []
  return {
    eval_status: refused.length + missing.length + failed.length === 0 ? "PASSED" : "FAILED",
    failed_tool_calls: refused,
    passed_tool_calls: clean.map(({ tool_name: name }) => name).filter((name) => expected.calls.includes(name)),
    additional_tool_calls: expected.others === "allowed" ? strangers : [],
    missing_tool_calls: missing.map((name) => (tried.has(name) ? `${name} (asked for, but it did not run)` : name)),
    failed_argument_checks: failed,
    passed_argument_checks: checks.map(([name]) => name).filter((name) => !failed.includes(name)),
  }
}

type Call = Family["run"]["state"]["tools"][number]

function argumentsOf(calls: readonly Call[], name: string): readonly WireObject[] {
  return calls.filter((call) => call.tool_name === name).map((call) => call.tool_args)
}

/** True if each expected set of arguments is in at least one call. */
function isMet(wanted: WireObject | readonly WireObject[], calls: readonly WireObject[]): boolean {
  const each = [wanted].flat()
  return calls.length > 0 && each.every((args) => calls.some((call) => holdsAll(call, args)))
}

/** True if a call has these arguments. They are compared as the wire writes them, so 1 and 1.0 are not the same. */
function holdsAll(call: WireObject, wanted: WireObject): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(call, key) && writeExact(call[key]) === writeExact(value),
  )
}

/** Average, least, most, deviation, median and 95th percentile. Without numbers all are 0. */
export function spreadOf(name: string, numbers: readonly number[]): Readonly<Record<string, number>> {
  const sorted = numbers.toSorted((left, right) => left - right)
  const average = sorted.length === 0 ? 0 : sum(sorted) / sorted.length
  return {
    [`avg_${name}`]: average,
    [`min_${name}`]: sorted[0] ?? 0,
    [`max_${name}`]: sorted.at(-1) ?? 0,
    [`std_dev_${name}`]: deviationOf(sorted, average),
    [`median_${name}`]: quantileOf(sorted, 0.5),
    [`p95_${name}`]: quantileOf(sorted, 0.95),
  }
}

/** The standard deviation of a sample: it divides by one less than the number of values. */
function deviationOf(numbers: readonly number[], average: number): number {
  if (numbers.length < 2) return 0
  return Math.sqrt(sum(numbers.map((one) => (one - average) ** 2)) / (numbers.length - 1))
}

/** The value at a share of the sorted numbers, interpolated between its two neighbours. */
function quantileOf(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? 0
  const above = sorted[Math.ceil(at)] ?? below
  return below + (above - below) * (at - Math.floor(at))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
