// What people can do and see in the workspace, as one object for tests, the control API and the page.
import { repliesTo, topLevel } from "../workspace/messages.ts"
import type { World } from "../world.ts"
import { click } from "./clicks.ts"
import { command, openHome, shortcut } from "./commands.ts"
import { deleteMessage, removeApp, shareChannel } from "./events.ts"
import { closeView, submit } from "./forms.ts"

/** What people do: the functions of this folder in one world. Each resolves with its outcome. */
export type UserActions = ReturnType<typeof userActionsOf>

/** The actions of the people of this world. */
export function userActionsOf(world: World) {
  const here =
    <A extends unknown[], R>(act: (world: World, ...args: A) => R) =>
    (...args: A): R =>
      act(world, ...args)
  return {
    click: here(click),
    submit: here(submit),
    closeView: here(closeView),
    command: here(command),
    shortcut: here(shortcut),
    openHome: here(openHome),
    deleteMessage: here(deleteMessage),
    shareChannel: here(shareChannel),
    removeApp: here(removeApp),
  }
}

/** What people see. */
export type Screens = ReturnType<typeof screensOf>

/** What people see in this world right now. */
export function screensOf({ workspace }: World) {
  return {
    /** The channel's messages, without thread replies, oldest first. */
    messages: (channelId: string) => topLevel(workspace.messages.inChannel(channelId)),
    /** The replies to a message, oldest first. */
    thread: (channelId: string, ts: string) => repliesTo(workspace.messages.inChannel(channelId), ts),
    /** What only this person sees, oldest first. */
    ephemerals: (personId: string) => workspace.ephemerals.all().filter((message) => message.personId === personId),
    /** The person's topmost modal. */
    openView: (personId: string) => workspace.views.stack(personId).at(-1),
    home: (personId: string) => workspace.views.home(personId),
    /** What Slack told the person, such as that the app did not respond. */
    notices: (personId: string) => workspace.notices.filter((notice) => notice.personId === personId),
  }
}
