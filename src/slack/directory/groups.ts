// User groups: one list with all of them and their members, so that a hundred groups cost one call.
import { z } from "zod"
import { personKey } from "../../domain/person.ts"
import type { Members } from "../../flow/ports.ts"
import { ChatError, NO_TOKEN } from "../transport/errors.ts"
import type { Call } from "../transport/web-client.ts"

/** The groups of a workspace, or Slack's word why it does not tell them. */
export type Groups =
  | { readonly kind: "groups"; readonly groups: readonly Group[] }
  | { readonly kind: "refused"; readonly why: string }

type Group = z.infer<typeof group>

const group = z.object({ id: z.string(), enabled: z.boolean(), users: z.array(z.string()) })

/** The groups as another replica kept them. */
export const keptGroups: z.ZodType<Groups> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("groups"), groups: z.array(group) }),
  z.object({ kind: z.literal("refused"), why: z.string() }),
])

/**
 * Reads all groups. A refusal that trying again does not mend (a scope or a plan is missing) is an answer; throws `ChatError` for any other
 * failure. https://docs.slack.dev/reference/methods/usergroups.list
 */
export async function readGroups(call: Call): Promise<Groups> {
  try {
    const asked = { include_users: true, include_disabled: true }
    const { usergroups = [] } = await call("usergroups.list", (client) => client.usergroups.list(asked))
    const groups = usergroups.map(({ id = "", date_delete: deletedAt = 0, users = [] }) => {
      return { id, enabled: deletedAt === 0, users }
    })
    return { kind: "groups", groups }
  } catch (error) {
    const why = error instanceof ChatError && !error.retryable ? error.slackCode : null
    if (why === null || NO_TOKEN.has(why)) throw error
    return { kind: "refused", why }
  }
}

/** Whom a group stands for: nobody, if it is gone, switched off or not told of. */
export function membersOf(groups: Groups, id: string, team: string): Members {
  if (groups.kind === "refused") return nobody(`Slack does not tell who is in it (${groups.why})`)
  const found = groups.groups.find((one) => one.id === id)
  if (found === undefined) return nobody("Slack knows no such group")
  if (!found.enabled) return nobody("it is switched off in Slack")
  return { keys: found.users.map((user) => personKey({ team, user })), trouble: null }
}

function nobody(trouble: string): Members {
  return { keys: [], trouble }
}
