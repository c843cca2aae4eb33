import { expect, test } from "vitest"
import { leftToAgnoSlack } from "../../../src/domain/content/run.ts"

test.each([
  ["support-agent:C0123ABC:1700000000.000100", "a channel"],
  ["support-agent:D0123ABC:1700000000.000100", "a direct message"],
  ["support:agent:G0123ABC:1700000000.000100", "an entity with a colon, in a private channel"],
  ["support-agent:1700000000.000100", "the form of older versions, without a channel"],
])("a run of the session %s is left to AgentOS's own Slack interface: %s", (session) => {
  expect(leftToAgnoSlack(session, false)).toMatch(/AgentOS's own Slack interface.* could run twice/)
  expect(leftToAgnoSlack(session, true)).toBeNull()
})

test.each(["session-1", "a:b:c", "support-agent:C0123ABC:17", "1700000000.000100", "a:1700000000.000100:C0123ABC", ""])(
  "a run of the session %s is nobody's but ours",
  (session) => {
    expect(leftToAgnoSlack(session, false)).toBeNull()
  },
)
