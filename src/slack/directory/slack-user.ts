// A Slack user as a person of ours: guest, external, bot or deactivated, by Slack's own fields.
import type { UsersInfoResponse } from "@slack/web-api"
import type { Person, SlackId } from "../../domain/people/person.ts"
import { badAnswer, lastingRefusal } from "../transport/errors.ts"
import type { SlackCall } from "../transport/web-client.ts"
import type { SlackIdentity } from "./identity.ts"

/** The `user` of `users.info` and `users.lookupByEmail`. */
export type SlackUser = NonNullable<UsersInfoResponse["user"]>

/** Slack's own bot. Slack does not mark it as a bot. */
const slackbot = "USLACKBOT"

/** Asks Slack for a user. Throws `ChatError`. */
export async function readUser(call: SlackCall, identity: SlackIdentity, user: string, at: number): Promise<Person> {
  const method = "users.info"
  const answer = await call(method, (client) => client.users.info({ user }))
  return personOf(checked(method, user, answer.user), identity, at)
}

/** Who has an address, or null; or Slack's word for why it does not say. */
export interface EmailHolder {
  readonly person: SlackId | null
  readonly refused: string | null
}

/**
 * Who has an address. If Slack refuses for good, such as for a missing scope, that counts as an answer; other failures
 * throw `ChatError`.
 */
export async function readEmail(
  call: SlackCall,
  identity: SlackIdentity,
  email: string,
  at: number,
): Promise<EmailHolder> {
  const method = "users.lookupByEmail"
  try {
    const { user } = await call(method, (client) => client.users.lookupByEmail({ email }))
    const person = personOf(checked(method, user?.id ?? "", user), identity, at)
    // An address that nobody confirmed proves nothing.
    const isTheirs = person.email?.toLowerCase() === email.toLowerCase()
    return { person: isTheirs ? { team: person.team, user: person.user } : null, refused: null }
  } catch (error) {
    const why = lastingRefusal(error)
    return { person: null, refused: why === "users_not_found" ? null : why }
  }
}

/** An answer about somebody else is no answer. */
function checked(method: string, id: string, user: SlackUser | undefined): SlackUser {
  if (user === undefined || user.id !== id || id === "") throw badAnswer(method, `says nothing about ${id}`)
  return user
}

/**
 * Judges the fields. `is_stranger` is false for externals who share a channel, so another team counts as external too,
 * unless its enterprise is ours. Our own users get our team's id, even if Slack gives the enterprise's.
 */
export function personOf(user: SlackUser, identity: SlackIdentity, readAt: number): Person {
  const external = isExternal(user, identity)
  const team = external ? (user.team_id ?? "unknown") : identity.team
  return {
    team,
    user: user.id ?? "",
    name: userNameOf(user),
    email: external ? null : emailOf(user),
    bot:
      user.is_bot === true || user.is_workflow_bot === true || user.is_connector_bot === true || user.id === slackbot,
    deactivated: user.deleted === true,
    guest: user.is_restricted === true || user.is_ultra_restricted === true,
    external,
    readAt,
  }
}

function isExternal(user: SlackUser, identity: SlackIdentity): boolean {
  if (user.is_stranger === true) return true
  if (user.team_id === identity.team) return false
  if (identity.enterprise === null) return true
  return user.team_id !== identity.enterprise && user.enterprise_user?.enterprise_id !== identity.enterprise
}

/** The address, unless Slack says that it is unconfirmed. An address in another workspace proves nothing to us. */
function emailOf(user: SlackUser): string | null {
  const email = user.profile?.email
  return email === undefined || email === "" || user.is_email_confirmed === false ? null : email
}

function userNameOf(user: SlackUser): string {
  const names = [user.profile?.display_name, user.profile?.real_name, user.real_name, user.name, user.id]
  return names.find((name) => name !== undefined && name !== "") ?? "somebody"
}
