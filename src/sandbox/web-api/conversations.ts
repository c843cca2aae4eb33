// The conversations.* methods: which channels there are, who is in them, and what was said.
import { z } from "zod"
import { channelJson } from "../workspace/channels.ts"
import { messageJson } from "../workspace/message-json.ts"
import { between, type PostedMessage, repliesTo, topLevel } from "../workspace/messages.ts"
import type { World } from "../world.ts"
import {
  flagArg,
  limitArg,
  method,
  missingScope,
  refuse,
  type WebApiMethod,
  type WebApiRefusal,
  type WebApiReply,
} from "./method.ts"
import { isMember, readableChannel, scopeOf } from "./places.ts"

const paged = { cursor: z.string().optional(), limit: limitArg }
const channel = z.object({ channel: z.string() })
const membersArgs = channel.extend(paged)
const rangeArgs = channel.extend({
  ...paged,
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: flagArg,
  include_all_metadata: flagArg,
})
const repliesArgs = rangeArgs.extend({ ts: z.string() })
const listArgs = z.object({ ...paged, types: z.string().default("public_channel"), exclude_archived: flagArg })
const openArgs = z.object({ users: z.string().optional(), channel: z.string().optional() })

/** The methods by name. */
export const conversationMethods: Readonly<Record<string, WebApiMethod>> = {
  "conversations.info": method({ args: channel, run: describe }),
  "conversations.members": method({ args: membersArgs, run: members }),
  "conversations.list": method({ args: listArgs, run: list }),
  "conversations.open": method({ scope: "im:write", args: openArgs, run: open }),
  "conversations.history": method({ args: rangeArgs, run: history }),
  "conversations.replies": method({ args: repliesArgs, run: replies }),
}

function describe(args: z.infer<typeof channel>, world: World): WebApiReply {
  const place = readableChannel(world, args.channel, "read")
  if (!place.ok) return place
  const { team, app } = world.workspace
  return { ok: true, channel: channelJson(place.channel, team.id, app.botUserId) }
}

function members(args: z.infer<typeof membersArgs>, world: World): WebApiReply {
  const place = readableChannel(world, args.channel, "read")
  if (!place.ok) return place
  return page(args, place.channel.memberIds, (items) => ({ members: items }))
}

function list(args: z.infer<typeof listArgs>, world: World): WebApiReply {
  const { channels, team, app } = world.workspace
  const kinds = new Set(args.types.split(",").map((type) => type.trim().replace("_channel", "")))
  const wanted = [...channels.values()].filter(
    (one) =>
      kinds.has(one.kind) &&
      (one.kind === "public" || isMember(world, one)) &&
      !(args.exclude_archived && one.archived),
  )
  const missing = wanted
    .map((one) => missingScope(world, scopeOf(one, "read")))
    .find((refusal) => refusal !== undefined)
  if (missing) return missing
  return page(args, wanted, (items) => ({ channels: items.map((one) => channelJson(one, team.id, app.botUserId)) }))
}

/** Opens a direct conversation; only with a single person. */
function open(args: z.infer<typeof openArgs>, world: World): WebApiReply {
  const { workspace } = world
  if (args.channel !== undefined) {
    return workspace.channels.has(args.channel)
      ? { ok: true, channel: { id: args.channel } }
      : refuse("channel_not_found")
  }
  const person = workspace.people.get(args.users ?? "")
  if (!person) return refuse("user_not_found")
  if (person.deleted) return refuse("user_disabled")
  return { ok: true, channel: { id: workspace.directChannel(person).id } }
}

function history(args: z.infer<typeof rangeArgs>, world: World): WebApiReply {
  const refused = refuseHistory(args, world)
  if (refused) return refused
  const newestFirst = topLevel(world.workspace.messages.inChannel(args.channel)).toReversed()
  return answerMessages(args, world, newestFirst)
}

function replies(args: z.infer<typeof repliesArgs>, world: World): WebApiReply {
  const refused = refuseHistory(args, world)
  if (refused) return refused
  const all = world.workspace.messages.inChannel(args.channel)
  const parent = all.find((message) => message.ts === args.ts)
  if (!parent) return refuse("thread_not_found")
  return answerMessages(args, world, [parent, ...repliesTo(all, args.ts)])
}

function refuseHistory(args: z.infer<typeof channel>, world: World): WebApiRefusal | undefined {
  const place = readableChannel(world, args.channel, "history")
  if (!place.ok) return place
  return isMember(world, place.channel) ? undefined : refuse("not_in_channel")
}

function answerMessages(args: z.infer<typeof rangeArgs>, { workspace }: World, messages: readonly PostedMessage[]) {
  const metadata = args.include_all_metadata
  return page(args, between(messages, args), (items, more) => ({
    messages: items.map((message) => messageJson(workspace, message, { metadata })),
    has_more: more,
  }))
}

/** One page of the items, under `fields`, with the cursor of the next page, or `""` at the end. */
function page<T>(
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  all: readonly T[],
  fields: (items: readonly T[], more: boolean) => Readonly<Record<string, unknown>>,
): WebApiReply {
  const start = cursor ? Number(Buffer.from(cursor, "base64").toString().split(":")[1]) : 0
  if (!Number.isInteger(start) || start < 0) return refuse("invalid_cursor")
  const end = start + limit
  const more = end < all.length
  const next_cursor = more ? Buffer.from(`next:${end}`).toString("base64") : ""
  return { ok: true, ...fields(all.slice(start, end), more), response_metadata: { next_cursor } }
}
