// What a replica may not do takes it out of no service: it stays ready, tells operators by alarm, metric and status,
// and people when they press.
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { rulesSchema } from "../../src/config.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { createStore } from "../../src/store/store.ts"
import { testRedisUrl } from "../support/redis.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import { alarms, placed, press, record, resolves, told, until } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A config becomes active whose Slack is another one than that of the replica's file. */
async function activateElsewhere({ installation, env }: World): Promise<void> {
  const connection = await connectRedis({ url: testRedisUrl(), installation, log })
  const key = Buffer.from(env["COUNTERSIGN_KEY"] ?? "")
  const seal = createSeal({ key, installation, nonce: () => randomBytes(12) })
  const store = createStore({ connection, installation, seal, rulesSchema, log, sandbox: true, paceMs: 1 })
  try {
    await store.config.obstacle()
    const shared = store.config.active()?.shared
    if (shared === undefined) throw new Error("no config is active yet")
    const slack = { apiUrl: "https://slack.com/api/", sandbox: false }
    await store.config.activate({ shared: { ...shared, slack }, activate: false, at: Date.now() })
  } finally {
    await connection.close()
  }
}

/** Somebody who can write to Redis changes what commits compare. */
async function forgeToken({ installation }: World): Promise<void> {
  const connection = await connectRedis({ url: testRedisUrl(), installation, log })
  try {
    await connection.commands.hset(createKeys(installation).config, "token", "1.forged")
  } finally {
    await connection.close()
  }
}

/** In HTTP mode Slack gets in, so that metrics and status ask for a token. */
const token = "the token of the operators"

function get({ bot }: World, path: string): Promise<Response> {
  return fetch(`${bot.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
}

const guarded = { http: ', metrics_token: "${OPERATORS}"', env: { OPERATORS: token } }

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a replica that is well says so", async () => {
    const here = await aWorld({ mode, ...guarded })

    const answer = await get(here, "/status")

    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }])
  })

  it("R16 one that may not decide stays ready, says why, and whoever presses is told", async () => {
    const { here, asked, open } = await announcedWorld({ mode, ...guarded })
    await placed(here)

    await activateElsewhere(here)
    await until("the alarm", () => (alarms(here).includes("decides-nothing") ? true : undefined))
    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "may not decide under the configuration that is active")
    const status = await get(here, "/status")
    expect([status.status, await status.json()]).toEqual([
      503,
      { status: "not ok", problems: { config: expect.stringContaining("the active config has its Slack at") } },
    ])
    expect((await get(here, "/readyz")).status).toBe(200)
    expect(await (await get(here, "/metrics")).text()).toContain("countersign_config_active 0")
    expect(alarms(here)).toEqual(["decides-nothing"])
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })

  it("R14 R16 one whose active config was forged in Redis raises an alarm, says so, and decides nothing", async () => {
    const { here, asked, open } = await announcedWorld({ mode, ...guarded })
    await placed(here)

    await forgeToken(here)
    await until("the alarm", () => (alarms(here).includes("config-tampered") ? true : undefined))
    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "may not decide under the configuration that is active")
    const status = await get(here, "/status")
    expect([status.status, await status.json()]).toEqual([
      503,
      { status: "not ok", problems: { config: expect.stringContaining("was not written by this installation") } },
    ])
    const metrics = await (await get(here, "/metrics")).text()
    expect(metrics).toContain("countersign_config_active 0")
    expect(metrics).toContain("countersign_store_up 1")
    expect(alarms(here)).toEqual(["config-tampered"])
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })
})
