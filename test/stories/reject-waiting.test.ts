// Whoever stopped rejects what waits, on two replicas of which one is killed in the middle (R21).
import { expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { ask, card, decided, record, resolves, told, until, viewSays } from "./acts.ts"
import { kindsIn, linesOf } from "./orders.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { sandboxCast, type World } from "./world.ts"

const { alice, general } = sandboxCast

const resolve = { method: "POST", path: /\/resolve$/ } as const

/** An approval whose card hangs. */
async function asked(here: World, name: string) {
  const row = await ask(here, { tool_name: name })
  await card(here, name)
  return row
}

/** Stops by command, and gives back where the answer is. */
async function stops(here: World) {
  await here.sandbox.command(alice, general, "/approvals stop tool:refund_* runaway refunds")
  await told(here, alice, "5 approvals wait under it")
  const { channelId: channel = "", ts = "" } = here.sandbox.ephemerals(alice).at(-1) ?? {}
  return { channel, ts }
}

/** Presses the button, and waits for the number. */
async function offered(here: World, on: { readonly channel: string; readonly ts: string }, count: number) {
  await here.sandbox.click(alice, on, actionIds.rejectWaiting)
  await viewSays(here, alice, `${count} approvals under it will be rejected`)
  return here.sandbox.openView(alice)?.id ?? ""
}

it("R21 a replica that is killed while it rejects what waits leaves no case half done, and the next press goes on", async ({
  onTestFinished,
}) => {
  const { here, start } = await aWorldOfProcesses({ mode: "http", timeoutMs: 30_000 }, onTestFinished)
  await start()
  const taking = await start()
  const names = Array.from({ length: 5 }, (_, n) => `refund_${n}_order`)
  const rows = await Promise.all(names.map((name) => asked(here, name)))
  const other = await asked(here, "send_mail")
  const answer = await stops(here)
  const first = await offered(here, answer, 5)
  const between = await asked(here, "refund_between")
  here.proxy.fail({ ...resolve, times: 2, fault: { kind: "delay", ms: 0 } })
  here.proxy.fail({ ...resolve, times: 1, fault: { kind: "swallow", forwarded: false } })

  await here.sandbox.submit(alice, first, {})
  await until("the third rejection to be on its way", () => (resolves(here) === 3 ? true : undefined))
  await kill(taking)
  await start()
  await until("what was on its way to arrive", async () => {
    const now = await Promise.all(rows.map(({ id }) => record(here, id)))
    return now.filter(({ status }) => status === "rejected").length === 3 ? true : undefined
  })
  const under = await linesOf(here)
  expect(rows.filter((row) => kindsIn(under, row, here).includes("voted"))).toHaveLength(3)
  expect(kindsIn(under, between, here)).not.toContain("voted")

  const second = await offered(here, answer, 3)
  const late = await asked(here, "refund_late")
  await here.sandbox.submit(alice, second, {})
  await viewSays(here, alice, "3 approvals rejected")

  const waited = [...rows, between]
  for (const { id } of waited) expect(await decided(here, id)).toMatchObject({ status: "rejected" })
  const lines = await linesOf(here)
  for (const row of waited) {
    const kinds = kindsIn(lines, row, here)
    for (const once of ["voted", "decided", "resolved"]) expect(kinds.filter((kind) => kind === once)).toEqual([once])
  }
  for (const row of [late, other]) {
    expect(await record(here, row.id)).toMatchObject({ status: "pending" })
    expect(kindsIn(lines, row, here)).not.toContain("voted")
  }
})
