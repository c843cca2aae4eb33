// The Receipt button: a modal with what was signed, in words and as it is; and what is said where there is none.

import { describe, expect, it } from "vitest"
import type { ReceiptClaims } from "../../../src/domain/case/receipt.ts"
import type { ReceiptShown } from "../../../src/flow/ports/inbound.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { receiptView } from "../../../src/slack/listeners/receipt.ts"
import { targetOf } from "../../../src/slack/views/button-values.ts"
import { limitMs } from "../../support/limits.ts"
import { AT, everyState } from "../faces.ts"
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
const claims: ReceiptClaims = {
  version: 1,
  installation: "main",
  instance: "default",
  approval: "a-1",
  revision: 1,
  digest: "ab".repeat(32),
  decision: "d".repeat(32),
  verdict: "approve",
  at: AT,
  votes: [{ ...vote, rules: ["prod-data"] }],
  rules: [{ name: "prod-data", hash: "h", quorum: 1 }],
  filled: null,
  sandbox: true,
}
const kept = { kind: "kept", receipt: "head.payload.signature", kid: "key-1", claims } as const

describe("the modal", () => {
  it("says what was signed, shows the text, and how to verify it", () => {
    const view = receiptView(kept)

    const words = wordsOf(view.blocks)
    expect(viewVerdict(view)).toBe("ok")
    for (const part of ["Approved", "a-1", "U0ALICE", "alice@example.com", "prod-data", "sandbox", "key-1"])
      expect(words).toContain(part)
    expect(words).toContain("head.payload.signature")
    expect(words).toContain("countersign receipt verify receipt.txt --keys keys.json")
  })

  it("shows a long text in parts that are the whole", () => {
    const receipt = "x".repeat(7_000)
    const view = receiptView({ ...kept, receipt })

    const boxes = view.blocks.filter((block) => JSON.stringify(block).includes("preformatted")).map(wordsOf)
    expect(boxes.join("")).toBe(receipt)
    expect(viewVerdict(view)).toBe("ok")
  })

  it("names the command for one that Slack could not carry, and stays within Slack's limits for any receipt", () => {
    const votes = Array.from({ length: 60 }, () => ({ ...vote, subject: "<!channel> ".repeat(23), rules: [] }))
    const rules = Array.from({ length: 60 }, (_, index) => ({ name: `${index}`.repeat(30), hash: "h", quorum: 20 }))
    const view = receiptView({ ...kept, receipt: "x".repeat(20_000), claims: { ...claims, votes, rules } })

    expect(viewVerdict(view)).toBe("ok")
    expect(wordsOf(view.blocks)).toContain(`countersign receipt show ${claims.decision}`)
    expect(wordsOf(view.blocks)).toContain("and 40 more")
  })
})

describe.each(["socket", "http"] as const)("the button in %s mode", (mode) => {
  async function pressed(shown: ReceiptShown, broken: Error | null = null) {
    const face = everyState()["approved"]
    if (face === undefined) throw new Error("no such state")
    const flow = aFlow(face)
    flow.receiptShown = shown
    const module = await anOpenSlackModule(mode, flow)
    const place = await module.slack.chat.postCard(face)
    flow.broken = broken
    await module.sandbox.click(sandboxCast.alice, place, actionIds.receipt)
    const words = () => wordsOf(module.sandbox.openView(sandboxCast.alice)?.definition.blocks)
    return { ...module, flow, face, place, words }
  }

  it("opens the receipt, asked for by whom and from which card", async () => {
    const { sandbox, flow, face, place, words } = await pressed(kept)

    await sandbox.waitFor(() => words().includes("head.payload.signature"), limit)

    const person = { team: "T0SANDBOX", user: sandboxCast.alice }
    expect(flow.receiptAsks).toEqual([{ person, target: targetOf(face), place }])
  })

  it.each([
    [{ kind: "gone" }, "No receipt of this is kept here"],
    [{ kind: "broken" }, "An operator must look"],
    [{ kind: "told", answer: { kind: "unknown-case" } }, "There is no approval with that id"],
  ] as const)("says of %j what it means", async (shown, said) => {
    const { sandbox, words } = await pressed(shown)

    await sandbox.waitFor(() => words().includes(said), limit)
  })

  it("says when it could not be read", async () => {
    const { sandbox, words, log } = await pressed(kept, new Error("Redis is down"))

    await sandbox.waitFor(() => words().includes("Something went wrong on our side"), limit)

    expect(log.lines.map((line) => line.event)).toContain("receipt-failed")
  })
})
