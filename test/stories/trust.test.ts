// Redis, Slack and an older config are not trusted: what each could try, and what comes of it.
import { Redis } from "ioredis"
import { afterEach, describe, expect, it } from "vitest"
import { testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, cards, decided, placed, press, record, resolves, settled, told, until } from "./acts.ts"
import { CAST, plainRule, startTestBot, type World } from "./world.ts"

const redis: Redis[] = []

function aRedis(): Redis {
  const client = new Redis({ path: testRedisUrl() })
  redis.push(client)
  return client
}

afterEach(() => {
  for (const client of redis.splice(0)) client.disconnect()
})

/** Every value that Redis holds for a world, as text. */
async function dump(here: World): Promise<string> {
  const client = aRedis()
  const keys = await client.keys(`*${here.installation}*`)
  const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)))
  return [...keys, ...values.filter((value) => Buffer.isBuffer(value)).map((value) => value.toString("latin1"))].join(
    "\n",
  )
}

describe.each(["socket", "http"] as const)("R14 Redis has no authority: in %s mode,", (mode) => {
  it("a case record that somebody changed freezes the case, with an alarm, and nothing is decided", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    const open = await card(here)
    await placed(here)
    // What the bot still had to write about the case would write over the change.
    await here.bot.close()
    const client = aRedis()
    const [key = ""] = await client.keys(`{countersign:${here.installation}}:case:*`)
    const sealed = (await client.hgetBuffer(key, "sealed")) ?? Buffer.alloc(0)
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
    await client.hset(key, "sealed", sealed)
    await here.start()

    await press(here, CAST.alice, open, "approve")

    await told(here, CAST.alice, "frozen")
    expect(alarms(here)).toContain("tampered-case")
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })
})

describe("R14 Redis has no authority:", () => {
  it("a key other than the installation's refuses to start", async () => {
    const here = await aWorld()
    const env = { ...here.env, COUNTERSIGN_KEY: "another key that is long enough, too" }

    const started = startTestBot({ env, yaml: here.yaml, log: [], redisUrl: testRedisUrl() })

    await expect(started).rejects.toMatchObject({ code: "other-key" })
  })
})

describe.each(["socket", "http"] as const)("R15 Redis holds no secrets: in %s mode,", (mode) => {
  it("arguments, reasons' tickets and response_urls are not to be found in it", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, { tool_args: { password: "correct-horse-battery" } })
    const open = await card(here)
    here.proxy.fail({
      method: "GET",
      path: new RegExp(`/approvals/${asked.id}$`),
      times: 1,
      fault: { kind: "delay", ms: 400 },
    })

    const pressed = press(here, CAST.alice, open, "approve")
    await until("the read to be on its way", () =>
      here.proxy.passed.some((one) => one.fault === "delay") ? true : undefined,
    )
    const during = await dump(here)
    await pressed
    await decided(here, asked.id)
    await settled(here, "Approved")
    const after = await dump(here)

    expect(during).toContain("ticket")
    for (const text of [during, after]) {
      expect(text).not.toContain("correct-horse-battery")
      expect(text).not.toContain(here.sandbox.url)
      expect(text).not.toContain(here.env["PLATFORM_TOKEN"])
    }
  })
})

describe.each(["socket", "http"] as const)("R18 a button proves its place: in %s mode,", (mode) => {
  it("a copy of a card in another channel decides nothing and loses its buttons", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    const open = await card(here)
    const original = here.sandbox.messages(CAST.approvals).find((message) => message.ts === open.ts)
    const body = new URLSearchParams({
      channel: CAST.general,
      text: "copy",
      blocks: JSON.stringify(original?.blocks ?? []),
    })
    await fetch(`${here.sandbox.apiUrl}chat.postMessage`, {
      method: "POST",
      headers: { authorization: `Bearer ${here.sandbox.tokens.bot}` },
      body,
    })
    const copy = await card(here, "delete_user_data", CAST.general)

    await press(here, CAST.alice, copy, "approve")

    await told(here, CAST.alice, "not the place")
    await settled(here, "delete_user_data", CAST.general)
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })
})

describe.each(["socket", "http"] as const)("R19 only Slack is Slack: in %s mode,", (mode) => {
  it("entries made with the sandbox are marked", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await press(here, CAST.alice, await card(here), "approve")
    await decided(here, asked.id)

    const entries = await aRedis().xrange(`{countersign:${here.installation}}:ledger`, "-", "+")

    expect(entries.length).toBeGreaterThan(3)
    for (const [, fields] of entries) expect(JSON.parse(fields[1] ?? "{}")).toMatchObject({ sandbox: true })
  })
})

describe("R1 fail closed:", () => {
  it("an approval that no rule matches gets no card, an alarm, and nobody may decide it", async () => {
    const rules = plainRule.replace("- name: everything", '- name: everything\n    match: { tool: "pay_*" }')
    const here = await aWorld({ rules })
    await ask(here)

    await until("the alarm", () => (alarms(here).includes("no-rule") ? true : undefined))

    expect(cards(here, "delete_user_data")).toEqual([])
  })
})
