// What the doctor asks Slack: whose token it is, whether a socket opens, what exists. It can also post a test card.
import type { FetchFunction } from "@slack/web-api"
import type { Person, SlackId } from "../domain/people/person.ts"
import type { Route } from "../domain/rule/rule.ts"
import type { Clock, Members, People } from "../flow/ports.ts"
import { type Audit, createAudit } from "./chat/audit-channel.ts"
import { postTestCard } from "./chat/chat.ts"
import { type ChannelFacts, readChannel } from "./directory/channels.ts"
import { identify, type SlackIdentity } from "./directory/identity.ts"
import { createPeople } from "./directory/people.ts"
import { manifest } from "./manifest.ts"
import { insteadOf } from "./transport/errors.ts"
import { createCall, createFetch, defaultTimeoutMs, type WebOptions } from "./transport/web-client.ts"

/** The manifest's scopes. Without a `needed` one something fails; without an `optional` one we find no lost cards. */
export interface WantedScopes {
  readonly needed: readonly string[]
  readonly optional: readonly string[]
}

/** Slack's answers. Null if Slack does not know the thing. For any other refusal, throws `ChatError`. */
export interface SlackProbe {
  readonly identity: SlackIdentity
  /** How far our clock is ahead of Slack's, in ms, exact to about a second. Null if Slack did not give the time. */
  readonly aheadMs: number | null
  /** The people as the bot looks them up. */
  readonly people: People
  channel(id: string): Promise<ChannelFacts | null>
  person(id: SlackId): Promise<Person | null>
  byEmail(email: string): Promise<SlackId | null>
  /** Posts the ledger's checkpoints to a channel, and reads them back. */
  auditTo(channel: string): Audit
  /** Whom a user group stands for. */
  members(group: string): Promise<Members>
  /** Posts a card that is about no case. Throws `ChatError`. */
  postTestCard(route: Route, installation: string): Promise<void>
}

interface SlackProbeOptions extends WebOptions {
  readonly botToken: string
  readonly clock: Clock
}

/** How old an answer may be, in ms: the doctor asks everything once. */
const onceMs = 600_000

/** Asks whose token it is, and makes the probe. Throws `ChatError` if Slack refuses it or cannot be reached. */
export async function createSlackProbe(options: SlackProbeOptions): Promise<SlackProbe> {
  const { botToken, clock } = options
  const watch = createWatch(options)
  const call = createCall(botToken, { ...options, fetch: watch.fetch })
  const identity = await identify(call)
  const people = createPeople({ call, identity, clock })
  return {
    identity,
    aheadMs: watch.aheadMs(),
    people,
    channel: (id) => readChannel(call, id).catch(insteadOf(["channel_not_found"], null)),
    person: (id) => people.look(id, onceMs).catch(insteadOf(["user_not_found", "user_not_visible"], null)),
    byEmail: (email) => people.byEmail(email, onceMs),
    auditTo: (channel) => createAudit(call, identity, channel),
    members: (group) => people.members(group, onceMs),
    postTestCard: (route, installation) => postTestCard(call, route, installation),
  }
}

/** Asks whether Slack would open a socket for this app-level token. Throws `ChatError` if not. */
export async function probeSocket(appToken: string, options: WebOptions): Promise<void> {
  const call = createCall(appToken, { fetch: ownFetch(options), ...options })
  await call("apps.connections.open", (client) => client.apps.connections.open({}))
}

/** The scopes of our manifest. */
export function wantedScopes(): WantedScopes {
  const scopes = manifest({ mode: "socket" }).oauth_config?.scopes
  return { needed: scopes?.bot ?? [], optional: scopes?.bot_optional ?? [] }
}

/** The events of our manifest. A bot token cannot ask which events an app is subscribed to. */
export function wantedEvents(): readonly string[] {
  return manifest({ mode: "socket" }).settings?.event_subscriptions?.bot_events ?? []
}

/** Compares clocks by the `Date` of the first answer. */
function createWatch(options: SlackProbeOptions) {
  const { clock, fetch = ownFetch(options) } = options
  let ahead: number | null = null
  const watching: FetchFunction = async (url, init) => {
    const answer = await fetch(url, init)
    const theirs = Date.parse(answer.headers.get("date") ?? "")
    // The header has whole seconds, so on average Slack's clock is half a second further.
    if (ahead === null && !Number.isNaN(theirs)) ahead = clock() - theirs - 500
    return answer
  }
  return { fetch: watching, aheadMs: () => ahead }
}

/** Its idle connections keep no process alive, so nobody has to end them. */
function ownFetch({ way }: WebOptions): FetchFunction {
  return createFetch({ timeoutMs: defaultTimeoutMs, way }).fetch
}
