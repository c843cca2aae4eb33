// The answer to a press about content that is no longer there: what changed, and what would run. Nothing was counted.
import type { KnownBlock, ModalView } from "@slack/types"
import type { Answer, Change } from "../../flow/ports/reply.ts"
import type { ReopenedView } from "../../flow/ports.ts"
import { viewIds } from "../ids.ts"
import { headlineOf } from "../text/headline.ts"
import { maskModel } from "../text/masking.ts"
import { rich, say } from "../text/spans.ts"
import { createTextFitter } from "../text/text-fitter.ts"
import { alertBlock, answerBlock } from "./alert-block.ts"
import { detailsButton } from "./case-buttons.ts"
import { changeRows } from "./change-rows.ts"
import { detailsView, modal } from "./details.ts"

const changedWords = "This has changed since you opened it. Your press was not counted. Please look at it again."
const size = { rows: 40, valueUnits: 1_600 } as const

/** The modal after an interaction about content that is no longer there; its button opens everything anew. */
export function changedView({ before, now }: Change): ModalView {
  const { model } = maskModel(now)
  const blocks: KnownBlock[] = [
    rich(headlineOf(model, createTextFitter())),
    ...changeBlocks({ before, now }),
    { type: "actions", elements: [detailsButton(model, "Review", true)] },
  ]
  return modal({ callback: viewIds.told, title: "Approval", blocks })
}

/** That it changed; and what, if we know what the person saw. */
function changeBlocks({ before, now: { approval, look } }: Change): readonly KnownBlock[] {
  const known = before !== null && approval !== null
  return [
    alertBlock([say(changedWords)], "warning"),
    ...(known ? changeRows(before, approval, { ...size, mask: look.mask, where: ", all of it behind Review." }) : []),
  ]
}

/** The first page of Details under the answer. The person has to open the other pages again (R4). */
export function detailsAgainView(answer: Answer, { details, place }: ReopenedView): ModalView {
  const above =
    answer.kind === "changed" && answer.change !== null ? changeBlocks(answer.change) : [answerBlock(answer)]
  return detailsView({ details, place, page: 1, seen: 0, revealed: false, changed: false, above })
}
