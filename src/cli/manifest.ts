// countersign manifest: the Slack app's manifest, for Socket Mode or, with an address, for HTTP mode.
import { stringify } from "yaml"
import { manifest } from "../slack/manifest.ts"
import type { Terminal } from "./terminal.ts"

/** An address that Slack could not deliver to. */
export class ManifestError extends Error {
  readonly code = "bad-address"
  readonly retryable = false
}

/** Prints the manifest as YAML. Throws `ManifestError` for an address that is not https. */
export function printManifest(terminal: Terminal, options: { readonly url?: string }): void {
  const { url } = options
  try {
    terminal.out(stringify(manifest(url === undefined ? { mode: "socket" } : { mode: "http", url })).trimEnd())
  } catch (error) {
    if (error instanceof TypeError) throw new ManifestError(error.message, { cause: error })
    throw error
  }
}
