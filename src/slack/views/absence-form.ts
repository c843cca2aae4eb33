// The form in which somebody says until when they are away and who stands in; and the message that tells both people.
import type { KnownBlock, ModalView } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { Absence, AbsenceNews, PossibleStandIn } from "../../flow/ports.ts"
import { actionIds, formIds, viewIds } from "../ids.ts"
import { type Line, mrkdwn, rich, stack } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { absenceLabels, awayLines, overLine } from "../text/absence-words.ts"
import { buttonWords } from "../text/button-words.ts"
import type { Message } from "./card.ts"
import { plainButton } from "./case-buttons.ts"
import { modal } from "./details.ts"
import { words } from "./words.ts"

/** The blocks of the form. */
export const absenceBlocks = { until: "until", standIn: "stand_in" } as const

/** Slack lists at most this many options. */
const maxOptions = 100
const nameUnits = 60

/** The form. `may`: who may stand in, at least one. `note` comes back with it: where to answer; "": in its place. */
export function absenceForm(may: readonly PossibleStandIn[], note: string): ModalView {
  const fitter = createTextFitter()
  const options = may.slice(0, maxOptions).map(({ id, name }) => {
    return { text: plain(`${fitter.word(name, nameUnits)} (${id.user})`), value: `${id.team}:${id.user}` }
  })
  const view = modal({
    callback: viewIds.away,
    title: absenceLabels.title,
    note,
    blocks: [
      {
        type: "input",
        block_id: absenceBlocks.until,
        label: plain(absenceLabels.until),
        hint: plain(absenceLabels.untilHint),
        element: { type: "plain_text_input", action_id: formIds.value, max_length: 40 },
      },
      {
        type: "input",
        block_id: absenceBlocks.standIn,
        label: plain(absenceLabels.standIn),
        element: { type: "static_select", action_id: formIds.value, options },
      },
    ],
  })
  return { ...view, submit: plain(absenceLabels.submit), close: plain(buttonWords.cancel) }
}

/** The button on Home that opens the form. */
export function awayButton(): KnownBlock {
  return {
    type: "actions",
    block_id: "be_away",
    elements: [plainButton(actionIds.beAway, absenceLabels.open, "-")],
  }
}

/** A message about an absence that can still be ended, with its button. */
export function absenceMessage(lines: readonly Line[], { id }: Pick<Absence, "id">): Message {
  return {
    text: lines.map(mrkdwn).join("\n"),
    blocks: [
      rich(stack(lines)),
      {
        type: "actions",
        block_id: `absence_${id}`,
        elements: [plainButton(actionIds.endAbsence, absenceLabels.end, id)],
      },
    ],
  }
}

/** The message that tells one of the two people of an absence that it begins, or that it is over. */
export function absenceNewsMessage(news: AbsenceNews): Message {
  if (news.kind === "over") return words(overLine(news.absence))
  return absenceMessage(awayLines(news.absence, news.rules), news.absence)
}
