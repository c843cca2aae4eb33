// The Receipt button: who decided what, and the signed text one step further; what is said where there is none.

import { describe, expect, it } from "vitest"
import type { ReceiptClaims } from "../../../src/domain/case/receipt.ts"
import type { ReceiptShown } from "../../../src/flow/ports/inbound.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { receiptTextView, receiptView } from "../../../src/slack/listeners/receipt.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import { limitMs } from "../../support/limits.ts"
import { AT, everyState } from "../card-models.ts"
import { viewVerdict, wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const vote = {
  person: "T0SANDBOX:U0ALICE",
  subject: "alice@example.com",
  verb: "approve",
  at: AT,
  surface: "card",
} as const
const common = {
  version: 2,
  installation: "main",
  instance: "default",
  approval: "a-1",
  revision: 1,
  digest: "ab".repeat(32),
  decision: "d".repeat(32),
  at: AT,
  votes: [{ ...vote, rules: ["prod-data"] }],
  rules: [{ name: "prod-data", hash: "h", quorum: 1 }],
  filled: null,
  sandbox: true,
} as const
const claims: ReceiptClaims = {
  ...common,
  verdict: "approve",
  calls: ["c".repeat(64)],
  expires: AT + 86_400_000,
}
const summary = { tool: "send_money", agent: "Payments", requester: null, calls: 1, createdAt: AT }
const shown = { kind: "kept", receipt: "head.payload.signature", kid: "key-1", claims, summary } as const
const kept = { ...shown, reasons: [] } as const
const note = {
  target: {
    installation: "main",
    caseId: "0".repeat(20),
    route: "channel:C1",
    revision: 1,
    digest: "ab".repeat(8),
    bound: { era: 0, count: 1 },
  },
  place: { channel: "C1", ts: "1.1" },
  verb: null,
}

describe("the modal", () => {
  it("opens with who decided what and when, and that it is verified; the signed text is one step further", () => {
    const view = receiptView(kept, note)

    const words = wordsOf(view.blocks)
    expect(viewVerdict(view)).toBe("ok")
    expect(words).toMatch(/^✓ Verified\s+Approved\s+ by\s+U0ALICE/)
    for (const part of ["send_money", "Payments", "a-1", "default", "prod-data", "made in the local sandbox"])
      expect(words).toContain(part)
    expect(words).not.toContain("head.payload.signature")
  })

  it("quotes the reason of a rejection, and says that no signature covers it", () => {
    const reasons = [{ user: "U0ALICE", reason: "Wrong IBAN" }]
    const view = receiptView({ ...kept, claims: { ...common, verdict: "reject" }, reasons }, note)

    expect(wordsOf(view.blocks).replaceAll("\n", "")).toContain("Reason of U0ALICE (not signed): “Wrong IBAN”")
  })

  it("says of an expiry that nobody decided in time", () => {
    const view = receiptView({ ...kept, claims: { ...common, verdict: "reject", votes: [] } }, note)

    expect(wordsOf(view.blocks)).toMatch(/Rejected\s*, because nobody decided in time/)
  })

  it("shows the signed text, who voted as whom, and how to verify it", () => {
    const view = receiptTextView(kept)

    const words = wordsOf(view.blocks)
    expect(viewVerdict(view)).toBe("ok")
    for (const part of ["✓ Verified", "U0ALICE", "alice@example.com", "head.payload.signature", "key-1"])
      expect(words).toContain(part)
    expect(words).toContain("countersign receipt verify receipt.txt --keys keys.json")
  })

  it("shows a long text in parts that are the whole", () => {
    const receipt = "x".repeat(7_000)
    const view = receiptTextView({ ...kept, receipt })

    const boxes = view.blocks.filter((block) => JSON.stringify(block).includes("preformatted")).map(wordsOf)
    expect(boxes.join("")).toBe(receipt)
    expect(viewVerdict(view)).toBe("ok")
  })

  it("names the command for one that Slack could not carry, and stays within Slack's limits for any receipt", () => {
    const votes = Array.from({ length: 60 }, () => ({ ...vote, subject: "<!channel> ".repeat(23), rules: [] }))
    const rules = Array.from({ length: 60 }, (_, index) => ({ name: `${index}`.repeat(30), hash: "h", quorum: 20 }))
    const reasons = votes.map(({ subject: reason }) => ({ user: "U0ALICE", reason }))
    const long = { ...kept, receipt: "x".repeat(20_000), claims: { ...claims, votes, rules }, reasons }
    const [view, text] = [receiptView(long, note), receiptTextView(long)]

    expect([viewVerdict(view), viewVerdict(text)]).toEqual(["ok", "ok"])
    expect(wordsOf(text.blocks)).toContain(`countersign receipt show ${claims.decision}`)
    expect(wordsOf(view.blocks)).toContain("and 40 more rules")
    expect(wordsOf(text.blocks)).toContain("and 40 more votes")
  })
})

describe.each(["socket", "http"] as const)("the button in %s mode", (mode) => {
  async function pressed(shown: ReceiptShown, broken: Error | null = null) {
    const model = everyState()["approved"]
    if (model === undefined) throw new Error("no such state")
    const flow = aFlow(model)
    flow.receiptShown = shown
    const module = await anOpenSlackModule(mode, flow)
    const place = await module.slack.chat.postCard(model)
    flow.broken = broken
    await module.sandbox.click(sandboxCast.alice, place, actionIds.receipt)
    const words = () => wordsOf(module.sandbox.openView(sandboxCast.alice)?.definition.blocks)
    return { ...module, flow, model, place, words }
  }

  it("opens the receipt, asked for by whom and from which card", async () => {
    const { sandbox, flow, model, place, words } = await pressed(kept)

    await sandbox.waitFor(() => words().includes("✓ Verified"), limit)
    const view = sandbox.openView(sandboxCast.alice)
    await sandbox.click(sandboxCast.alice, view?.id ?? "", actionIds.receiptText)
    await sandbox.waitFor(() => words().includes("head.payload.signature"), limit)

    const person = { team: "T0SANDBOX", user: sandboxCast.alice }
    const ask = { person, target: targetOf(model), place }
    expect(flow.receiptAsks).toEqual([ask, ask])
  })

  it.each([
    [{ kind: "gone" }, "No receipt of this is kept here"],
    [{ kind: "broken" }, "Whoever runs Countersign has to look"],
    [{ kind: "told", answer: { kind: "unknown-case" } }, "There is no approval with that id"],
  ] as const)("says of %j what it means", async (shown, said) => {
    const { sandbox, words } = await pressed(shown)

    await sandbox.waitFor(() => words().includes(said), limit)
  })

  it("says when it could not be read", async () => {
    const { sandbox, words, log } = await pressed(kept, new Error("Redis is down"))

    await sandbox.waitFor(() => words().includes("something went wrong on our side"), limit)

    expect(log.lines.map((line) => line.event)).toContain("receipt-failed")
  })
})
