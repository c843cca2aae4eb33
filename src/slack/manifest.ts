// The app's manifest: what Slack must know of the app before it is installed. It asks for the fewest scopes that work.
import type { AppsManifestValidateArguments } from "@slack/web-api"
import { eventsPath, shortcutId } from "./ids.ts"
import { appWords } from "./text/command-words.ts"

/** A manifest as Slack's own types describe it. */
export type Manifest = Exclude<AppsManifestValidateArguments["manifest"], string>

/** How Slack will deliver; `url` is the public address of the bot, without a path. */
export type ManifestMode = { readonly mode: "socket" } | { readonly mode: "http"; readonly url: string }

/** The manifest for one mode. Throws `TypeError` for an address that is not https. */
export function manifest(options: ManifestMode & { readonly command?: string }): Manifest {
  const { command = "/approvals" } = options
  const url = options.mode === "http" ? requestUrl(options.url) : null
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: appWords.name,
      description: appWords.description,
      long_description: appWords.longDescription,
    },
    features: {
      bot_user: { display_name: appWords.botName, always_online: true },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      shortcuts: [
        {
          name: appWords.shortcut,
          type: "message",
          callback_id: shortcutId,
          description: appWords.shortcutDescription,
        },
      ],
      slash_commands: [
        {
          command,
          description: appWords.commandDescription,
          usage_hint: appWords.usageHint,
          // Else a person in `history @ann` comes without their id.
          should_escape: true,
          ...(url === null ? {} : { url }),
        },
      ],
    },
    oauth_config: { scopes: scopes },
    settings: {
      event_subscriptions: {
        // Most of these tell at once of a worthless token, or of who reads a channel. Else we learn it within a minute.
        bot_events: ["app_home_opened", "app_uninstalled", "channel_shared", "channel_unshared", "tokens_revoked"],
        ...(url === null ? {} : { request_url: url }),
      },
      interactivity: { is_enabled: true, ...(url === null ? {} : { request_url: url }) },
      org_deploy_enabled: false,
      socket_mode_enabled: url === null,
      token_rotation_enabled: false,
    },
  }
}

/** `bot_optional` is needed only to find a card that was posted just before a crash. It has no other use. */
const scopes: NonNullable<NonNullable<Manifest["oauth_config"]>["scopes"]> = {
  bot: [
    "chat:write",
    "commands",
    "users:read",
    "users:read.email",
    "usergroups:read",
    "channels:read",
    "groups:read",
    "im:write",
  ],
  bot_optional: ["channels:history", "groups:history", "im:history"],
}

function requestUrl(base: string): string {
  const url = URL.parse(base)
  if (url?.protocol === "https:") return new URL(eventsPath, url).href
  throw new TypeError(`the address ${base} must be an https address, such as https://countersign.example.com`)
}
