// Redis, Slack and an older config are not trusted: what each could try, and what comes of it.
import { Redis } from "ioredis"
import { afterEach, describe, expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { formIds } from "../../src/slack/ids.ts"
import { numberedOf } from "../../src/store/ledger/read-ledger.ts"
import { everythingIn } from "../queue/support.ts"
import { testRedisUrl } from "../support/redis.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import {
  alarms,
  ask,
  card,
  cardSaying,
  cards,
  decided,
  formOf,
  placed,
  press,
  record,
  resolves,
  settled,
  told,
  until,
} from "./acts.ts"
import { formFor } from "./payments.ts"
import { plainRule, sandboxCast, startTestBot, type World } from "./world.ts"

const redis: Redis[] = []

function aRedis(): Redis {
  const client = new Redis(testRedisUrl())
  redis.push(client)
  return client
}

afterEach(() => {
  for (const client of redis.splice(0)) client.disconnect()
})

/** Every key and value that Redis holds for a world, as text, and what is encoded in it as base64. */
async function dump(here: World): Promise<string> {
  const text = await everythingIn({ commands: aRedis() }, `{countersign:${here.installation}}`)
  const runs = text.match(/[A-Za-z0-9+/_-]{24,}/g) ?? []
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")),
  )
  return [text, ...decoded].join("\n")
}

describe.each(["socket", "http"] as const)("R14 Redis has no authority: in %s mode,", (mode) => {
  it("a case record that somebody changed freezes the case, with an alarm, and nothing is decided", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await placed(here)
    // What the bot still had to write about the case would write over the change.
    await here.bot.close()
    const client = aRedis()
    const [key = ""] = await client.keys(`{countersign:${here.installation}}:case:*`)
    const sealed = (await client.hgetBuffer(key, "sealed")) ?? Buffer.alloc(0)
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
    await client.hset(key, "sealed", sealed)
    await here.start()

    await press(here, sandboxCast.alice, open, "approve")

    await told(here, sandboxCast.alice, "frozen")
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

    const pressed = press(here, sandboxCast.alice, open, "approve")
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

/** Everything that people and agents said, and that only sealed records may hold. */
const said = {
  argument: "argument-of-the-call",
  value: "what-alice-filled-in",
  reason: "why-alice-agreed",
  requester: "rita@sandbox.example",
  approver: "alice@sandbox.example",
  address: "boss@corp.example",
}

describe.each(["socket", "http"] as const)("R15 Redis holds nothing in clear: in %s mode,", (mode) => {
  it("Redis holds in clear neither what was asked, filled in or said, nor who said it by name, while a case waits and after it closed", async () => {
    const rules = `
  - name: two-eyes
    routes: [${sandboxCast.approvals}]
    approvers: [${said.approver}, ${said.address}, ${sandboxCast.bob}]
    unknown_requester: allow
    quorum: 2
    require_reason: always`
    const here = await aWorld({ mode, rules })
    const fields = [{ name: "to", field_type: "str", description: "To whom.", value: null }]
    const asked = await ask(here, { ...formFor(fields, { memo: said.argument }), user_id: said.requester })
    const approve = async (person: string, words: string) => {
      await press(here, person, await cardSaying(here, words), "approve")
      const form = await formOf(here, person)
      await here.sandbox.submit(person, form.id, { field_0: said.value, [formIds.reason]: said.reason })
    }

    await approve(sandboxCast.alice, "must fill in the form and approve, nobody has yet")
    await cardSaying(here, "must fill in the form and approve; 1 has")
    const waiting = await dump(here)
    await approve(sandboxCast.bob, "must fill in the form and approve; 1 has")
    const row = await decided(here, asked.id)
    const caseId = caseIdOf(here.installation, "main", asked.id)
    await until("the case to be settled", async () =>
      (await aRedis().hexists(`{countersign:${here.installation}}:known:main`, asked.id)) === 0 ? true : undefined,
    )
    const closed = await dump(here)

    expect(JSON.stringify(row)).toContain(said.value)
    for (const text of [waiting, closed]) {
      expect(text).toContain(caseId)
      for (const secret of Object.values(said)) expect(text).not.toContain(secret)
    }
  })
})

describe.each(["socket", "http"] as const)("R18 a button proves its place: in %s mode,", (mode) => {
  it("a copy of a card in another channel decides nothing and loses its buttons", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    const original = here.sandbox.messages(sandboxCast.approvals).find((message) => message.ts === open.ts)
    const body = new URLSearchParams({
      channel: sandboxCast.general,
      text: "copy",
      blocks: JSON.stringify(original?.blocks ?? []),
    })
    await fetch(`${here.sandbox.apiUrl}chat.postMessage`, {
      method: "POST",
      headers: { authorization: `Bearer ${here.sandbox.tokens.bot}` },
      body,
    })
    const copy = await card(here, "delete_user_data", sandboxCast.general)

    await press(here, sandboxCast.alice, copy, "approve")

    await told(here, sandboxCast.alice, "decided on another card")
    await settled(here, "delete_user_data", sandboxCast.general)
    expect((await record(here, asked.id)).status).toBe("pending")
    expect(resolves(here)).toBe(0)
  })
})

describe.each(["socket", "http"] as const)("R19 only Slack is Slack: in %s mode,", (mode) => {
  it("entries made with the sandbox are marked", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")
    await decided(here, asked.id)

    const entries = await aRedis().xrangeBuffer(`{countersign:${here.installation}}:ledger`, "-", "+")

    expect(entries.length).toBeGreaterThan(3)
    for (const found of entries) expect(JSON.parse(numberedOf(...found).body)).toMatchObject({ sandbox: true })
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
