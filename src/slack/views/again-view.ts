// Details once more, for somebody whose act in a view was not counted: why on top, and below it the case as it is now, to act on at once.
import type { ModalView } from "@slack/types"
import type { Answer } from "../../flow/answer.ts"
import type { Again } from "../../flow/ports.ts"
import { answerBlock } from "./alert-block.ts"
import { changeBlocks } from "./changed-view.ts"
import { detailsView } from "./details.ts"

/** The first page of Details under the answer. The other pages have to be opened anew (R4). */
export function againView(answer: Answer, { details, place }: Again): ModalView {
  const above =
    answer.kind === "changed" && answer.change !== null ? changeBlocks(answer.change) : [answerBlock(answer)]
  return detailsView({ details, place, page: 1, seen: 0, revealed: false, changed: false, above })
}
