// demo --once: one approval and one rejection, carried through by two people of the sandbox, with the records as proof.
import { setTimeout as delay } from "node:timers/promises"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import { actionIds, formIds } from "../../slack/ids.ts"
import { verificationWords, verifyLedger } from "../ledger/ledger.ts"
import type { Terminal } from "../terminal.ts"
import type { DemoRow } from "./operator.ts"
import { demoRuns } from "./script.ts"
import type { DemoStage } from "./stage.ts"

/** How long any single thing may take, in ms. */
const limitMs = 20_000

/** Plays the demo once. Throws if anything does not end as it should. */
export async function playOnce(stage: DemoStage, terminal: Terminal, random: (size: number) => Buffer): Promise<void> {
  const [refund, cleanup] = demoRuns
  const { payments, approvals, alice, bob } = sandboxCast
  terminal.out("1. The Billing Agent wants to refund a payment.")
  const approved = await play(stage, terminal, { run: refund, channel: payments, person: alice, verb: "approve" })
  terminal.out("2. The Ops Agent wants to delete a user's data.")
  const rejected = await play(stage, terminal, { run: cleanup, channel: approvals, person: bob, verb: "reject" })
  terminal.out("3. What the platform's records say:")
  for (const row of [approved, rejected]) for (const line of recordLines(row)) terminal.out(`   ${line}`)
  const verification = await verifyLedger({ ...stage.ledger, random })
  terminal.out(`4. ${verificationWords(verification)}`)
  if (verification.problem !== null || approved.status !== "approved" || rejected.status !== "rejected") {
    throw new Error("the demo did not end as it should")
  }
}

interface Scene {
  readonly run: (typeof demoRuns)[number]
  readonly channel: string
  readonly person: string
  readonly verb: "approve" | "reject"
}

async function play(stage: DemoStage, terminal: Terminal, scene: Scene): Promise<DemoRow> {
  const { sandbox, operator } = stage
  const asked = await operator.start(scene.run)
  terminal.out(`   The run paused at ${asked.tool_name}; approval ${asked.id} waits.`)
  const card = await sandbox.waitFor(() => openCard(stage, scene, asked), { limitMs, what: "the card" })
  terminal.out(`   Card in #${channelName(stage, scene.channel)}: ${card.text.split("\n")[0]}`)
  await act(stage, scene, card.ts)
  const pressed = scene.verb === "approve" ? "Approve" : "Reject, and said why"
  terminal.out(`   ${personName(stage, scene.person)} pressed ${pressed}.`)
  const ended = await endedRow(stage, asked.id)
  terminal.out(`   The bot let the run go on; it is ${ended.run_status}.`)
  const lines = () => sandbox.thread(scene.channel, card.ts).flatMap(({ text }) => text.split("\n"))
  await sandbox.waitFor(() => lines().length >= 4, { limitMs, what: "the thread" })
  for (const line of lines()) terminal.out(`   Thread: ${line}`)
  return operator.read(asked.id)
}

function openCard({ sandbox }: DemoStage, scene: Scene, asked: DemoRow) {
  return sandbox.messages(scene.channel).find((message) => message.text.includes(asked.tool_name ?? ""))
}

async function act({ sandbox }: DemoStage, { channel, person, verb }: Scene, ts: string): Promise<void> {
  await sandbox.click(person, { channel, ts }, actionIds[verb])
  if (verb === "approve") return
  const form = await sandbox.waitFor(() => sandbox.openView(person), { limitMs, what: "the reason form" })
  await sandbox.submit(person, form.id, { [formIds.reason]: "the user withdrew the request" })
}

/** The record once it is decided and its run went on. */
async function endedRow({ operator }: DemoStage, approvalId: string): Promise<DemoRow> {
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(50)) {
    const row = await operator.read(approvalId)
    if (row.status !== "pending" && row.run_status !== "PAUSED") return row
  }
  throw new Error(`approval ${approvalId} still waits after ${limitMs} ms`)
}

function recordLines(row: DemoRow): readonly string[] {
  const data = row["resolution_data"]
  const countersign = typeof data === "object" && data !== null && "countersign" in data ? data.countersign : null
  return [
    `${row.tool_name}: ${row.status}, resolved_by ${row.resolved_by}, run ${row.run_status}`,
    `  resolution_data.countersign ${JSON.stringify(countersign)}`,
  ]
}

function channelName({ sandbox }: DemoStage, id: string): string {
  return sandbox.workspace.channels.get(id)?.name ?? id
}

function personName({ sandbox }: DemoStage, id: string): string {
  return sandbox.workspace.people.get(id)?.realName ?? id
}
