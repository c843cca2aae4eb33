// The chat, measured: people who were told that their press did not count, by why.
import type { Answer } from "../flow/ports/reply.ts"
import type { Chat } from "../flow/ports.ts"
import type { ProcessMeter } from "./meter.ts"

/** What is no refusal, or one that stands in the ledger and was counted with its commit. */
const countedElsewhere: ReadonlySet<Answer["kind"]> = new Set([
  "counted",
  "resolved",
  "unknown-outcome",
  "withdrawn",
  "refused",
  "unseen",
])

/** Makes it of the chat. */
export function measuredChat(chat: Chat, meter: ProcessMeter): Chat {
  return {
    ...chat,
    answer: (to, answer, again) => {
      if (!countedElsewhere.has(answer.kind)) meter.refused(answer.kind)
      return chat.answer(to, answer, again)
    },
  }
}
