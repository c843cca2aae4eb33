// Checks what the bot asks of Slack: its look-ups keep within Slack's limits a minute, and if Slack turns a socket
// away, it tries again less and less often.
import { callsAMinute } from "../../src/slack/transport/rate-limits.ts"
import type { Look } from "./look.ts"
import type { Strike } from "./schedule.ts"

/** What is asked in nobody's name, so that nothing but the bot decides how often. */
const lookUps = ["conversations.history", "conversations.replies", "usergroups.list", "users.lookupByEmail"] as const

/** A socket waits 0, 0.25, 0.5, 1, 2, 4, 8, 15 and 15 s: nine tries fill a minute. A start makes one more. */
const opensAMinute = 10

/** Every breach, worded. */
export function slackBreaches(look: Look): readonly string[] {
  const { busiestMinute, struck, schedule } = look
  const starts = struck.reduce((sum, { strike }) => sum + startsOf(strike, schedule.skewsMs.length), 0)
  const allowed = [
    ...lookUps.map((method) => [method, callsAMinute[method]] as const),
    ["apps.connections.open", opensAMinute * (schedule.skewsMs.length + starts)] as const,
  ]
  return [
    ...allowed
      .filter(([method, most]) => busiestMinute(method) > most)
      .map(([method, most]) => `${method} was called ${busiestMinute(method)} times in a minute, of at most ${most}`),
    ...silentSockets(look),
  ]
}

function startsOf({ kind }: Strike, replicas: number): number {
  if (kind === "kill") return 1
  return kind === "rolling" ? replicas : 0
}

/** Where no process died meanwhile, each that was turned away said so. */
function silentSockets({ struck, alarms }: Look): readonly string[] {
  const turned = struck.some(({ strike }) => strike.kind === "sockets")
  const died = struck.some(({ strike }) => startsOf(strike, 1) > 0)
  return turned && !died && !alarms.includes("slack-socket-refused")
    ? ["sockets were turned away, and no alarm says so"]
    : []
}
