// Slack refuses our token for a while: whatever waited is done seconds after it takes the token again, and meanwhile
// Slack is asked seldom.
import { describe, expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, decided, press, until } from "./acts.ts"
import { sandboxCast } from "./world.ts"

/** A card in trouble would wait for a minute. */
const soonMs = 15_000

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a card that waits while Slack refuses the token hangs seconds after it takes it again", async () => {
    const here = await aWorld({ mode })
    here.sandbox.install.refused = "token_revoked"
    const asked = await ask(here)
    await until("the alarm", () => (alarms(here).includes("slack-token-refused") ? true : undefined))
    const failed = () => here.log.filter(({ event }) => event === "present-failed").length
    await until("another try", () => (failed() > 1 ? true : undefined))
    const posts = here.sandbox.busiestMinute("chat.postMessage")

    here.sandbox.install.refused = null
    const open = await until("the card", () => card(here), soonMs)

    expect(posts).toBeLessThanOrEqual(1)
    expect(alarms(here)).toEqual(["slack-token-refused"])
    await press(here, sandboxCast.alice, open, "approve")
    expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  })
})
