// The event that a receiver gets for an entry: CloudEvents 1.0 as JSON, made when it is sent. So it holds nothing that
// was erased or masked meanwhile (R15).
import { platformWords } from "../../domain/case/event.ts"
import type { JsonObject } from "../../domain/content/json.ts"
import type { ShownEntry, Webhook, WebhookMessage, WebhookPorts } from "../ports.ts"

/** The id of the case that a chain is about, or null. */
function subjectOf(chain: string): string | null {
  return chain.startsWith(casePrefix) ? chain.slice(casePrefix.length) : null
}

const casePrefix = "case:"
/** What the types of our events begin with; behind it stands the kind of the entry. */
const typePrefix = "countersign."
/** So much of an entry's MAC tells it from one that Redis lost, and whose number another one has now: 72 bits. */
const macLength = 12

/** The chain of an entry; an entry that is not ours stands by itself. */
export function chainIn({ number, said }: ShownEntry): string {
  return said === null ? `entry:${number}` : said.chain
}

/** True if a webhook wants an entry. One that is not ours goes to those that want all kinds. */
export function isWanted({ said }: ShownEntry, { events }: Pick<Webhook, "events">): boolean {
  return events === null || events.has(kindIn(said?.event) ?? "")
}

function kindIn(event: JsonObject | undefined): string | null {
  const kind = event?.["kind"]
  return typeof kind === "string" ? kind : null
}

/** The entry of this number, or null if the ledger does not have it any more. Throws `StoreError`. */
export async function entryAt(reading: WebhookPorts["reading"], number: number): Promise<ShownEntry | null> {
  const [found] = await reading.ledger({ after: number - 1, limit: 1 })
  return found?.number === number ? found : null
}

/** Makes the event of an entry, with its case as it is now. Throws `StoreError`. */
export async function messageOf(
  ports: Pick<WebhookPorts, "installation" | "reading" | "tell">,
  entry: ShownEntry,
  { withArguments }: Pick<Webhook, "withArguments">,
): Promise<WebhookMessage> {
  const { installation, reading, tell } = ports
  const subject = subjectOf(chainIn(entry))
  const found = subject === null ? null : await reading.case(subject)
  const told = withoutFields(entry, withArguments ? [guessable] : [guessable, ...wordsOfPlatform(entry)])
  const at = entry.said?.event["at"]
  const id = `${installation}:${entry.number}:${entry.mac.slice(0, macLength)}`
  const event = {
    specversion: "1.0",
    id,
    source: `/countersign/${installation}`,
    type: typePrefix + (kindIn(entry.said?.event) ?? "unreadable"),
    ...(subject === null ? {} : { subject }),
    ...(typeof at === "number" ? { time: new Date(at).toISOString() } : {}),
    datacontenttype: "application/json",
    data: { entry: tell.entry(told), case: found === null ? null : withoutArguments(tell.case(found), withArguments) },
  }
  return { id, body: JSON.stringify(event) }
}

/** Of a vote: the hash of what was filled in. It has no salt, so whoever knows the form can try what fits. */
const guessable = "values"

function wordsOfPlatform({ said }: ShownEntry): readonly string[] {
  const words: Readonly<Record<string, readonly string[] | undefined>> = platformWords
  const kind = kindIn(said?.event)
  return kind !== null && Object.hasOwn(words, kind) ? (words[kind] ?? []) : []
}

function withoutFields(entry: ShownEntry, fields: readonly string[]): ShownEntry {
  if (entry.said === null) return entry
  const event = Object.fromEntries(Object.entries(entry.said.event).filter(([name]) => !fields.includes(name)))
  return { ...entry, said: { ...entry.said, event } }
}

function withoutArguments(told: object, withArguments: boolean): object {
  if (withArguments || !("calls" in told) || !Array.isArray(told.calls)) return told
  return { ...told, calls: told.calls.map((call: { readonly tool?: unknown }) => ({ tool: call.tool ?? null })) }
}
