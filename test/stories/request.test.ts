// The request that started a run, quoted in Details: with the embedded service, from the run's start to the vote.
import { expect, it } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { card, decided, operate, startRun, viewSays } from "./acts.ts"
import { plainRule, sandboxCast, type World } from "./world.ts"

const script = {
  agents: [
    {
      id: "admin-agent",
      tools: [{ name: "delete_user_data", gated: true }],
      runs: [{ name: "go", turns: [[{ tool: "delete_user_data", args: { user_id: "U-100" } }]], answer: "Done." }],
    },
  ],
}
const rules = `${plainRule}\n    context: request`
const QUOTED = "The request that started the run"

/** Details of the card of a run that was started with "go". */
async function opened(here: World): Promise<string> {
  await startRun(here, "agents/admin-agent")
  await here.sandbox.click(sandboxCast.alice, await card(here), actionIds.details)
  return viewSays(here, sandboxCast.alice, QUOTED)
}

it("Details quote what started the run, beside what is approved, and the vote is about the call alone", async () => {
  const here = await aWorld({ rules, script, resume: "decided", scopes: ["sessions:read"] })

  const said = await opened(here)
  await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", actionIds.approve)

  expect(said).toContain(`${QUOTED}  · not part of what is approved go`)
  const { body } = await operate(here, "GET /approvals")
  const [row] = (body as { data: readonly { id: string }[] }).data
  expect(await decided(here, row?.id ?? "")).toMatchObject({ status: "approved" })
})

it("a credential without sessions:read: Details say so, and open all the same", async () => {
  const here = await aWorld({ rules, script, resume: "decided" })

  const said = await opened(here)

  expect(said).toContain("not quoted, since Countersign's credential may not read sessions there (scope sessions:read)")
  expect(said).toContain("You may approve this")
})
