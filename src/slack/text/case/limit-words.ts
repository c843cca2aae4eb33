// The limits of rules in words: how high each sum is, whose it is, and whether more people must agree.
import type { CardModel } from "../../../domain/case/card-model.ts"
import { goodPath } from "../../../domain/condition/condition.ts"
import { valueIn } from "../../../domain/condition/evaluate.ts"
import { type Approval, ruledCalls } from "../../../domain/content/approval.ts"
import { isWireNumber, type Json } from "../../../domain/content/json.ts"
import type { LimitReading, LimitSum } from "../../../domain/policy/limit-reading.ts"
import { callFacts } from "../../../domain/policy/when.ts"
import { code, type Line, moment, say, sentence } from "../../lines/spans.ts"
import { createTextFitter } from "../../lines/text-fitter.ts"

const ruleUnits = 80
const ownerUnits = 80
const amountUnits = 40
/** How many owners of one limit are named. */
const maxOwners = 3

/**
 * A line for each limit and owner; several limits that could not be checked share one line. The model is masked. If
 * arguments stand in Details alone, no value is named.
 */
export function limitLines(model: CardModel): readonly Line[] {
  const limits = limitsOf(model)
  const unsure = limits.filter(({ doubt }) => doubt === "amount" || doubt === "unknown")
  if (unsure.length < 2) return limits.flatMap((one) => readingLines(model, one))
  const sure = limits.filter((one) => !unsure.includes(one))
  const more = sure.length === 0 ? "" : "more "
  const words = `${unsure.length} ${more}limits could not be checked, so they count as exceeded (see Details)`
  return [...sure.flatMap((one) => readingLines(model, one)), [say(words)]]
}

/** Each limit by itself, for Details and answers, where arguments may stand. */
export function limitLinesInDetails(model: CardModel): readonly Line[] {
  const { argumentsInDetails: _hidden, ...look } = model.look
  return limitsOf(model).flatMap((one) => readingLines({ ...model, look }, one))
}

/** The limits of a case; none once it is decided. */
function limitsOf({ status, limits = [] }: CardModel): readonly LimitReading[] {
  return status.kind === "settled" || status.kind === "replaced" ? [] : limits
}

/** What a form says before it is sent, if a limit depends on what is filled in. */
export function limitAhead({ limits = [] }: CardModel, rule: string, who: Line): readonly Line[] {
  const open = limits.some((one) => one.rule === rule && one.doubt === "open")
  return open ? [sentence`If the limit of rule ${ruleCode(rule)} is exceeded with what you fill in: ${who}`] : []
}

function readingLines(model: CardModel, reading: LimitReading): readonly Line[] {
  const { rule, limit, doubt, passed, sums = [] } = reading
  if (doubt === "open")
    return [sentence`What is filled in decides whether the limit of rule ${ruleCode(rule)} is exceeded`]
  const most = `(${amountWords(limit.above)} in ${spanWords(limit.windowMs)})`
  const head = sentence`${passed ? "Above" : "Within"} the limit of rule ${ruleCode(rule)} ${most}`
  const name = code(createTextFitter().word(limit.sum.replace(/^args\./, ""), ownerUnits))
  if (doubt === "amount") return [sentence`${head}: ${name} of a call is no amount, so it counts as too much`]
  if (doubt === "unknown")
    return [sentence`${head}: how much was approved so far is not known, so it counts as too much`]
  const shown = sums.slice(0, maxOwners).map((sum) => sentence`${head}${sumWords(model, limit, sum)}`)
  const rest = sums.length - shown.length
  return rest > 0 ? [...shown, [say(`… and for ${rest} more`)]] : shown
}

function sumWords(model: CardModel, { per, sum }: LimitReading["limit"], { call, before, adds, at }: LimitSum): Line {
  const owner = per === undefined ? null : shownValue(model, call, per)
  const amount = shownValue(model, call, sum)
  const whose: Line = owner === null ? [] : sentence` for ${code(createTextFitter().word(owner, ownerUnits))}`
  // If masks or `arguments: details` hide an amount, its sum must not reveal it.
  if (amount === null || !/^[\d.eE+-]+$/.test(amount)) return whose
  return sentence`: ${amountWords(before)} approved${whose} as of ${moment(at)}, this adds ${amountWords(adds)}`
}

/** The value at a path of a call, on one line; null if it may not be shown. */
function shownValue({ approval, look }: CardModel, call: number, path: string): string | null {
  if (approval === null || look.argumentsInDetails === true) return null
  const value = valueAt(approval, call, path)
  if (typeof value === "number") return String(value)
  if (isWireNumber(value)) return value.rawJSON
  return typeof value === "string" ? value : null
}

function valueAt(approval: Approval, at: number, path: string): Json | undefined {
  const call = ruledCalls(approval)[at]
  return call === undefined ? undefined : valueIn(callFacts(approval, call, {}), goodPath(path))
}

function ruleCode(rule: string) {
  return code(createTextFitter().word(rule, ruleUnits))
}

/** "5,400.5". */
function amountWords(text: string): string {
  if (text.length > amountUnits) return `a number of ${text.length} characters`
  const [whole = "", fraction] = text.split(".")
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const units = [
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
  { name: "second", ms: 1_000 },
] as const

/** "24 hours": in the largest unit that fits. From two days on it counts days. */
function spanWords(windowMs: number): string {
  const fits = units.find(({ name, ms }) => windowMs % ms === 0 && windowMs >= (name === "day" ? 2 * ms : ms))
  const { name, ms } = fits ?? { name: "second", ms: 1_000 }
  const count = Math.round((windowMs / ms) * 10) / 10
  return `${count} ${name}${count === 1 ? "" : "s"}`
}
