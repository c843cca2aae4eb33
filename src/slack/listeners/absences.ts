// Being away: the words of the command, the form, and the button that ends an absence.
import type { ViewResponseAction } from "@slack/bolt"
import { z } from "zod"
import { dayBegins, readAbsence } from "../../domain/order/read-absence.ts"
import { personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { formIds } from "../ids.ts"
import type { Line } from "../lines/spans.ts"
import { absenceLabels, awayAnswer, backAnswer, nobodyLine, noDay } from "../text/absence-words.ts"
import { answerWords } from "../text/answer-words.ts"
import { absenceBlocks, absenceForm } from "../views/absence-form.ts"
import { toldView } from "../views/details.ts"
import { words } from "../views/words.ts"
import {
  acknowledge,
  failureAnswer,
  type Listener,
  type ListenerContext,
  onClick,
  openModal,
} from "./listener-context.ts"
import { type Command, readSubmission } from "./payloads.ts"

/** `away until monday @bob`. Without a person or a clear day the form opens. */
export async function sayAway(context: ListenerContext, command: Command, rest: readonly string[]): Promise<void> {
  const { person, responseUrl, channel, triggerId } = command
  const { until, standIn } = readAbsence(rest, context.clock(), await zoneOf(context, person))
  if (until !== null && standIn !== null) {
    const other = { team: person.team, user: standIn }
    return answer(context, responseUrl, await said(context, () => goAway(context, { person, standIn: other, until })))
  }
  const replyTo = { kind: "response", responseUrl, channel, user: person.user } as const
  const opening = { title: absenceLabels.title, triggerId, replyTo, event: "absence-form-not-shown" } as const
  await openModal(context, opening, async (viewId) => {
    const may = await context.inbound.mayStandIn(person)
    const view = may.length === 0 ? toldView(nobodyLine, { title: absenceLabels.title }) : absenceForm(may, responseUrl)
    await context.views.show(viewId, view)
  })
}

/** `back`. */
export async function sayBack(context: ListenerContext, { person, responseUrl }: Command): Promise<void> {
  await answer(context, responseUrl, await said(context, () => comeBack(context, person, null)))
}

/** Somebody pressed *End It* under a message about an absence, or on Home. */
export const onEndAbsence = onClick((context, { person, value, responseUrl }) => async () => {
  const line = await said(context, () => comeBack(context, person, value))
  if (responseUrl !== null) await answer(context, responseUrl, line)
})

/** Somebody sent the form. */
export const onAwayForm: Listener<ViewResponseAction> = async (context, body, ack) => {
  const { person, view, value } = readSubmission(body, context.identity)
  const typed = value(absenceBlocks.until, formIds.value)
  const standIn = slackIdOf(value(absenceBlocks.standIn, formIds.value))
  if (dayBegins(typed, context.clock(), "UTC") === null) {
    await acknowledge(context, ack, { response_action: "errors", errors: { [absenceBlocks.until]: noDay } })
    return null
  }
  await acknowledge(context, ack)
  return async () => {
    const until = dayBegins(typed, context.clock(), await zoneOf(context, person)) ?? 0
    await answer(context, view.note, await said(context, () => goAway(context, { person, standIn, until })))
  }
}

type AwayAsk = Parameters<ListenerContext["inbound"]["away"]>[0]

async function goAway(context: ListenerContext, ask: AwayAsk): Promise<Line> {
  return awayAnswer(await context.inbound.away(ask), context.command)
}

async function comeBack(context: ListenerContext, person: SlackId, absence: string | null): Promise<Line> {
  return backAnswer(await context.inbound.back(person, absence))
}

async function said(context: ListenerContext, act: () => Promise<Line>): Promise<Line> {
  try {
    return await act()
  } catch (error) {
    context.log.warn("command-failed", { error })
    return answerWords(failureAnswer(error))
  }
}

async function answer({ respond }: ListenerContext, responseUrl: string, line: Line): Promise<void> {
  await respond(responseUrl, { response_type: "ephemeral", replace_original: false, ...words(line) })
}

const zone = z.object({ user: z.object({ tz: z.string() }) })

/** The time zone that Slack has for somebody; UTC if it does not say. */
async function zoneOf({ call, log }: ListenerContext, id: SlackId): Promise<string> {
  try {
    const told = await call("users.info", (client) => client.users.info({ user: id.user }))
    return zone.parse(told).user.tz
  } catch (error) {
    log.warn("time-zone-unknown", { person: personKey(id), error })
    return "UTC"
  }
}
