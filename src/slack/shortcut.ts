// The message shortcut "Show approval": Details of the case that a message is about, where commands cannot be typed, such as in threads.
import type { Details } from "../flow/inbound.ts"
import type { ReplyTo } from "../flow/press.ts"
import { acknowledge, type Listener } from "./listener.ts"
import { readShortcut } from "./payload.ts"
import { openDetails } from "./views.ts"

/** What a message of ours says of its case: metadata, a button's value, or the mark at a card's end. Only a hint: who may see it is judged. */
const CASE = /(?:"case":"|cs1\\*",\\*"[^"]{1,63}",\\*"|\bCase )([0-9a-f]{20})\b/

/** The shortcut was used on a message. */
export const onShortcut: Listener = async (desk, body, ack) => {
  const { person, triggerId, responseUrl, channel, message } = readShortcut(body)
  await acknowledge(desk, ack)
  const [, caseId = ""] = CASE.exec(JSON.stringify(message)) ?? []
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  const find = async (): Promise<Details | null> => (caseId === "" ? null : desk.inbound.details(caseId, person, null))
  return () => openDetails(desk, { person, triggerId, place: null, replyTo, find })
}
