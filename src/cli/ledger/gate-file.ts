// countersign keys export: the file that a gate at a tool pins (docs/tool-gate.md). It says whose receipts the gate
// takes, and under which keys.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { endedListPath } from "../../proof/ended-list.ts"
import { ProofError } from "../../proof/errors.ts"
import { readSigningKey } from "../../proof/signing-key.ts"
import { openSigner } from "../installation/context.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import type { Terminal } from "../terminal.ts"

/** The options of `keys export`. */
export interface KeysExportOptions {
  /** The instance whose approvals the gate takes. Default: all instances of the installation. */
  readonly instance?: string
  /** A file with the private key that will sign next, so that gates pin it before it signs. */
  readonly next?: string
  /** The address at which the gates reach this bot. If it is set, they ask the bot which decisions ended. */
  readonly bot?: string
}

/** A public key, and from when to when it vouches (ISO 8601); null for no limit. */
type PinnedKey = Readonly<Record<string, unknown>>

/**
 * Prints the gate's file. The key that signs now and the next one have no end. A key that signed before counts for what
 * it signed until now. Throws `ProofError` `key-unusable` if the next key is no key.
 */
export async function keysExport(terminal: Terminal, { instance, next, bot }: KeysExportOptions): Promise<void> {
  const asking = bot === undefined ? {} : { ended_list: endedListAt(bot) }
  const file = await withStore(terminal, async (opened) => {
    const { config } = opened.context
    if (instance !== undefined && !config.instances.some(({ name }) => name === instance))
      throw new ProofError("keys-unusable", `there is no instance ${instance} in the config`)
    const keys = [...(await pinnedKeys(opened)), ...(next === undefined ? [] : [await nextKey(next)])]
    const whose = { installation: config.installation, ...(instance === undefined ? {} : { instance }) }
    return {
      version: 1,
      ...whose,
      ...(config.slack.sandbox ? { sandbox: true } : {}),
      keys,
      marks: "marks.db",
      ...asking,
    }
  })
  terminal.out(JSON.stringify(file, null, 2))
}

function endedListAt(bot: string): string {
  const url = URL.parse(endedListPath, bot)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  throw new ProofError("keys-unusable", `--bot takes the bot's address, such as https://bot.example.com, not ${bot}`)
}

async function pinnedKeys({ context, store }: Opened): Promise<readonly PinnedKey[]> {
  const { key: own } = context.config.receipts
  if (own.kind === "file" && !existsSync(own.path))
    throw new ProofError("key-unusable", "there is no key that signs yet: start Countersign once, then export its keys")
  const { publicKey } = await openSigner(context)
  const signed = await store.signingKeys.read()
  const until = new Date(context.clock()).toISOString()
  const old = signed.filter(({ kid }) => kid !== publicKey.kid)
  // If our own key never signed, the newest of the old keys still signs until the next start.
  const signing = old.length === signed.length ? signed.at(-1) : undefined
  const ending = (key: PinnedKey) => (key === signing ? {} : { not_after: until })
  return [pinned(publicKey), ...old.map((key) => ({ ...pinned(key), ...ending(key) }))]
}

async function nextKey(path: string): Promise<PinnedKey> {
  return pinned((await readSigningKey(await readFile(path, "utf8"), path)).publicKey)
}

function pinned(key: Readonly<Record<string, unknown>>): PinnedKey {
  return { ...key, not_before: null, not_after: null }
}
