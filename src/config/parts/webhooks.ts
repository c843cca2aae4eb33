// One webhook as the config describes it: checked, and how the files of its secrets and headers are read.
import { resolve } from "node:path"
import { isSendable } from "../../domain/text/sendable.ts"
import type { ConfigProblem, Report } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"
import { flawOfWebhookSecret, maxSecrets } from "../schema/webhook-schema.ts"
import type { InstanceSurroundings } from "./instance.ts"
import { type Files, textAt } from "./token-file.ts"
import { isLoopback, type WayOutConfig, wayOutTo } from "./way-out.ts"

type WebhookSettings = Settings["webhooks"][number]

/** Who is told what enters the ledger. Each process has its own: the revision does not cover it. */
export interface WebhookConfig {
  readonly name: string
  readonly url: string
  /** What events are signed with: the secrets themselves, or the absolute path of their file. */
  readonly secret:
    | { readonly kind: "given"; readonly secrets: readonly string[] }
    | { readonly kind: "file"; readonly path: string }
  /** The absolute path of a file with more headers; null: there is none. */
  readonly headersFile: string | null
  /** The kinds of entries that are sent; null: all. */
  readonly events: readonly string[] | null
  /** True: cases come with the arguments that are kept. */
  readonly withArguments: boolean
  readonly way: WayOutConfig
}

/** Builds a webhook from settings that passed every check. */
export function webhookOf(settings: WebhookSettings, { env, files }: InstanceSurroundings): WebhookConfig {
  const { name, url, secret, secret_file = "", headers_file, events, include, ca_file: caFile } = settings
  return {
    name,
    url,
    secret:
      secret === undefined
        ? { kind: "file", path: resolve(files.cwd, secret_file) }
        : { kind: "given", secrets: secret },
    headersFile: headers_file === undefined ? null : resolve(files.cwd, headers_file),
    events: events ?? null,
    withArguments: include === "arguments",
    way: wayOutTo(url, { caFile, env, files }),
  }
}

/** Every secret in the files of a webhook, for the log to remove. */
export function webhookSecrets({ secret, headersFile }: WebhookConfig, files: Files): readonly string[] {
  const secrets = secret.kind === "file" ? readSecrets(textAt(files, secret.path)) : null
  const headers = headersFile === null ? null : readHeaders(textAt(files, headersFile))
  return [...(secrets?.ok === true ? secrets.value : []), ...(headers?.ok === true ? hiddenIn(headers.value) : [])]
}

/** The values of headers that may be credentials: all but the content type. */
export function hiddenIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (name === "content-type" ? [] : [value]))
}

/** What a file holds, or why it is of no use, in words that follow "a file that". */
export type FileRead<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly why: string }

/** Reads the secrets of a file, one a line. `text`: null if it cannot be read. */
export function readSecrets(text: string | null): FileRead<readonly string[]> {
  if (text === null) return unread
  const secrets = linesOf(text)
  if (secrets.length === 0) return { ok: false, why: "is empty" }
  if (secrets.length > maxSecrets)
    return { ok: false, why: "holds more than two secrets: the new one and the old one are enough" }
  const flaw = secrets.map(flawOfWebhookSecret).find((one) => one !== null)
  return flaw === undefined ? { ok: true, value: secrets } : { ok: false, why: `holds a secret that ${flaw}` }
}

const unread = { ok: false, why: "cannot be read" } as const

/** What we set ourselves, and what belongs to the connection. */
const ours = /^(?:webhook-.*|host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|expect|trailer)$/

/** Reads the headers of a file, one `Name: value` a line; names in small letters. `text`: null if it cannot be read. */
export function readHeaders(text: string | null): FileRead<Readonly<Record<string, string>>> {
  if (text === null) return unread
  const headers = new Map<string, string>()
  for (const line of linesOf(text)) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.+)$/.exec(line) ?? []
    const known = name.toLowerCase()
    if (name === "" || !isSendable(value))
      return { ok: false, why: 'holds a line that is no header such as "Authorization: Splunk …", in plain characters' }
    if (ours.test(known)) return { ok: false, why: `sets ${known}, which Countersign sets itself` }
    if (headers.has(known)) return { ok: false, why: `sets ${known} twice` }
    headers.set(known, value)
  }
  return headers.size === 0 ? { ok: false, why: "is empty" } : { ok: true, value: Object.fromEntries(headers) }
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("# "))
}

/** Lists what is wrong about the webhooks although each key by itself is right. */
export function checkWebhooks(
  webhooks: readonly WebhookSettings[],
  files: Files,
  report: Report,
): readonly ConfigProblem[] {
  return webhooks.flatMap((webhook, index) => {
    const below = (key: string, what: string) => report(["webhooks", index, key], what)
    return [
      ...checkAddress(webhook, below),
      ...checkSecret(webhook, files, below),
      ...checkHeaders(webhook, files, below),
    ]
  })
}

type ReportKey = (key: string, what: string) => ConfigProblem

/** What an event tells is for nobody else, so it travels encrypted, unless it stays on this machine. */
function checkAddress({ url }: WebhookSettings, report: ReportKey): readonly ConfigProblem[] {
  const address = new URL(url)
  if (address.protocol === "https:" || isLoopback(address)) return []
  return [report("url", "must be https: only an address of this machine (127.0.0.1 or localhost) may be http")]
}

function checkSecret(
  { secret, secret_file }: WebhookSettings,
  files: Files,
  report: ReportKey,
): readonly ConfigProblem[] {
  if (secret !== undefined)
    return secret_file === undefined ? [] : [report("secret_file", "stands beside secret; give only one of them")]
  if (secret_file === undefined)
    return [report("secret", "is missing: set it or secret_file; each event is signed with it")]
  const read = readSecrets(textAt(files, secret_file))
  return read.ok ? [] : [report("secret_file", `names a file that ${read.why}`)]
}

function checkHeaders({ headers_file }: WebhookSettings, files: Files, report: ReportKey): readonly ConfigProblem[] {
  if (headers_file === undefined) return []
  const read = readHeaders(textAt(files, headers_file))
  return read.ok ? [] : [report("headers_file", `names a file that ${read.why}`)]
}
