// Workflows, with the embedded service: cards name workflow and step, and the bot continues what was decided.
import { expect, test } from "vitest"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { alarms, card, press, settled, startRun, threadSays, until, viewSays, wordsOf } from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

const gated = (name: string) => ({ name, gated: true })

const script: ScriptInput = {
  agents: [
    {
      id: "cleaner",
      tools: [gated("delete_rows"), { name: "look_up" }],
      runs: [
        { name: "look", turns: [[{ tool: "look_up", args: { id: 7 } }]], answer: "Seen." },
        { name: "clean", turns: [[{ tool: "delete_rows", args: { table: "old" } }]], answer: "Clean." },
      ],
    },
  ],
  teams: [{ id: "crew", members: ["cleaner"], runs: [{ turns: [[{ member: "cleaner", task: "clean" }]] }] }],
  workflows: [
    {
      id: "month-end",
      name: "Month End",
      steps: [
        { name: "look", agent: "cleaner", task: "look" },
        { name: "clean up", agent: "cleaner", task: "clean" },
        { name: "publish", function: gated("publish_report"), args: { month: "2026-07" } },
      ],
    },
    { id: "by-crew", steps: [{ name: "crew's turn", team: "crew" }] },
  ],
}

const ran = (here: World) => here.service.executions().map((one) => one.toolName)

/** A workflow's run as its routes show it. */
async function started(here: World, id: string) {
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const { run_id: run } = (await (await startRun(here, `workflows/${id}`)).json()) as { run_id: string }
  return async () => {
    const answer = await fetch(`${here.service.url}/workflows/${id}/runs/${run}`, { headers })
    return (await answer.json()) as { readonly status: string; readonly content?: string }
  }
}

test("a workflow's cards name it and its step, and it goes on after each decision to its end", async () => {
  const here = await aWorld({ script, resume: "decided" })
  const read = await started(here, "month-end")

  const first = await card(here, "delete_rows Workflow: Month End, step clean up")
  expect(first.words).not.toContain("Your decision is not binding")
  await press(here, sandboxCast.alice, first, "approve")
  await threadSays(here, first, "has paused again: its next approval is asked for")
  const second = await card(here, "“Month End” publish_report Workflow: Month End, step publish")
  await press(here, sandboxCast.bob, second, "approve")
  await threadSays(here, second, "is completed")

  expect(await read()).toMatchObject({ status: "COMPLETED" })
  expect(ran(here)).toEqual(["look_up", "delete_rows", "publish_report"])
  expect(alarms(here)).toEqual([])
})

test("a rejected function step cancels its workflow, and the card says so", async () => {
  const here = await aWorld({ script, resume: "decided" })
  const read = await started(here, "month-end")
  await press(here, sandboxCast.alice, await card(here, "delete_rows"), "reject")
  const second = await card(here, "publish_report")

  await press(here, sandboxCast.bob, second, "reject")

  await threadSays(here, second, "The run was cancelled")
  expect(await read()).toMatchObject({ status: "CANCELLED" })
  expect(ran(here)).toEqual(["look_up"])
})

test("a workflow's step that a team carries out by a member is continued through the workflow", async () => {
  const here = await aWorld({ script, resume: "decided" })
  const read = await started(here, "by-crew")
  const open = await card(here, "delete_rows Workflow: by-crew, step crew's turn")

  await press(here, sandboxCast.alice, open, "approve")

  await threadSays(here, open, "is completed")
  expect(await read()).toMatchObject({ status: "COMPLETED" })
  expect(ran(here)).toEqual(["delete_rows"])
})

test("a workflow that was cancelled while its step waited: the card closes, and nothing runs", async () => {
  const here = await aWorld({ script, resume: "decided" })
  const headers = { authorization: `Bearer ${here.env["RESUME_TOKEN"]}` }
  const { run_id: run } = (await (await startRun(here, "workflows/month-end")).json()) as { run_id: string }
  await card(here, "delete_rows")

  await fetch(`${here.service.url}/workflows/month-end/runs/${run}/cancel`, { method: "POST", headers })

  await settled(here, "Cancelled")
  expect(ran(here)).toEqual(["look_up"])
})

test("a list finds what waits of a workflow by its id and by its name, and Details names both", async () => {
  const here = await aWorld({ script, resume: "decided" })
  await started(here, "month-end")
  await started(here, "by-crew")
  const open = await card(here, "Month End, step clean up")
  await card(here, "Workflow: by-crew")
  const listed = async (workflow: string) => {
    const before = here.sandbox.ephemerals(sandboxCast.alice).length
    await here.sandbox.command(sandboxCast.alice, sandboxCast.general, `/approvals count workflow:${workflow}`)
    return until("the count", () => {
      const answer = here.sandbox.ephemerals(sandboxCast.alice)[before]
      return answer === undefined ? undefined : `${answer.text} ${wordsOf(answer.blocks)}`
    })
  }

  expect(await listed("month-end")).toContain("1 waiting")
  expect(await listed("Month*")).toContain("1 waiting")
  expect(await listed("by-*")).toContain("1 waiting")
  expect(await listed("other")).toMatch(/nothing|0 waiting/i)
  await here.sandbox.click(sandboxCast.alice, open, actionIds.details)
  expect(await viewSays(here, sandboxCast.alice, "Workflow")).toContain("Month End (month-end), step clean up")
})
