// Posts, finds and edits the messages of questions.
import { z } from "zod"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Place } from "../../domain/case/case.ts"
import { slackIdOf } from "../../domain/people/person.ts"
import type { Chat } from "../../flow/ports.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { metadataTypes } from "../ids.ts"
import type { Message } from "../views/card.ts"
import { answerMessage, questionMessage } from "../views/question-views.ts"
import { editedOrRefused } from "./edit-refusals.ts"
import { type FoundMessage, metadataOf, ownMetadata, type SentMetadata } from "./metadata.ts"

const text = z.string()
const sent = metadataOf(metadataTypes.question, { installation: text, case: text, route: text, question: text })

/** The metadata of a message that asks a question. */
export function questionMetadata({ installation, caseId, route }: CardModel, id: string): SentMetadata {
  return { event_type: metadataTypes.question, event_payload: { installation, case: caseId, route, question: id } }
}

/** True for the message that asks this question, if we posted it. */
function isQuestionMessage(
  message: FoundMessage,
  { model, id }: { readonly model: CardModel; readonly id: string },
  identity: SlackIdentity,
): boolean {
  const found = sent.safeParse(ownMetadata(message, identity)).data?.event_payload
  const { installation, caseId } = model
  return (
    found?.installation === installation &&
    found.case === caseId &&
    found.route === model.route &&
    found.question === id
  )
}

interface QuestionOptions {
  /** The channel of a route. */
  readonly channelOf: (route: string) => Promise<string>
  readonly post: (to: { readonly channel: string; readonly metadata: SentMetadata }, message: Message) => Promise<Place>
  readonly update: (place: Place, metadata: SentMetadata, message: Message) => Promise<void>
  readonly say: (channel: string, message: Message) => Promise<void>
  readonly find: (
    channel: string,
    since: number,
    isMeant: (message: FoundMessage) => boolean,
  ) => Promise<Place | "unseen" | null>
  readonly identity: SlackIdentity
}

/** Makes the part of the chat port that is about questions. */
export function createQuestionMessages(
  options: QuestionOptions,
): Pick<Chat, "postQuestion" | "findQuestion" | "updateQuestion" | "tellAnswer"> {
  const { channelOf, post, update, say, find, identity } = options
  return {
    postQuestion: async (model, question) => {
      const to = { channel: await channelOf(model.route), metadata: questionMetadata(model, question.id) }
      return post(to, questionMessage(model, question))
    },
    findQuestion: async (model, { id, at }) =>
      find(await channelOf(model.route), at, (message) => isQuestionMessage(message, { model, id }, identity)),
    updateQuestion: (place, model, question) =>
      editedOrRefused(update(place, questionMetadata(model, question.id), questionMessage(model, question))),
    tellAnswer: async (person, model, question) => {
      const channel = await channelOf(`person:${slackIdOf(person).user}`)
      await say(channel, answerMessage(model, question))
    },
  }
}
