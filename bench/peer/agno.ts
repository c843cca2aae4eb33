// AgentOS's own Slack interface for the bench: threads whose runs wait for a yes, and clicks on their Approve.
import { type AgentOs, SLACK_SIGNING_SECRET } from "../../test/agentos/agentos.ts"
import { taken, until } from "../parts/bot.ts"
import { deliver, formOf } from "../parts/clicks.ts"
import { type Arrival, team, type World } from "../parts/world.ts"
import { edited, type Side } from "./measure.ts"

/** A card of the interface, in the thread of its run. */
interface AgnoCard {
  readonly ts: string
  readonly thread: string
  readonly blocks: readonly AgnoBlock[]
}

interface AgnoBlock {
  readonly block_id?: string
  readonly actions?: readonly { readonly action_id: string; readonly value: string }[]
}

const channel = "C0THREAD"
const approveId = "row_approve"
/** The agent whose only tool call has to be confirmed in its thread. */
const mounted = "/slack-cache-agent"
/** So many runs are begun at once. */
const atOnce = 8
let threads = 0

/** Begins so many runs by mentioning the agent, and clicks on their cards one after another. */
export async function startAgno(os: AgentOs, world: World, count: number): Promise<Side> {
  const cards: AgnoCard[] = []
  while (cards.length < count) {
    const before = world.arrivals.length
    const now = Math.min(atOnce, count - cards.length)
    await Promise.all(Array.from({ length: now }, () => mention(os)))
    const posted = () => world.arrivals.slice(before).filter(isCard)
    await until("cards in threads", () => posted().length === now)
    cards.push(...posted().map(readCard))
  }
  return {
    click: () => {
      const card = taken(cards)
      return { sent: approve(os, card), changes: [edited(card.ts)] }
    },
  }
}

function mention(os: AgentOs): Promise<number> {
  threads += 1
  const ts = `1600000000.${String(threads).padStart(6, "0")}`
  const text = "<@U0BOT> Please clear it."
  const event = { type: "app_mention", user: "U0ALICE", text, channel, channel_type: "channel", ts }
  const body = { type: "event_callback", event_id: `Ev${ts}`, team_id: team, authorizations: [{ user_id: "U0AGNO" }] }
  const sent = { type: "application/json", body: JSON.stringify({ ...body, event }), secret: SLACK_SIGNING_SECRET }
  return deliver(`${os.url}${mounted}/events`, sent)
}

function isCard({ call, fields }: Arrival): boolean {
  return call === "chat.postMessage" && fields.get("blocks")?.includes(approveId) === true
}

function readCard({ ts, fields }: Arrival): AgnoCard {
  const blocks: AgnoCard["blocks"] = JSON.parse(fields.get("blocks") ?? "[]")
  return { ts, thread: fields.get("thread_ts") ?? "", blocks }
}

function approve(os: AgentOs, { ts, thread, blocks }: AgnoCard): Promise<number> {
  const buttons = blocks.flatMap(({ block_id, actions = [] }) => actions.map((button) => ({ ...button, block_id })))
  const payload = {
    type: "block_actions",
    user: { id: "U0ALICE" },
    team: { id: team },
    channel: { id: channel },
    message: { ts, thread_ts: thread, blocks },
    actions: buttons.filter((button) => button.action_id === approveId),
    state: { values: {} },
  }
  const form = formOf({ payload: JSON.stringify(payload) })
  return deliver(`${os.url}${mounted}/interactions`, { ...form, secret: SLACK_SIGNING_SECRET })
}
