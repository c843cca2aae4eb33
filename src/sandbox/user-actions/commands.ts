// A person types a slash command, uses a shortcut, or opens the app's Home tab.
import { z } from "zod"
import { slackMessages } from "../../blockkit/issues.ts"
import { validateMessage } from "../../blockkit/validate.ts"
import { SandboxError } from "../workspace/error.ts"
import { messageJson } from "../workspace/message-json.ts"
import type { SlackAccount } from "../workspace/people.ts"
import { postFor } from "../workspace/posting.ts"
import { viewJson } from "../workspace/view-json.ts"
import { channelFor, gridOf, personOf } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import { sendEvent } from "./events.ts"
import { actorOf, badAnswer, type InteractionOutcome, outcomeOf, responseUrl } from "./payloads.ts"

const reply = z.looseObject({
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  response_type: z.enum(["ephemeral", "in_channel"]).default("ephemeral"),
})

/** Types `line`, such as "/approvals list", in the channel. The person sees the ack. In threads Slack refuses it. */
export async function command(
  world: World,
  personId: string,
  channelId: string,
  line: string,
  { threadTs }: { readonly threadTs?: string | undefined } = {},
): Promise<InteractionOutcome> {
  const { workspace } = world
  const person = personOf(workspace, personId)
  const channel = channelFor(workspace, personId, channelId)
  const [, name = "", text = ""] = /^(\/\S+)\s*([\s\S]*)$/.exec(line) ?? []
  if (name === "") throw new SandboxError("not_possible", `${line} is no command: it must begin with "/"`)
  if (threadTs !== undefined) {
    return { ok: false, reason: "not_in_threads", detail: `${name} is not supported in threads`, errors: {} }
  }
  const payload = {
    token: "sandbox-verification-token",
    team_id: workspace.team.id,
    team_domain: workspace.team.domain,
    ...gridOf(workspace),
    channel_id: channel.id,
    channel_name: channel.kind === "im" ? "directmessage" : channel.name,
    user_id: person.id,
    user_name: person.name,
    command: name,
    text: text.trim(),
    api_app_id: workspace.app.id,
    is_enterprise_install: "false",
    response_url: responseUrl(world, { personId, channelId, message: null }),
    trigger_id: world.triggers.issue(personId),
  }
  const ack = await world.delivery.send({ kind: "slash_commands", payload })
  return ack.ok ? showReply(world, person, channelId, ack.payload) : outcomeOf(world, person, ack)
}

/** Uses a shortcut: with a place, on a message there; without one, the global shortcut. */
export async function shortcut(
  world: World,
  personId: string,
  callbackId: string,
  place?: { readonly channel: string; readonly ts: string },
): Promise<InteractionOutcome> {
  const person = personOf(world.workspace, personId)
  const about = place ? aboutMessage(world, personId, place) : { type: "shortcut" }
  const payload = {
    ...actorOf(world, person),
    ...about,
    callback_id: callbackId,
    trigger_id: world.triggers.issue(personId),
    action_ts: world.workspace.ids.ts(),
  }
  return outcomeOf(world, person, await world.delivery.send({ kind: "interactive", payload }))
}

/** Opens the app's Home tab. An event tells the app. */
export async function openHome(world: World, personId: string): Promise<InteractionOutcome> {
  const { workspace } = world
  const person = personOf(workspace, personId)
  const home = workspace.views.home(personId)
  const event = {
    type: "app_home_opened",
    user: personId,
    channel: workspace.directChannel(person).id,
    tab: "home",
    event_ts: workspace.ids.ts(),
    ...(home ? { view: viewJson(workspace, home, {}) } : {}),
  }
  return outcomeOf(world, person, await sendEvent(world, event))
}

function aboutMessage(world: World, personId: string, place: { channel: string; ts: string }): Record<string, unknown> {
  const { workspace } = world
  const channel = channelFor(workspace, personId, place.channel)
  const message = workspace.messages.find(place.channel, place.ts)
  if (!message) throw new SandboxError("no_such_thing", `There is no message ${place.ts} in ${place.channel}`)
  const { ts, threadTs } = message
  return {
    type: "message_action",
    channel: { id: channel.id, name: channel.name },
    message_ts: ts,
    message: messageJson(workspace, message, { metadata: true }),
    response_url: responseUrl(world, { personId, channelId: channel.id, message: { ts, threadTs, ephemeral: false } }),
  }
}

function showReply(world: World, person: SlackAccount, channelId: string, ack: unknown): InteractionOutcome {
  const done: InteractionOutcome = { ok: true, ack, errors: {} }
  const parsed = reply.safeParse(ack ?? {})
  if (!parsed.success) return badAnswer(world, person, "the command's answer is not understood")
  if (parsed.data.text === undefined && parsed.data.blocks === undefined) return done
  const checked = validateMessage(parsed.data)
  if (!checked.ok) return badAnswer(world, person, slackMessages(checked.errors).join("; "))
  const personId = parsed.data.response_type === "in_channel" ? undefined : person.id
  postFor(world.workspace, { channelId, personId, threadTs: undefined, content: checked.message })
  return done
}
