// The chat.* methods: they post, change and delete messages.
import { z } from "zod"
import { validateMessage } from "../../blockkit/validate.ts"
import { withIds } from "../workspace/ids.ts"
import { messageJson } from "../workspace/message-json.ts"
import type { PostedMessage } from "../workspace/messages.ts"
import { postFor } from "../workspace/posting.ts"
import type { World } from "../world.ts"
import {
  flagArg,
  jsonArg,
  method,
  refuse,
  refuseBlocks,
  type WebApiMethod,
  type WebApiRefusal,
  type WebApiReply,
} from "./method.ts"
import { isMember, postableChannel, seenChannel } from "./places.ts"

const content = { text: z.string().optional(), blocks: jsonArg.optional(), metadata: jsonArg.optional() }
const postArgs = z.object({
  channel: z.string(),
  ...content,
  thread_ts: z.string().optional(),
  reply_broadcast: flagArg,
})
const ephemeralArgs = z.object({ channel: z.string(), user: z.string(), ...content, thread_ts: z.string().optional() })
const updateArgs = z.object({ channel: z.string(), ts: z.string(), ...content })
const scope = "chat:write"

/** The methods by name. */
export const chatMethods: Readonly<Record<string, WebApiMethod>> = {
  "chat.postMessage": method({ scope, args: postArgs, run: post }),
  "chat.postEphemeral": method({ scope, args: ephemeralArgs, run: postEphemeral }),
  "chat.update": method({ scope, args: updateArgs, run: updateMessage }),
  "chat.delete": method({ scope, args: z.object({ channel: z.string(), ts: z.string() }), run: remove }),
  "chat.getPermalink": method({ args: z.object({ channel: z.string(), message_ts: z.string() }), run: permalink }),
}

function post(args: z.infer<typeof postArgs>, world: World): WebApiReply {
  const place = postableChannel(world, args.channel)
  if (!place.ok) return place
  const checked = validateMessage(args)
  if (!checked.ok) return refuseBlocks(checked)
  const retryAfterS = world.pace.take(place.channel.id)
  if (retryAfterS > 0) return { ok: false, error: "ratelimited", retryAfterS }
  const message = postFor(world.workspace, {
    channelId: place.channel.id,
    personId: undefined,
    threadTs: args.thread_ts,
    broadcast: args.reply_broadcast,
    content: checked.message,
  })
  const shown = messageJson(world.workspace, message, { metadata: true })
  return { ok: true, channel: message.channelId, ts: message.ts, message: shown }
}

function postEphemeral(args: z.infer<typeof ephemeralArgs>, world: World): WebApiReply {
  const { workspace } = world
  const place = postableChannel(world, args.channel)
  if (!place.ok) return place
  if (!workspace.people.has(args.user)) return refuse("user_not_found")
  if (!place.channel.memberIds.includes(args.user)) return refuse("user_not_in_channel")
  const checked = validateMessage(args)
  if (!checked.ok) return refuseBlocks(checked)
  const message = postFor(workspace, {
    channelId: place.channel.id,
    personId: args.user,
    threadTs: args.thread_ts,
    content: checked.message,
  })
  return { ok: true, message_ts: message.ts }
}

/** Changes a message. `text` without `blocks` drops the blocks, as in Slack; metadata that is not given stays. */
function updateMessage(args: z.infer<typeof updateArgs>, world: World): WebApiReply {
  const { workspace } = world
  const found = ownMessage(world, args, "cant_update_message")
  if (!found.ok) return found
  const checked = validateMessage(args)
  if (!checked.ok) return refuseBlocks(checked)
  const next = withIds(
    { ...checked.message, metadata: checked.message.metadata ?? found.message.metadata },
    workspace.ids,
  )
  workspace.messages.change(found.message.channelId, args.ts, next, workspace.ids.ts())
  const message = messageJson(workspace, { ...found.message, ...next }, { metadata: true })
  return { ok: true, channel: found.message.channelId, ts: args.ts, text: next.text, message }
}

function remove(args: { channel: string; ts: string }, world: World): WebApiReply {
  const found = ownMessage(world, args, "cant_delete_message")
  if (!found.ok) return found
  world.workspace.messages.remove(args.channel, args.ts)
  return { ok: true, channel: args.channel, ts: args.ts }
}

function permalink(args: { channel: string; message_ts: string }, world: World): WebApiReply {
  const place = seenChannel(world, args.channel)
  if (!place.ok) return place
  const message = world.workspace.messages.find(args.channel, args.message_ts)
  if (!message) return refuse("message_not_found")
  const thread = message.threadTs === undefined ? "" : `?thread_ts=${message.threadTs}&cid=${args.channel}`
  const link = `${world.url()}/archives/${args.channel}/p${args.message_ts.replace(".", "")}${thread}`
  return { ok: true, channel: args.channel, permalink: link }
}

function ownMessage(
  world: World,
  args: { readonly channel: string; readonly ts: string },
  foreign: string,
): { readonly ok: true; readonly message: PostedMessage } | WebApiRefusal {
  const place = seenChannel(world, args.channel)
  if (!place.ok) return place
  if (place.channel.archived) return refuse("is_archived")
  const message = world.workspace.messages.find(args.channel, args.ts)
  if (!message) return refuse("message_not_found")
  if (message.authorId !== world.workspace.app.botUserId) return refuse(foreign)
  return isMember(world, place.channel) ? { ok: true, message } : refuse(foreign)
}
