// Where the shapes of described resources differ from those of AgentOS 3.1.10 on purpose, and why: `+` only here, `-` only
// there.

/** Differences by the key of their route. */
export const expected: Readonly<Record<string, readonly string[]>> = {
  // Every list can be ordered.
  "GET /schedules": ["+query sort_by", "+query sort_order"],
  // Every list can be ordered.
  "GET /schedules/*/runs": ["+query sort_by", "+query sort_order"],
  // It says that it merges, and uses no model.
  "POST /optimize-memories": ["+answer method"],
}
