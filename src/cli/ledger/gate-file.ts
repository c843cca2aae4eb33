// countersign keys export: the file that a gate at a tool pins (docs/tool-gate.md): whose receipts it takes, and by
// which keys.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { ProofError } from "../../proof/errors.ts"
import { readSigningKey } from "../../proof/signing-key.ts"
import { openSigner } from "../installation/context.ts"
import { type Opened, ownKeys, withStore } from "../installation/opened-store.ts"
import type { Terminal } from "../terminal.ts"

/** What `keys export` is asked for. */
export interface KeysExportOptions {
  /** The instance whose approvals the gate takes. Default: all of the installation. */
  readonly instance?: string
  /** A file with the private key that will sign next: gates pin it before it does. */
  readonly next?: string
}

/** A public key, and between which moments (ISO 8601) it vouches; null for no limit. */
type PinnedKey = Readonly<Record<string, unknown>>

/**
 * Prints the gate's file. The key that signs now, and the next one, count without an end; one that signed before counts
 * for what it signed until now. Throws `ProofError` `key-unusable` for a next key that is none.
 */
export async function keysExport(terminal: Terminal, { instance, next }: KeysExportOptions): Promise<void> {
  const file = await withStore(terminal, async (opened) => {
    const { config } = opened.context
    if (instance !== undefined && !config.instances.some(({ name }) => name === instance))
      throw new ProofError("keys-unusable", `there is no instance ${instance} in the config`)
    const keys = [...(await pinnedKeys(opened)), ...(next === undefined ? [] : [await nextKey(next)])]
    const whose = { installation: config.installation, ...(instance === undefined ? {} : { instance }) }
    return { version: 1, ...whose, ...(config.slack.sandbox ? { sandbox: true } : {}), keys, marks: "marks.db" }
  })
  terminal.out(JSON.stringify(file, null, 2))
}

async function pinnedKeys(opened: Opened): Promise<readonly PinnedKey[]> {
  const { context } = opened
  const { key: own } = context.config.receipts
  if (own.kind === "file" && !existsSync(own.path))
    throw new ProofError("key-unusable", "there is no key that signs yet: start Countersign once, then export its keys")
  const { publicKey } = await openSigner(context)
  const { keys } = await ownKeys(opened)
  const until = new Date(context.clock()).toISOString()
  const old = keys.filter(({ kid }) => kid !== publicKey.kid)
  return [pinned(publicKey), ...old.map((key) => ({ ...pinned(key), not_after: until }))]
}

async function nextKey(path: string): Promise<PinnedKey> {
  return pinned((await readSigningKey(await readFile(path, "utf8"), path)).publicKey)
}

function pinned(key: Readonly<Record<string, unknown>>): PinnedKey {
  return { ...key, not_before: null, not_after: null }
}
