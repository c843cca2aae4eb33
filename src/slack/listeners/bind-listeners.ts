// Bolt with our listeners: what each delivery of Slack does, the same in both modes.
import { App, type BlockAction, type MessageShortcut, type ReceiverEvent, type ViewSubmitAction } from "@slack/bolt"
import { z } from "zod"
import { oneIdentity, type SlackId } from "../../domain/people/person.ts"
import type { HomeAsk } from "../../flow/ports/inbound.ts"
import { caseOf } from "../chat/metadata.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { actionIds, shortcutId, viewIds } from "../ids.ts"
import { otherCommandWords } from "../text/command-words.ts"
import type { SlackTransport } from "../transport/http-mode.ts"
import type { PendingWork } from "../transport/pending-work.ts"
import { clientOptions, createBoltLogger, type WebOptions } from "../transport/web-client.ts"
import { onAwayForm, onBeAway, onEndAbsence } from "./absences.ts"
import { readSearch } from "./command-query.ts"
import { onCommand, onGuide, onListPage, onTestCard } from "./commands.ts"
import { onGlassReview, onGlassRight, onGlassWrong } from "./glass-review.ts"
import { acknowledge, createRunner, type Listener, type ListenerContext, onClick } from "./listener-context.ts"
import { onDetails, onNext, onPage, onReveal, onReview, onShortcut } from "./open-details.ts"
import { onEndForm, onEndStop, onRejectForm, onRejectWaiting, onStopAgent, onStopForm } from "./orders.ts"
import { onAnswer, onAnswerForm, onAsk, onAskForm } from "./questions.ts"
import { onReceipt, onReceiptText } from "./receipt.ts"
import { onAskAgain, onBreakGlass, onCallBack, onForm, onHomeReject, onSendBack, onVote, onWithdraw } from "./votes.ts"

/** Bolt with our transport. We called `auth.test`, so Bolt need not do so again for each delivery. */
export async function createApp(
  token: string,
  identity: SlackIdentity,
  transport: SlackTransport,
  web: WebOptions,
): Promise<App> {
  const app = new App({
    token,
    botId: identity.bot,
    botUserId: identity.botUser,
    tokenVerificationEnabled: false,
    deferInitialization: true,
    convoStore: false,
    receiver: transport.receiver,
    clientOptions: clientOptions(web),
    logger: createBoltLogger(web.log),
  })
  app.error(async (error) => {
    web.log.error("slack-listener-failed", { error })
    // Bolt then answers with an error, and Slack shows one. Nothing was counted.
    throw error
  })
  await app.init()
  return app
}

/** Binds what each button, form, command and shortcut does, and listens to events. */
export function bindListeners(
  app: App,
  context: ListenerContext,
  parts: {
    readonly acking: PendingWork
    readonly working: PendingWork
    /** Called when the token may no longer be valid. */
    readonly onToken: () => Promise<void>
  },
): void {
  const { command } = context
  const { acking, working, onToken } = parts
  const run = createRunner(context, acking, working)
  app.processEvent = onlyOurs(onlyKnown(app.processEvent.bind(app), context), context, acking)
  // One listener for all buttons: Bolt would ask each of them about every click.
  app.action<BlockAction>(anyButton, ({ action, body, ack }) => listenerOf(run, action.action_id)({ body, ack }))
  app.shortcut<MessageShortcut>({ type: "message_action", callback_id: shortcutId }, run(onShortcut))
  app.view<ViewSubmitAction>(viewIds.form, run(onForm))
  app.view<ViewSubmitAction>(viewIds.stop, run(onStopForm))
  app.view<ViewSubmitAction>(viewIds.endStop, run(onEndForm))
  app.view<ViewSubmitAction>(viewIds.glassReview, run(onGlassReview))
  app.view<ViewSubmitAction>(viewIds.ask, run(onAskForm))
  app.view<ViewSubmitAction>(viewIds.answer, run(onAnswerForm))
  app.view<ViewSubmitAction>(viewIds.away, run(onAwayForm))
  app.view<ViewSubmitAction>(viewIds.rejectWaiting, run(onRejectForm))
  app.command(command, run(onCommand))
  app.event("message", ({ event }) => working.track(onMessage(context, event)))
  app.event("app_home_opened", ({ event, body }) => working.track(onHome(context, event, body.team_id)))
  for (const shared of ["channel_shared", "channel_unshared"] as const)
    app.event(shared, ({ event }) => working.track(onSharing(context, event.channel)))
  // Only Slack knows whether the token is valid: an event may be late, and the app may have been installed again.
  app.event("app_uninstalled", () => working.track(onToken()))
  app.event("tokens_revoked", () => working.track(onToken()))
}

