// A group or an address that stands for nobody: it counts for nobody, says so at once, and is in nobody else's way.
import { describe, expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, press, told, until, wordsOf } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

const rulesOf = (approver: string) => `
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${approver}, ${sandboxCast.bob}]
    unknown_requester: allow
    require_reason: never`

/** Who stands for nobody, which scope the app lacks, and the alarm with what it names. */
const absent = [
  ["a group that is gone", "S0GONE", null, { code: "group-stands-for-nobody", group: "S0GONE" }],
  [
    "a group without the scope for groups",
    sandboxCast.approvers,
    "usergroups:read",
    { code: "group-stands-for-nobody", group: sandboxCast.approvers },
  ],
  [
    "an address without the scope for addresses",
    "alice@sandbox.example",
    "users:read.email",
    { code: "address-stands-for-nobody", email: "alice@sandbox.example" },
  ],
] as const

const without = (scope: string | null) => (scope === null ? {} : { without: scope })

const alarmOf = (here: World, code: string) =>
  until("the alarm", () => here.log.find((line) => line["event"] === "alarm" && line["code"] === code))

describe.each(["socket", "http"] as const)("in %s mode, with two replicas", (mode) => {
  describe.each(absent)("%s", (_, approver, scope, alarm) => {
    it.each(["approve", "reject"] as const)(
      "keeps an approver who is listed by id from no %s, and an alarm names it",
      async (verb) => {
        const here = await aWorld({ mode, rules: rulesOf(approver), ...without(scope) })
        await here.start()
        expect(await alarmOf(here, alarm.code)).toMatchObject({ ...alarm, rules: ["everything"] })
        const asked = await ask(here)

        await press(here, sandboxCast.bob, await card(here), verb)

        expect(await decided(here, asked.id)).toMatchObject({ status: verb === "approve" ? "approved" : "rejected" })
      },
    )

    it("keeps list, why and Home from nobody", async () => {
      const here = await aWorld({ mode, rules: rulesOf(approver), ...without(scope) })
      const asked = await ask(here)
      await card(here)

      await here.sandbox.command(sandboxCast.bob, sandboxCast.general, "/approvals list")
      await told(here, sandboxCast.bob, "1 waiting")
      await here.sandbox.command(sandboxCast.bob, sandboxCast.general, `/approvals why ${asked.id}`)
      await told(here, sandboxCast.bob, "everything")
      await here.sandbox.openHome(sandboxCast.bob)

      await until("Home to name it", () =>
        wordsOf(here.sandbox.home(sandboxCast.bob)?.definition.blocks).includes("delete user data") ? true : undefined,
      )
    })
  })

  it("while Slack limits the list of groups, and was never asked before, what waits is listed all the same", async () => {
    const here = await aWorld({ mode, rules: rulesOf("S0GONE") })
    await ask(here)
    await card(here)
    here.sandbox.faults.web("usergroups.list", { kind: "ratelimited", retryAfterS: 60 }, { times: 1_000 })

    await here.sandbox.command(sandboxCast.bob, sandboxCast.general, "/approvals list")

    await told(here, sandboxCast.bob, "delete user data")
  })

  it("while Slack limits the look-up of an address, and was never asked before, what waits is listed all the same", async () => {
    const here = await aWorld({ mode, rules: rulesOf("alice@sandbox.example") })
    here.sandbox.faults.web("users.lookupByEmail", { kind: "ratelimited", retryAfterS: 60 }, { times: 1_000 })
    await ask(here)
    await card(here)

    await here.sandbox.command(sandboxCast.bob, sandboxCast.general, "/approvals list")

    await told(here, sandboxCast.bob, "delete user data")
  })
})
