// How the app is installed in the workspace, and that it is removed or its token revoked, of which a subscribed app hears.
import { sendEvent } from "./user-actions/events.ts"
import type { World } from "./world.ts"

/** What somebody does to the app in Slack's settings. */
export type Removal = "app_uninstalled" | "tokens_revoked"

/**
 * Removes the app or revokes its token; the bot token is worth nothing from then on. False if a subscribed app did not take an event:
 * removing the app sends both, as Slack does.
 */
export async function removeApp(
  world: World,
  removal: Removal,
  app: "subscribed" | "not subscribed",
): Promise<boolean> {
  const { botUserId } = world.workspace.app
  world.install.refused = removal === "app_uninstalled" ? "account_inactive" : "token_revoked"
  if (app === "not subscribed") return true
  const revoked = await sendEvent(world, { type: "tokens_revoked", tokens: { oauth: [], bot: [botUserId] } })
  if (removal === "tokens_revoked") return revoked.ok
  const uninstalled = await sendEvent(world, { type: "app_uninstalled" })
  return revoked.ok && uninstalled.ok
}
