// countersign manifest: the Slack app's manifest, for Socket Mode or, with an address, for HTTP mode.
import { stringify } from "yaml"
import { manifest } from "../slack/manifest.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Prints the manifest as YAML. Throws `CommandError` for an address that is not https. */
export function printManifest(terminal: Terminal, options: { readonly url?: string }): void {
  const { url } = options
  try {
    terminal.out(stringify(manifest(url === undefined ? { mode: "socket" } : { mode: "http", url })).trimEnd())
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error })
    throw error
  }
}
