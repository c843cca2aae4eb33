// An agent that thinks with a model, and people who decide about what the model asks for.
import { describe, expect, onTestFinished, test } from "vitest"
import { formIds } from "../../src/slack/ids.ts"
import { aModel, calls, type ModelAnswer, says } from "../service/model/a-model.ts"
import { aWorld } from "./a-world.ts"
import { card, cardSaying, cards, press, settled, startRun, until } from "./acts.ts"
import { sendBackForm } from "./sending-back.ts"
import { sandboxCast } from "./world.ts"

const { alice, bob } = sandboxCast
const parameters = { type: "object", properties: { cents: { type: "integer" } } }

/** A world with an agent whose model gives these answers, one after the other; its run has begun. */
async function thinking(...answers: readonly ModelAnswer[]) {
  const model = await aModel(...answers)
  onTestFinished(() => model.close())
  const tools = ["refund", "tell"].map((name) => ({
    name,
    requires_confirmation: true,
    parameters,
    result: `${name}ed`,
  }))
  const agents = [{ id: "billing-agent", model: { base_url: model.url, name: "test-model" }, tools }]
  const here = await aWorld({ script: { agents }, resume: "decided" })
  await startRun(here, "agents/billing-agent")
  /** What the model read last when it was asked for the nth time, from 0. */
  const read = async (nth: number, last = 1) =>
    (await until("the model to be asked", () => model.asked[nth])).body.messages.slice(-last)
  return { here, model, read }
}

test("a call that a model asks for has a card; approved there, it runs, and the model reads what it answered", async () => {
  const { here, read } = await thinking(calls(["refund", { cents: 1299 }]), says("The money is on its way."))

  await press(here, alice, await card(here, "refund 1299"), "approve")
  await settled(here, "Approved")

  expect(await read(1)).toMatchObject([{ role: "tool", content: "refunded" }])
  expect(here.service.executions()).toMatchObject([{ toolName: "refund", toolArgs: '{"cents":1299}' }])
})

describe("a model whose call people send back", () => {
  const notApproved = "A person did not approve this call."
  const ifYouAgree =
    "If you agree, call refund again with these arguments and all others as before; people are asked anew. If not, say why."

  test("reads what they propose, asks for that, and the new card says that the arguments are as proposed", async () => {
    const asked = { cents: 1299, to: "ann" }
    const { here, read } = await thinking(
      calls(["refund", asked]),
      calls(["refund", { ...asked, cents: 50 }]),
      says("50 cents are on their way."),
    )
    const form = await sendBackForm(here, alice, await card(here, "refund 1299"))
    await here.sandbox.submit(alice, form.id, { field_0_0: "50", [formIds.reason]: "too much" })

    const [call, answer] = await read(1, 2)
    expect(call).toMatchObject({ role: "assistant", tool_calls: [{ function: { name: "refund" } }] })
    expect(answer).toMatchObject({
      role: "tool",
      content: `${notApproved} {"proposed":{"cents":50},"note":"too much"} ${ifYouAgree}`,
    })
    const anew = await cardSaying(here, "proposed these arguments")
    expect(anew.words).toContain("50")
    await press(here, bob, anew, "approve")
    expect(await read(2)).toMatchObject([{ role: "tool", content: "refunded" }])
    expect(here.service.executions()).toMatchObject([{ toolName: "refund", toolArgs: '{"cents":50,"to":"ann"}' }])
  })

  test("reads of each call what becomes of it: what is not wanted at all, it is told not to call again", async () => {
    const { here, read } = await thinking(
      calls(["refund", { cents: 1299 }], ["tell", { whom: "ann" }]),
      calls(["refund", { cents: 60 }]),
    )
    const form = await sendBackForm(here, alice, await card(here, "refund"))
    await here.sandbox.submit(alice, form.id, {
      choice_0: "changed",
      field_0_0: "50",
      choice_1: "not-at-all",
      [formIds.reason]: "ann knows",
    })

    expect(await read(1, 2)).toMatchObject([
      { role: "tool", content: `${notApproved} {"proposed":{"cents":50},"note":"ann knows"} ${ifYouAgree}` },
      { role: "tool", content: `${notApproved} {"note":"ann knows"} Do not call it again.` },
    ])
    const anew = await cardSaying(here, "proposed other arguments. Not as proposed:")
    expect(anew.words).toMatch(/Not as proposed: +cents/)
    expect(here.service.executions()).toEqual([])
  })

  test("reads a note alone, and may end with words: then nobody is asked", async () => {
    const { here, model, read } = await thinking(calls(["refund", { cents: 1299 }]), says("I ask Ann first."))
    const form = await sendBackForm(here, alice, await card(here, "refund 1299"))
    await here.sandbox.submit(alice, form.id, { [formIds.reason]: 'ask "Ann" first' })

    expect(await read(1)).toMatchObject([
      { role: "tool", content: `${notApproved} {"proposed":{},"note":"ask \\"Ann\\" first"} ${ifYouAgree}` },
    ])
    await cardSaying(here, "Sent back by")
    await until("the run to end", () =>
      here.log.find(({ event, kind }) => event === "case" && (kind === "run-ended" || kind === "closed")),
    )
    expect(cards(here, "refund")).toHaveLength(1)
    expect(model.asked).toHaveLength(2)
  })
})
