// The form that asks for a reason.
import type { ModalView } from "@slack/types"
import { plain } from "../blockkit/text.ts"
import type { Verb } from "../domain/judge.ts"
import { modal } from "./details.ts"
import { REASON, VIEWS } from "./ids.ts"
import { type ViewNote, writeNote } from "./target.ts"

/** The longest reason, in UTF-16 units. */
const REASON_UNITS = 1_000

/** The form for one vote; its submit button names what will happen. */
export function reasonView(note: ViewNote, verb: Verb): ModalView {
  const approving = verb === "approve"
  const label = approving ? "Why do you approve this?" : "Why do you reject this?"
  const view = modal({
    callback: VIEWS.reason,
    title: approving ? "Approve" : "Reject",
    note: writeNote({ ...note, verb }),
    blocks: [
      {
        type: "input",
        block_id: REASON.block,
        label: plain(label),
        hint: plain("It stands in the thread, in the ledger and in the platform's record."),
        element: { type: "plain_text_input", action_id: REASON.action, multiline: true, max_length: REASON_UNITS },
      },
    ],
  })
  return { ...view, submit: plain(approving ? "Approve" : "Reject"), close: plain("Cancel") }
}
