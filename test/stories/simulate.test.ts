// Rules tried on the past: some decisions by the bot, then `policy simulate` with a stricter rule, as an operator runs
// it.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { command } from "../cli/command.ts"
import { redisByAddress } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, press, settled } from "./acts.ts"
import { plainRule, type Row, sandboxCast, type World } from "./world.ts"

const { alice, bob } = sandboxCast

const stricter = `rules:${plainRule.replace("everything", "large")}
    when: args.amount > 1000
    quorum: 2
${plainRule}
`

/** Somebody pays, and a person decides. */
async function paid(
  here: World,
  tool: string,
  amount: number,
  person: string,
  verb: "approve" | "reject",
): Promise<Row> {
  const asked = await ask(here, { tool_name: tool, tool_args: { amount, to: "ann" } })
  await press(here, person, await card(here, tool), verb)
  await decided(here, asked.id)
  await settled(here, tool)
  return asked
}

/** Gives the command in the bot's folder, with the bot's environment. */
async function simulated(here: World, redisUrl: string, rules: string) {
  writeFileSync(join(here.folder, "countersign.yaml"), here.yaml)
  writeFileSync(join(here.folder, "new.yaml"), rules)
  const env = { ...here.env, REDIS_URL: redisUrl }
  const words = ["policy", "simulate", "new.yaml", "--since", "1h", "--json"]
  const { code, out, err } = await command(words, { env, cwd: here.folder }).ended
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

it("a stricter rule, tried on what was decided, names the decision that would have needed another person", async () => {
  const redisUrl = await redisByAddress()
  const here = await aWorld({ redisUrl })
  await paid(here, "pay_lunch", 20, alice, "approve")
  const large = await paid(here, "pay_rent", 1_500, alice, "approve")
  await paid(here, "pay_debts", 9_000, bob, "reject")

  const found = await simulated(here, redisUrl, stricter)

  expect(found).toMatchObject({
    cases: 3,
    exact: 3,
    reproduced: { same: 3, different: 0 },
    asked: {
      prompts: { before: 6, after: 6, atMost: 6 },
      rules: expect.arrayContaining([{ rule: "large", before: 0, after: 2, atMost: 2 }]),
    },
    decisions: { stand: 2, needOthers: 1, cannotTell: 0 },
  })
  expect(found.decisions.listed).toMatchObject([
    {
      approval: large.id,
      tool: "pay_rent",
      people: [{ name: "Alice" }],
      progress: [{ rule: "large", have: 1, need: 2 }],
    },
  ])
})

it("the rules in force, tried on what they decided, change nothing", async () => {
  const redisUrl = await redisByAddress()
  const here = await aWorld({ redisUrl })
  await paid(here, "pay_lunch", 20, alice, "approve")
  await ask(here, { tool_name: "pay_rent" })
  await card(here, "pay_rent")

  const found = await simulated(here, redisUrl, `rules:${plainRule}\n`)

  expect(found).toMatchObject({
    reproduced: { same: 2, different: 0, notCompared: { masked: 0, notKept: 0, otherRules: 0, unreadable: 0 } },
    asked: { prompts: { before: 4, after: 4, atMost: 4 } },
    decisions: { stand: 1, needOthers: 0 },
  })
})
