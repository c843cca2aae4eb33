// demo --once: two people of the sandbox decide one approval and one rejection; each step is told in a sentence.
import { setTimeout as delay } from "node:timers/promises"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import { actionIds, formIds, viewIds } from "../../slack/ids.ts"
import { verificationWords, verifyLedger } from "../ledger/ledger.ts"
import type { Terminal } from "../terminal.ts"
import type { DemoRow } from "./operator.ts"
import { demoRuns } from "./scenes.ts"
import type { DemoStage } from "./stage.ts"

/** How long each step may take, in ms. */
const limitMs = 20_000

/** How the demo says what happened. With `json`, it prints only the records and the ledger's state, for programs. */
interface OnceOptions {
  readonly json: boolean
  readonly random: (size: number) => Buffer
}

/** Plays the demo once. Throws if anything does not end as it should. */
export async function playOnce(stage: DemoStage, terminal: Terminal, { json, random }: OnceOptions): Promise<void> {
  const say = json ? () => undefined : terminal.out
  const records: DemoRow[] = []
  for (const scene of scenes) records.push(await play(stage, say, scene))
  const ledger = await verifyLedger({ ...stage.ledger, random })
  if (json) terminal.out(JSON.stringify({ records, ledger }, null, 2))
  else for (const line of endingLines(ledger)) say(line)
  if (ledger.problem !== null || scenes.some(({ status }, at) => records[at]?.status !== status)) {
    throw new Error(`the demo did not end as it should: ${verificationWords(ledger)}`)
  }
}

interface Scene {
  readonly run: (typeof demoRuns)[number]
  readonly asks: string
  readonly channel: string
  readonly person: string
  readonly verb: "approve" | "reject"
  readonly status: string
}

const scenes: readonly Scene[] = [
  {
    run: demoRuns[0],
    asks: "The Billing Agent wants to refund 129.90 EUR for the invoice INV-2041. It waits.",
    channel: sandboxCast.payments,
    person: sandboxCast.alice,
    verb: "approve",
    status: "approved",
  },
  {
    run: demoRuns[1],
    asks: "The Ops Agent wants to delete the data of the user U-100. It waits.",
    channel: sandboxCast.approvals,
    person: sandboxCast.bob,
    verb: "reject",
    status: "rejected",
  },
]

async function play(stage: DemoStage, say: (line: string) => void, scene: Scene): Promise<DemoRow> {
  const { sandbox, operator } = stage
  const asked = await operator.start(scene.run)
  say(scene.asks)
  const card = await sandbox.waitFor(() => openCard(stage, scene, asked), { limitMs, what: "the card" })
  say(`  Countersign put a card into #${channelName(stage, scene.channel)}: “${card.text.split("\n")[0]}”`)
  await act(stage, scene, card.ts)
  const ended = await endedRow(stage, asked.id)
  for (const line of endedLines(stage, ended)) say(`  ${line}`)
  const lines = () => sandbox.thread(scene.channel, card.ts).flatMap(({ text }) => text.split("\n"))
  await sandbox.waitFor(() => lines().length >= 4, { limitMs, what: "the thread" })
  return operator.read(asked.id)
}

function openCard({ sandbox }: DemoStage, scene: Scene, asked: DemoRow) {
  return sandbox.messages(scene.channel).find((message) => message.text.includes(asked.tool_name ?? ""))
}

async function act({ sandbox }: DemoStage, { channel, person, verb }: Scene, ts: string): Promise<void> {
  await sandbox.click(person, { channel, ts }, actionIds[verb])
  if (verb === "approve") return
  const look = () => {
    const view = sandbox.openView(person)
    return view?.definition.callback_id === viewIds.form ? view : undefined
  }
  const form = await sandbox.waitFor(look, { limitMs, what: "the reason form" })
  await sandbox.submit(person, form.id, { [formIds.reason]: "the user withdrew the request" })
}

/** The record, after it was decided and its run went on. */
async function endedRow({ operator }: DemoStage, approvalId: string): Promise<DemoRow> {
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(50)) {
    const row = await operator.read(approvalId)
    if (row.status !== "pending" && row.run_status !== "PAUSED") return row
  }
  throw new Error(`approval ${approvalId} still waits after ${limitMs} ms`)
}

/** Who decided, and what became of the run, by the platform's record. */
function endedLines({ sandbox }: DemoStage, row: DemoRow): readonly string[] {
  const people = [...sandbox.workspace.people.values()]
  const person = people.find(({ email }) => email === row.resolved_by)
  const { reason } = row.resolution_data?.countersign ?? {}
  const why = reason ? `, because “${reason}”` : ""
  const went = row.status === "approved" ? "The tool ran" : "The tool did not run, the agent was told so"
  return [
    `${person?.realName ?? row.resolved_by} (${row.resolved_by}) ${row.status} it${why}.`,
    `${went}, and the run ended as ${row.run_status}.`,
  ]
}

function endingLines(ledger: Awaited<ReturnType<typeof verifyLedger>>): readonly string[] {
  return [
    "Each decision has a signed receipt. It stands in the platform's record (resolution_data.countersign.receipt) and",
    "  beside the ledger. countersign demo --once --json prints the records with their receipts.",
    `Ledger verified: ${ledger.entries} entries tell who decided what, and every seal holds.`,
    "What next?",
    "  Decide yourself in a browser:     countersign demo (in a clone: npm run demo)",
    "  Connect your Slack and platform:  README.md, “Install it into your Slack workspace”",
  ]
}

function channelName({ sandbox }: DemoStage, id: string): string {
  return sandbox.workspace.channels.get(id)?.name ?? id
}
