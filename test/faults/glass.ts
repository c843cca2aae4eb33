// Broken glass: somebody approves alone in an emergency, and another one looks at that.
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import type { PressAct } from "./schedule.ts"
import {
  type Asked,
  cast,
  type Doings,
  detailsOffering,
  formFor,
  glanceMs,
  has,
  type Pressed,
  targetIn,
} from "./screen.ts"
import type { Stage } from "./stage.ts"
import { oversight } from "./terms.ts"

/** What people do about the glass of an approval. */
export type GlassAct =
  /** Breaks it, in Details. */
  | { readonly kind: "break-glass"; readonly person: PressAct["person"]; readonly route: number }
  /** Says whether that was right. */
  | { readonly kind: "review-glass"; readonly person: PressAct["person"]; readonly right: boolean }

/** Does one of these. Whoever is not offered it, or is shown an error, leaves it at that. */
export async function actOnGlass(stage: Stage, doings: Doings, asked: Asked, one: GlassAct): Promise<void> {
  if (one.kind === "break-glass") return breakGlass(stage, doings, asked, one)
  await review(stage, one)
}

async function breakGlass(
  stage: Stage,
  doings: Doings,
  asked: Asked,
  { person, route }: Extract<GlassAct, { kind: "break-glass" }>,
): Promise<void> {
  const { sandbox, timeline, ground } = stage
  const who = cast[person]
  const offered = await detailsOffering(stage, asked, { who, route }, actionIds.breakGlass)
  if (offered === null) return timeline.note(person, `is not offered to break the glass of ${asked.tool}`)
  const { view, place } = offered
  const opened = await sandbox.click(who, view.id, actionIds.breakGlass)
  const form = opened.ok ? await formFor(stage, who) : null
  if (form === null) return timeline.note(person, `is shown no form to break the glass of ${asked.tool}`)
  const shown = targetIn(view.definition.blocks)
  const at = ground.clock.now()
  const asPress = { verb: "approve", card: null, acked: false, inModal: true } as const
  const pressed: Pressed = { asked, person: who, shown, place, at, ...asPress }
  doings.pressed.push(pressed)
  const filled = { [formIds.reason]: "it burns", [formIds.typed]: asked.tool }
  pressed.acked = (await sandbox.submit(who, form.id, filled)).ok
  timeline.note(person, `breaks the glass of ${asked.tool} showing ${shown}: ${pressed.acked}`)
}

/** How long a card of a review may take to hang, in ms. */
const cardMs = 12_000

async function review(stage: Stage, { person, right }: Extract<GlassAct, { kind: "review-glass" }>): Promise<void> {
  const { sandbox, timeline } = stage
  const who = cast[person]
  const card = await sandbox.waitFor(() => reviewCards(stage)[0], { limitMs: cardMs }).catch(() => null)
  if (card === null) return timeline.note(person, "finds nothing to review")
  const place = { channel: card.channelId, ts: card.ts }
  const outcome = await sandbox.click(who, place, right ? actionIds.glassRight : actionIds.glassWrong)
  timeline.note(person, `says that breaking the glass was ${right ? "right" : "wrong"}: ${outcome.ok}`)
  if (right || !outcome.ok) return
  const look = () => {
    const view = sandbox.openView(who)
    return view?.definition.callback_id === viewIds.glassReview ? view : undefined
  }
  const form = await sandbox.waitFor(look, { limitMs: glanceMs }).catch(() => null)
  if (form !== null) await sandbox.submit(who, form.id, { [formIds.reason]: "the others were there" })
}

/** The cards on which a review is asked for. */
export function reviewCards({ sandbox }: Stage) {
  return sandbox.messages(oversight.channel).filter(({ blocks }) => has(blocks, actionIds.glassRight))
}

/** How long people wait for what their press brings about, in ms. */
const answerMs = 2_500
/** Somebody of the reviewers may look at each case: who is linked to the breaker leaves it to another one. */
const mostRounds = 3

/** Whatever waits for a review gets one, once everything works. */
export async function reviewRest(stage: Stage): Promise<void> {
  for (let round = 0; round < mostRounds && reviewCards(stage).length > 0; round += 1) {
    for (const card of reviewCards(stage))
      for (const who of oversight.reviewers)
        await stage.sandbox.click(who, { channel: card.channelId, ts: card.ts }, actionIds.glassRight)
    await stage.ground.clock.wait(answerMs)
  }
}
