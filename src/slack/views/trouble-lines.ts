// Trouble: where a case cannot be shown and why, for lists and Home, where it is reached all the same.
import type { Face } from "../../domain/face.ts"
import { firstLines } from "../text/fit-lines.ts"
import { channel, type Line, mention, say } from "../text/spans.ts"

const SHOWN = 3

/** What Slack's words mean for people, the first that fits. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^channel:\S+ is shared with another company/, "the channel is shared with another company"],
  [/whether \S+ is shared.*missing_scope/, "Slack does not say whether the channel is shared with another company"],
  [/is_archived|is_inactive/, "the channel is archived"],
  [/not_in_channel|channel_not_found/, "the app is not in the channel any more"],
  [/user_disabled|account_inactive|user_not_found|cannot_dm_bot/, "their account is deactivated"],
  [/missing_scope/, "the app may not write there"],
  [/was deleted/, "its message was deleted"],
]

/** One line a route that takes no card. A settled case has nothing to ask there any more. */
export function troubleLines({ troubles, status }: Face): readonly Line[] {
  if (status.kind === "settled") return []
  const lines = troubles.map(({ route, why }): Line => {
    const [kind, id = ""] = route.split(":")
    const place = kind === "person" ? mention(id) : channel(id)
    const meaning = MEANINGS.find(([word]) => word.test(why))?.[1] ?? "Slack does not take it"
    return [say("Not shown "), say(kind === "person" ? "to " : "in "), place, say(`: ${meaning}`)]
  })
  return firstLines(lines, SHOWN, { noun: "place", where: [say("which the operator was told of")] })
}
