// The quickstart for agent developers, walked from its first command to its last: its agent in the real AgentOS, its
// config, its run, its gate. Only the model is another one, ports, the channel and the approver.
import { copyFileSync, existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { actionIds } from "../../src/slack/ids.ts"
import { aReader, type Reader } from "../package/pages/a-reader.ts"
import { blocksOf } from "../package/pages/blocks.ts"
import type { Staying } from "../package/pages/reader.ts"
import { type Replaced, walk } from "../package/pages/walk.ts"
import { until } from "../stories/acts.ts"
import { limitMs, sandboxCast } from "../stories/world.ts"
import { freePort } from "../support/free-port.ts"
import { pythonWith } from "../tools/agentos.mjs"
import { gatePackage, isAtLeast, VERSIONS } from "./agentos.ts"

const page = "docs/quickstart-agents.md"
const script = `[[call("refund_payment", invoice="INV-2041", amount=129.9, currency="EUR")], "It is refunded."]`
const uvicorn = /Uvicorn running/

/** What the page's second program adds, an import and a decorator, and what the first program has in their place. */
function gated(program: string): string {
  const [, { text } = { text: "" }] = blocksOf(page).filter(({ language }) => language === "python")
  const [added = "", decorated = ""] = text.split("\n\n\n")
  const tool = "from agno.tools import tool\n"
  expect(program).toContain(decorated.replace("@countersigned\n", ""))
  return program.replace(tool, `${tool}${added}\n`).replace(decorated.replace("@countersigned\n", ""), decorated)
}

/** What doctor warns of, in order. */
function warningsIn(report: string): readonly string[] {
  return [...report.matchAll(/^warn +[^:]+: (.*)$/gm)].map(([, what = ""]) => what).sort()
}

/** What the page says that doctor warns of, on that version. */
function announcedWarnings(version: string): readonly string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8")
  const rows = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, what = ""]) => what)
  return rows.map((what) => what.replace("3.1.10", version)).sort()
}

/** Approves the card of a run, and waits until AgentOS has brought the run to its end. */
async function approveRun({ here }: Reader, asked: string, url: string): Promise<unknown> {
  const run = JSON.parse(asked.slice(asked.indexOf("{"))) as { readonly status: string; readonly run_id: string }
  expect(run.status).toBe("PAUSED")
  const cards = () => here.sandbox.messages(sandboxCast.approvals).filter(({ text }) => text.includes("refund_payment"))
  const waiting = () => cards().find(({ blocks }) => JSON.stringify(blocks).includes(actionIds.approve))
  const { ts } = await here.sandbox.waitFor(waiting, { limitMs, what: "the card" })
  await here.sandbox.click(sandboxCast.alice, { channel: sandboxCast.approvals, ts }, actionIds.approve)
  return until("the end of the run", async () => {
    const answer = await fetch(`${url}/approvals?run_id=${run.run_id}`)
    const { data } = (await answer.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }
    return data[0]?.["run_status"] === "COMPLETED" ? data[0] : undefined
  })
}

/** It ends with the test, whatever became of that. */
function untilTheEnd(running: Staying): Staying {
  onTestFinished(async () => void (await running.end()))
  return running
}

describe.each(VERSIONS)("AgentOS %s", (version) => {
  test("the quickstart's agent asks in Slack, Alice approves, and the run goes on to its end; with the gate, too", async () => {
    const reader = await aReader()
    // The sandbox grants one scope more than the manifest asks for.
    reader.here.sandbox.scopes.delete("im:read")
    const [port, python] = [String(await freePort()), dirname(pythonWith(version, process.env))]
    const url = `http://127.0.0.1:${port}`
    const replaced: Replaced = [
      ["from agno.models.openai import OpenAIChat", "from scripted import ScriptedModel, call"],
      ['OpenAIChat(id="gpt-5-mini")', `ScriptedModel(${script})`],
      ["7777", port],
      ...reader.own,
    ]
    const variables = { PYTHONPATH: gatePackage, AGNO_TELEMETRY: "false", PYTHONUNBUFFERED: "1" }
    const agents = reader.openTerminal(variables, python)
    const bots = reader.openTerminal()
    const third = reader.openTerminal()
    copyFileSync(new URL("testbed/scripted.py", import.meta.url), join(reader.clone.folder, "scripted.py"))
    const walked = walk(page, agents, () => replaced)

    walked.pass("pip install agno")
    walked.save("from agno.agent import Agent", "app.py")
    const program = untilTheEnd(await walked.start("python app.py", uvicorn))
    walked.moveTo(bots)
    walked.save("resume: decided", "countersign.yaml")
    const bot = untilTheEnd(await walked.start("countersign -- run", /"started"/))
    const announced = announcedWarnings(version)
    // Before 3.1 doctor warns of a list that is empty, too.
    expect(warningsIn(bot.out())).toEqual(
      isAtLeast(version, "3.1.0") ? [...announced] : expect.arrayContaining([...announced]),
    )
    walked.moveTo(third)
    const asked = await walked.give("curl")
    const row = await approveRun(reader, asked.out, url)
    walked.pass("pip install ./integrations/agno")
    walked.pass("@countersigned")
    await program.end()
    agents.save("app.py", gated(agents.read("app.py")))
    walked.moveTo(reader.openTerminal({ ...variables, ...slackTokens(reader) }, python))
    untilTheEnd(await walked.start("keys export", uvicorn))
    walked.end()
    const again = await third.give(asked.given)
    const gatedRow = await approveRun(reader, again.out, url)

    const settled = { status: "approved", resolved_by: "alice@sandbox.example", tool_name: "refund_payment" }
    expect([row, gatedRow]).toMatchObject([settled, settled])
    expect(existsSync(join(reader.clone.folder, "marks.db")), "the gate marks the call").toBe(true)
  })
})

/** What the page exports before the bot, for a terminal beside it. */
function slackTokens({ here }: Reader): Readonly<Record<string, string>> {
  return { SLACK_BOT_TOKEN: here.sandbox.tokens.bot, SLACK_APP_TOKEN: here.sandbox.tokens.app }
}
