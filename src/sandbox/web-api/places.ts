// Finds the channel that a method names, if the app can see it.
import type { SlackChannel } from "../workspace/channels.ts"
import type { World } from "../world.ts"
import { missingScope, refuse, type WebApiRefusal } from "./method.ts"

/** A channel, or Slack's refusal. */
export type ChannelLookup = { readonly ok: true; readonly channel: SlackChannel } | WebApiRefusal

/** The channel with this id, as the app sees it: a private channel without the app does not exist for it. */
export function seenChannel(world: World, id: string): ChannelLookup {
  const channel = world.workspace.channels.get(id)
  if (!channel || (channel.kind !== "public" && !isMember(world, channel))) return refuse("channel_not_found")
  return { ok: true, channel }
}

/** Where a message may be posted: a channel by id or `#name`, or the conversation with a person, by their id. */
export function postableChannel(world: World, reference: string): ChannelLookup {
  const { channels, people } = world.workspace
  const person = people.get(reference)
  if (person) return { ok: true, channel: world.workspace.directChannel(person) }
  const name = reference.replace(/^#/, "")
  const named = [...channels.values()].find((channel) => channel.kind !== "im" && channel.name === name)
  const place = seenChannel(world, named?.id ?? reference)
  if (!place.ok) return place
  if (place.channel.archived) return refuse("is_archived")
  return isMember(world, place.channel) ? place : refuse("not_in_channel")
}

/** A channel, if the app's scopes let it read the description (`read`) or the messages (`history`). */
export function readableChannel(world: World, id: string, what: "read" | "history"): ChannelLookup {
  const place = seenChannel(world, id)
  if (!place.ok) return place
  return missingScope(world, scopeOf(place.channel, what)) ?? place
}

/** The scope that the app needs to read a channel of this kind. */
export function scopeOf(channel: SlackChannel, what: "read" | "history"): string {
  const family = { public: "channels", private: "groups", im: "im" }[channel.kind]
  return `${family}:${what}`
}

/** True if the app is in the channel. */
export function isMember(world: World, channel: SlackChannel): boolean {
  return channel.memberIds.includes(world.workspace.app.botUserId)
}
