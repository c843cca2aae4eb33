// The demo's workspace: the sandbox's people and channels, with the commands and shortcuts of our own manifest.
import { defaultSeed, type WorkspaceSeed } from "../../sandbox/workspace/seed.ts"
import { manifest } from "../../slack/manifest.ts"

/** The workspace in which the app is installed as its manifest says. */
export function demoSeed(): WorkspaceSeed {
  const { features } = manifest({ mode: "socket" })
  const commands = (features?.slash_commands ?? []).map(({ command, description, usage_hint = "" }) => ({
    command,
    description,
    hint: usage_hint,
  }))
  const shortcuts = (features?.shortcuts ?? [])
    .filter(({ type }) => type === "message")
    .map(({ name, callback_id }) => ({ name, callbackId: callback_id }))
  return { ...defaultSeed, app: { ...defaultSeed.app, commands, shortcuts } }
}
