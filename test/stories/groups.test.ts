// A user group that is gone: it counts for nobody, says so at once, and is in nobody else's way.
import { describe, expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { ask, card, decided, press, told, until } from "./acts.ts"
import { CAST } from "./world.ts"

const rules = `
  - name: everything
    routes: [${CAST.approvals}]
    approvers: [S0GONE, ${CAST.bob}]
    unknown_requester: allow
    require_reason: never`

describe.each(["socket", "http"] as const)("in %s mode, with two replicas", (mode) => {
  it.each(["approve", "reject"] as const)(
    "an approver who is listed by id can %s, and an alarm names the group",
    async (verb) => {
      const here = await aWorld({ mode, rules })
      await here.start()
      await until("the alarm", () => here.log.find(({ code }) => code === "group-stands-for-nobody"))
      const asked = await ask(here)

      await press(here, CAST.bob, await card(here), verb)

      expect(await decided(here, asked.id)).toMatchObject({ status: verb === "approve" ? "approved" : "rejected" })
      expect(here.log.find(({ code }) => code === "group-stands-for-nobody")).toMatchObject({
        event: "alarm",
        group: "S0GONE",
        rules: ["everything"],
      })
    },
  )

  it("while Slack limits the list of groups, and was never asked before, what waits is listed all the same", async () => {
    const here = await aWorld({ mode, rules })
    await ask(here)
    await card(here)
    here.sandbox.faults.web("usergroups.list", { kind: "ratelimited", retryAfterS: 60 }, { times: 1_000 })

    await here.sandbox.command(CAST.bob, CAST.general, "/approvals list")

    await told(here, CAST.bob, "delete_user_data")
  })
})
