// The report of `countersign service conformance` for people: family by family, and one sentence at the end.
import { type CheckResult, families } from "../../service/conformance/check.ts"
import type { Conformance } from "../../service/conformance/conformance.ts"

interface Subject {
  readonly url: string
  readonly write: boolean
}

/** The lines of the report. */
export function reportLines(found: Conformance, subject: Subject): readonly string[] {
  const { results, leftovers } = found
  const groups = families.flatMap((family) => {
    const own = results.filter((one) => one.family === family)
    return own.length === 0 ? [] : [family, ...familyLines(own), ""]
  })
  const left = leftovers.length === 0 ? [] : ["left behind, please remove", ...leftovers.map((one) => `  ${one}`), ""]
  return [...groups, ...left, summary(found, subject)]
}

/** What passed, what deviates, and what was not tested. Checks with the same reason stand together. */
function familyLines(results: readonly CheckResult[]): readonly string[] {
  const passed = results.filter(({ outcome }) => outcome.kind === "passed")
  return [
    ...passed.map((one) => `  passed      ${sectionColumn(one)} ${one.says}`),
    ...results.flatMap(deviationLines),
    ...untestedLines(results),
  ]
}

function deviationLines(one: CheckResult): readonly string[] {
  const { outcome } = one
  if (outcome.kind !== "deviates") return []
  return [
    `  deviates    ${sectionColumn(one)} ${one.says}`,
    `              ${one.request}`,
    `              expected ${outcome.expected}`,
    `              got ${outcome.got}`,
  ]
}

/** We name this many checks that were not tested for one reason. If there are more, we only count them. */
const maxNamed = 5

function untestedLines(results: readonly CheckResult[]): readonly string[] {
  const untested = results.flatMap((one) => (one.outcome.kind === "untested" ? [{ one, why: one.outcome.why }] : []))
  return [...Map.groupBy(untested, ({ why }) => why)].flatMap(([why, alike]) => [
    `  not tested  ${alike.length === 1 ? "1 check" : `${alike.length} checks`}: ${why}`,
    ...(alike.length > maxNamed ? [] : alike.map(({ one }) => `              ${sectionColumn(one)} ${one.says}`)),
  ])
}

function sectionColumn({ section, isOpen }: CheckResult): string {
  return `${section}${isOpen ? " (open)" : ""}`.padEnd(12)
}

function summary({ results, database, interrupted }: Conformance, { url, write }: Subject): string {
  const { passed, deviating, open, untested } = counts(results)
  const split = deviating > 0 && open > 0 ? ` (${open} of them where the specification leaves it open)` : ""
  return [
    interrupted ? "Stopped before the end." : "",
    `${url}: ${passed} checks passed, ${deviating} deviate${split}, ${untested} not tested.`,
    database === null ? "" : `It has several databases; each request named ${database}.`,
    write ? "" : "Only reads were sent; --write tries the rest with rows of its own.",
  ]
    .filter((part) => part !== "")
    .join(" ")
}

/** How many checks had each outcome. `open`: deviations where the specification leaves a choice. */
export function counts(results: readonly CheckResult[]) {
  const count = (kind: CheckResult["outcome"]["kind"]) => results.filter(({ outcome }) => outcome.kind === kind).length
  const open = results.filter(({ outcome, isOpen }) => outcome.kind === "deviates" && isOpen).length
  return { passed: count("passed"), deviating: count("deviates"), open, untested: count("untested") }
}
