// The people and user groups of the workspace, and how Slack describes them.

/** Somebody with a Slack account that the workspace can see. */
export interface SlackAccount {
  readonly id: string
  /** The handle, without "@". */
  readonly name: string
  readonly realName: string
  readonly email: string
  /** What the person does, by their profile; may be empty. */
  readonly title: string
  /** The workspace of the account. If it is not ours, the person is external. */
  readonly teamId: string
  readonly isBot: boolean
  /** Deactivated. */
  readonly deleted: boolean
  /** A guest. */
  readonly isRestricted: boolean
  /** A guest of one channel. */
  readonly isUltraRestricted: boolean
  /** True if they belong to another workspace, and share no channel with us. */
  readonly isStranger: boolean
}

/** A user group, mentioned by its handle. */
export interface Group {
  readonly id: string
  /** Without "@". */
  readonly handle: string
  readonly name: string
  readonly memberIds: readonly string[]
  readonly disabled: boolean
}

/** The person as `users.info` answers; the e-mail needs `users:read.email`. `grid`: their team's organization. */
export function personJson(
  person: SlackAccount,
  withEmail: boolean,
  grid?: { readonly id: string; readonly name: string },
): Record<string, unknown> {
  const organization = grid && { enterprise_id: grid.id, enterprise_name: grid.name, teams: [person.teamId] }
  return {
    id: person.id,
    team_id: person.teamId,
    name: person.name,
    real_name: person.realName,
    deleted: person.deleted,
    is_bot: person.isBot,
    is_app_user: false,
    is_workflow_bot: false,
    is_connector_bot: false,
    is_restricted: person.isRestricted,
    is_ultra_restricted: person.isUltraRestricted,
    is_stranger: person.isStranger,
    is_admin: false,
    is_owner: false,
    tz: "Etc/UTC",
    tz_offset: 0,
    ...(organization && { enterprise_user: { id: person.id, ...organization } }),
    profile: {
      real_name: person.realName,
      display_name: person.realName,
      title: person.title,
      team: person.teamId,
      ...(withEmail ? { email: person.email } : {}),
    },
  }
}

/** The group as `usergroups.list` answers. */
export function groupJson(group: Group, teamId: string, withMembers: boolean): Record<string, unknown> {
  return {
    id: group.id,
    team_id: teamId,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    date_delete: group.disabled ? 1 : 0,
    user_count: group.memberIds.length,
    ...(withMembers ? { users: group.memberIds } : {}),
  }
}
