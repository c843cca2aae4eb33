// Measures one file of scenarios in a process of its own, and tells the parent each figure at once.
import type { Measured, Scenario } from "./parts/figure.ts"

const [name = ""] = process.argv.slice(2)
const scenario: Scenario = await import(new URL(`./${name}.ts`, import.meta.url).href)
await scenario.run((what: Measured) => process.send?.(what))
if (process.connected) process.disconnect()
