// Runs that began in a thread of Slack: the card links to it, and it is told two lines.
import { describe, expect, it } from "vitest"
import { aWorld } from "./a-world.ts"
import { ask, cardSaying, decided, press, settled } from "./acts.ts"
import { limitMs, sandboxCast } from "./world.ts"

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("a run that began in a thread: its card links there, and the thread hears that people are asked and how it ended", async () => {
    const here = await aWorld({ mode })
    const { general } = sandboxCast
    const root = {
      ts: "1700000000.000100",
      channelId: general,
      authorId: sandboxCast.rita,
      threadTs: undefined,
      broadcast: false,
      editedTs: undefined,
      text: "please delete U-100",
      blocks: [],
      metadata: undefined,
    }
    here.sandbox.workspace.messages.add(root)
    const asked = await ask(here, { session_id: `admin-agent:${general}:${root.ts}` })
    const said = () => here.sandbox.thread(general, root.ts).map(({ text }) => text)
    await here.sandbox.waitFor(() => said().length === 1 || undefined, { limitMs, what: "a line in the thread" })

    await press(here, sandboxCast.alice, await cardSaying(here, "|a thread>"), "approve")
    await decided(here, asked.id)
    await settled(here, "Approved")
    await here.sandbox.waitFor(() => said().length === 2 || undefined, { limitMs, what: "the end in the thread" })

    expect(said()).toEqual([
      "This run waits for an approval of delete_user_data. Those who may decide were asked",
      "✓ Approved by Alice · delete_user_data",
    ])
  })
})
