// The doctor on Slack itself: token, scopes by name, clocks, delivery. The files beside it check what the rules need.
import type { Config } from "../../../config.ts"
import { namedIn } from "../../../domain/policy/timing.ts"
import type { Log } from "../../../log.ts"
import { createSlackProbe, probeSocket, wantedEvents, wantedScopes } from "../../../slack/probe.ts"
import { ChatError } from "../../../slack/transport/errors.ts"
import { type Finding, notesOn } from "../finding.ts"
import { remedyOf } from "../remedy.ts"

/** How to reach Slack. */
export interface SlackCheckOptions extends Pick<Config, "slack" | "http" | "rules" | "resolvedBy"> {
  readonly clock: () => number
  readonly log: Log
}

const notes = notesOn("slack")

/** Looks at the app in its workspace; posts nothing. The probe is null if Slack does not take the token. */
export async function lookAtSlack(options: SlackCheckOptions) {
  const { slack, clock, log } = options
  const web = { apiUrl: slack.apiUrl, way: slack.way, log }
  try {
    const probe = await createSlackProbe({ ...web, botToken: slack.botToken, clock })
    const { teamName, team, botUser } = probe.identity
    const known = notes.ok(`the bot token is accepted: ${botUser} in ${teamName} (${team})`)
    const scopes = judgeScopes(probe.identity.scopes, spareScopes(options))
    const rest = [...scopes, tellEvents(), judgeClock(probe.aheadMs), await lookAtDelivery(options)]
    return { probe, findings: [known, ...rest] }
  } catch (error) {
    return { probe: null, findings: [refusedToken(error), await lookAtDelivery(options)] }
  }
}

function refusedToken(error: unknown): Finding {
  if (!(error instanceof ChatError)) throw error
  const what = error.message
  const why = "without Slack nobody can be asked, and Countersign does not start"
  const todo = slackTodo(error, error.code === "org-install" ? oneWorkspace : installApp)
  return notes.fail({ what, why, todo })
}

const installApp = "take the Bot User OAuth Token from OAuth & Permissions of the app, and install the app if it is not"
const oneWorkspace = "install the app in the one workspace where people are asked, and take the token of that install"

/** Says what to do about an error. `otherwise`: the words if Slack itself refuses the token. */
function slackTodo(error: ChatError, otherwise: string): string {
  if (error.code === "unreachable") return remedyOf(error)
  if (error.code === "bad-answer")
    return "let Countersign's calls to Slack pass what stands before it: a proxy, a firewall, a log-in page"
  return error.retryable ? "see https://slack-status.com, and try again" : otherwise
}

/** Compares the token's scopes with the manifest's, by name. `spare`: the scopes that this config does not need. */
function judgeScopes(granted: readonly string[], spare: readonly string[]): readonly Finding[] {
  const { needed, optional } = wantedScopes()
  const without = (scopes: readonly string[]) => scopes.filter((scope) => !granted.includes(scope)).join(", ")
  const missing = without(needed.filter((scope) => !spare.includes(scope)))
  const left = without(spare)
  const lost = without(optional)
  const surplus = granted.filter((scope) => !needed.includes(scope) && !optional.includes(scope)).join(", ")
  const todo = "put the manifest (countersign manifest) into the app's settings and install the app again"
  const why = {
    missing: "Slack refuses the calls that need them: cards, people or groups cannot be posted or read",
    lost: "a card that was posted just before a crash is not found again, and is posted a second time",
    surplus: "a token that leaks can do more than it must",
  }
  return [
    missing === ""
      ? notes.ok("it has every scope that it needs")
      : notes.fail({ what: `scopes are missing: ${missing}`, why: why.missing, todo }),
    ...(left === "" ? [] : [notes.ok(`these rules do not need the scopes that it lacks: ${left}`)]),
    ...(lost === "" ? [] : [notes.warn({ what: `optional scopes are missing: ${lost}`, why: why.lost, todo })]),
    ...(surplus === "" ? [] : [notes.warn({ what: `scopes that are not needed: ${surplus}`, why: why.surplus, todo })]),
  ]
}

/** The scopes that this config can spare: one that lists people only by id needs neither groups nor addresses. */
function spareScopes({ rules, resolvedBy }: Pick<SlackCheckOptions, "rules" | "resolvedBy">): readonly string[] {
  const named = new Set(rules.flatMap(namedIn).map(({ kind }) => kind))
  return [
    ...(named.has("group") ? [] : ["usergroups:read"]),
    ...(named.has("email") || resolvedBy.includes("{email}") ? [] : ["users:read.email"]),
  ]
}

function tellEvents(): Finding {
  const events = wantedEvents().join(", ")
  return notes.ok(
    `a bot token does not show which events the app is subscribed to: the manifest has ${events}; ` +
      "if the app was made from an older manifest, put the new one into its settings",
  )
}

/** Compares the clocks. Clicks carry Slack's time: after 120 s one is too late (R11); a signature lives 5 minutes. */
export function judgeClock(aheadMs: number | null): Finding {
  if (aheadMs === null) return notes.ok("it does not tell the time")
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (seconds <= 10) return notes.ok("its clock and ours agree")
  const what = `our clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} Slack's`
  const why = "a click that is 120 s old is refused as too late, and tokens are taken as expired or not yet valid"
  const todo = "let this machine set its clock by NTP"
  return seconds > 60 ? notes.fail({ what, why, todo }) : notes.warn({ what, why, todo })
}

async function lookAtDelivery({ slack, http, log }: SlackCheckOptions): Promise<Finding> {
  const arrival = "its first click shows whether the signing secret is right"
  if (slack.mode === "http") return notes.ok(`Slack delivers to /slack/events on port ${http.port}; ${arrival}`)
  try {
    await probeSocket(slack.appToken, { apiUrl: slack.apiUrl, way: slack.way, log })
    return notes.ok("the app-level token is accepted: Socket Mode can connect")
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    const what = `SLACK_APP_TOKEN (slack.app_token) opens no socket: ${error.message}`
    const why = "in Socket Mode every click and command comes through that socket"
    const todo = slackTodo(error, makeToken)
    return notes.fail({ what, why, todo })
  }
}

const makeToken = "make an App-Level Token with connections:write under Basic Information, and turn Socket Mode on"
