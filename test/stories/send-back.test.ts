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
  formOf,
  ledgerOf,
  placed,
  press,
  settled,
  threadSays,
  told,
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
import { sandboxCast, type World } from "./world.ts"

const { alice, bob, rita } = sandboxCast

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

  describe("in the form that Reject opens", () => {
    const reasoned = refundRules.replace("require_reason: never", 'require_reason: reject\n    reasons: ["Not now"]')
    const fromRita = { tool_name: "refund", tool_args: refundArgs, user_id: "rita@sandbox.example" }

    async function rejectForm(here: World, person: string) {
      await placed(here)
      await press(here, person, await card(here, ""), "reject")
      return formOf(here, person)
    }

    /** Presses Send Back… in an open form; the form once it says so. */
    async function sentBackInstead(
      here: World,
      person: string,
      viewId: string,
      typed: Readonly<Record<string, string>>,
    ) {
      await here.sandbox.click(person, viewId, actionIds.sendBack, { values: typed })
      await viewSays(here, person, "tells the agent what to ask instead")
      return formOf(here, person)
    }

    it("its form takes the place of the other, with the reason that was typed", async () => {
      const here = await aWorld({ mode, rules: reasoned })
      const row = await ask(here, fromRita)
      const form = await rejectForm(here, alice)

      const typed = { [formIds.choice]: "Not now", [formIds.reason]: "too much" }
      const back = await sentBackInstead(here, alice, form.id, typed)
      expect(back).toMatchObject({ id: form.id, definition: { title: { text: "Send Back" } } })
      await here.sandbox.submit(alice, back.id, { field_0_0: "50" })

      expect(await decided(here, row.id)).toMatchObject({
        resolution_data: {
          proposal: { calls: [{ choice: "changed", args: { amount: 50 } }] },
          countersign: { reason: "Not now: too much" },
        },
      })
      await told(here, alice, "this is rejected")
      expect((await ledgerOf(here)).find(({ kind }) => kind === "voted")).toMatchObject({ sentBack: true })
    })

    it("above Details, these say how it ended", async () => {
      const here = await aWorld({ mode, rules: reasoned })
      await ask(here, fromRita)
      const { channel, ts } = await card(here, "")
      await here.sandbox.click(alice, { channel, ts }, actionIds.details)
      await viewSays(here, alice, "Digest")
      await here.sandbox.click(alice, here.sandbox.openView(alice)?.id ?? "", actionIds.reject)
      const form = await formOf(here, alice)

      const back = await sentBackInstead(here, alice, form.id, { [formIds.reason]: "too much" })
      await here.sandbox.submit(alice, back.id, {})

      await viewSays(here, alice, "this is rejected")
    })

    it("is not offered to whoever asked", async () => {
      const here = await aWorld({ mode, rules: reasoned })
      await ask(here, { user_id: "alice@sandbox.example" })

      const form = await rejectForm(here, alice)

      expect(JSON.stringify(form.definition.blocks)).not.toContain(actionIds.sendBack)
    })

    it("says who was faster, if somebody decided meanwhile", async () => {
      const here = await aWorld({ mode, rules: reasoned })
      const row = await ask(here, fromRita)
      const form = await rejectForm(here, alice)
      await press(here, bob, await card(here, ""), "approve")
      await decided(here, row.id)
      await settled(here, "Approved by")

      await here.sandbox.click(alice, form.id, actionIds.sendBack, { values: { [formIds.reason]: "too much" } })

      await viewSays(here, alice, "already approved by")
      expect(here.sandbox.openView(alice)?.definition).not.toHaveProperty("submit")
    })

    it("does nothing in a form that was closed meanwhile; the card can be sent back as before", async () => {
      const here = await aWorld({ mode, rules: reasoned })
      const row = await ask(here, fromRita)
      const form = await rejectForm(here, alice)

      const pressed = here.sandbox.click(alice, form.id, actionIds.sendBack)
      await here.sandbox.closeView(alice, form.id)
      expect(await pressed).toMatchObject({ ok: true })
      await until("the press to find no view", () => here.log.find(({ event }) => event === "form-failed"))
      expect(here.sandbox.openView(alice)).toBeUndefined()

      const again = await rejectForm(here, alice)
      const back = await sentBackInstead(here, alice, again.id, { [formIds.reason]: "too much" })
      await here.sandbox.submit(alice, back.id, {})
      expect(await decided(here, row.id)).toMatchObject({ resolution_data: { countersign: { reason: "too much" } } })
      expect((await ledgerOf(here)).filter(({ kind }) => kind === "voted")).toHaveLength(1)
    })
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
