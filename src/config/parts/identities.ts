// The people that the platform knows by another name than Slack: their key, its check and its part of the Config.
import { z } from "zod"
import { foldName } from "../../domain/name.ts"
import type { Identity } from "../../domain/policy.ts"
import type { Report } from "../checks/slack-checks.ts"
import type { Problem } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"
import { text } from "../schema/values.ts"

const WORDS = "must be a Slack team id and user id, joined by a colon, or a list of these for one human"
const slackId = text.regex(/^[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}$/, WORDS)

/** One human: a name of theirs at the platform, and their Slack id, or all of them. */
export const identity = z.strictObject({
  subject: text,
  slack: z.union([slackId, z.array(slackId).min(1, WORDS)], { error: WORDS }),
})

/** An entry for each id: those of one subject are one human (`domain/human.ts`). */
export function identitiesOf(settings: Settings["identities"]): readonly Identity[] {
  return (settings ?? []).flatMap(({ subject, slack }) =>
    [...new Set([slack].flat())].map((id) => {
      const [team = "", user = ""] = id.split(":")
      return { subject, team, user }
    }),
  )
}

/** Two entries of one subject, however it is spelled, would make one human of two people by mistake. */
export function checkIdentities(settings: Settings["identities"], report: Report): readonly Problem[] {
  const all = (settings ?? []).map(({ subject, slack }) => ({
    name: foldName(subject),
    ids: [slack].flat().toSorted().join(),
  }))
  return all.flatMap(({ name, ids }, index) => {
    if (name === "") return [report(["identities", index, "subject"], "holds nothing that can be seen")]
    const other = all.slice(0, index).some((before) => before.name === name && before.ids !== ids)
    return other ? [report(["identities", index, "subject"], TWO_PEOPLE)] : []
  })
}

const TWO_PEOPLE =
  "stands for two people; a subject is one person, whatever its capitals. List all Slack ids of one human in one slack: […]"
