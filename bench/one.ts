// Measures one file of scenarios in a process of its own and tells the parent each figure.
import type { Figure, Scenario } from "./parts/figure.ts"

const [name = ""] = process.argv.slice(2)
const scenario: Scenario = await import(new URL(`./${name}.ts`, import.meta.url).href)
await scenario.run((figure: Figure) => process.send?.(figure))
if (process.connected) process.disconnect()
