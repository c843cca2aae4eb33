// The webhooks of this process: each with the way to its receiver and what its files hold now, and the step that sends.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { type FileRead, hiddenIn, readHeaders, readSecrets, type WebhookConfig } from "../../config/parts/webhooks.ts"
import { alarmOnce } from "../../flow/poll/poll-troubles.ts"
import type { Alarm, Webhook, WebhookPorts } from "../../flow/ports.ts"
import { sendWebhook } from "../../flow/webhook/send-webhook.ts"
import { tellCase, tellEntry } from "../../http/reading/telling.ts"
import type { Log } from "../../log.ts"
import type { ProcessMeter } from "../../measure/meter.ts"
import type { Slack } from "../../slack/app.ts"
import type { Store } from "../../store/store.ts"
import { createWebhookSender, type WebhookKeys, type WebhookSender } from "../../webhooks/sender.ts"
import { alarmIn } from "../modules.ts"
import type { BotOptions } from "../options.ts"
import { createSlackWords } from "../slack-words.ts"

/** The step that sends a webhook, by its name. A name that this config does not have sends nothing. */
export type SendWebhook = (name: string) => Promise<void>

/** Opens the webhooks of the config. */
export function openWebhooks(
  { config, clock, log, random }: Pick<BotOptions, "config" | "clock" | "log" | "random">,
  { store, slack, meter }: { readonly store: Store; readonly slack: Slack; readonly meter: ProcessMeter },
): { readonly send: SendWebhook; readonly close: () => Promise<void> } {
  const alarm = alarmOnce(alarmIn(log), clock)
  const opened = config.webhooks.map((webhook) => openWebhook(webhook, { clock, log, alarm }))
  const { cardLink } = createSlackWords(slack)
  const ports: WebhookPorts = {
    installation: config.installation,
    outboxes: store.outboxes,
    reading: store.reading,
    tell: { entry: tellEntry, case: (found) => tellCase(found, cardLink) },
    counted: (webhook, result) => meter.metrics.deliveries.inc({ webhook, result }),
    clock,
    random: () => random(4).readUInt32BE() / 2 ** 32,
    log,
    alarm,
  }
  return {
    send: async (name) => {
      const found = opened.find(({ webhook }) => webhook.name === name)
      if (found !== undefined) await sendWebhook(ports, found.webhook)
    },
    close: async () => void (await Promise.all(opened.map(({ sender }) => sender.close()))),
  }
}

/** What tells an operator that a file is of no use. */
interface FileTelling extends Pick<BotOptions, "clock"> {
  readonly log: Log
  readonly alarm: (alarm: Alarm) => void
}

function openWebhook(
  config: WebhookConfig,
  telling: FileTelling,
): { readonly webhook: Webhook; readonly sender: WebhookSender } {
  const { name, url, way, events, withArguments } = config
  const sender = createWebhookSender({ url, way, clock: telling.clock, keys: createKeys(config, telling) })
  const address = createHash("sha256").update(url).digest("hex").slice(0, 16)
  const { send } = sender
  return { webhook: { name, address, events: events === null ? null : new Set(events), withArguments, send }, sender }
}

/** Makes the function that gives secrets and headers as they are now; null while a file was never of use. */
function createKeys({ name, secret, headersFile }: WebhookConfig, telling: FileTelling) {
  const told = { ...telling, webhook: name }
  const none = (): Readonly<Record<string, string>> => ({})
  const secrets =
    secret.kind === "given"
      ? () => secret.secrets
      : createFileReading({ ...told, path: secret.path, read: readSecrets, hidden: (value) => value })
  const headers =
    headersFile === null ? none : createFileReading({ ...told, path: headersFile, read: readHeaders, hidden: hiddenIn })
  return (): WebhookKeys | null => {
    const [known, own] = [secrets(), headers()]
    return known === null || own === null ? null : { secrets: known, headers: own }
  }
}

/** How long what a file held counts before we look again, in ms. */
const lookMs = 1_000

/** Makes a function that gives what a file holds. While it is of no use, what it held before stays; null: nothing. */
function createFileReading<Value>(
  options: FileTelling & {
    readonly webhook: string
    readonly path: string
    readonly read: (text: string | null) => FileRead<Value>
    /** What of it the log must not have. */
    readonly hidden: (value: Value) => readonly string[]
  },
): () => Value | null {
  const { webhook, path, read, hidden, clock, log, alarm } = options
  let present: Value | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(clock() - lookedAt) < lookMs) return present
    lookedAt = clock()
    const found = read(textIn(path))
    if (found.ok) {
      present = found.value
      for (const one of hidden(present)) log.hide(one)
    } else {
      const stays = "what it held before stays in use until the file is right again"
      const hint = present === null ? "nothing is sent until the file is right" : stays
      alarm({ code: "webhook-file-unusable", webhook, file: path, why: `it ${found.why}`, hint })
    }
    return present
  }
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null // whatever is wrong with it, the alarm names the file
  }
}