/** Another page of a Home was asked for, or its search field was cleared. */
const onHomePage = onClick((context, { person, value }) => {
  const page = /^[1-9]\d{0,5}$/.test(value) ? Number(value) : 1
  return () => showHome(context, person, { page, search: null })
})

/** Somebody typed into the search field of a Home. */
const onSearch = onClick((context, { person, value }) => {
  const asked = value.trim().slice(0, searchUnits)
  const reader = { asker: person, now: context.clock() }
  const search = asked === "" ? null : { asked, filter: readSearch(asked, reader) }
  return () => showHome(context, person, { page: 1, search })
})

/** How much we read of what was typed, in UTF-16 units. */
const searchUnits = 500

async function showHome({ inbound, log }: ListenerContext, person: SlackId, ask: HomeAsk): Promise<void> {
  await inbound.openedHome(person, ask).catch((error: unknown) => log.warn("home-failed", { user: person.user, error }))
}

const buttons: readonly (readonly [RegExp, Listener])[] = [
  [new RegExp(`^${actionIds.approve}$`), onVote("approve")],
  [new RegExp(`^${actionIds.reject}$`), onVote("reject")],
  [new RegExp(`^${actionIds.details}$`), onDetails],
  [new RegExp(`^${actionIds.withdraw}$`), onWithdraw],
  [new RegExp(`^${actionIds.callBack}$`), onCallBack],
  [new RegExp(`^${actionIds.breakGlass}$`), onBreakGlass],
  [new RegExp(`^${actionIds.sendBack}$`), onSendBack],
  [new RegExp(`^${actionIds.ask}$`), onAsk],
  [new RegExp(`^${actionIds.answer}$`), onAnswer],
  [new RegExp(`^${actionIds.glassRight}$`), onGlassRight],
  [new RegExp(`^${actionIds.glassWrong}$`), onGlassWrong],
  [new RegExp(`^${actionIds.askAgain}$`), onAskAgain],
  [new RegExp(`^${actionIds.reveal}$`), onReveal],
  [new RegExp(`^${actionIds.receipt}$`), onReceipt],
  [new RegExp(`^${actionIds.receiptText}$`), onReceiptText],
  [new RegExp(`^${actionIds.page}_`), onPage],
  [new RegExp(`^${actionIds.list}_`), onListPage],
  [new RegExp(`^${actionIds.review}$`), onReview],
  [new RegExp(`^${actionIds.next}$`), onNext],
  [new RegExp(`^${actionIds.homeReject}$`), onHomeReject],
  [new RegExp(`^${actionIds.homePage}_`), onHomePage],
  [new RegExp(`^${actionIds.search}$`), onSearch],
  [new RegExp(`^${actionIds.guide}$`), onGuide],
  [new RegExp(`^${actionIds.beAway}$`), onBeAway],
  [new RegExp(`^${actionIds.endAbsence}$`), onEndAbsence],
  [new RegExp(`^${actionIds.test}$`), onTestCard],
  [new RegExp(`^${actionIds.stopAgent}$`), onStopAgent],
  [new RegExp(`^${actionIds.endStop}$`), onEndStop],
  [new RegExp(`^${actionIds.rejectWaiting}$`), onRejectWaiting],
]
const anyButton = new RegExp(buttons.map(([id]) => id.source).join("|"))

function listenerOf(run: ReturnType<typeof createRunner>, actionId: string) {
  const [, listener] = buttons.find(([id]) => id.test(actionId)) ?? []
  if (listener === undefined) throw new Error(`no button is called ${actionId}`)
  return run(listener)
}

type Take = (delivery: ReceiverEvent) => Promise<void>

/**
 * Passes on what this replica may read. We ask before a ticket is written or Bolt acknowledges an event. So if Slack
 * shows a press as failed, no replica carries it out; and Slack sends the event again.
 */
