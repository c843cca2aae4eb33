// Presses at a steady rate, each on a card of its own. Times each press, from when it is due, to its ack and its card.
import { until } from "../parts/bot.ts"
import { click, type PostedCard } from "../parts/clicks.ts"
import type { Latency } from "../parts/figure.ts"
import type { Arrival, World } from "../parts/world.ts"
import { createTimes, sendSteadily } from "./open-loop.ts"

/** How fast and how long people press. Each press is on a card of its own; the replicas take turns. */
export interface Presses {
  readonly rate: number
  readonly seconds: number
  readonly cards: readonly PostedCard[]
  readonly replicas: readonly string[]
  /** So long after the last press an answer may still come, in ms. */
  readonly graceMs: number
}

/** A press: when it was due, acknowledged and settled on its card; null until then. */
interface Press {
  readonly due: number
  ackedAt: number | null
  shownAt: number | null
}

/** Presses, and waits for all answers. What is not answered by the end counts with the time until then. */
export async function pressSteadily(world: World, presses: Presses): Promise<Latency> {
  const { rate, seconds, cards, replicas, graceMs } = presses
  const pressed: Press[] = []
  const byCard = new Map<string, Press>()
  const heard = world.onArrival
  world.onArrival = (arrival) => {
    heard(arrival)
    const press = saysApproved(arrival) ? byCard.get(cardOf(arrival)) : undefined
    if (press !== undefined) press.shownAt ??= arrival.at
  }
  const send = (at: number, due: number) => {
    const card = cards[at]
    const replica = replicas[at % replicas.length]
    if (card === undefined || replica === undefined) throw new Error(`there is no card for press ${at}`)
    const press: Press = { due, ackedAt: null, shownAt: null }
    pressed.push(press)
    byCard.set(card.ts, press)
    // A click that is refused, or breaks off, has no ack.
    click(world, replica, { card, id: card.ts }).then(
      () => (press.ackedAt = performance.now()),
      (error: unknown) => console.log(`     press ${at} has no ack: ${String(error)}`),
    )
  }
  await sendSteadily({ rate, count: Math.round(rate * seconds), send })
  const answered = () => pressed.every(({ ackedAt, shownAt }) => ackedAt !== null && shownAt !== null)
  await until("all answers", answered, graceMs).catch(() => undefined)
  world.onArrival = heard
  return { kind: "latency", rate, seconds, ...timesOf(pressed, performance.now()) }
}

/** True if a card is told to say how it ended: by the click's response_url, or, where that came too late, anew. */
function saysApproved({ call, fields, body }: Arrival): boolean {
  if (call === "chat.update") return fields.get("text")?.startsWith("✓ Approved") === true
  return call === "response" && body.includes('"text":"✓ Approved') && body.includes('"replace_original":true')
}

/** The `ts` of the card that an answer is about: a click's response_url ends in it. */
function cardOf({ call, fields, id }: Arrival): string {
  return call === "response" ? id : (fields.get("ts") ?? "")
}

function timesOf(pressed: readonly Press[], end: number): Pick<Latency, "ack" | "card" | "unanswered"> {
  const [ack, card] = [createTimes(), createTimes()]
  for (const { due, ackedAt, shownAt } of pressed) {
    ack.record((ackedAt ?? end) - due)
    card.record((shownAt ?? end) - due)
  }
  const unanswered = pressed.filter(({ ackedAt, shownAt }) => ackedAt === null || shownAt === null).length
  return { ack: ack.quantiles(), card: card.quantiles(), unanswered }
}
