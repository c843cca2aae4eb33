// The names that the page gets of Slack: of people, groups and channels. What Slack does not tell has none.
import { expect, test } from "vitest"
import { createSlackWords, type SlackTold } from "../../src/bot/slack-words.ts"
import { aPerson, team } from "../support/builders.ts"
import { createMemoryPeople } from "../support/memory-people.ts"
import { chatFailure } from "../support/port-failure.ts"

const names = { bot: "B1", botUser: "U0BOT", app: null, teamName: "Team" }
const identity: SlackTold["identity"] = { team, enterprise: null, url: null, scopes: [], ...names }

function nameOf(who: string, channelName: SlackTold["channelName"] = async () => null): Promise<string | null> {
  const people = createMemoryPeople(() => 1_000, aPerson({ user: "U1", name: "Ann" }))
  return createSlackWords({ people, identity, channelName }).nameOf(who)
}

test("a channel is named with its sign, by an answer that is at most a day old", async () => {
  const asked: unknown[] = []

  const name = await nameOf("channel:C1", async (...given) => {
    asked.push(given)
    return "data"
  })

  expect(name).toBe("#data")
  expect(asked).toEqual([["C1", 86_400_000]])
})

test("a person is named by team and user, or by the user alone", async () => {
  expect([await nameOf(`${team}:U1`), await nameOf("U1")]).toEqual(["Ann", "Ann"])
})

test("what Slack does not tell, or cannot tell now, has no name", async () => {
  const down = () => Promise.reject(chatFailure("ratelimited", { retryable: true }))

  expect([await nameOf("channel:C1"), await nameOf("channel:C1", down), await nameOf("U404")]).toEqual([
    null,
    null,
    null,
  ])
})

test("a mistake of ours is not taken for a name that is missing", async () => {
  await expect(nameOf("channel:C1", () => Promise.reject(new TypeError("ours")))).rejects.toThrow("ours")
})
