// What Slack sends when somebody clicks, submits or types: the fields that we read, checked.
import { z } from "zod"
import type { Place } from "../../domain/case/case.ts"
import { sha256 } from "../../domain/content/canonical.ts"
import { type HomeTeam, oneIdentity, type SlackId } from "../../domain/people/person.ts"
import type { FormValues } from "../views/form/vote-form.ts"

const id = z.string().min(1).max(255)
const person = z.object({
  user: z.object({ id, name: z.string().optional(), username: z.string().optional(), team_id: id.optional() }),
  team: z.object({ id }).nullish(),
  enterprise: z.object({ id }).nullish(),
})
const view = z.object({ id, private_metadata: z.string().default(""), type: z.string().default("modal") })
const option = z.object({ value: z.string() })
/** What an input holds: typed text, the one option that was chosen, or the boxes that were ticked. */
const typed = z.object({
  value: z.string().nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).nullish(),
})
const state = z.object({ values: z.record(z.string(), z.record(z.string(), typed)) })
const button = z.object({ action_id: id, value: z.string().optional(), action_ts: z.string().optional() })
const click = person.extend({
  trigger_id: id,
  response_url: z.string().optional(),
  actions: z.array(button).min(1),
  view: view.extend({ state: state.catch({ values: {} }) }).optional(),
  container: z
    .object({ message_ts: id.optional(), channel_id: id.optional(), is_ephemeral: z.boolean().optional() })
    .default({}),
})
const submission = person.extend({ trigger_id: id, view: view.extend({ state }) })
const command = z.object({
  trigger_id: id,
  response_url: z.string(),
  user_id: id,
  team_id: id,
  channel_id: id,
  text: z.string().default(""),
})

/** A click on one of our buttons. `at` is epoch ms by Slack's clock. */
export interface Click {
  readonly person: SlackId
  readonly name: string
  readonly triggerId: string
  readonly interaction: string
  readonly responseUrl: string | null
  readonly value: string
  readonly at: number | null
  /** The message that it was made on; null in a view and on an ephemeral message. */
  readonly place: Place | null
  readonly channel: string | null
  /** The modal that it was made in, with what its inputs held; null on a message and on the Home tab. */
  readonly view: ({ readonly id: string; readonly note: string } & FormValues) | null
}

/** A click as Slack sends it. Throws `ZodError` for anything else. */
export function readClick(body: unknown, us: HomeTeam): Click {
  const parsed = click.parse(body)
  const { container, view: within } = parsed
  const [pressed] = parsed.actions
  const { message_ts: ts, channel_id: channel } = container
  const onMessage = within === undefined && container.is_ephemeral !== true && ts !== undefined && channel !== undefined
  return {
    ...whoOf(parsed, us),
    triggerId: parsed.trigger_id,
    interaction: sha256(parsed.trigger_id),
    responseUrl: parsed.response_url === undefined || parsed.response_url === "" ? null : parsed.response_url,
    value: pressed?.value ?? "",
    at: momentOfSeconds(pressed?.action_ts),
    place: onMessage ? { channel, ts } : null,
    channel: channel ?? null,
    view:
      within === undefined || within.type === "home"
        ? null
        : { id: within.id, note: within.private_metadata, ...valuesIn(within.state) },
  }
}

/** A submitted form. */
export interface Submission extends FormValues {
  readonly person: SlackId
  readonly name: string
  readonly interaction: string
  readonly view: { readonly id: string; readonly note: string }
}

/** A submitted form as Slack sends it. Throws `ZodError` for anything else. */
export function readSubmission(body: unknown, us: HomeTeam): Submission {
  const parsed = submission.parse(body)
  return {
    ...whoOf(parsed, us),
    interaction: sha256(parsed.trigger_id),
    view: { id: parsed.view.id, note: parsed.view.private_metadata },
    ...valuesIn(parsed.view.state),
  }
}

function valuesIn({ values }: z.infer<typeof state>): FormValues {
  return {
    value: (block, action) => {
      const held = values[block]?.[action]
      return held?.selected_option?.value ?? held?.selected_options?.[0]?.value ?? held?.value ?? ""
    },
  }
}

/** A slash command. */
export interface Command {
  readonly person: SlackId
  readonly triggerId: string
  readonly responseUrl: string
  readonly channel: string
  readonly text: string
}

/** A slash command as Slack sends it. Throws `ZodError` for anything else. */
export function readCommand(body: unknown, us: HomeTeam): Command {
  const { user_id, team_id, trigger_id, response_url, channel_id, text } = command.parse(body)
  return {
    person: oneIdentity(us, { team: team_id, user: user_id }),
    triggerId: trigger_id,
    responseUrl: response_url,
    channel: channel_id,
    text: unescaped(text.trim()),
  }
}

/** Typed text without Slack's escapes: `@ann` may come as `<@U0ANN|ann>`. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}

const shortcut = person.extend({
  trigger_id: id,
  response_url: z.string(),
  channel: z.object({ id }),
  message: z.looseObject({ ts: id.optional() }),
})

/** A shortcut that was used on a message. */
export interface Shortcut {
  readonly person: SlackId
  readonly triggerId: string
  readonly responseUrl: string
  readonly channel: string
  readonly message: object
  readonly place: Place | null
}

/** A message shortcut as Slack sends it. Throws `ZodError` for anything else. */
export function readShortcut(body: unknown, us: HomeTeam): Shortcut {
  const parsed = shortcut.parse(body)
  const { trigger_id: triggerId, response_url: responseUrl, channel, message } = parsed
  const place = message.ts === undefined ? null : { channel: channel.id, ts: message.ts }
  return { person: whoOf(parsed, us).person, triggerId, responseUrl, channel: channel.id, message, place }
}

/** Who clicked. `team.id` is where the app's message is; the clicker's own workspace is `user.team_id`. */
function whoOf(parsed: z.infer<typeof person>, us: HomeTeam): { readonly person: SlackId; readonly name: string } {
  const { user } = parsed
  const team = user.team_id ?? parsed.team?.id ?? parsed.enterprise?.id ?? "unknown"
  return { person: oneIdentity(us, { team, user: user.id }), name: user.name ?? user.username ?? user.id }
}

function momentOfSeconds(seconds: string | undefined): number | null {
  const at = Number(seconds)
  return seconds === undefined || !Number.isFinite(at) ? null : Math.round(at * 1_000)
}
