// What the tests of questions start from: somebody asks in Details, and somebody answers on the question's message.
import type { Case } from "../../src/domain/case/case.ts"
import type { AnswerInteraction, AskInteraction } from "../../src/flow/ports/interaction.ts"
import { team } from "../support/builders.ts"
import type { World } from "../support/memory-ports.ts"
import { aTarget, aView } from "../support/presses.ts"
import { caseOf } from "./support.ts"

interface Writing {
  readonly user?: string
  readonly text?: string
  readonly approval?: string
  readonly id?: string
}

let written = 0

/** The form of a question, opened in Details and sent, as it arrives. */
export async function aQuestionSent(world: World, writing: Writing = {}): Promise<AskInteraction> {
  const { user = "U1", text = "Why this customer?", approval = "a-1", id = `asks ${(written += 1)}` } = writing
  const current = caseOf(world, approval)
  const viewId = `V-${id}`
  await world.ports.views.remember(aView(current, { user, viewId, purpose: "ask" }))
  const act = { ...whoActs(world, user, id), target: aTarget(current, "channel:C1"), verb: "ask", text } as const
  const replyTo = { kind: "view", viewId: "below", user } as const
  return { ...act, on: { kind: "view", viewId }, surface: "form", replyTo }
}

/** The form of an answer, opened above the last message of a question and sent, as it arrives. */
export async function anAnswerSent(world: World, writing: Writing = {}): Promise<AnswerInteraction> {
  const { user = "UASK", text = "She asked for it.", approval = "a-1", id = `answers ${(written += 1)}` } = writing
  const press = aPressOnQuestion(world, { user, approval, id })
  const place = press.on.kind === "card" ? press.on.place : null
  const viewId = `V-${id}`
  const { route } = press.target
  await world.ports.views.remember(aView(caseOf(world, approval), { user, viewId, route, place, purpose: "answer" }))
  return { ...press, on: { kind: "view", viewId }, surface: "form", text }
}

/** A press of "Answer…" on the last message of a question. */
export function aPressOnQuestion(world: World, writing: Writing = {}): AnswerInteraction {
  const { user = "UASK", approval = "a-1", id = `presses ${(written += 1)}` } = writing
  const message = world.chat.questions.at(-1)
  const place = message?.place ?? { channel: "D", ts: "0.0" }
  const target = aTarget(caseOf(world, approval), message?.model.route ?? "person:UASK")
  const replyTo = { kind: "direct", user, about: "" } as const
  return {
    ...whoActs(world, user, id),
    target,
    on: { kind: "card", place },
    surface: "card",
    verb: "answer",
    text: "",
    replyTo,
  }
}

function whoActs(world: World, user: string, interaction: string) {
  return { interaction, person: { team, user }, name: `Name of ${user}`, at: world.clock.now() }
}

/** The questions of the case, without ids and places. */
export function questionsOf({ questions = [] }: Case) {
  return questions.map(({ by, text, to, answer }) => {
    return { by: by.user, text, to, ...(answer && { answer: answer.text, answeredBy: answer.by.user }) }
  })
}
