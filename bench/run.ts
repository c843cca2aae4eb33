// Runs benches, and prints each figure beside its floor and its goal:
// npm run bench [-- NAME… --quick --keep --report --json FILE]
import { fork } from "node:child_process"
import { parseArgs } from "node:util"
import { lineOf, type Measured, measured, verdictOf } from "./parts/figure.ts"
import {
  loadLine,
  loadNow,
  lookAtMachine,
  type Machine,
  machineLine,
  watchOthers,
  whyUnjudged,
} from "./report/machine.ts"
import { writePage } from "./report/page.ts"
import { commitNow, figuresOf, keepRun, type Run, readResults, writeResults } from "./report/results.ts"
import { type ScenarioFile, scenarioFiles } from "./scenarios.ts"

const { values, positionals } = parseArgs({
  options: {
    /** Writes the runs to this file as well. */
    json: { type: "string" },
    /** Keeps the runs in bench/results.json, from which the page is written. */
    keep: { type: "boolean", default: false },
    /** Writes docs/performance.md from what is kept; measures nothing unless scenarios are named. */
    report: { type: "boolean", default: false },
    /** A short form that shows that the bench works; its figures say nothing. */
    quick: { type: "boolean", default: false },
  },
  allowPositionals: true,
})
const quickWords = "not judged: a quick run"

const refusal = refuse(positionals)
if (refusal !== null) {
  console.error(refusal)
  process.exitCode = 2
} else {
  if (positionals.length > 0 || !values.report) await measureAll(chosen(positionals))
  if (values.report) writePage(readResults())
}

/** What is wrong with the words, or null. */
function refuse(words: readonly string[]): string | null {
  const unknown = words.filter((word) => !scenarioFiles.some((file) => isCalled(file, word)))
  const known = scenarioFiles.map(({ name, ids, about }) => `  ${name} (${ids.join(", ")}): ${about}`)
  if (unknown.length > 0) return `no benchmark is called ${unknown.join(", ")}. There are:\n${known.join("\n")}`
  if (!values.quick) return null
  if (values.keep) return "--quick measures nothing that is worth keeping: leave out --quick or --keep"
  const quick = scenarioFiles.flatMap((file) => (file.quick ? [file.name] : []))
  const slow = chosen(words).some((file) => !file.quick)
  return slow ? `only ${quick.join(", ")} have a quick form: name them` : null
}

/** A file by its name, or by the number of a row. */
function isCalled(file: ScenarioFile, word: string): boolean {
  return file.name === word || file.ids.includes(word)
}

/** The files that were asked for; all without a word. */
function chosen(words: readonly string[]): readonly ScenarioFile[] {
  return words.length === 0 ? scenarioFiles : scenarioFiles.filter((file) => words.some((word) => isCalled(file, word)))
}

async function measureAll(files: readonly ScenarioFile[]): Promise<void> {
  const machine = await lookAtMachine()
  console.log(machineLine(machine))
  const runs: Run[] = []
  for (const { name, about } of files) {
    console.log(`\n${name}: ${about}`)
    const { run, done } = await measure(name, machine)
    runs.push(run)
    for (const figure of figuresOf(run)) console.log(lineOf(figure, run.unjudged))
    console.log(loadLine(run.load))
    if (!done) process.exitCode = 1
    else if (values.keep) writeResults(keepRun(readResults(), run))
  }
  if (values.json !== undefined) writeResults(runs, values.json)
  summarise(runs)
}

/** Measures one file. `done` is false if the measuring itself failed; what was measured until then is in the run. */
async function measure(name: string, machine: Machine): Promise<{ readonly run: Run; readonly done: boolean }> {
  const before = await loadNow()
  const others = watchOthers()
  const found: Measured[] = []
  const done = await inOwnProcess(name, (what) => {
    found.push(what)
    // Figures wait for their verdict, which takes the load of the whole run.
    if (what.kind !== "figure") console.log(lineOf(what))
  })
  const load = { before, meanwhile: others(), after: await loadNow() }
  const unjudged = values.quick ? quickWords : whyUnjudged(load)
  const date = new Date().toISOString().slice(0, 10)
  return { run: { name, date, commit: commitNow(), machine, load, unjudged, measured: found }, done }
}

/** False if the measuring itself failed. */
function inOwnProcess(name: string, report: (what: Measured) => void): Promise<boolean> {
  const env = { ...process.env, BENCH_QUICK: values.quick ? "yes" : "no" }
  const child = fork(new URL("./one.ts", import.meta.url), [name], { env })
  child.on("message", (message) => report(measured.parse(message)))
  return new Promise((resolve) => child.once("exit", (code) => resolve(code === 0)))
}

/** The last line, and the exit code: 1 if a row was missed. What was not judged was not missed either. */
function summarise(runs: readonly Run[]): void {
  const judged = runs.filter(({ unjudged }) => unjudged === null).flatMap(figuresOf)
  const missed = judged.filter((figure) => verdictOf(figure) === "missed").length
  const all = runs.flatMap(figuresOf).length
  console.log(`\nfigures ${all}, missed ${missed}, not judged ${all - judged.length}`)
  if (missed > 0) process.exitCode = 1
}
