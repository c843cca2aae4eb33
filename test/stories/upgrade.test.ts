// A rolling upgrade: a replica of the older version beside one of a newer one, each a program of its own. The older one
// reads nothing that the newer one wrote: it ends its work, takes nothing, and says so.
import { describe, expect, it, onTestFinished } from "vitest"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, decided, placed, press, record, resolves, settled, until } from "./acts.ts"
import { aNewerProgram } from "./newer-program.ts"
import { limitMs, sandboxCast, type World } from "./world.ts"

/** In HTTP mode Slack gets in, so that metrics and status ask for a token. */
const token = "the token of the operators"

async function get({ bot }: World, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${bot.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, text: await answer.text() }
}

/** How many polls the older replica made. */
async function polls(here: World): Promise<number> {
  const { text } = await get(here, "/metrics")
  return [...text.matchAll(/^countersign_polls_total\{.*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it(
    "R16 an older replica beside a newer one ends its work, is not ready and takes no press; the newer one decides",
    async () => {
      const newer = await aNewerProgram()
      onTestFinished(() => newer.remove())
      const here = await aWorld({ mode, http: ', metrics_token: "${OPERATORS}"', env: { OPERATORS: token } })
      const before = await ask(here)
      const old = await card(here)
      await placed(here)
      const from = here.log.length

      const url = await newer.start(here)
      await until("the older replica to have ended its work", () =>
        here.log.find(({ event }) => event === "retired-and-idle"),
      )
      const polled = await polls(here)
      const asked = await ask(here, { tool_name: "asked_later" })
      const open = await card(here, "asked_later")
      if (mode === "http") {
        here.sandbox.deliverTo(`${here.bot.url}/slack/events`)
        expect(await press(here, sandboxCast.alice, open, "approve")).toMatchObject({ ok: false })
        expect((await fetch(`${here.bot.url}/slack/events`, { method: "POST" })).status).toBe(503)
      }
      here.sandbox.deliverTo(`${url}/slack/events`)
      for (const seen of [open, old])
        expect(await press(here, sandboxCast.alice, seen, "approve")).toMatchObject({ ok: true })

      for (const { id } of [asked, before]) expect(await decided(here, id)).toMatchObject({ status: "approved" })
      await settled(here, "asked_later")
      expect(resolves(here)).toBe(2)
      expect((await record(here, asked.id))["resolved_by"]).toBe("alice@sandbox.example")
      const words = here.sandbox.ephemerals(sandboxCast.alice).map(({ text }) => text)
      // The newer one may not have noted yet where its card hangs.
      expect(words.filter((text) => !text.startsWith("You were quick"))).toEqual([])
      const why = "a newer Countersign took over: this replica decides nothing, upgrade it"
      expect(await get(here, "/readyz")).toMatchObject({ status: 503, text: expect.stringContaining(why) })
      expect(await get(here, "/status")).toMatchObject({ status: 503, text: expect.stringContaining(why) })
      expect((await get(here, "/healthz")).status).toBe(200)
      expect((await get(here, "/metrics")).text).toContain("countersign_config_active 0")
      expect([await polls(here), alarms(here)]).toEqual([polled, []])
      const told = here.log.slice(from).filter(({ level }) => level === "warn" || level === "error")
      expect(told).toEqual([expect.objectContaining({ event: "retired", why })])
    },
    3 * limitMs,
  )
})
