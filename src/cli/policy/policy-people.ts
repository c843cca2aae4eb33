// Finds out from Slack who the approvers of rules are now, by name.
import type { Approver, Rule } from "../../domain/rule/rule.ts"
import type { SlackProbe } from "../../slack/probe.ts"
import type { PeopleByRule } from "./policy-words.ts"

interface NotAsked {
  readonly why: string
}

/** Asks Slack who the approvers of rules are now. If we did not ask, says why. Throws `ChatError`. */
export async function peopleOf(slack: SlackProbe | NotAsked, rules: readonly Rule[]): Promise<PeopleByRule> {
  if ("why" in slack) return new Map(rules.map(({ name }) => [name, [`Slack was not asked: ${slack.why}`]]))
  const named = rules.map(async ({ name, approvers }) => {
    const people = await Promise.all(approvers.map((approver) => namesOf(slack, approver)))
    return [name, [...new Set(people.flat())]] as const
  })
  return new Map(await Promise.all(named))
}

async function namesOf(slack: SlackProbe, approver: Approver): Promise<readonly string[]> {
  switch (approver.kind) {
    case "group": {
      const { keys } = await slack.members(approver.id)
      return Promise.all(keys.map((key) => slackNameOf(slack, key)))
    }
    case "email": {
      const found = await slack.byEmail(approver.email)
      return found === null ? [] : [await slackNameOf(slack, `${found.team}:${found.user}`)]
    }
    case "user":
      return [await slackNameOf(slack, `${approver.team ?? slack.identity.team}:${approver.id}`)]
  }
}

/** The name of a person; only their id if Slack does not know them. */
async function slackNameOf(slack: SlackProbe, key: string): Promise<string> {
  const [team = "", user = ""] = key.split(":")
  const person = await slack.person({ team, user })
  return person === null ? user : `${person.name} (${user})`
}
