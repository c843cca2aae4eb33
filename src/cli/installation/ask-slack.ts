// Asks Slack, for a command that also works without it: returns the probe, or says why there is none.
import { isStandIn } from "../../config.ts"
import { createSlackProbe, type SlackProbe } from "../../slack/probe.ts"
import { ChatError } from "../../slack/transport/errors.ts"
import type { Context } from "./context.ts"

/** Makes the probe. If Slack refuses the token or cannot be reached, returns why, in words. */
export async function askSlack(
  context: Pick<Context, "config" | "clock" | "log">,
): Promise<SlackProbe | { readonly why: string }> {
  const { config, clock, log } = context
  const { apiUrl, botToken, way } = config.slack
  if (isStandIn(botToken)) return { why: "SLACK_BOT_TOKEN is not set" }
  try {
    return await createSlackProbe({ apiUrl, botToken, way, clock, log })
  } catch (error) {
    if (error instanceof ChatError) return { why: error.message }
    throw error
  }
}
