// Looking by command: lists, one approval, who may decide, what was decided; and what a person is not told of.
import { describe, expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { aChannel, aPerson } from "../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, ledgerOf, press, settled, told, until, viewSays, wordsOf } from "./acts.ts"
import { plainRule, sandboxCast, type World, type WorldOptions } from "./world.ts"

const olga = "U0OLGA"
const secret = "C0SECRET"

/** A world with somebody who is in no channel of the rule, is no approver and asked for nothing. */
async function withOutsider(options: WorldOptions = {}): Promise<World> {
  const here = await aWorld({ ...options, rules: plainRule.replace(sandboxCast.approvals, secret), pollMs: 200 })
  here.sandbox.workspace.putPerson(aPerson(olga, "olga"))
  here.sandbox.workspace.putChannel(
    aChannel(secret, "secret", [sandboxCast.bot, sandboxCast.alice, sandboxCast.gus, sandboxCast.sam, sandboxCast.bob]),
  )
  here.sandbox.workspace.putChannel(
    aChannel(sandboxCast.general, "general", [
      sandboxCast.bot,
      olga,
      sandboxCast.alice,
      sandboxCast.rita,
      sandboxCast.gus,
    ]),
  )
  return here
}

const say = (here: World, person: string, line: string) =>
  here.sandbox.command(person, sandboxCast.general, `/approvals ${line}`)
const heard = (here: World, person: string) => {
  const last = here.sandbox.ephemerals(person).at(-1)
  return `${last?.text ?? ""} ${wordsOf(last?.blocks)}`
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("R8 whoever may not see a case is told the same as for one that does not exist", async () => {
    const here = await withOutsider({ mode })
    const asked = await ask(here, { user_id: "rita@sandbox.example" })
    await card(here, "delete_user_data", secret)
    const caseId = caseIdOf(here.installation, "main", asked.id)

    for (const line of [`show ${caseId}`, `show ${asked.id}`, `show ${asked.id.slice(0, 8)}`, `approve ${caseId}`]) {
      await say(here, olga, line)
      await viewSays(here, olga, "no approval with that id")
    }
    await say(here, olga, `why ${caseId}`)
    await told(here, olga, "no approval with that id")
    await say(here, olga, "list")
    await told(here, olga, "Nothing waits")
    await say(here, olga, "count")
    await told(here, olga, "0 waiting")
    for (const person of [sandboxCast.gus]) {
      await say(here, person, `show ${caseId}`)
      await viewSays(here, person, "no approval with that id")
    }
    for (const person of [sandboxCast.alice, sandboxCast.rita]) {
      await say(here, person, `show ${caseId}`)
      await viewSays(here, person, "You may")
    }
  })

  it("what was approved is found by its arguments and shown in Details after its case closed, without what is masked", async () => {
    const rules = plainRule.replace("require_reason: never", "require_reason: never\n    mask: [card_number]")
    const here = await aWorld({ mode, rules })
    const asked = await ask(here, { tool_args: { invoice: "INV-2041", card_number: "4111 1111" } })
    await press(here, sandboxCast.alice, await card(here), "reject")
    await decided(here, asked.id)
    const caseId = caseIdOf(here.installation, "main", asked.id)
    await until("the case to close", async () =>
      (await ledgerOf(here)).some(({ kind }) => kind === "closed") ? true : undefined,
    )

    await say(here, sandboxCast.alice, "history text:inv-2041")
    await told(here, sandboxCast.alice, "INV-2041")
    expect(heard(here, sandboxCast.alice)).not.toContain(caseId)
    await say(here, sandboxCast.alice, "history text:4111")
    await told(here, sandboxCast.alice, "Nothing like that was decided")
    await say(here, sandboxCast.alice, `show ${caseId}`)
    const words = await viewSays(here, sandboxCast.alice, "INV-2041")

    expect(words).not.toContain("4111")
    expect(words).not.toContain("Reveal")
  })

  it("R4 R8 approve ID opens Details, whose button votes; why ID says who may", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await card(here)

    await say(here, sandboxCast.rita, `why ${asked.id}`)
    await told(here, sandboxCast.rita, "Rule everything: 1 approval needed of")
    expect(heard(here, sandboxCast.rita)).toContain("You may not approve this.")
    await say(here, sandboxCast.alice, `approve ${asked.id}`)
    await viewSays(here, sandboxCast.alice, "You may approve this")
    await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)

    expect(await decided(here, asked.id)).toMatchObject({ resolved_by: "alice@sandbox.example" })
  })

  it("lists are narrowed by words, and an unknown word is answered with the nearest right one", async () => {
    const here = await aWorld({ mode })
    await ask(here)
    await ask(here, { tool_name: "pay_invoice", agent_id: "billing-agent" })
    await card(here)
    await card(here, "pay_invoice")

    await say(here, sandboxCast.alice, "list agent:billing tool:PAY_*")
    await told(here, sandboxCast.alice, "1 waiting, the most urgent first")
    expect(heard(here, sandboxCast.alice)).toContain("pay invoice")
    expect(heard(here, sandboxCast.alice)).not.toContain("delete user data")
    await say(here, sandboxCast.alice, "list invoice billing")
    await told(here, sandboxCast.alice, "1 waiting, the most urgent first")
    await say(here, sandboxCast.alice, "why")
    await told(here, sandboxCast.alice, "1 other approval waits.")
    expect(heard(here, sandboxCast.alice)).toContain("You may approve this")
    await say(here, sandboxCast.rita, "list mine")
    await told(here, sandboxCast.rita, "Nothing waits")
    await say(here, sandboxCast.alice, "list older:1h")
    await told(here, sandboxCast.alice, "Nothing like that waits")
    await say(here, sandboxCast.alice, "count")
    await told(here, sandboxCast.alice, "2 waiting, 2 of them for you")
    await say(here, sandboxCast.bob, "list agnt:billing")
    await told(here, sandboxCast.bob, "Did you mean /approvals list agent:billing?")
  })

  it("the history tells who decided what, to those who may see it", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), "approve")
    await decided(here, asked.id)
    await settled(here, "Approved")
    await until("the case to be closed", async () => {
      await say(here, sandboxCast.bob, "history today")
      return heard(here, sandboxCast.bob).includes("1 decided") ? true : undefined
    })

    expect(heard(here, sandboxCast.bob)).toContain("delete user data")
    await say(here, sandboxCast.bob, `history <@${sandboxCast.alice}|alice>`)
    await until("hers", () => (heard(here, sandboxCast.bob).includes(`<@${sandboxCast.alice}>`) ? true : undefined))
    await say(here, sandboxCast.bob, "history @nobody")
    await told(here, sandboxCast.bob, "Nothing like that was decided")
    await say(here, sandboxCast.alice, "list")
    await told(here, sandboxCast.alice, "Nothing waits")
  })
})
