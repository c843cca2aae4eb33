// What Slack says when it refuses an edit: is it about the message, its channel, our token, or this moment only?
import type { Edited, PortError, RefusedEdit } from "../../flow/ports.ts"
import { ChatError, noToken } from "../transport/errors.ts"

/**
 * Slack's words (https://docs.slack.dev/reference/methods/chat.update). Refusals that pass by themselves are
 * `retryable` and not listed.
 */
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
  // Slack keeps adding words for why a channel takes no edit. Such a channel may accept one later.
  const meaning = meanings.get(slackCode) ?? "shut"
  return meaning === "token" ? null : meaning
}

/** What an edit came to. Throws failures that may pass by themselves, and those that concern our token. */
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
