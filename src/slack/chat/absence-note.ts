// Tells the two people of an absence, each by direct message, that it begins or ends.
import { slackIdOf } from "../../domain/people/person.ts"
import type { Absence } from "../../flow/ports.ts"
import { awayLines, backLine } from "../text/absence-words.ts"
import type { SlackCall } from "../transport/web-client.ts"
import { absenceMessage } from "../views/absence-form.ts"
import type { Message } from "../views/card.ts"
import { words } from "../views/words.ts"
import { openDirect } from "./chat.ts"

/** What is told: that it begins, under these rules, or that it is over. */
export type AbsenceNews = { readonly kind: "begun"; readonly rules: readonly string[] } | { readonly kind: "ended" }

/** Tells both. Returns whom Slack did not let us tell, as `team:user`, each with the error. */
export async function tellAbsence(
  call: SlackCall,
  absence: Absence,
  news: AbsenceNews,
): Promise<readonly { readonly person: string; readonly error: unknown }[]> {
  const message =
    news.kind === "begun" ? absenceMessage(awayLines(absence, news.rules), absence) : words(backLine(absence))
  const untold: { person: string; error: unknown }[] = []
  for (const person of [absence.person, absence.standIn])
    await tellOne(call, person, message).catch((error: unknown) => void untold.push({ person, error }))
  return untold
}

async function tellOne(call: SlackCall, person: string, message: Message): Promise<void> {
  const channel = await openDirect(call, slackIdOf(person).user)
  const posted = { channel, ...message, unfurl_links: false, unfurl_media: false }
  await call("chat.postMessage", (client) => client.chat.postMessage(posted))
}
