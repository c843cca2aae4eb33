// The doctor's test card: it shows that cards arrive and presses come back, and nothing that is pressed on it counts.
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { diagnose } from "../../src/cli/doctor/doctor.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { announcedWorld, aWorld } from "./a-world.ts"
import { ask, card, cardSaying, decided, ledgerOf, onScreen, placed, press, record, resolves, told } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

/** As `countersign doctor --test-card` where the bot of a world runs. */
async function tested(here: World, testCard: string | true) {
  const places = { env: here.env, readFile: () => here.yaml, cwd: here.folder, clock: Date.now, random: randomBytes }
  const findings = await diagnose({ ...places, testCard })
  return findings.filter(({ area }) => area.startsWith("test card"))
}

async function votesIn(here: World): Promise<number> {
  const entries = await ledgerOf(here)
  return entries.filter(({ kind }) => kind === "voted" || kind === "decided").length
}

describe.each(["socket", "http"] as const)("the test card in %s mode", (mode) => {
  it("a test card is posted to the first route, its press is answered, and decides nothing", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here)
    await card(here)
    await placed(here)

    const findings = await tested(here, true)
    // The doctor asks about an approval that is not there.
    const before = resolves(here)
    const test = await cardSaying(here, "This is a test card.")
    await here.sandbox.click(sandboxCast.alice, { channel: test.channel, ts: test.ts }, actionIds.test)

    expect(findings).toEqual([{ level: "ok", area: "test card C0APPROVALS", what: expect.stringContaining("posted") }])
    expect(test.buttons).toEqual([actionIds.test])
    await told(here, sandboxCast.alice, "Your press arrived. It was on a test card: nothing was decided.")
    expect(await votesIn(here)).toBe(0)
    expect(resolves(here)).toBe(before)
    expect((await record(here, asked.id)).status).toBe("pending")
  })

  it("R18: the buttons of a real card, pressed on the test card by who may decide, decide nothing", async () => {
    const { here, asked, open } = await announcedWorld({ mode })
    await placed(here)
    await tested(here, sandboxCast.approvals)
    const before = resolves(here)
    const test = await cardSaying(here, "This is a test card.")
    const forged = { ...onScreen(here, test.ts), blocks: onScreen(here, open.ts).blocks }

    await here.sandbox.click(sandboxCast.alice, { channel: test.channel, ts: test.ts }, actionIds.approve, {
      seen: forged,
    })

    await told(here, sandboxCast.alice, "card")
    expect(await votesIn(here)).toBe(0)
    expect(resolves(here)).toBe(before)
    // The same press where it belongs counts, so that nothing else stood in its way.
    await press(here, sandboxCast.alice, open, "approve")
    expect((await decided(here, asked.id)).status).toBe("approved")
    expect(resolves(here)).toBe(before + 1)
  })
})

it("a test card goes to a person too, and says what Slack says where it cannot be posted", async () => {
  const here = await aWorld()

  const [toPerson] = await tested(here, sandboxCast.alice)
  const [nowhere] = await tested(here, "C0NOWHERE")

  expect(toPerson).toMatchObject({ level: "ok", area: `test card ${sandboxCast.alice}` })
  expect(nowhere).toMatchObject({ level: "fail", what: expect.stringContaining("channel_not_found") })
})
