// How deliveries to a real Bolt app go wrong, and what only one of the two modes has.

import type { App, BlockAction } from "@slack/bolt"
import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { limitMs } from "../../support/limits.ts"
import { postCard } from "../cards.ts"
import { aBot, aSandbox, type Mode } from "../support.ts"

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  it("a click that nobody acknowledges fails visibly for the person", async () => {
    const sandbox = await aSandbox(mode, { ackMs: 100 })
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("menu", async () => {})
    })

    const outcome = await sandbox.click(sandboxCast.alice, await postCard(app), "menu")

    expect(outcome).toMatchObject({
      ok: false,
      reason: "timeout",
      detail: "no answer within 100 ms".replace("answer", mode === "http" ? "answer" : "ack"),
    })
    expect(sandbox.notices(sandboxCast.alice)).toMatchObject([
      { text: expect.stringContaining("Countersign did not respond") as string },
    ])
    expect(sandbox.notices(sandboxCast.bob)).toEqual([])
  })

  it("the same interaction can come twice, with the same trigger", async () => {
    const sandbox = await aSandbox(mode)
    const triggers: string[] = []
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async ({ ack, body }) => {
        await ack()
        triggers.push((body as BlockAction).trigger_id)
      })
    })
    const card = await postCard(app)
    sandbox.faults.delivery({ kind: "twice" })

    await sandbox.click(sandboxCast.alice, card, "approve")

    expect(triggers).toHaveLength(2)
    expect(triggers[0]).toBe(triggers[1])
  })

  it("a connection that breaks before the ack fails the click, though the bot got it", async () => {
    const sandbox = await aSandbox(mode)
    const { promise: received, resolve } = Promise.withResolvers<void>()
    const app = await aBot(sandbox, mode, (bolt) => {
      bolt.action("approve", async ({ ack }) => {
        resolve()
        await ack().catch(() => {})
      })
    })
    const card = await postCard(app)
    sandbox.faults.delivery({ kind: "drop_before_ack" })

    const outcome = await sandbox.click(sandboxCast.alice, card, "approve")
    await received

    expect(outcome).toMatchObject({ ok: false, reason: "dropped" })
  })
})

describe("in socket mode only", () => {
  it("each envelope goes to exactly one of several sockets", async () => {
    const sandbox = await aSandbox("socket")
    const heard: string[] = []
    const listen = (name: string) => (bolt: App) => {
      bolt.action("approve", async ({ ack }) => {
        await ack()
        heard.push(name)
      })
    }
    const app = await aBot(sandbox, "socket", listen("first"))
    await aBot(sandbox, "socket", listen("second"))
    const card = await postCard(app)

    for (let round = 0; round < 4; round++) await sandbox.click(sandboxCast.alice, card, "approve")

    expect(heard).toHaveLength(4)
    expect(new Set(heard)).toEqual(new Set(["first", "second"]))
  })

  it("after a refresh the bot comes back with a new ticket", async () => {
    const sandbox = await aSandbox("socket")
    const app = await aBot(sandbox, "socket", (bolt) => {
      bolt.action("approve", async ({ ack }) => await ack())
    })
    const card = await postCard(app)

    sandbox.refreshSockets()
    const lost = await sandbox.click(sandboxCast.alice, card, "approve")
    await sandbox.waitFor(() => sandbox.connections() === 1, { limitMs })

    expect(lost).toMatchObject({ ok: false, reason: "no_connection" })
    expect(await sandbox.click(sandboxCast.alice, card, "approve")).toMatchObject({ ok: true })
  })

  it("a socket without a fresh ticket is turned away", async () => {
    const sandbox = await aSandbox("socket")

    const socket = new WebSocket(`${sandbox.url.replace("http", "ws")}/link?ticket=guess`)
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.onopen = () => resolve("open")
    socket.onerror = () => resolve("refused")

    expect(await promise).toBe("refused")
  })
})

describe("in http mode only", () => {
  it("a bot that is not at its address is noticed", async () => {
    const sandbox = await aSandbox("http")
    const app = await aBot(sandbox, "http", () => {})
    const card = await postCard(app)
    const url = `http://127.0.0.1:${new URL(sandbox.url).port}/nowhere`

    sandbox.deliverTo(url)
    const lost = await sandbox.click(sandboxCast.alice, card, "approve")

    expect(lost).toMatchObject({ ok: false, reason: "refused", detail: "HTTP 404" })
  })

  it("a delivery signed with another secret is refused by Bolt", async () => {
    const sandbox = await aSandbox("http")
    let address = ""
    const app = await aBot({ ...sandbox, deliverTo: (url: string) => (address = url) }, "http", (bolt) => {
      bolt.action("approve", async ({ ack }) => await ack())
    })
    const card = await postCard(app)

    sandbox.deliverTo(address, "another secret")
    const outcome = await sandbox.click(sandboxCast.alice, card, "approve")

    expect(outcome).toMatchObject({ ok: false, reason: "refused", detail: "HTTP 401" })
  })
})
