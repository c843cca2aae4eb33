// What Slack says when it refuses an edit: of the message, of its channel, of our token, or of this moment only.
import type { Edited, PortError, RefusedEdit } from "../../flow/ports.ts"
import { ChatError, noToken } from "../transport/errors.ts"

/** Slack's words (https://docs.slack.dev/reference/methods/chat.update). Those that pass are `retryable` already. */
const meanings: ReadonlyMap<string, RefusedEdit["kind"] | "token"> = new Map([
  ["message_not_found", "gone"],
  ["cant_update_message", "uneditable"],
  ["edit_window_closed", "uneditable"],
  ["block_mismatch", "uneditable"],
  ["channel_not_found", "shut"],
  ["is_inactive", "shut"],
  ["is_archived", "shut"],
  ["not_in_channel", "shut"],
  ["team_not_found", "shut"],
  ["missing_scope", "token"],
  ["no_permission", "token"],
  ["not_allowed_token_type", "token"],
  ["access_denied", "token"],
  ["accesslimited", "token"],
  ["ekm_access_denied", "token"],
  ["enterprise_is_restricted", "token"],
  ["team_access_not_granted", "token"],
  ["two_factor_setup_required", "token"],
  ...[...noToken].map((word) => [word, "token"] as const),
])

/** What a failure of an edit says about the message or its channel; null if it says nothing about them. */
export function refusalOf({
  slackCode,
  retryable,
}: Pick<PortError, "slackCode" | "retryable">): RefusedEdit["kind"] | null {
  if (slackCode === undefined || slackCode === null || retryable) return null
  // Slack has ever new words for why a channel takes no edit, and may take one later.
  const meaning = meanings.get(slackCode) ?? "shut"
  return meaning === "token" ? null : meaning
}

/** What an edit came to. Throws what may pass by itself, and what concerns our token. */
export async function editedOrRefused(edit: Promise<void>): Promise<Edited> {
  try {
    await edit
    return { kind: "updated" }
  } catch (error) {
    const kind = error instanceof ChatError ? refusalOf(error) : null
    if (!(error instanceof ChatError) || kind === null) throw error
    return { kind, error }
  }
}
