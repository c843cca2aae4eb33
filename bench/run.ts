// Runs benchmarks and prints each figure beside its floor and its goal: npm run bench [-- NAME… --json FILE]
import { fork } from "node:child_process"
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { type Figure, lineOf, verdictOf } from "./parts/figure.ts"
import { type ScenarioFile, scenarioFiles } from "./scenarios.ts"

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true })

const chosen = choose(positionals)
if (chosen === null) process.exitCode = 2
else await measure(chosen)

/**
 * The files that were asked for, by name or by the number of a scenario; all without a word. Null, and a message, for
 * an unknown one.
 */
function choose(words: readonly string[]): readonly ScenarioFile[] | null {
  const fits = (file: ScenarioFile, word: string) => file.name === word || file.ids.includes(word)
  const unknown = words.filter((word) => !scenarioFiles.some((file) => fits(file, word)))
  if (unknown.length === 0)
    return words.length === 0 ? scenarioFiles : scenarioFiles.filter((file) => words.some((word) => fits(file, word)))
  const known = scenarioFiles.map(({ name, ids, about }) => `  ${name} (${ids.join(", ")}): ${about}`)
  console.error(`no benchmark is called ${unknown.join(", ")}. There are:\n${known.join("\n")}`)
  return null
}

async function measure(files: readonly ScenarioFile[]): Promise<void> {
  const figures: Figure[] = []
  for (const { name, about } of files) {
    console.log(`\n${name}: ${about}`)
    const done = await measureOne(name, (figure) => {
      figures.push(figure)
      console.log(lineOf(figure))
    })
    if (!done) process.exitCode = 1
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`)
  const missed = figures.filter((figure) => verdictOf(figure) === "missed")
  console.log(`\nfigures ${figures.length}, missed ${missed.length}`)
  if (missed.length > 0) process.exitCode = 1
}

/** False if the measuring itself failed. */
function measureOne(name: string, report: (figure: Figure) => void): Promise<boolean> {
  const child = fork(new URL("./one.ts", import.meta.url), [name])
  child.on("message", (message) => report(message as Figure))
  return new Promise((resolve) => child.once("exit", (code) => resolve(code === 0)))
}
