// users.* and usergroups.*: who people are.
import { z } from "zod"
import { groupJson, personJson } from "../workspace/people.ts"
import { flagArg, type Method, method, refuse } from "./method.ts"

/** The methods by name. */
export const userMethods: Readonly<Record<string, Method>> = {
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
