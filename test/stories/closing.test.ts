// A bot that is told to stop: what it has begun ends, what it cannot take is not acknowledged, and its successor goes
// on.
import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { announcedWorld, aWorld } from "./a-world.ts"
import { ask, card, cards, decided, placed, press, record, resolves, settled, threadSays, until } from "./acts.ts"
import { sandboxCast } from "./world.ts"

/** How long a ticket waits, in ms: so long that none repeats a step while the platform is slow. */
const ticketDelayMs = 30_000

describe.each(["socket", "http"] as const)("a bot that is told to stop, in %s mode,", (mode) => {
  it("carries the press that it took to its end first, and says meanwhile that it is not ready", async () => {
    const { here, asked, open } = await announcedWorld({ mode, timeoutMs: 5_000, ticketDelayMs })
    await placed(here)
    const answer = Promise.withResolvers<void>()
    const slow = { kind: "hold", until: answer.promise } as const
    here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: slow })
    await press(here, sandboxCast.alice, open, "approve")
    await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))

    const closing = here.bot.close()
    const ready = await fetch(`${here.bot.url}/readyz`)
    answer.resolve()
    await closing

    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain("it was told to stop")
    expect(await record(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    expect((await settled(here, "Approved")).ts).toBe(open.ts)
    expect(resolves(here)).toBe(1)
  })

  it("ends although a stranger sends half a request, or nothing at all", async () => {
    const { here } = await announcedWorld({ mode })
    const { hostname, port } = new URL(here.bot.url)
    const strangers = ["GET /healthz HTTP/1.1\r\nhost: x\r\n", ""].map((text) => {
      const socket = connect(Number(port), hostname).on("error", () => undefined)
      socket.write(text)
      return socket
    })
    await Promise.all(strangers.map((socket) => once(socket, "connect")))
    const cut = Promise.all(strangers.map((socket) => new Promise((resolve) => void socket.once("close", resolve))))

    await here.bot.close()

    await cut
    expect(here.log.filter(({ level }) => level === "error")).toEqual([])
  })

  it("acknowledges no press that comes later, and its successor takes the next one", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await here.bot.close()

    const late = await press(here, sandboxCast.alice, open, "approve").catch((error: unknown) => ({ ok: false, error }))
    expect(late.ok).toBe(false)
    expect((await record(here, asked.id)).status).toBe("pending")
    await here.start()
    await press(here, sandboxCast.bob, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })
    await threadSays(here, open, "resolved by")
    expect(resolves(here)).toBe(1)
  })

  it("lets a poll that runs end: what it found has its one card, at the latest from its successor", async () => {
    const here = await aWorld({ mode, timeoutMs: 5_000 })
    const answer = Promise.withResolvers<void>()
    here.proxy.fail({ method: "GET", path: /\/approvals$/, fault: { kind: "hold", until: answer.promise } })
    await until("a poll to be held", () => here.proxy.passed.find((one) => one.fault === "hold"))
    await ask(here)

    const closing = here.bot.close()
    answer.resolve()
    await closing
    await here.start()

    await card(here)
    expect(cards(here, "delete_user_data")).toHaveLength(1)
    const failed = here.log.filter((line) => line["level"] === "error" && line["event"] !== "alarm")
    expect(failed).toEqual([])
  })
})
