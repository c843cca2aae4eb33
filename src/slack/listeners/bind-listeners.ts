// What no listener of ours knows, such as a button of an older version: acknowledged and logged, so that it fails for nobody.
import type { ReceiverEvent } from "@slack/bolt"
import { z } from "zod"
import type { Log } from "../../flow/ports.ts"
import { SHORTCUT, VIEWS } from "../ids.ts"
import { acknowledge } from "./listener-context.ts"

/** Takes one delivery, whatever way it came. */
export type Take = (delivery: ReceiverEvent) => Promise<void>

/** Hands on what is known; `buttons` are the `action_id`s that a listener has, `command` is the slash command. */
export function onlyKnown(
  take: Take,
  options: { readonly buttons: RegExp; readonly command: string; readonly log: Log },
): Take {
  const known = knownBodies(options)
  return async (delivery) => {
    const { body, ack } = delivery
    if (known.safeParse(body).success) return take(delivery)
    const { type, id, minute } = nameOf(body)
    if (type === "app_rate_limited") options.log.warn("slack-limits-events", { minute })
    else options.log.warn("unknown-interaction", { type, id })
    await acknowledge(options, ack, type === "command" ? onlyAnswersTo(options.command) : undefined)
  }
}

/** Of several actions Bolt looks at the first. */
function knownBodies({ buttons, command }: { readonly buttons: RegExp; readonly command: string }) {
  const button = z.object({ action_id: z.string().regex(buttons) })
  return z.union([
    z.object({ type: z.literal("event_callback"), event: z.object({}) }),
    z.object({ type: z.literal("block_actions"), actions: z.tuple([button], z.unknown()) }),
    z.object({ type: z.literal("view_submission"), view: z.object({ callback_id: z.literal(VIEWS.form) }) }),
    z.object({ type: z.literal("message_action"), callback_id: z.literal(SHORTCUT) }),
    z.object({ command: z.literal(command) }),
  ])
}

const word = z.string().nullable().catch(null)
const named = z.object({
  type: word,
  callback_id: word,
  command: word,
  view: z.object({ callback_id: word }).nullable().catch(null),
  actions: z
    .tuple([z.object({ action_id: word })], z.unknown())
    .nullable()
    .catch(null),
  /** Slack's minute (epoch s) from which on it holds events back. */
  minute_rate_limited: z.number().nullable().catch(null),
})

function nameOf(body: unknown) {
  const { type, callback_id, command, view, actions, minute_rate_limited: minute } = named.parse(body)
  const id = actions?.[0].action_id ?? view?.callback_id ?? callback_id ?? command
  return { type: command === null ? type : "command", id, minute }
}

function onlyAnswersTo(command: string) {
  return { response_type: "ephemeral", text: `Countersign answers to ${command} only.` }
}
