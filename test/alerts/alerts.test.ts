// The alert rules: Prometheus can read them, each fires on what it is for, and a rule that did not would be noticed.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { run } from "../../src/setup/processes.mjs"
import { aFolder } from "../support/opened.ts"

const rules = new URL("../../docs/alerts.yml", import.meta.url).pathname
const cases = new URL("alerts.test.yml", import.meta.url).pathname

function promtool(...args: string[]) {
  const program = process.env["PROMTOOL"]
  if (program === undefined) throw new Error("PROMTOOL is not set: start these tests by npm run test:alerts")
  return run([program, ...args], { env: {} })
}

test("Prometheus can read the rules", async () => {
  expect(await promtool("check", "rules", rules)).toMatchObject({ code: 0 })
})

test("each rule fires on what it is for, and not before", async () => {
  expect(await promtool("test", "rules", cases)).toMatchObject({ code: 0 })
})

test("no rule is without a case of its own", () => {
  const { groups } = parse(readFileSync(rules, "utf8")) as { groups: { rules: { alert: string }[] }[] }
  const { tests } = parse(readFileSync(cases, "utf8")) as { tests: { alert_rule_test: { alertname: string }[] }[] }

  const named = new Set(tests.flatMap((one) => one.alert_rule_test.map(({ alertname }) => alertname)))

  expect(groups.flatMap((group) => group.rules.map(({ alert }) => alert)).filter((alert) => !named.has(alert))).toEqual(
    [],
  )
})

test("a rule that no longer fires is noticed", async () => {
  const folder = aFolder("alerts")
  const broken = readFileSync(rules, "utf8").replace("countersign_store_up == 0", "countersign_store_up == 2")
  writeFileSync(join(folder, "alerts.yml"), broken)
  writeFileSync(join(folder, "cases.yml"), readFileSync(cases, "utf8").replace("../../docs/alerts.yml", "alerts.yml"))

  const { code, output } = await promtool("test", "rules", join(folder, "cases.yml"))

  expect(code).not.toBe(0)
  expect(output).toContain("CountersignWithoutRedis")
})
