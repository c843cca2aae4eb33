// The doctor on webhooks: does the receiver answer, and does anything wait, or was it given up? It sends no event.
import type { Config } from "../../config.ts"
import type { WebhookStanding } from "../../flow/ports.ts"
import { createWebhookSender } from "../../webhooks/sender.ts"
import { type Finding, type Notes, notesOn } from "./finding.ts"

/** Looks at each webhook. `standings`: how they stand, by Redis; null if we cannot know. */
export async function lookAtWebhooks(
  { webhooks }: Pick<Config, "webhooks">,
  standings: readonly WebhookStanding[] | null,
  clock: () => number,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    webhooks.map(async (webhook) => {
      const notes = notesOn(`webhook ${webhook.name}`)
      const standing = standings?.find((one) => one.webhook === webhook.name)
      return [
        await lookAtReceiver(webhook, notes, clock),
        ...(standing === undefined ? [] : judgeWebhook(standing, notes)),
      ]
    }),
  )
  return found.flat()
}

async function lookAtReceiver(
  { url, way }: Config["webhooks"][number],
  notes: Notes,
  clock: () => number,
): Promise<Finding> {
  const sender = createWebhookSender({ url, way, clock, keys: () => null })
  const problem = await sender.reach()
  await sender.close()
  const { host } = new URL(url)
  if (problem === null) return notes.ok(`${host} answers; no event was sent`)
  return notes.warn({
    what: `${host} ${problem}`,
    why: "what it is to be told waits, and is given up after a day",
    todo: "start the receiver, or correct url, proxy or ca_file of the webhook",
  })
}

function judgeWebhook(
  { webhook, state, waiting, dead, lastFailure }: WebhookStanding,
  notes: Notes,
): readonly Finding[] {
  const why = "the receiver does not know of what happened"
  const last = lastFailure === null ? "" : `; at the last failure it ${lastFailure.why}`
  return [
    ...(state === "off"
      ? [
          notes.warn({
            what: "it is off: its receiver answered 410",
            why,
            todo: `give it another url, or run countersign webhooks on ${webhook}`,
          }),
        ]
      : []),
    ...(state === "tampered"
      ? [
          notes.fail({
            what: "somebody else wrote in Redis how far it is",
            why,
            todo: `run countersign webhooks replay ${webhook} --from NUMBER`,
          }),
        ]
      : []),
    ...(dead > 0
      ? [
          notes.warn({
            what: `it gave up ${dead} entries${last}`,
            why,
            todo: `repair that, then run countersign webhooks retry ${webhook}`,
          }),
        ]
      : []),
    ...(waiting > 0 && dead === 0 && state === "on" ? [notes.note(`${waiting} entries wait to be sent${last}`)] : []),
  ]
}
