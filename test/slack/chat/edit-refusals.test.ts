// Every word with which Slack refuses an edit: what it says of the message, of its channel, or of neither.

import { describe, expect, it } from "vitest"
import { aCardModel } from "../card-models.ts"
import { aSlackModule } from "../slack-module.ts"

async function answered(error: string) {
  const { sandbox, slack } = await aSlackModule()
  const place = await slack.chat.postCard(aCardModel())
  sandbox.faults.web("chat.update", { kind: "error", error }, { times: 3 })
  return slack.chat.updateCard(place, { ...aCardModel(), failure: "changed" })
}

// All errors of https://docs.slack.dev/reference/methods/chat.update that an edit of ours can meet.
const words = {
  gone: ["message_not_found"],
  uneditable: ["cant_update_message", "edit_window_closed", "block_mismatch"],
  shut: [
    "channel_not_found",
    "is_inactive",
    "is_archived",
    "team_not_found",
    "metadata_too_large",
    "a_word_of_tomorrow",
  ],
} as const

describe("a refusal of the message or its channel", () => {
  it.each(Object.entries(words).flatMap(([kind, all]) => all.map((word) => [word, kind] as const)))(
    "is a value that brings Slack's own word: %s",
    async (word, kind) => {
      const error = { method: "chat.update", slackCode: word, retryable: false }

      expect(await answered(word)).toMatchObject({ kind, error })
    },
  )
})

describe("what is no refusal of the message", () => {
  it.each([
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "org_login_required",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "access_denied",
    "accesslimited",
    "ekm_access_denied",
    "enterprise_is_restricted",
    "team_access_not_granted",
    "two_factor_setup_required",
  ])("is thrown where it is about our token: %s", async (word) => {
    await expect(answered(word)).rejects.toMatchObject({ slackCode: word, retryable: false })
  })

  it.each([
    "internal_error",
    "fatal_error",
    "service_unavailable",
    "request_timeout",
    "update_failed",
    "streaming_state_conflict",
    "external_channel_migrating",
    "team_added_to_org",
  ])("is thrown where it passes by itself: %s", async (word) => {
    await expect(answered(word)).rejects.toMatchObject({ slackCode: word, retryable: true })
  })

  it("is thrown where Slack limits edits", async () => {
    await expect(answered("ratelimited")).rejects.toMatchObject({ code: "rate-limited", retryable: true })
  })
})
