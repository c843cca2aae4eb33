// What people can do and see in the workspace, as one object for tests, the control API and the page.

import { type Removal, removeApp } from "../installing.ts"
import { shareChannel } from "../sharing.ts"
import { type Ephemeral, type Message, repliesTo, topLevel } from "../workspace/messages.ts"
import type { OpenView } from "../workspace/views.ts"
import type { Notice } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import { deleteMessage } from "./administration.ts"
import { type ClickOptions, type ClickPlace, click } from "./clicks.ts"
import { type CommandOptions, command, openHome, shortcut } from "./commands.ts"
import { closeView, submit } from "./forms.ts"
import type { Outcome } from "./payloads.ts"
import type { Choices } from "./values.ts"

/** Hands: each does what its name says for the person with this id, and resolves with what came of it. */
export interface Hands {
  readonly click: (personId: string, place: ClickPlace, actionId: string, options?: ClickOptions) => Promise<Outcome>
  /** Values by action_id or block_id. */
  readonly submit: (personId: string, viewId: string, values?: Choices) => Promise<Outcome>
  readonly closeView: (personId: string, viewId: string) => Promise<Outcome>
  /** The whole line, such as "/approvals list". */
  readonly command: (personId: string, channelId: string, line: string, options?: CommandOptions) => Promise<Outcome>
  readonly shortcut: (
    personId: string,
    callbackId: string,
    place?: { readonly channel: string; readonly ts: string },
  ) => Promise<Outcome>
  readonly openHome: (personId: string) => Promise<Outcome>
  /** A moderator deletes a message; false if there is none, or if a subscribed app did not take the event. */
  readonly deleteMessage: (
    place: { readonly channel: string; readonly ts: string },
    app: "subscribed" | "not subscribed",
  ) => Promise<boolean>
  /** An admin shares a channel with another company, or ends that; false if a subscribed app did not take the event. */
  readonly shareChannel: (channelId: string, shared: boolean, app: "subscribed" | "not subscribed") => Promise<boolean>
  /** Somebody removes the app or revokes its token; false if a subscribed app did not take the events. */
  readonly removeApp: (removal: Removal, app: "subscribed" | "not subscribed") => Promise<boolean>
}

/** Eyes: what is to be seen right now. */
export interface Eyes {
  /** The channel's messages without thread replies, oldest first. */
  readonly messages: (channelId: string) => readonly Message[]
  /** The replies under a message, oldest first. */
  readonly thread: (channelId: string, ts: string) => readonly Message[]
  /** What only this person sees, oldest first. */
  readonly ephemerals: (personId: string) => readonly Ephemeral[]
  /** The person's topmost modal. */
  readonly openView: (personId: string) => OpenView | undefined
  readonly home: (personId: string) => OpenView | undefined
  /** What Slack told the person, such as that the app did not respond. */
  readonly notices: (personId: string) => readonly Notice[]
}

/** The hands of the people of this world. */
export function handsOf(world: World): Hands {
  return {
    click: (personId, place, actionId, options) => click(world, personId, place, actionId, options),
    submit: (personId, viewId, values = {}) => submit(world, personId, viewId, values),
    closeView: (personId, viewId) => closeView(world, personId, viewId),
    command: (personId, channelId, line, options) => command(world, personId, channelId, line, options),
    shortcut: (personId, callbackId, place) => shortcut(world, personId, callbackId, place),
    openHome: (personId) => openHome(world, personId),
    deleteMessage: (place, app) => deleteMessage(world, place, app),
    shareChannel: (channelId, shared, app) => shareChannel(world, channelId, shared, app),
    removeApp: (removal, app) => removeApp(world, removal, app),
  }
}

/** The eyes of the people of this world. */
export function eyesOf({ workspace }: World): Eyes {
  return {
    messages: (channelId) => topLevel(workspace.messages.inChannel(channelId)),
    thread: (channelId, ts) => repliesTo(workspace.messages.inChannel(channelId), ts),
    ephemerals: (personId) => workspace.ephemerals.all().filter((message) => message.personId === personId),
    openView: (personId) => workspace.views.stack(personId).at(-1),
    home: (personId) => workspace.views.home(personId),
    notices: (personId) => workspace.notices.filter((notice) => notice.personId === personId),
  }
}
