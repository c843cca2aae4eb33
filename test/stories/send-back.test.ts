// Send back: somebody rejects a call and says what to ask instead; the model hears it, and the record proves it.
import { describe, expect, it } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { limitMs } from "../support/limits.ts"
import { aWorld } from "./a-world.ts"
import {
  ask,
  card,
  cardSaying,
  cards,
  decided,
  directOf,
  ledgerOf,
  press,
  settled,
  threadSays,
  until,
  viewSays,
} from "./acts.ts"
import {
  notesOf,
  proposeAmount,
  refundArgs,
  refundRules,
  refundScript,
  sendBackForm,
  startedRun,
} from "./sending-back.ts"
import { sandboxCast } from "./world.ts"

const { alice, rita } = sandboxCast

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("the model reads what was proposed, and record, card, thread and ledger say so", async () => {
    const here = await aWorld({ mode, script: refundScript, resume: "decided", rules: refundRules })
    const run = await startedRun(here, "go")
    const form = await sendBackForm(here, alice)
    const posted = await card(here, "")
    expect(form.definition).toMatchObject({ title: { text: "Send Back" }, submit: { text: "Send Back" } })
    expect(JSON.stringify(form.definition.blocks)).not.toContain("hunter2")
    expect(JSON.stringify(form.definition.blocks)).toContain("Cannot be changed here: masked: password.")

    await here.sandbox.submit(alice, form.id, { field_0_0: "50", [formIds.reason]: "too much" })

    const shown = await settled(here, "Sent back by")
    expect(shown.ts).toBe(posted.ts)
    await cardSaying(here, "proposed instead")
    await threadSays(here, posted, "sent this back: “too much”")
    const note = await until("the call to be refused", async () => {
      const { refund } = await notesOf(here, run)
      return typeof refund === "string" ? refund : undefined
    })
    expect(note).toBe(
      'A person did not approve this call. {"proposed":{"amount":50},"note":"too much"} If you agree, call refund ' +
        "again with these arguments and all others as before; people are asked anew. If not, say why.",
    )
    const entries = await ledgerOf(here)
    expect(entries.find(({ kind }) => kind === "voted")).toMatchObject({ verb: "reject", sentBack: true })
    expect(JSON.stringify(entries)).not.toContain('"amount":50')
  })

  it("the record has the proposal beside the decision, and no more of the arguments than what changes", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    const row = await ask(here, { tool_name: "refund", tool_args: refundArgs })
    const form = await sendBackForm(here, alice)

    await here.sandbox.submit(alice, form.id, { field_0_0: "50", field_0_1: "bob", [formIds.reason]: "" })

    const { resolution_data: data } = await decided(here, row.id)
    expect(data).toMatchObject({
      proposal: {
        calls: [{ call: expect.any(String), tool: "refund", choice: "changed", args: { amount: 50, to: "bob" } }],
      },
      countersign: { reason: null },
    })
    expect(JSON.stringify(data)).not.toContain("hunter2")
  })

  it("says in the form what is wrong with a value, and that nothing was proposed; the case stays open", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    const row = await ask(here, { tool_name: "refund", tool_args: refundArgs })
    const form = await sendBackForm(here, alice)

    const wrong = await here.sandbox.submit(alice, form.id, { field_0_0: "fifty", [formIds.reason]: "" })
    const empty = await here.sandbox.submit(alice, form.id, {
      field_0_0: "500",
      field_0_1: "ann",
      [formIds.reason]: "",
    })

    expect(JSON.stringify(wrong)).toContain("Please enter a whole number, such as 42.")
    expect(JSON.stringify(empty)).toContain("Please change a value, or write what should be different.")
    await press(here, alice, await card(here, ""), "approve")
    expect(await decided(here, row.id)).toMatchObject({ status: "approved" })
  })

  it("of several calls each is asked again as it is, with changes, or not at all", async () => {
    const here = await aWorld({ mode, script: refundScript, resume: "decided", rules: refundRules })
    const run = await startedRun(here, "both")
    const form = await sendBackForm(here, alice)

    await here.sandbox.submit(alice, form.id, {
      choice_0: "changed",
      field_0_0: "50",
      choice_1: "not-at-all",
      [formIds.reason]: "ann knows",
    })

    await settled(here, "Sent back by")
    const notes = await until("both calls to be refused", async () => {
      const read = await notesOf(here, run)
      return typeof read["refund"] === "string" && typeof read["tell"] === "string" ? read : undefined
    })
    expect(notes["refund"]).toContain('{"proposed":{"amount":50},"note":"ann knows"} If you agree, call refund again')
    expect(notes["tell"]).toBe('A person did not approve this call. {"note":"ann knows"} Do not call it again.')
  })

  it("is not offered to whoever asked", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    await ask(here, { user_id: "rita@sandbox.example" })
    const { channel, ts } = await card(here, "")

    await here.sandbox.click(rita, { channel, ts }, actionIds.details)
    await viewSays(here, rita, "Digest")

    expect(JSON.stringify(here.sandbox.openView(rita)?.definition.blocks)).not.toContain(actionIds.sendBack)
  })

  it("where no run is continued, the form says that no agent hears it", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    await ask(here)
    const form = await sendBackForm(here, alice)

    expect(JSON.stringify(form.definition.blocks)).toContain("rejected runs are not continued here")
    await here.sandbox.submit(alice, form.id, { field_0_0: "U-101", [formIds.reason]: "" })
    const passed = await cardSaying(here, "No agent was told.")
    expect(passed.words).toContain('A person did not approve this call. {"proposed":{"user_id":"U-101"}}')
  })

  it("the requester's own message has what is proposed", async () => {
    const here = await aWorld({ mode, rules: refundRules })
    await ask(here, { tool_name: "refund", tool_args: refundArgs, user_id: "rita@sandbox.example" })

    await proposeAmount(here, alice, 50)

    const own = () => cards(here, "proposed instead", directOf(here, rita))[0]
    const { words } = await here.sandbox.waitFor(own, { limitMs, what: "the message to whoever asked" })
    expect(words).toContain("50")
    expect(words).not.toContain("hunter2")
  })
})
