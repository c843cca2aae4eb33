// The demo is measured while it runs, as Prometheus would.

import { expect, onTestFinished, test } from "vitest"
import { openStage } from "../../../src/cli/demo/stage.ts"
import { judgeAnswersAt } from "../../service/described/start-described.ts"
import { until } from "../../stories/acts.ts"

test("/metrics can be scraped while a demo runs, and tells what happens in it", async () => {
  const stage = await openStage({ terminal: { out: () => undefined, err: () => undefined }, port: 0 })
  onTestFinished(() => stage.close())
  onTestFinished(judgeAnswersAt(Number(new URL(stage.serviceUrl).port), {}))
  const scrape = async () => (await fetch(`${stage.botUrl}/metrics`)).text()
  const before = await scrape()
  const token = stage.mint("program", ["approvals:create"])
  const asked = { tool_name: "delete_user_data", tool_args: { user_id: "U-1" }, agent_id: "ops-agent" }
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

  await fetch(`${stage.serviceUrl}/approvals`, { method: "POST", headers, body: JSON.stringify(asked) })
  const after = await until("the card", async () => {
    const text = await scrape()
    return text.includes("countersign_time_to_card_seconds_count 1") ? text : undefined
  })

  expect(before).toContain("countersign_cases_pending 0")
  expect(after).toContain("countersign_cases_pending 1")
  expect(after).toMatch(/countersign_cases_oldest_age_seconds [\d.]+/)
  expect(after).toMatch(/countersign_polls_total\{platform="default",result="ok"\} [1-9]/)
  expect(after).toMatch(/countersign_slack_calls_total\{method="chat\.postMessage",result="ok"\} [1-9]/)
})
