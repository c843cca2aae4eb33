// What operators are given speaks of metrics that there are: the dashboard, the alerts, the words in
// docs/operations.md.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { createMetrics } from "../../src/measure/metrics.ts"

const docs = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")
const known = createMetrics().registry.getMetricsAsArray()
const names = known.map(({ name }) => name)
/** A histogram has three series. */
const series = new Set(names.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]))

/** The metrics of ours that a query names. */
function metricsIn(query: string): readonly string[] {
  return query.match(/\bcountersign_[a-z_]+/g) ?? []
}

const dashboard = JSON.parse(docs("dashboard.json")) as { panels: { title: string; targets: { expr: string }[] }[] }
const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))
const alerts = parse(docs("alerts.yml")) as { groups: { rules: { alert: string; expr: string }[] }[] }
const rules = alerts.groups.flatMap((group) => group.rules)

test.each(queries)("the dashboard's %s asks for what there is: %s", (_title, expr) => {
  expect(metricsIn(expr).length).toBeGreaterThan(0)
  expect(metricsIn(expr).filter((name) => !series.has(name))).toEqual([])
})

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))("%s looks at what there is", (_alert, expr) => {
  expect(metricsIn(expr).filter((name) => !series.has(name))).toEqual([])
})

test("every metric is on the dashboard, and every alert and metric is explained", () => {
  const shown = new Set(queries.flatMap(([, expr]) => metricsIn(expr)))
  const words = docs("operations.md")

  expect(names.filter((name) => ![...shown].some((one) => one.startsWith(name)))).toEqual([])
  expect(names.filter((name) => !words.includes(`\`${name}`))).toEqual([])
  expect(rules.map(({ alert }) => alert).filter((alert) => !words.includes(`| ${alert} |`))).toEqual([])
})

test("the words on each metric name its labels", () => {
  const words = docs("operations.md")
  const wrong = known.filter((metric) => {
    const labels: unknown = "labelNames" in metric ? metric.labelNames : []
    const list = Array.isArray(labels) ? labels.filter((label) => label !== "le") : []
    return !words.includes(`\`${metric.name}${list.length === 0 ? "" : `{${list.join(",")}}`}\``)
  })

  expect(wrong.map(({ name }) => name)).toEqual([])
})
