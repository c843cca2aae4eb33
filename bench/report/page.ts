// Writes the figures of docs/performance.md from the kept results. It writes only what stands between
// `<!-- bench NAME -->` and `<!-- /bench -->`; the rest of the page stays as people wrote it.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { growthOf } from "../load/exponent.ts"
import { maxCardMs, passesAt } from "../load/search.ts"
import type { Curve, Figure, Latency, Measured } from "../parts/figure.ts"
import { round, verdictOf } from "../parts/figure.ts"
import { scenarioFiles } from "../scenarios.ts"
import { machineLine } from "./machine.ts"
import { pictureOf } from "./picture.ts"
import { figuresOf, type Run } from "./results.ts"

const pagePath = fileURLToPath(new URL("../../docs/performance.md", import.meta.url))
const picturePath = fileURLToPath(new URL("../../docs/growth.svg", import.meta.url))

/** Writes page and picture. Throws if the page lacks a place for what was measured. */
export function writePage(runs: readonly Run[]): void {
  writeFileSync(pagePath, pageOf(readFileSync(pagePath, "utf8"), runs))
  const picture = growthPicture(runs)
  if (picture !== null) writeFileSync(picturePath, picture)
}

/** The page with its figures as these runs have them. */
export function pageOf(page: string, runs: readonly Run[]): string {
  const parts = {
    machine: machineText(runs),
    figures: figureTable(runs),
    latency: latencyText(runs),
    growth: growthText(runs),
  }
  return Object.entries(parts).reduce((text, [name, lines]) => withPart(text, name, lines), page)
}

/** The curves drawn; null if none were measured. */
export function growthPicture(runs: readonly Run[]): string | null {
  const curves = measuredBy(runs, "curve")
  return curves.length === 0 ? null : pictureOf(curves, "Time over the number of pending approvals")
}

function withPart(page: string, name: string, lines: readonly string[]): string {
  const [before, rest] = cut(page, `<!-- bench ${name} -->\n`)
  const [, after] = cut(rest, "<!-- /bench -->")
  return `${before}<!-- bench ${name} -->\n\n${lines.join("\n")}\n\n<!-- /bench -->${after}`
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  if (at < 0) throw new Error(`the page has no place for the bench's figures: put back the line ${mark.trim()}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}

/** Where and when; runs of one machine and day share a line. */
function machineText(runs: readonly Run[]): readonly string[] {
  if (runs.length === 0) return ["Nothing was measured yet."]
  const groups = Map.groupBy(
    inOrder(runs),
    (run) => `${run.date}, commit ${run.commit}, on ${machineLine(run.machine)}`,
  )
  const names = (those: readonly Run[]) => those.map(({ name }) => name).join(", ")
  return [...groups].map(([where, those]) => `- ${names(those)}: ${where}.`)
}

function figureTable(runs: readonly Run[]): readonly string[] {
  const head = ["#", "scenario", "floor", "figure", "ratio", "must", "aim", "verdict", "load of others"]
  const rows = inOrder(runs).flatMap((run) =>
    figuresOf(run).map((figure) => [...figureCells(figure), run.unjudged ?? verdictOf(figure), loadText(run)]),
  )
  return table(head, rows)
}

function figureCells({ scenario, what, floor, value, unit, ratio, must, aim, atMost }: Figure): readonly string[] {
  const sign = atMost ? "<=" : ">="
  const goal = (at: number) => `${sign} ${round(at)}${floor === null ? ` ${unit}` : ""}`
  const [floorText, ratioText] = floor === null ? ["", ""] : [`${round(floor)} ${unit}`, round(ratio)]
  return [scenario, what, floorText, `${round(value)} ${unit}`, ratioText, goal(must), goal(aim)]
}

/** Before, meanwhile and after, in cores. */
function loadText({ load: { before, meanwhile, after } }: Run): string {
  return [before, meanwhile, after].map((load) => (load === null ? "?" : load.toFixed(1))).join(", ")
}

function latencyText(runs: readonly Run[]): readonly string[] {
  const measured = measuredBy(runs, "latency")
  if (measured.length === 0) return ["Not measured yet."]
  const head = ["clicks a second", "for", "ack p50", "p99", "p99.9", "card p50", "p99", "p99.9", "unanswered"]
  return [...table(head, measured.map(latencyCells)), "", passesText(measured)]
}

function latencyCells({ rate, seconds, ack, card, unanswered }: Latency): readonly string[] {
  const times = [ack.p50, ack.p99, ack.p999, card.p50, card.p99, card.p999].map((ms) => `${round(ms)} ms`)
  return [round(rate), `${seconds} s`, ...times, String(unanswered)]
}

function passesText(measured: readonly Latency[]): string {
  const { kept, passed } = passesAt(measured)
  const goal = `${maxCardMs / 1_000} s`
  if (passed === null) return `The card's p99 stays below ${goal} up to ${kept} clicks a second; faster was not tried.`
  return `The card's p99 passes ${goal} between ${kept} and ${passed} clicks a second.`
}

function growthText(runs: readonly Run[]): readonly string[] {
  const curves = measuredBy(runs, "curve")
  const sizes = curves[0]?.points.map(({ pending }) => pending) ?? []
  if (curves.length === 0) return ["Not measured yet."]
  const head = ["pending", ...sizes.map(round), "exponent of the time", "of the answer"]
  return [...table(head, curves.map(growthCells)), "", "![The same as curves](growth.svg)"]
}

function growthCells(curve: Curve): readonly string[] {
  const { ms, answer } = growthOf(curve)
  return [curve.what, ...curve.points.map((point) => `${round(point.ms)} ms`), ms.toFixed(2), answer.toFixed(2)]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [row(head), row(head.map(() => "---")), ...rows.map(row)]
}

/** As the scenarios run. */
function inOrder(runs: readonly Run[]): readonly Run[] {
  const at = ({ name }: Run) => scenarioFiles.findIndex((file) => file.name === name)
  return runs.toSorted((left, right) => at(left) - at(right))
}

function measuredBy<K extends Measured["kind"]>(
  runs: readonly Run[],
  kind: K,
): readonly Extract<Measured, { kind: K }>[] {
  return runs.flatMap((run) => run.measured.filter((one): one is Extract<Measured, { kind: K }> => one.kind === kind))
}
