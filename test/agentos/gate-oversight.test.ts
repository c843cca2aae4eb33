// The gate at the tool, at the real AgentOS: it takes an approval that somebody gave for a person who is away, and one
// by breaking glass. A receipt that was changed to hide either lets nothing run.
import { expect, test } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { card, formOf, press, until, viewSays } from "../stories/acts.ts"
import { ordersOf } from "../stories/orders.ts"
import { sandboxCast } from "../stories/world.ts"
import { anOperator } from "../support/orders.ts"
import { continueRun, rowOf, startRun } from "./drive.ts"
import { aPlace, keepSession, type Paused, type Place, putReceipt } from "./gate-attacks.ts"
import { describeAgentOs } from "./stages.ts"

const { alice, bob, rita, approvals } = sandboxCast
const team = "T0SANDBOX"

const rulesWith = (more: string) => `
  - name: everything
    routes: [${approvals}]
    approvers: [${alice}]
    unknown_requester: allow
    require_reason: never
    ${more}`

interface Claims {
  readonly votes: Record<string, unknown>[]
  glass?: boolean
}

/** A way to an approval: the key of the rule that opens it, who does what, what the receipt says, how it is hidden. */
interface Way {
  readonly name: string
  readonly key: string
  readonly before: (place: Place) => Promise<unknown>
  readonly approve: (place: Place) => Promise<unknown>
  readonly said: object
  readonly hide: (claims: Claims) => unknown
}

const ways: readonly Way[] = [
  {
    name: "for somebody who is away",
    key: `stand_ins: [${bob}]`,
    before: async ({ stage }) => {
      const at = Date.now()
      const who = { person: `${team}:${alice}`, standIn: `${team}:${bob}`, by: anOperator() }
      return (await ordersOf(stage)).beginAbsence({ ...who, from: at, until: at + 3_600_000, at })
    },
    approve: async ({ stage }) => press(stage, bob, await card(stage, "who is away"), "approve"),
    said: { votes: [{ person: `${team}:${bob}`, for: [`${team}:${alice}`] }] },
    hide: ({ votes }) => delete votes[0]?.["for"],
  },
  {
    name: "by breaking glass",
    key: `break_glass: { approvers: [${bob}], reviewers: [${rita}], route: ${approvals} }`,
    before: async () => undefined,
    approve: async ({ stage }) => {
      const { sandbox } = stage
      await sandbox.click(bob, await card(stage), actionIds.details)
      await viewSays(stage, bob, "Digest")
      await sandbox.click(bob, sandbox.openView(bob)?.id ?? "", actionIds.breakGlass)
      const form = await formOf(stage, bob)
      await sandbox.submit(bob, form.id, { [formIds.reason]: "it burns", [formIds.typed]: "delete_user_data" })
    },
    said: { glass: true, votes: [{ person: `${team}:${bob}` }] },
    hide: (claims) => delete claims.glass,
  },
]

/** The receipt in a run's row. */
async function receiptOf({ os }: Place, { runId }: Paused): Promise<string> {
  const row = (await rowOf(os, runId)) as { resolution_data?: { countersign: { receipt: string } } }
  return row.resolution_data?.countersign.receipt ?? ""
}

function claimsIn(receipt: string): Claims {
  return JSON.parse(Buffer.from(receipt.split(".")[1] ?? "", "base64url").toString())
}

/** The receipt with other claims under its signature. */
function hidden(receipt: string, hide: Way["hide"]): string {
  const [head, , signature] = receipt.split(".")
  const claims = claimsIn(receipt)
  hide(claims)
  return `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`
}

describeAgentOs("with a gate", { gate: true }, (here) => {
  test.each(ways)("what was approved $name runs once, and not by a receipt that hides it", async (way) => {
    const place = await aPlace(here, { rules: rulesWith(way.key) })
    const { os } = place
    const before = os.executions().length
    const ran = () => os.executions().slice(before)
    await way.before(place)
    const { session, runId } = await startRun(os, { of: "admin-agent" })
    const run = { session, runId, tools: [] }
    await way.approve(place)
    await until("the verdict", async () => ((await rowOf(os, runId)).status === "pending" ? undefined : true))
    const receipt = await receiptOf(place, run)
    expect(claimsIn(receipt)).toMatchObject(way.said)
    const bringBack = keepSession(os, session)

    putReceipt(os, run, hidden(receipt, way.hide))
    const refused = await continueRun(os, run, { of: "admin-agent" })
    expect(refused.text).toContain("countersign refused: the signature of its receipt does not hold")
    expect(ran()).toEqual([])

    bringBack()
    putReceipt(os, run, receipt)
    await continueRun(os, run, { of: "admin-agent" })
    expect(ran()).toMatchObject([{ tool: "delete_user_data", arguments: { user_id: "U-100" } }])
  })
})
