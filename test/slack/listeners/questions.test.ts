// "Ask…" in Details and "Answer…" on a question's message: the form, what it refuses, and the ticket before the ack.
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds, formIds, viewIds } from "../../../src/slack/ids.ts"
import type { Mode } from "../../sandbox/support.ts"
import { aQuestion } from "../../support/builders.ts"
import { limitMs } from "../../support/limits.ts"
import { platformFailure } from "../../support/port-failure.ts"
import { aCardModel } from "../card-models.ts"
import { wordsOf } from "../sight.ts"
import { type AFlow, aFlow, anOpenSlackModule } from "../slack-module.ts"

const model = { ...aCardModel(), route: `person:${sandboxCast.rita}` }
const { rita } = sandboxCast

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  async function aMessage(flow: AFlow) {
    const module = await anOpenSlackModule(mode, flow)
    const place = await module.slack.chat.postQuestion(model, aQuestion())
    return { ...module, place }
  }

  const viewOf = (
    { sandbox }: Pick<Awaited<ReturnType<typeof aMessage>>, "sandbox">,
    person: string,
    callback: string,
  ) =>
    sandbox.waitFor(
      () => {
        const view = sandbox.openView(person)
        return view?.definition.callback_id === callback ? view : undefined
      },
      { limitMs, what: callback },
    )

  it("the answer becomes a ticket that names view, person and message", async () => {
    const flow = aFlow(model)
    const module = await aMessage(flow)
    await module.sandbox.click(rita, module.place, actionIds.answer)
    const form = await viewOf(module, rita, viewIds.answer)

    const outcome = await module.sandbox.submit(rita, form.id, { [formIds.reason]: "  She asked.\n" })

    expect(outcome).toMatchObject({ ok: true })
    expect(flow.presses).toMatchObject([
      {
        verb: "answer",
        text: "She asked.",
        surface: "form",
        on: { kind: "view", viewId: form.id },
        person: { user: rita },
      },
    ])
    expect(flow.opens).toMatchObject([
      { viewId: form.id, purpose: "answer", place: module.place, person: { user: rita } },
    ])
  })

  it("a text that nobody can see, that is too long or holds a null character is refused at its field", async () => {
    const flow = aFlow(model)
    const module = await aMessage(flow)
    await module.sandbox.click(rita, module.place, actionIds.answer)
    const form = await viewOf(module, rita, viewIds.answer)
    const said = async (text: string) =>
      JSON.stringify(await module.sandbox.submit(rita, form.id, { [formIds.reason]: text }))

    expect(await said("\u200b")).toContain("Please write something that people can see.")
    expect(await said("a\0b")).toContain("holds a null character")
    expect(flow.presses).toEqual([])
  })

  it("if no ticket can be written nothing is acknowledged, and Slack shows an error", async () => {
    const flow = aFlow(model)
    const module = await aMessage(flow)
    await module.sandbox.click(rita, module.place, actionIds.answer)
    const form = await viewOf(module, rita, viewIds.answer)
    flow.broken = new Error("Redis is down")

    const outcome = await module.sandbox.submit(rita, form.id, { [formIds.reason]: "She asked." })

    expect(outcome).toMatchObject({ ok: false })
    expect(flow.presses).toEqual([])
  })

  it("whoever may not answer reads why, and gets no form; so does whoever presses while the platform is down", async () => {
    const flow = aFlow(model)
    const module = await aMessage(flow)
    const says = (words: string) =>
      module.sandbox.waitFor(
        () => (wordsOf(module.sandbox.openView(rita)?.definition.blocks).includes(words) ? true : undefined),
        { limitMs, what: words },
      )
    flow.refusal = { kind: "not-answered", why: "not-asked", said: "" }
    await module.sandbox.click(rita, module.place, actionIds.answer)
    await says("not for you to answer")

    flow.refusal = null
    flow.broken = platformFailure("timeout")
    await module.sandbox.click(rita, module.place, actionIds.answer)
    await says("This cannot be shown now")
    expect(flow.opens).toEqual([])
  })
})
