// A token that Slack does not take any more: noticed by the events or within a minute, told once, and not well until
// Slack takes it again.

import { WebClient } from "@slack/web-api"
import { describe, expect, it } from "vitest"
import type { Alarm } from "../../../src/flow/ports.ts"
import { createTokenWatch } from "../../../src/slack/directory/identity.ts"
import { ChatError } from "../../../src/slack/transport/errors.ts"
import type { Mode } from "../../sandbox/support.ts"
import { aFlow, aLog, anOpenSlackModule } from "../slack-module.ts"

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  async function aWatchedHouse(watchMs?: number) {
    const alarms: Alarm[] = []
    const more = { alarm: (alarm: Alarm) => void alarms.push(alarm), ...(watchMs === undefined ? {} : { watchMs }) }
    return { ...(await anOpenSlackModule(mode, aFlow(), more)), alarms }
  }

  it.each([
    ["app_uninstalled", "account_inactive"],
    ["tokens_revoked", "token_revoked"],
  ] as const)("the event %s is noticed at once, and told once", async (removal, reason) => {
    const { sandbox, slack, alarms } = await aWatchedHouse()

    const taken = await sandbox.removeApp(removal, "subscribed")
    await expect.poll(() => slack.connected()).toBe(false)

    expect(taken).toBe(true)
    expect(alarms).toEqual([{ code: "slack-token-refused", reason, why: expect.stringContaining("SLACK_BOT_TOKEN") }])
    expect(slack.problem()).toContain(reason)
  })

  it("an install without the events is noticed by asking, and is well again when Slack takes the token", async () => {
    const { sandbox, slack, log, alarms } = await aWatchedHouse(20)

    await sandbox.removeApp("app_uninstalled", "not subscribed")
    await expect.poll(() => slack.connected()).toBe(false)
    sandbox.install.refused = null
    await expect.poll(() => slack.connected()).toBe(true)

    expect(alarms).toHaveLength(1)
    expect(log.lines.map(({ event }) => event)).toContain("slack-token-taken-again")
  })
})

it("a Slack that cannot be reached says nothing about the token", async () => {
  const alarms: Alarm[] = []
  const log = aLog()
  const away = new ChatError({ code: "unreachable", method: "auth.test", message: "away", retryable: true })
  const watch = createTokenWatch({ ask: () => Promise.reject(away), alarm: (alarm) => void alarms.push(alarm), log })

  await watch.look()

  expect([watch.problem(), alarms]).toEqual([null, []])
  expect(log.lines).toMatchObject([{ level: "warn", event: "slack-token-not-looked-at" }])
})

it("a token that stays refused is told once, and again after it was taken", async () => {
  const alarms: Alarm[] = []
  const refused = new ChatError({ code: "refused", method: "auth.test", message: "no", slackCode: "token_revoked" })
  let answer: Error | null = refused
  const ask = async () => {
    if (answer !== null) throw answer
  }
  const watch = createTokenWatch({ ask, alarm: (alarm) => void alarms.push(alarm), log: aLog() })

  await watch.look()
  await watch.look()
  const once = alarms.length
  answer = null
  await watch.look()
  answer = refused
  await watch.look()

  expect([once, alarms.length]).toEqual([1, 2])
})

describe("a call that Slack refuses for its token", () => {
  const refused = new ChatError({ code: "refused", method: "any", message: "no", slackCode: "invalid_auth" })

  /** A watch, the calls that reached Slack, and whether Slack takes the token. */
  function aGuard() {
    const slack = { takes: true, asked: 0, called: [] as string[] }
    const answer = async () => {
      if (!slack.takes) throw refused
    }
    const ask = async () => {
      slack.asked += 1
      await answer()
    }
    const alarms: Alarm[] = []
    const watch = createTokenWatch({ ask, alarm: (alarm) => void alarms.push(alarm), log: aLog() })
    const call = watch.guard(async (method, run) => {
      slack.called.push(method)
      await answer()
      return run(new WebClient())
    })
    return { slack, alarms, watch, call: (method: string) => call(method, async () => method) }
  }

  it("is a reason to ask at once, and until Slack takes it again no card is sent to it", async () => {
    const { slack, alarms, watch, call } = aGuard()
    slack.takes = false

    await expect(call("chat.postMessage")).rejects.toBe(refused)
    await expect.poll(() => watch.problem()).not.toBeNull()
    for (const method of ["chat.postMessage", "chat.update", "views.publish"])
      await expect(call(method)).rejects.toMatchObject({ slackCode: "invalid_auth", barred: true, retryable: false })

    expect([slack.called, slack.asked]).toEqual([["chat.postMessage"], 1])
    expect(alarms).toHaveLength(1)
  })

  it("is over as soon as any call succeeds: what a person asks for is never held back", async () => {
    const { slack, watch, call } = aGuard()
    slack.takes = false
    await watch.look()
    slack.takes = true

    expect(await call("views.open")).toBe("views.open")
    await expect.poll(() => watch.problem()).toBeNull()

    expect(await call("chat.postMessage")).toBe("chat.postMessage")
  })
})
