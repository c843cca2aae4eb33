// Sockets of somebody else on our Slack app: told once they were there for a minute, and never taken for those of
// another replica.

import { expect, it, onTestFinished } from "vitest"
import type { Alarm, OwnSocket, Sockets } from "../../../src/flow/ports.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { createSlack } from "../../../src/slack/app.ts"
import { aClock, aSandbox } from "../../sandbox/support.ts"
import { aFlow, aLog, optionsFor } from "../slack-module.ts"

const minute = 60_000

/** What the replicas of an installation share, without a Redis. */
function anInstallation(): Sockets & { readonly noted: Map<string, OwnSocket> } {
  const noted = new Map<string, OwnSocket>()
  return {
    noted,
    note: async (socket) => {
      noted.set(socket.id, socket)
      return noted.size
    },
  }
}

/** A replica with a socket to the sandbox, and a clock of its own. */
async function aReplica(sandbox: Sandbox, sockets: Sockets, draw = Math.random()) {
  const clock = aClock()
  const log = aLog()
  const alarms: Alarm[] = []
  let notes = 0
  const counted: Sockets = {
    note: async (socket) => {
      const ours = await sockets.note(socket)
      notes += 1
      return ours
    },
  }
  const more = { clock, log, watchMs: 40, random: () => draw, alarm: (alarm: Alarm) => void alarms.push(alarm) }
  const slack = await createSlack(optionsFor(sandbox, "socket", { ...more, sockets: counted }))
  onTestFinished(() => slack.close().then(() => slack.disconnect()))
  slack.listen(aFlow())
  await slack.start()
  /** Lets so much time pass, until it was judged. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    const before = notes
    await expect.poll(() => notes).toBeGreaterThan(before + 2)
  }
  return { slack, log, alarms, pass, clock }
}

it("another installation on the same app is told after a minute, once", async () => {
  const sandbox = await aSandbox()
  await aReplica(sandbox, anInstallation())
  const ours = anInstallation()
  const { alarms, pass } = await aReplica(sandbox, ours)

  await pass(minute - 1)
  const before = alarms.length
  await pass(1)
  await pass(minute)

  expect(before).toBe(0)
  expect(alarms).toEqual([{ code: "slack-app-shared", sockets: 2, ours: 1, hint: expect.any(String) }])
  expect([...ours.noted.values()].map(({ foreign }) => foreign)).toEqual([1])
})

it("replicas of one installation are nobody else, also one that counts itself late", async () => {
  const sandbox = await aSandbox()
  const ours = anInstallation()
  const silent: Sockets = { note: () => Promise.reject(new Error("Redis is away")) }
  await aReplica(sandbox, silent)
  const second = await aReplica(sandbox, ours)
  await second.pass(minute - 1)
  await ours.note({ id: "the first", foreign: 0 })

  await second.pass(1)

  expect(second.alarms).toEqual([])
})

it("a socket that Slack renews is counted anew, and the same neighbour is not told again", async () => {
  const sandbox = await aSandbox()
  for (let count = 0; count < 3; count++) await aReplica(sandbox, anInstallation())
  const { log, alarms, pass } = await aReplica(sandbox, anInstallation())
  await pass(minute)

  sandbox.refreshSockets()
  await expect.poll(() => log.lines.some(({ event }) => event === "socket-back")).toBe(true)
  await pass(minute)

  expect(alarms.map(({ code }) => code)).toEqual(["slack-app-shared"])
})

it("a Redis that does not answer raises nothing", async () => {
  const sandbox = await aSandbox()
  const silent: Sockets = { note: () => Promise.reject(new Error("Redis is away")) }
  await aReplica(sandbox, anInstallation())
  const { alarms, log, clock } = await aReplica(sandbox, silent)

  clock.advance(minute)
  const quiet = () => log.lines.filter(({ event }) => event === "sockets-not-counted").length
  const before = quiet()
  await expect.poll(quiet).toBeGreaterThan(before + 1)

  expect(alarms).toEqual([])
})
