// The channels of the workspace, and how Slack describes them.

/** A place with members and messages. */
export interface SlackChannel {
  readonly id: string
  /** Without "#". For a direct conversation: the person's handle. */
  readonly name: string
  readonly kind: "public" | "private" | "im"
  readonly memberIds: readonly string[]
  readonly archived: boolean
  /** Shared with another organization (Slack Connect). */
  readonly external: boolean
}

/** The channel as `conversations.info` describes it to the app. */
export function channelJson(channel: SlackChannel, teamId: string, botUserId: string): Record<string, unknown> {
  if (channel.kind === "im") {
    const user = channel.memberIds.find((id) => id !== botUserId)
    return { id: channel.id, is_im: true, is_archived: channel.archived, user, context_team_id: teamId, is_open: true }
  }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === "public",
    is_group: channel.kind === "private",
    is_im: false,
    is_mpim: false,
    is_private: channel.kind === "private",
    is_archived: channel.archived,
    is_member: channel.memberIds.includes(botUserId),
    is_general: false,
    is_shared: channel.external,
    is_ext_shared: channel.external,
    is_org_shared: false,
    is_pending_ext_shared: false,
    context_team_id: teamId,
    num_members: channel.memberIds.length,
  }
}
