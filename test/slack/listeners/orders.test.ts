// Stops in Slack, end to end in both modes: by command, by form, from Details; and the end of one (R21).
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import type { Mode } from "../../sandbox/support.ts"
import { limitMs } from "../../support/limits.ts"
import { aStop } from "../../support/orders.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const { rita, general } = sandboxCast
const view = (sandbox: Sandbox) => sandbox.openView(rita)
const seen = (sandbox: Sandbox) => wordsOf(view(sandbox)?.definition.blocks)
const heard = (sandbox: Sandbox) => sandbox.ephemerals(rita).at(-1)
const person = { team: expect.any(String), user: rita }

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  const typed = async (line: string, flow = aFlow()) => {
    const { sandbox } = await anOpenSlackModule(mode, flow)
    await sandbox.command(rita, general, line)
    return { flow, sandbox }
  }
  const answered = async (line: string, flow = aFlow()) => {
    const done = await typed(line, flow)
    await done.sandbox.waitFor(() => heard(done.sandbox) !== undefined, limit)
    return { ...done, text: heard(done.sandbox)?.text ?? "" }
  }
  const inModal = (sandbox: Sandbox, words: string) => sandbox.waitFor(() => seen(sandbox).includes(words), limit)

  it("R21 words that can be read stop without a question, and the answer keeps its order", async () => {
    const flow = aFlow()
    const named = { caseId: "c", tool: "refund", agent: "billing" }
    flow.orders.outcome = {
      kind: "stopped",
      stop: aStop({ match: { agent: ["billing"] } }),
      under: { waiting: 3, perhaps: 1, runs: [named], onWay: [{ ...named, at: 0 }], gates: 1 },
      unknown: [{ word: "agent", value: "billing", nearest: ["billing-agent"] }],
    }

    const { text, sandbox } = await answered("/approvals stop agent:billing for:2h runaway refunds", flow)

    const stop = { match: { agent: ["billing"] }, reason: "runaway refunds", forMs: 7_200_000 }
    expect(flow.orders.stopAsks).toEqual([{ person, stop }])
    const parts = [
      "Stopped:",
      "No approval of the last 30 days had",
      "billing-agent",
      "3 approvals wait under it, 1 of them only because the platform leaves a field empty",
      "Not continued meanwhile",
      "refuse meanwhile what an approval allowed before",
      "On the way already",
      "Calls that need no approval",
      "take this back within 10 minutes",
    ]
    expect(parts.map((part) => text.indexOf(part))).toEqual(
      parts.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    )
    expect(parts.filter((part) => !text.includes(part))).toEqual([])
    expect(labels(heard(sandbox)?.blocks ?? [])).toEqual(["Reject What Waits…", "End…"])
  })

  it.each([
    ["/approvals stop agnet:billing runaway", "agent:billing", "agnet:billing", "runaway"],
    ["/approvals stop everythng runaway", "everything", "everythng", "runaway"],
    ["/approvals stop runaway refunds", "say first what to stop", "", "runaway refunds"],
    ["/approvals stop agent:billing", "say why", "agent:billing", ""],
    ["/approvals stop everything agent:x no", "leaves nothing over", "everything agent:x", "no"],
    ["/approvals stop agent: no", "names nothing", "agent:", "no"],
    ["/approvals stop agent:a for: no", "is no time. Write a number with m, h or d", "agent:a for:", "no"],
    ["/approvals stop agent:a for:181d no", "is no time. Write a number with m, h or d", "agent:a for:181d", "no"],
    ["/approvals stop everything for:1h for:2h no", "twice for how long", "everything for:1h for:2h", "no"],
    [`/approvals stop agent:${"a".repeat(301)} no`, "longer than 300 characters", `agent:${"a".repeat(301)}`, "no"],
    [`/approvals stop agent:a ${"x".repeat(1_001)}`, "why in at most 1000", "agent:a", "x".repeat(1_000)],
  ])(
    "R21 %s stops nothing: the form opens with what was typed, and says what may be meant",
    async (line, said, what, why) => {
      const { flow, sandbox } = await typed(line)
      await inModal(sandbox, said)

      expect(seen(sandbox)).toContain("Nothing is stopped yet")
      const starts = (view(sandbox)?.definition.blocks ?? []).flatMap((block) =>
        "element" in block ? [(block.element as { initial_value?: string }).initial_value ?? ""] : [],
      )
      expect(starts).toEqual([what, why, ""])
      expect(flow.orders.stopAsks).toEqual([])
    },
  )

  it("R21 without a word the form opens empty; it stops what is filled in, and answers in its place", async () => {
    const { flow, sandbox } = await typed("/approvals stop")
    await sandbox.waitFor(() => "submit" in (view(sandbox)?.definition ?? {}), limit)
    const open = view(sandbox)?.id ?? ""

    const wrong = await sandbox.submit(rita, open, { stop_what: "agnet:a", stop_why: "why: it runs wild" })
    const late = await sandbox.submit(rita, open, { stop_what: "agent:a", stop_why: "why", stop_for: "soon" })
    const blank = await sandbox.submit(rita, open, { stop_what: "agent:a", stop_why: " " })
    const more = await sandbox.submit(rita, open, { stop_what: "agent:a or b", stop_why: "why" })
    const twice = await sandbox.submit(rita, open, { stop_what: "agent:a for:1h", stop_why: "why", stop_for: "2h" })
    expect([wrong, late, blank, more, twice].map((one) => JSON.stringify(one))).toEqual([
      expect.stringMatching(/stop_what.*agent:a/),
      expect.stringMatching(/stop_for.*no time/),
      expect.stringMatching(/stop_why.*say why/),
      expect.stringMatching(/stop_what.*say first/),
      expect.stringMatching(/stop_for.*twice for how long/),
    ])
    expect(flow.orders.stopAsks).toEqual([])

    await sandbox.submit(rita, open, { stop_what: "agent:a tool:b_*", stop_why: "why: it runs wild", stop_for: "2h" })
    await inModal(sandbox, "Stopped:")
    const stop = { match: { agent: ["a"], tool: ["b_*"] }, reason: "why: it runs wild", forMs: 7_200_000 }
    expect(flow.orders.stopAsks).toEqual([{ person, stop }])
  })

  it("R21 Stop This Agent in Details opens the form with the agent, and stops it", async () => {
    const model = aCardModel(anApproval({ agentId: "billing-agent" }))
    const known = aFlow(model)
    Object.assign(known.judged, { stopWords: "agent:billing-agent" })
    const { flow, sandbox } = await typed(`/approvals show ${model.caseId}`, known)
    await sandbox.waitFor(() => labels(view(sandbox)?.definition.blocks ?? []).includes("Stop This Agent…"), limit)

    await sandbox.click(rita, view(sandbox)?.id ?? "", actionIds.stopAgent)
    await sandbox.waitFor(() => JSON.stringify(view(sandbox)?.definition).includes("agent:billing-agent"), limit)
    await sandbox.submit(rita, view(sandbox)?.id ?? "", { stop_what: "agent:billing-agent", stop_why: "runs wild" })
    await inModal(sandbox, "Stopped:")

    expect(flow.orders.stopAsks).toMatchObject([{ stop: { match: { agent: ["billing-agent"] }, reason: "runs wild" } }])
  })

  it("R21 a star in the place of an agent's name is told as what it is, a name that nobody has", async () => {
    const flow = aFlow()
    const unknown = [{ word: "agent", value: "*", nearest: [] }] as const
    flow.orders.outcome = { kind: "stopped", stop: aStop({ match: { agent: ["*"] } }), under: null, unknown }

    const { text } = await answered("/approvals stop agent:* runaway", flow)

    expect(text).toContain("Only a tool may have * and ?. It is stopped all the same.")
  })

  it.each([
    ["not-listed", "You are not among those who may stop"],
    ["guest", "Guests stop nothing"],
  ] as const)("R21 whoever may not stop (%s) is told so", async (why, words) => {
    const flow = aFlow()
    flow.orders.outcome = { kind: "not-allowed", why }

    const { text, sandbox } = await answered("/approvals stop everything now", flow)

    expect(text).toContain("Nothing is stopped")
    expect(text).toContain(words)
    expect(labels(heard(sandbox)?.blocks ?? [])).toEqual([])
  })

  it("R21 the same stop again, too many stops, and a failure are told", async () => {
    const flow = aFlow()
    flow.orders.outcome = { kind: "again", stop: aStop(), under: null, unknown: [] }
    expect((await answered("/approvals stop everything now", flow)).text).toMatch(
      /stopped already.*could not be counted/s,
    )
    flow.orders.outcome = { kind: "too-many" }
    expect((await answered("/approvals stop everything now", flow)).text).toContain("50 stops are in force")
    const failing = { ...flow, stop: () => Promise.reject(chatFailure("timeout")) }
    expect((await answered("/approvals stop everything now", failing)).text).not.toContain("Stopped:")
  })

  it("R21 stops lists what is stopped; its button asks first, with what goes on, and then ends it", async () => {
    const flow = aFlow()
    flow.orders.inForce = [aStop(), aStop({ id: "s-2", match: { agent: ["a"] } })]
    const named = { caseId: "c", tool: "refund", agent: "billing" }
    const late = { ...named, tool: "old_refund" }
    flow.orders.goesOn = { kind: "may", stop: aStop(), waiting: 3, runs: [named], late: [late] }
    const { text, sandbox } = await answered("/approvals stops", flow)
    expect(text).toMatch(/2 stops in force.*everything.*agent:a/s)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}

    await sandbox.click(rita, { channel, ts }, actionIds.endStop, { blockId: "stop.s-2" })
    await inModal(sandbox, "3 approvals can be approved again")
    expect(seen(sandbox)).toMatch(/Continued at once: \s*refund\s*of\s*billing.*Not continued any more.*old_refund/s)
    expect(flow.orders.endAsks).toEqual([])

    await sandbox.submit(rita, view(sandbox)?.id ?? "", {})
    await inModal(sandbox, "Ended:")
    expect(flow.orders.endAsks).toEqual([{ person, stop: "s-2" }])
  })

  it.each([
    [{ kind: "not-allowed", why: "own", stop: aStop() }, "somebody else has to end it"],
    [{ kind: "gone" }, "has ended already"],
    [{ kind: "rolled-back" }, "older state"],
  ] as const)("R21 whoever may not end a stop reads why, and can submit nothing: %o", async (goesOn, words) => {
    const flow = aFlow()
    flow.orders.inForce = [aStop()]
    flow.orders.goesOn = goesOn
    const { sandbox } = await answered("/approvals stops", flow)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}

    await sandbox.click(rita, { channel, ts }, actionIds.endStop)
    await inModal(sandbox, words)

    expect(view(sandbox)?.definition).not.toHaveProperty("submit")
  })

  it.each([
    [{ kind: "not-allowed", why: "requester", stop: aStop() }, "somebody else has to end it"],
    [{ kind: "gone" }, "has ended already"],
    [{ kind: "other-config" }, "It goes on: other rules came into force just now. Press End… once more."],
  ] as const)("R21 whoever submits an end that does not count any more reads why: %o", async (ended, words) => {
    const flow = aFlow()
    flow.orders.inForce = [aStop()]
    flow.orders.ended = ended
    const { sandbox } = await answered("/approvals stops", flow)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}
    await sandbox.click(rita, { channel, ts }, actionIds.endStop)
    await inModal(sandbox, "3 approvals can be approved again")

    await sandbox.submit(rita, view(sandbox)?.id ?? "", {})

    await inModal(sandbox, words)
    expect(view(sandbox)?.definition).not.toHaveProperty("submit")
  })

  it("R21 what waits is rejected after a confirmation with the number, and the answer lists what was not theirs", async () => {
    const flow = aFlow()
    const named = { caseId: "c", tool: "refund", agent: "billing" }
    const [rejected, others] = [[named, named], [{ ...named, tool: "deploy" }]]
    flow.orders.rejection = {
      kind: "done",
      stop: aStop(),
      rejected,
      held: [named],
      others,
      left: [],
      hidden: 4,
      gone: 1,
    }
    const { sandbox } = await answered("/approvals stop everything runaway refunds", flow)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}

    await sandbox.click(rita, { channel, ts }, actionIds.rejectWaiting)
    await inModal(sandbox, "3 approvals under it will be rejected by you")
    expect(flow.orders.rejectOrders).toEqual([])

    await sandbox.submit(rita, view(sandbox)?.id ?? "", {})
    await inModal(sandbox, "3 approvals rejected.")
    const order = { person, stop: "s-1", shownAt: 1_000, interaction: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(flow.orders.rejectOrders).toMatchObject([order])
    expect(seen(sandbox)).toMatch(
      /Not yours to reject, so still open: \s*deploy.*4 more approvals.*1 approval had been/s,
    )
  })

  it.each([
    [{ kind: "gone" }, "that stop has ended"],
    [{ kind: "not-yours" }, "only whoever stopped can do that"],
    [{ kind: "may", stop: aStop(), waiting: 0, at: 1 }, "Nothing waits under it"],
  ] as const)(
    "R21 if nothing can be rejected so, the modal says why and can submit nothing: %o",
    async (offer, words) => {
      const flow = aFlow()
      flow.orders.offer = offer
      const { sandbox } = await answered("/approvals stop everything runaway refunds", flow)
      const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}

      await sandbox.click(rita, { channel, ts }, actionIds.rejectWaiting)
      await inModal(sandbox, words)

      expect(view(sandbox)?.definition).not.toHaveProperty("submit")
    },
  )

  it("R21 a list begins with what is stopped", async () => {
    const flow = aFlow(aCardModel())
    flow.orders.inForce = Array.from({ length: 5 }, (_, at) => aStop({ id: `s-${at}`, match: { agent: [`a-${at}`] } }))

    const { text, sandbox } = await answered("/approvals list", flow)

    expect(text).toMatch(/^5 stops in force/)
    expect(wordsOf(heard(sandbox)?.blocks)).toMatch(/agent:a-0.*agent:a-2.*2 more stops.*1 waiting/s)
  })
})
