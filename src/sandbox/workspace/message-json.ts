// A message as the Web API and the interaction payloads show it.
import type { PostedMessage } from "./messages.ts"
import type { Workspace } from "./workspace.ts"

/** The message in Slack's words, with `metadata` only if the reader asked for it. */
export function messageJson(
  workspace: Workspace,
  message: PostedMessage,
  { metadata }: { readonly metadata: boolean },
): Record<string, unknown> {
  const fromApp = message.authorId === workspace.app.botUserId
  const replies = workspace.messages.inChannel(message.channelId).filter((one) => one.threadTs === message.ts)
  return {
    type: "message",
    ts: message.ts,
    user: message.authorId,
    team: workspace.team.id,
    text: message.text,
    ...(message.blocks.length > 0 ? { blocks: message.blocks } : {}),
    ...(fromApp ? { bot_id: workspace.app.botId, app_id: workspace.app.id } : {}),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(replies.length > 0 ? { thread_ts: message.ts, reply_count: replies.length } : {}),
    ...(message.editedTs === undefined ? {} : { edited: { user: message.authorId, ts: message.editedTs } }),
    ...(metadata && message.metadata ? { metadata: message.metadata } : {}),
  }
}
