// The message shortcut "Show approval": Details of the case that a message is about, where commands cannot be typed, such as in threads.
import type { Details } from "../../flow/inbound.ts"
import type { ReplyTo } from "../../flow/press.ts"
import { caseIn } from "../chat/case-in.ts"
import { acknowledge, type Listener } from "./listener-context.ts"
import { openDetails } from "./open-details.ts"
import { readShortcut } from "./payloads.ts"

/** The shortcut was used on a message. */
export const onShortcut: Listener = async (desk, body, ack) => {
  const { person, triggerId, responseUrl, channel, message } = readShortcut(body, desk.identity)
  await acknowledge(desk, ack)
  const caseId = caseIn(message)
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  const find = async (): Promise<Details | null> =>
    caseId === null ? null : desk.inbound.details(caseId, person, null)
  return () => openDetails(desk, { person, triggerId, place: null, replyTo, find })
}
