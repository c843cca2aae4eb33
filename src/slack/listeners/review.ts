// "Review One by One": a modal that walks through the cases of a summary. Each is shown whole, and voted on by itself.
import type { SlackId } from "../../domain/person.ts"
import { say } from "../text/spans.ts"
import { readWalk, type WalkPoint } from "../views/button-values.ts"
import { toldView } from "../views/details.ts"
import { acknowledge, type Desk, failureAnswer, type Listener, tell } from "./listener-context.ts"
import { fill, tellInView } from "./open-details.ts"
import { readClick } from "./payloads.ts"
import { replyToOf, triggerDied } from "./votes.ts"

/** "Review One by One" was pressed on a summary. The modal opens at once, because the trigger dies, and is filled afterwards. */
export const onReview: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const point = readWalk(click.value)
  await acknowledge(desk, ack)
  const replyTo = replyToOf(click)
  if (point === null) return () => tell(desk, replyTo, { kind: "replaced" })
  return async () => {
    try {
      const { triggerId: trigger_id, person } = click
      const view = toldView([say("Loading…")])
      const answer = await desk.call("views.open", (client) => client.views.open({ trigger_id, view }))
      await goOn(desk, { viewId: answer.view?.id ?? "", person }, point)
    } catch (error) {
      desk.log.warn("review-failed", { error })
      await tell(desk, replyTo, triggerDied(error) ? { kind: "late" } : failureAnswer(error))
    }
  }
}

/** "Next Case" was pressed, in the modal. */
export const onNext: Listener = async (desk, body, ack) => {
  const { view, value, person } = readClick(body, desk.identity)
  const point = readWalk(value)
  await acknowledge(desk, ack)
  if (view === null || point === null) return null
  return () => goOn(desk, { viewId: view.id, person }, point)
}

interface Walker {
  readonly viewId: string
  readonly person: SlackId
}

async function goOn(desk: Desk, { viewId, person }: Walker, { route, at }: WalkPoint): Promise<void> {
  try {
    const walked = await desk.inbound.walk(route, person, at)
    if (walked === null) {
      const nothing = at === null ? "Nothing" : "Nothing more"
      const end = `${nothing} on this summary waits for you. Other cases may wait on cards of their own.`
      return await desk.views.show(viewId, toldView([say(end)]))
    }
    const { details, left } = walked
    const anew = { viewId, person, place: null, page: 1, seen: 0, shown: null, revealed: false }
    await fill(desk, { ...anew, walk: { route, left } }, async () => details)
  } catch (error) {
    desk.log.warn("walk-failed", { error })
    await tellInView(desk, viewId, person, failureAnswer(error))
  }
}
