// What people do in a thread of AgentOS's own Slack interface, as Slack would bring it there: mention an agent, fill in
// its form, press a button.
import { createHmac } from "node:crypto"
import { until } from "../stories/acts.ts"
import { type AgentOs, SLACK_SIGNING_SECRET } from "./agentos.ts"

/** A thread in which somebody asked an agent for something. */
export interface Thread {
  readonly of: string
  readonly channel: string
  /** The session that AgentOS gives its runs ends with it. */
  readonly ts: string
}

/** A message of the interface that waits for somebody: where its elements are. */
interface Block {
  readonly type: string
  readonly block_id?: string
  readonly element?: { readonly action_id: string; readonly initial_value?: string }
  readonly elements?: readonly Element[]
  readonly actions?: readonly Element[]
}

interface Element {
  readonly action_id: string
  readonly value?: string
}

const TEAM = "T0SANDBOX"
const CHANNEL = "C0THREAD"
let threads = 0

/** Mentions an agent, which calls what the script says. */
export async function mention(
  os: AgentOs,
  person: string,
  { of, script }: { readonly of: string; readonly script?: unknown },
): Promise<Thread> {
  threads += 1
  const ts = `${Math.floor(Date.now() / 1_000)}.${String(threads).padStart(6, "0")}`
  const text = `<@U0AGNO> ${script === undefined ? "Please do it." : JSON.stringify(script)}`
  const event = { type: "app_mention", user: person, text, channel: CHANNEL, channel_type: "channel", ts }
  const authorizations = [{ user_id: "U0AGNO" }]
  const body = { type: "event_callback", event_id: `Ev${ts}`, team_id: TEAM, authorizations, event }
  await deliver(os, `/slack-${of}/events`, { type: "application/json", body: JSON.stringify(body) })
  return { of, channel: CHANNEL, ts }
}

/** Submits the form of a thread's paused run: what is not filled in stays as the agent proposed it. */
export async function submitForm(
  os: AgentOs,
  person: string,
  thread: Thread,
  filled: Readonly<Record<string, string>>,
): Promise<void> {
  const blocks = await blocksWith(os, thread, "submit_pause")
  const values = Object.fromEntries(
    blocks.flatMap(({ block_id: id = "", element }) => {
      if (element === undefined) return []
      const field = element.action_id.split(":")[1] ?? ""
      const value = filled[field] ?? element.initial_value ?? null
      return [[id, { [element.action_id]: { type: "plain_text_input", value } }]]
    }),
  )
  await press(os, person, thread, { blocks, action: "submit_pause", values })
}

/** Presses "Check Status" under a gated call. */
export async function checkStatus(os: AgentOs, person: string, thread: Thread): Promise<void> {
  await press(os, person, thread, { blocks: await blocksWith(os, thread, "check_status"), action: "check_status" })
}

/** The blocks of the message in the thread that has this button. */
function blocksWith(os: AgentOs, { ts }: Thread, action: string): Promise<readonly Block[]> {
  return until(`a message with ${action}`, () => {
    const posts = os
      .slackCalls()
      .filter((one) => one.method === "chat.postMessage" && one.arguments["thread_ts"] === ts)
    const blocks = posts.map((one) => (one.arguments["blocks"] ?? []) as readonly Block[])
    return blocks.findLast((one) => one.some((block) => elementIn(block, action) !== undefined))
  })
}

function elementIn({ elements = [], actions = [] }: Block, action: string): Element | undefined {
  return [...elements, ...actions].find((one) => one.action_id === action)
}

async function press(
  os: AgentOs,
  person: string,
  { of, channel, ts }: Thread,
  pressed: { readonly blocks: readonly Block[]; readonly action: string; readonly values?: unknown },
): Promise<void> {
  const { blocks, action, values = {} } = pressed
  const block = blocks.find((one) => elementIn(one, action) !== undefined)
  const button = { ...(block === undefined ? {} : elementIn(block, action)), block_id: block?.block_id }
  const payload = {
    type: "block_actions",
    user: { id: person },
    team: { id: TEAM },
    channel: { id: channel },
    message: { ts: `${ts}1`, thread_ts: ts, blocks },
    actions: [button],
    state: { values },
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  await deliver(os, `/slack-${of}/interactions`, { type: "application/x-www-form-urlencoded", body })
}

/** Sends what Slack sends, signed as Slack signs. */
async function deliver(
  os: AgentOs,
  path: string,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac("sha256", SLACK_SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest("hex")
  const headers = {
    "content-type": type,
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${signature}`,
  }
  const answer = await fetch(os.url + path, { method: "POST", headers, body })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
}
