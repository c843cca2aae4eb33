// Runs one benchmark by name, or all of them: npm run bench -- gate
import { readdirSync } from "node:fs"

const folder = new URL(".", import.meta.url)
const helpers = ["run.ts", "rounds.ts"]
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !helpers.includes(file))
  .map((file) => file.replace(/\.ts$/, ""))

const [wanted] = process.argv.slice(2)
const chosen = wanted === undefined ? names : names.filter((name) => name === wanted)
if (chosen.length === 0) {
  console.error(`no benchmark is called ${wanted}: there are ${names.join(", ")}`)
  process.exitCode = 2
}
for (const name of chosen) await import(new URL(`${name}.ts`, folder).href)
