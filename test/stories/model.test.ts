// An agent that thinks with a model, and people who decide about what the model asks for.
import { expect, onTestFinished, test } from "vitest"
import { aModel, calls, says } from "../service/model/a-model.ts"
import { aWorld } from "./a-world.ts"
import { card, press, settled, startRun, until } from "./acts.ts"
import { sandboxCast } from "./world.ts"

const parameters = { type: "object", properties: { cents: { type: "integer" } } }

test("a call that a model asks for has a card; approved there, it runs, and the model reads what it answered", async () => {
  const model = await aModel(calls(["refund", { cents: 1299 }]), says("The money is on its way."))
  onTestFinished(() => model.close())
  const tools = [{ name: "refund", requires_confirmation: true, parameters, result: "refunded" }]
  const agents = [{ id: "billing-agent", model: { base_url: model.url, name: "test-model" }, tools }]
  const here = await aWorld({ script: { agents }, resume: "decided" })

  await startRun(here, "agents/billing-agent")
  const seen = await card(here, "refund 1299")
  await press(here, sandboxCast.alice, seen, "approve")
  await settled(here, "Approved")

  await until("the model to read the answer", () => model.asked[1])
  expect(here.service.executions()).toMatchObject([{ toolName: "refund", toolArgs: '{"cents":1299}' }])
  expect(model.asked[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "refunded" })
})
