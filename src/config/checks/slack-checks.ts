// What the keys of the Slack section must be to each other: mode and tokens, address and sandbox.
import type { Problem } from "../reading/problems.ts"
import type { Settings } from "../schema/schema.ts"
import { isLoopback } from "../schema/units.ts"

/** Makes a problem of the value at `path`. */
export type Report = (path: readonly PropertyKey[], what: string) => Problem

/** Everything that is wrong about the Slack section although each key by itself is right. */
export function checkSlack(slack: Settings["slack"], report: Report): readonly Problem[] {
  return [...checkSlackMode(slack, report), ...checkSlackAddress(slack, report), ...checkSlackTokens(slack, report)]
}

function checkSlackMode(slack: Settings["slack"], report: Report): readonly Problem[] {
  const mode = slack.mode ?? (slack.app_token === undefined && slack.signing_secret !== undefined ? "http" : "socket")
  if (mode === "socket" && slack.app_token === undefined) {
    return [report(["slack", "app_token"], "is missing: Socket Mode needs it (HTTP mode needs signing_secret instead)")]
  }
  if (mode === "http" && slack.signing_secret === undefined) {
    return [report(["slack", "signing_secret"], "is missing: HTTP mode needs it (Socket Mode needs app_token instead)")]
  }
  return []
}

/** R19: only Slack is Slack; a sandbox is on this machine and says so. */
function checkSlackAddress(slack: Settings["slack"], report: Report): readonly Problem[] {
  if (slack.api_url === undefined) {
    return slack.sandbox ? [report(["slack", "sandbox"], "is true, but api_url does not name a sandbox")] : []
  }
  const url = new URL(slack.api_url)
  if (isSlack(url)) return slack.sandbox ? [report(["slack", "sandbox"], "is true, but api_url is Slack's own")] : []
  if (!slack.sandbox) {
    return [
      report(
        ["slack", "api_url"],
        "is not Slack's address; that is allowed only with sandbox: true (SLACK_SANDBOX=true)",
      ),
    ]
  }
  return isLoopback(url)
    ? []
    : [report(["slack", "api_url"], "must be on this machine (127.0.0.1 or localhost) for a sandbox")]
}

function isSlack(url: URL): boolean {
  return url.protocol === "https:" && url.host === "slack.com" && /^\/api\/?$/.test(url.pathname)
}

/** The two tokens are easily mixed up; their beginnings tell. */
function checkSlackTokens(slack: Settings["slack"], report: Report): readonly Problem[] {
  if (slack.sandbox) return []
  const problems: Problem[] = []
  if (!slack.bot_token.startsWith("xoxb-"))
    problems.push(report(["slack", "bot_token"], "is no bot token: those begin with xoxb-"))
  if (slack.app_token !== undefined && !slack.app_token.startsWith("xapp-")) {
    problems.push(report(["slack", "app_token"], "is no app-level token: those begin with xapp-"))
  }
  return problems
}
