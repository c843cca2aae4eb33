// Asks Slack, for a command that also works without it: returns the probe, or says why there is none.
import { isStandIn } from "../../config.ts"
import type { Audit } from "../../slack/chat/audit-channel.ts"
import { createSlackProbe, type SlackProbe } from "../../slack/probe.ts"
import { ChatError } from "../../slack/transport/errors.ts"
import type { Terminal } from "../terminal.ts"
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

/** The audit channel of the config; null if it names none, or if Slack cannot be asked: then a note says so. */
export async function openAudit(
  terminal: Terminal,
  context: Pick<Context, "config" | "clock" | "log">,
): Promise<Audit | null> {
  const { auditChannel } = context.config.ledger
  if (auditChannel === null) return null
  const slack = await askSlack(context)
  if (!("why" in slack)) return slack.auditTo(auditChannel)
  terminal.err(`note: the audit channel was not read: ${slack.why}`)
  return null
}
