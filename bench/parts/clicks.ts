// Sends clicks, commands and events as Slack does in HTTP mode: signed, on a connection that stays open.
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"
import { actionIds, eventsPath } from "../../src/slack/ids.ts"
import { team, type World } from "./world.ts"

/** What signs the deliveries. */
export const signingSecret = "the signing secret of the bench"

/** A card as the world saw it posted. */
export interface PostedCard {
  readonly channel: string
  readonly ts: string
  /** What its Approve button carries. */
  readonly value: string
}

/**
 * As many connections as there are clicks under way: no click waits here for the answer to another. None is kept that a
 * server may have closed, which uvicorn does after 5 s.
 */
const agent = new Agent({ keepAlive: true, timeout: 3_000 })
let clicks = 0

/** Delivers a click on Approve. Resolves with the ms until the 200; `id` is what the click's response_url ends in. */
export function click(
  world: World,
  target: string,
  { card, id }: { readonly card: PostedCard; readonly id: string },
): Promise<number> {
  return deliver(target + eventsPath, formOf({ payload: JSON.stringify(payloadOf(world, card, id)) }))
}

/** What Slack posts, and what signs it: by default what the product knows. */
export interface Delivery {
  readonly type: string
  readonly body: string
  readonly secret?: string
}

/** A form as Slack sends it. */
export function formOf(fields: Readonly<Record<string, string>>): Delivery {
  return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(fields).toString() }
}

/** Types a command, such as `list`; resolves like `click`, and `id` is what its response_url ends in. */
export function command(
  world: World,
  target: string,
  { text, id }: { readonly text: string; readonly id: string },
): Promise<number> {
  clicks += 1
  const fields = {
    command: "/approvals",
    text,
    user_id: "U0ALICE",
    user_name: "alice",
    team_id: team,
    channel_id: "C0BENCH",
    channel_name: "approvals",
    api_app_id: "A0BOT",
    trigger_id: `${process.pid}.${clicks}`,
    response_url: `${world.url}/response/${id}`,
  }
  return deliver(target + eventsPath, formOf(fields))
}

/** Opens Home, of which the app hears by an event; resolves like `click`. */
export function openHome(target: string): Promise<number> {
  clicks += 1
  const stamp = (Date.now() / 1_000).toFixed(6)
  const event = { type: "app_home_opened", user: "U0ALICE", channel: "D0ALICE", tab: "home", event_ts: stamp }
  const about = { token: "a verification token", team_id: team, api_app_id: "A0BOT", event_id: `Ev${clicks}` }
  const authorizations = [{ enterprise_id: null, team_id: team, user_id: "U0BOT", is_bot: true }]
  const body = { ...about, type: "event_callback", event, authorizations, event_time: Math.floor(Date.now() / 1_000) }
  return deliver(target + eventsPath, { type: "application/json", body: JSON.stringify(body) })
}

/** Delivers to an address, signed. Resolves with the ms until the 200. */
export function deliver(url: string, { type, body, secret = signingSecret }: Delivery): Promise<number> {
  const stamp = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex")}`
  const headers = {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "x-slack-request-timestamp": stamp,
    "x-slack-signature": signature,
  }
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume()
      if (response.statusCode !== 200) reject(new Error(`a delivery was answered ${response.statusCode}`))
      else resolve(performance.now() - begun)
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })
}

function payloadOf(world: World, card: PostedCard, id: string) {
  clicks += 1
  const { channel, ts, value } = card
  return {
    type: "block_actions",
    user: { id: "U0ALICE", username: "alice", name: "alice", team_id: team },
    team: { id: team, domain: "bench" },
    enterprise: null,
    is_enterprise_install: false,
    api_app_id: "A0BOT",
    token: "a verification token",
    trigger_id: `${process.pid}.${clicks}`,
    container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false },
    channel: { id: channel, name: "approvals" },
    state: { values: {} },
    response_url: `${world.url}/response/${id}`,
    actions: [
      {
        action_id: actionIds.approve,
        block_id: "buttons",
        type: "button",
        text: { type: "plain_text", text: "Approve" },
        value,
        action_ts: (Date.now() / 1_000).toFixed(6),
      },
    ],
  }
}
