// Every way in which the platform can fail a resolve, and what people and operators see of it.
import { describe, expect, it } from "vitest"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  pausePolls,
  placed,
  press,
  record,
  resolves,
  settled,
  threadSays,
  told,
  until,
} from "./acts.ts"
import { sandboxCast } from "./world.ts"

const resolvePath = /\/resolve$/

describe.each(["socket", "http"] as const)("in %s mode a resolve that the platform", (mode) => {
  it.each([
    [403, "Insufficient permissions. Required scope(s): approvals:write"],
    [404, "Approval not found"],
    [422, "Input should match the pattern"],
  ])(
    "R9 a resolve that the platform refuses with %i ends the verdict: votes are void, the card is open again, thread and operator are told",
    async (status, detail) => {
      const { here, asked, open } = await announcedWorld({ mode })
      // Each POST of this verdict: on a slow machine the sweep sends it as well.
      const answers = { kind: "answer", status, body: { detail } } as const
      const stop = here.proxy.fail({ method: "POST", path: resolvePath, fault: answers })

      await press(here, sandboxCast.alice, open, "approve")

      await threadSays(here, open, String(status))
      expect((await cardSaying(here, "Nothing is decided")).words).toContain(String(status))
      expect(alarms(here)).toContain("resolve-refused")
      expect((await record(here, asked.id)).status).toBe("pending")
      const again = await until("open buttons", () =>
        cards(here, "delete_user_data").find((seen) => seen.buttons.includes("countersign_approve")),
      )
      stop()
      await press(here, sandboxCast.bob, again, "approve")
      expect(await decided(here, asked.id)).toMatchObject({ resolved_by: "bob@sandbox.example" })
    },
  )

  it.each([401, 429])(
    "R9 a resolve that the platform answers with %i is tried again with the same body",
    async (status) => {
      const { here, asked, open } = await announcedWorld({ mode })
      here.proxy.fail({
        method: "POST",
        path: resolvePath,
        times: 1,
        fault: { kind: "answer", status, body: { detail: "not now" } },
      })

      await press(here, sandboxCast.alice, open, "approve")

      expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
      await settled(here, "delete_user_data")
      expect(resolves(here)).toBe(2)
    },
  )

  it("R9 a resolve that the platform answers with 500 after it took effect is read back and recognised", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "cut", forwarded: true } })

    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect((await settled(here, "delete_user_data")).words).toContain("Approved")
    expect(resolves(here)).toBe(1)
  })

  it("R9 a resolve that the platform answers with 500 without effect is sent again after a read", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.proxy.fail({
      method: "POST",
      path: resolvePath,
      times: 1,
      fault: { kind: "answer", status: 500, body: { detail: "boom" } },
    })

    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect(resolves(here)).toBe(2)
    await settled(here, "delete_user_data")
  })

  it("R9 a resolve that the platform accepts but never answers: the card says that the outcome is not known yet, then what the record says", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "swallow", forwarded: true } })
    const reads = here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 3,
      fault: { kind: "answer", status: 503, body: { detail: "down" } },
    })
    reads()

    await press(here, sandboxCast.alice, open, "approve")

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
    expect((await settled(here, "delete_user_data")).words).toContain("Approved")
    expect(resolves(here)).toBe(1)
  })

  it("R10 a resolve that the platform answers with 409 because somebody else was faster settles as decided elsewhere", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    pausePolls(here)
    here.proxy.fail({ method: "POST", path: resolvePath, times: 1, fault: { kind: "delay", ms: 300 } })
    const clicked = press(here, sandboxCast.alice, open, "approve")
    await until("the resolve to be on its way", () => (resolves(here) > 0 ? true : undefined))
    const operator = here.service.mintServiceAccount({ name: "faster", scopes: ["approvals:write"] })
    await fetch(`${here.service.url}/approvals/${asked.id}/resolve`, {
      method: "POST",
      headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "rejected", resolved_by: "ops@example.com" }),
    })
    await clicked

    await settled(here, "delete_user_data ops@example.com")
    expect(await record(here, asked.id)).toMatchObject({ status: "rejected", resolved_by: "ops@example.com" })
  })

  it("a resolve that the platform does not answer before the vote: the person is told, the press is carried out when it answers again", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await placed(here)
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 2,
      fault: { kind: "answer", status: 503, body: { detail: "down" } },
    })

    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "platform")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  })
})

it("a platform whose every answer takes most of the time allowed gets its cards all the same", async () => {
  const here = await aWorld({ timeoutMs: 1_000 })
  here.proxy.fail({ fault: { kind: "delay", ms: 700 } })

  const asked = await ask(here)
  await press(here, sandboxCast.alice, await card(here), "approve")

  expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
})
