// Being away: the words of the command, the form, and the button that ends an absence.
import type { ViewResponseAction } from "@slack/bolt"
import { z } from "zod"
import { dayBegins, readAbsence } from "../../domain/order/read-absence.ts"
import { personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import { formIds } from "../ids.ts"
import type { Line } from "../lines/spans.ts"
import { absenceLabels, awayAnswer, backAnswer, nobodyLine, noDay } from "../text/absence-words.ts"
import { answerWords, loadingLine } from "../text/answer-words.ts"
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
  await openAwayForm(context, person, { triggerId, replyTo, note: responseUrl })
}

/** "Be Away…" was pressed on Home: the answer will take the form's place. */
export const onBeAway = onClick((context, { person, triggerId }) => {
  const replyTo = { kind: "direct", user: person.user, about: "" } as const
  return () => openAwayForm(context, person, { triggerId, replyTo, note: "" })
})

const { title } = absenceLabels

interface Opening {
  readonly triggerId: string
  readonly replyTo: ReplyTo
  /** Where the form is answered: a response_url, or "" for its own place. */
  readonly note: string
}

function openAwayForm(context: ListenerContext, person: SlackId, { note, ...opening }: Opening): Promise<void> {
  return openModal(context, { ...opening, title, event: "absence-form-not-shown" }, async (viewId) => {
    const may = await context.inbound.mayStandIn(person)
    await context.views.show(viewId, may.length === 0 ? toldView(nobodyLine, { title }) : absenceForm(may, note))
  })
}

/** `back`. */
export async function sayBack(context: ListenerContext, { person, responseUrl }: Command): Promise<void> {
  await answer(context, responseUrl, await said(context, () => comeBack(context, person, null)))
}

/** Somebody pressed *End It* under a message about an absence, or on Home, which is answered in a modal. */
export const onEndAbsence = onClick((context, { person, value, responseUrl, triggerId }) => async () => {
  const end = () => said(context, () => comeBack(context, person, value))
  if (responseUrl !== null) return answer(context, responseUrl, await end())
  const replyTo = { kind: "direct", user: person.user, about: "" } as const
  await openModal(context, { triggerId, replyTo, title, event: "absence-end-not-shown" }, async (viewId) => {
    await context.views.show(viewId, toldView(await end(), { title }))
  })
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
  const go = async () => {
    const until = dayBegins(typed, context.clock(), await zoneOf(context, person)) ?? 0
    return said(context, () => goAway(context, { person, standIn, until }))
  }
  if (view.note !== "") {
    await acknowledge(context, ack)
    return async () => answer(context, view.note, await go())
  }
  await acknowledge(context, ack, { response_action: "update", view: toldView(loadingLine, { title }) })
  return async () => context.views.show(view.id, toldView(await go(), { title }))
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