function onlyOurs(take: Take, { inbound }: Pick<ListenerContext, "inbound">, acking: PendingWork): Take {
  return async (delivery) => {
    await acking.track(inbound.demandNewest())
    await take(delivery)
  }
}

/** Passes on what a listener knows. Anything else, such as an old button, is acknowledged and logged. */
function onlyKnown(take: Take, options: Pick<ListenerContext, "command" | "log">): Take {
  const known = knownBodies(options.command)
  return async (delivery) => {
    const { body, ack } = delivery
    if (known.safeParse(body).success) return take(delivery)
    const { type, id, minute } = payloadNameOf(body)
    if (type === "app_rate_limited") options.log.warn("slack-limits-events", { minute })
    else options.log.warn("unknown-interaction", { type, id })
    await acknowledge(options, ack, type === "command" ? onlyAnswersTo(options.command) : undefined)
  }
}

/** The modals that people submit. */
const submitted = [
  viewIds.away,
  viewIds.form,
  viewIds.stop,
  viewIds.endStop,
  viewIds.rejectWaiting,
  viewIds.glassReview,
  viewIds.ask,
  viewIds.answer,
] as const

/** The deliveries that listeners know. If there are several actions, Bolt looks at the first. */
function knownBodies(command: string) {
  const button = z.object({ action_id: z.string().regex(anyButton) })
  return z.union([
    z.object({ type: z.literal("event_callback"), event: z.object({}) }),
    z.object({ type: z.literal("block_actions"), actions: z.tuple([button], z.unknown()) }),
    z.object({ type: z.literal("view_submission"), view: z.object({ callback_id: z.enum(submitted) }) }),
    z.object({ type: z.literal("message_action"), callback_id: z.literal(shortcutId) }),
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
  /** The minute (epoch s) from which Slack holds events back. */
  minute_rate_limited: z.number().nullable().catch(null),
})

function payloadNameOf(body: unknown) {
  const { type, callback_id, command, view, actions, minute_rate_limited: minute } = named.parse(body)
  const id = actions?.[0].action_id ?? view?.callback_id ?? callback_id ?? command
  return { type: command === null ? type : "command", id, minute }
}

function onlyAnswersTo(command: string) {
  return { response_type: "ephemeral", text: otherCommandWords(command) }
}

const opened = z.object({ user: z.string().min(1), tab: z.string().default("home") })

/** A person opened the app. If we cannot show their Home now, it is shown with the next change. */
async function onHome(context: ListenerContext, event: unknown, team: string): Promise<void> {
  const { user, tab } = opened.parse(event)
  const { inbound, identity, log } = context
  if (tab !== "home") return
  await inbound
    .openedHome(oneIdentity(identity, { team, user }))
    .catch((error: unknown) => log.warn("home-failed", { user, error }))
}

const previous = z.looseObject({ ts: z.string() })
/** Slack deletes a message or, if it has a thread, leaves a tombstone in its place. */
const deletion = z.discriminatedUnion("subtype", [
  z.object({ subtype: z.literal("message_deleted"), channel: z.string(), previous_message: previous }),
  z.object({
    subtype: z.literal("message_changed"),
    channel: z.string(),
    message: z.object({ subtype: z.literal("tombstone") }),
    previous_message: previous,
  }),
])

/** A `message` event, if the app gets these: we notice at once that a moderator deleted a card, and ignore all else. */
async function onMessage({ inbound, log }: ListenerContext, event: unknown): Promise<void> {
  const { data } = deletion.safeParse(event)
  const caseId = data === undefined ? null : caseOf(data.previous_message)
  if (data === undefined || caseId === null) return
  const { channel, previous_message: message } = data
  await inbound
    .deleted(caseId, { channel, ts: message.ts })
    .catch((error: unknown) => log.warn("deletion-not-noted", { caseId, error }))
}

/** A channel was shared with another company, or is our own again. So nobody has to wait until we ask Slack again. */
async function onSharing({ inbound, log }: ListenerContext, channel: string): Promise<void> {
  await inbound.channelChanged(channel).catch((error: unknown) => log.warn("sharing-not-noted", { channel, error }))
}
