// Puts a message of the app into a channel, for everybody or for one person.
import type { CheckedMessage } from "../../blockkit/validate.ts"
import { withIds } from "./ids.ts"
import type { PostedMessage } from "./messages.ts"
import type { Workspace } from "./workspace.ts"

/** A message to post, its place, and who sees it. */
export interface Posting {
  readonly channelId: string
  /** The only person who sees it; undefined for everybody. */
  readonly personId: string | undefined
  readonly threadTs: string | undefined
  /** True if a thread reply is also shown in the channel. Default: no. */
  readonly broadcast?: boolean
  readonly content: CheckedMessage
}

/** Posts the message and returns it. The caller has checked that it may be posted. */
export function postFor(workspace: Workspace, posting: Posting): PostedMessage {
  const { channelId, personId, threadTs, broadcast = false, content } = posting
  const message: PostedMessage = {
    ...withIds(content, workspace.ids),
    ts: workspace.ids.ts(),
    channelId,
    authorId: workspace.app.botUserId,
    threadTs,
    broadcast,
    editedTs: undefined,
  }
  if (personId === undefined) workspace.messages.add(message)
  else workspace.ephemerals.add({ ...message, personId })
  return message
}
