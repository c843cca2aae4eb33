// auth.test, apps.connections.open, users.* and usergroups.*: who the app is, and who people are.
import { z } from "zod"
import { groupJson, personJson } from "../workspace/people.ts"
import { gridOf } from "../workspace/workspace.ts"
import { flagArg, method, refuse, type WebApiMethod } from "./method.ts"

const nothing = z.object({})

/** The methods by name. */
export const userMethods: Readonly<Record<string, WebApiMethod>> = {
  "auth.test": method({
    args: nothing,
    run: (_args, { workspace, install, url }) => ({
      ok: true,
      url: `${url()}/`,
      team: workspace.team.name,
      team_id: workspace.team.id,
      user: workspace.people.get(workspace.app.botUserId)?.name,
      user_id: workspace.app.botUserId,
      bot_id: workspace.app.botId,
      app_id: workspace.app.id,
      ...gridOf(workspace),
      is_enterprise_install: install.orgWide,
    }),
  }),
  "apps.connections.open": method({
    token: "app",
    args: nothing,
    run: (_args, world) => ({ ok: true, url: world.socketUrl() }),
  }),
  "users.info": method({
    scope: "users:read",
    args: z.object({ user: z.string() }),
    run: ({ user }, { workspace, scopes }) => {
      const person = workspace.people.get(user)
      if (!person) return refuse("user_not_found")
      const grid = person.teamId === workspace.team.id ? workspace.team.enterprise : undefined
      return { ok: true, user: personJson(person, scopes.has("users:read.email"), grid) }
    },
  }),
  "users.lookupByEmail": method({
    scope: "users:read.email",
    args: z.object({ email: z.string() }),
    run: ({ email }, { workspace }) => {
      const person = [...workspace.people.values()].find(
        (one) => one.email.toLowerCase() === email.toLowerCase() && !one.deleted && one.teamId === workspace.team.id,
      )
      return person
        ? { ok: true, user: personJson(person, true, workspace.team.enterprise) }
        : refuse("users_not_found")
    },
  }),
  "usergroups.list": method({
    scope: "usergroups:read",
    args: z.object({ include_users: flagArg, include_disabled: flagArg }),
    run: (args, { workspace }) => {
      const groups = [...workspace.groups.values()].filter((group) => args.include_disabled || !group.disabled)
      return { ok: true, usergroups: groups.map((group) => groupJson(group, workspace.team.id, args.include_users)) }
    },
  }),
  "usergroups.users.list": method({
    scope: "usergroups:read",
    args: z.object({ usergroup: z.string(), include_disabled: flagArg }),
    run: (args, { workspace }) => {
      const group = workspace.groups.get(args.usergroup)
      if (!group || (group.disabled && !args.include_disabled)) return refuse("no_such_subteam")
      return { ok: true, users: group.memberIds }
    },
  }),
}
