// What the page tells of Slack: the sentence and the arguments of a card as people read them there, links, and names.
import { type CardModel, cardModelOf } from "../domain/case/card-model.ts"
import type { Case, Place } from "../domain/case/case.ts"
import { slackIdOf } from "../domain/people/person.ts"
import { isPortError } from "../flow/ports.ts"
import type { CardWords, LinePart, WordsLine } from "../http/card-words.ts"
import type { Slack } from "../slack/app.ts"
import { maskModel } from "../slack/lines/masking.ts"
import { type Line, plainWords, type Span } from "../slack/lines/spans.ts"
import { createTextFitter } from "../slack/lines/text-fitter.ts"
import { labelledCalls } from "../slack/text/case/call-words.ts"
import { headlineOf, subjectOf } from "../slack/text/case/headline.ts"

/** What of Slack the page tells. */
export type SlackTold = Pick<Slack, "people" | "identity" | "channelName">

/** Makes what we give the page. */
export function createSlackWords(slack: SlackTold) {
  return {
    cardWords,
    cardLink: (place: Place) => linkTo(slack.identity.url, place),
    nameOf: createNameOf(slack),
  }
}

/** What the card of a case says of its calls. */
export const cardWords: CardWords = {
  headline: (found) => wordsOf(headlineOf(modelOf(found), createTextFitter())),
  subject: (found) => wordsOf(subjectOf(modelOf(found), createTextFitter())),
  calls: (found) =>
    labelledCalls(modelOf(found), createTextFitter()).map(({ label, passages }) => ({
      label: wordsOf(label),
      passages: passages.map(({ words, literal }) => ({ words: wordsOf(words), literal })),
    })),
  changed: (found) => modelOf(found).changed?.content?.parts ?? [],
}

/** The masked model. The page is no channel, so it also shows arguments that a rule keeps out of channels. */
function modelOf(found: Case): CardModel {
  const { model } = maskModel(cardModelOf(found, ""))
  const { argumentsInDetails: _inChannels, ...look } = model.look
  return { ...model, look }
}

function wordsOf(line: Line): WordsLine {
  return line.map((span) => ({ text: plainWords([span]), style: styleOf(span) }))
}

function styleOf(span: Span): LinePart["style"] {
  if (span.kind !== "text" || span.style === undefined) return "plain"
  return span.style === "bold" ? "strong" : "literal"
}

/** How old a name may be, in ms. */
const nameMs = 86_400_000

/**
 * The name of a person (`team:user`, a user id or an address), of a group, or of a channel (`channel:C…`) with its
 * sign; null if Slack does not tell it.
 */
function createNameOf({ people: { spare }, channelName }: SlackTold) {
  return async (who: string): Promise<string | null> => {
    try {
      if (who.startsWith("channel:")) {
        const name = await channelName(who.slice("channel:".length), nameMs)
        return name === null ? null : `#${name}`
      }
      if (/^S[A-Z0-9]+$/.test(who)) return (await spare.members(who, nameMs)).name ?? null
      const key = who.includes(":") ? who : `${spare.home.team}:${who}`
      const id = who.includes("@") ? await spare.byEmail(who, nameMs) : slackIdOf(key)
      return id === null ? null : (await spare.look(id, nameMs)).name
    } catch (error) {
      if (!isPortError(error)) throw error
      return null
    }
  }
}

/** The link to a message in Slack's own form (chat.getPermalink), made without a call. */
function linkTo(workspaceUrl: string | null, { channel, ts }: Place): string | null {
  if (workspaceUrl === null) return null
  const path = `archives/${encodeURIComponent(channel)}/p${ts.replace(".", "")}`
  return URL.parse(path, workspaceUrl)?.href ?? null
}
