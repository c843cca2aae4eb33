// Runs of AgentOS's own Slack interface: anybody in their thread can continue them, so that a continue of ours may be the second one.

/**
 * The session of a run that was started there: `{entity}:{channel}:{thread_ts}`, and `{entity}:{thread_ts}` in older
 * versions (2.7.2) and where it began there (`docs/platform-facts.md` 8).
 */
const session = /:(?:[CDG][A-Z0-9]+:)?\d{10}\.\d{6}$/

/** Why a run of this session is not continued by us; null if it may be. `beside` is the operator's `beside_agno_slack`. */
export function leftToAgnoSlack(sessionId: string, beside: boolean): string | null {
  if (beside || !session.test(sessionId)) return null
  return "it belongs to AgentOS's own Slack interface, where anybody in its thread can continue it as well, and its tool could run twice"
}
