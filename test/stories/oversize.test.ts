// An agent asks for more than anybody can read: its card says so, and nobody else has to wait.
import { describe, expect, it, test } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, cards, decided, press, type Seen, until, viewSays } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

/** Lists in lists. */
const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)])

/** What stops a reader, each by another way: nesting, names, a long list, a long text. */
const shapes: Readonly<Record<string, () => unknown>> = {
  "2,000 lists that are nested 150 deep": () => Array.from({ length: 2_000 }, () => nested(149)),
  "an object of 60,000 names": () => Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`name-${at}`, at])),
  "a list of 130,000 numbers": () => Array.from({ length: 130_000 }, () => 1),
  "a text of 1.2 MB": () => "x".repeat(1_200_000),
}

/** How long the platform may take to answer, in ms: here it works on large rows in the process of the bot. */
const slowMs = 30_000

/**
 * Presses as people do: again, if Slack says that the app did not answer and the card still asks. The process of these
 * tests judges each answer of the platform, too, and may be late where others work beside it.
 */
function pressAgain(world: World, on: Seen, verb: "approve" | "reject"): Promise<true> {
  return until(`a press of ${verb} to be taken`, async () => {
    const now = cards(world, "").find(({ ts }) => ts === on.ts)
    if (now?.buttons.includes(actionIds[verb]) !== true) return true
    const { ok } = await press(world, sandboxCast.alice, on, verb)
    return ok ? true : undefined
  })
}

describe("R20 a row that is too large to show", () => {
  it.each(Object.keys(shapes))("is one card that cannot be approved and says why: %s", async (name) => {
    const here = await aWorld({ timeoutMs: slowMs })
    const large = await ask(here, { tool_name: "import_rows", tool_args: { rows: shapes[name]?.() } })
    const honest = await ask(here)

    await pressAgain(here, await card(here), "approve")
    expect(await decided(here, honest.id)).toMatchObject({ status: "approved" })

    const shown = await card(here, "import_rows")
    expect(shown.words).toContain("Cannot be approved")
    expect(shown.words).toMatch(/It is too large to show, with [\d,]+ characters in [\d,]+ values\./)
    expect(shown.buttons).not.toContain(actionIds.approve)
    await pressAgain(here, shown, "reject")
    expect(await decided(here, large.id)).toMatchObject({ status: "rejected" })
    expect(alarms(here)).toEqual([])
  })
})

test("its Details say the same", async () => {
  const here = await aWorld({ timeoutMs: slowMs })
  await ask(here, { tool_name: "import_rows", tool_args: { rows: shapes["a list of 130,000 numbers"]?.() } })
  const { channel, ts } = await card(here, "import_rows")

  await here.sandbox.click(sandboxCast.alice, { channel, ts }, actionIds.details)

  expect(await viewSays(here, sandboxCast.alice, "import_rows")).toContain("its arguments are too large to show")
})
