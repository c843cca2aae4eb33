// The quickstart for operators, walked from its first command to its last: without Docker, and with it. AgentOS is the
// embedded service, which takes the same JWT.
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished } from "vitest"
import { actionIds } from "../../../src/slack/ids.ts"
import { secret } from "../../service/a-service.ts"
import { card, cardSaying, press, threadSays } from "../../stories/acts.ts"
import { limitMs, sandboxCast } from "../../stories/world.ts"
import { freePort } from "../../support/free-port.ts"
import { testAsRoot } from "../containers/as-root.ts"
import { putDocker } from "../containers/docker-door.ts"
import type { Outside } from "../containers/outside.ts"
import { playStory } from "../story.ts"
import { aReader, type Reader } from "./a-reader.ts"
import type { Said, Terminal } from "./reader.ts"
import { type Walk, walk } from "./walk.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const both = [sandboxCast.alice, sandboxCast.bob]
const approved = { status: "approved", resolved_by: expect.stringMatching(/^(alice|bob)@/) }

/** Presses the button of a test card, and wants the bot's answer. */
async function pressTestCard({ sandbox }: Outside): Promise<void> {
  const { channel, ts } = await cardSaying({ sandbox }, "This is a test card.")
  await sandbox.click(sandboxCast.alice, { channel, ts }, actionIds.test)
  const look = () => sandbox.ephemerals(sandboxCast.alice).find(({ text }) => text.includes("Your press arrived."))
  await sandbox.waitFor(look, { limitMs, what: "the answer to the press on the test card" })
}

/**
 * Starts a run by the page's own block, approves its card, and sees the run go on. Gives back what was given.
 */
async function seeRunGoOn({ sandbox, service }: Outside, start: () => Promise<Said>): Promise<Said> {
  const ran = service.executions().length
  const said = await start()
  expect(said, said.err).toMatchObject({ code: 0, out: expect.stringContaining('"PAUSED"') })
  const open = await card({ sandbox }, "Approval needed")
  for (const person of both) await press({ sandbox }, person, open, "approve")
  await threadSays({ sandbox }, open, "The run is completed")
  expect(service.executions()[ran]).toMatchObject({ toolName: "delete_user_data" })
  return said
}

/** Sections 1 to 5. Gives back how the run was started. */
async function withoutDocker(page: Walk, { here, openTerminal }: Reader, rest: Terminal): Promise<Said> {
  const first = openTerminal()
  first.save("agentos.secret", `${secret}\n`)
  page.moveTo(first)
  const gate = await page.start("token mint --algorithm HS256", /listening on/)
  page.moveTo(rest)
  page.save("url: http://127.0.0.1:", "countersign.yaml")
  expect((await page.give("run --dry-run")).out).toContain("0 pending at 1 instances")
  const bot = await page.start("countersign -- run", /"started"/)
  await page.give("doctor --test-card")
  await pressTestCard(here)
  const said = await seeRunGoOn(here, () => page.give("/agents/admin-agent/runs"))
  expect([(await bot.end()).code, (await gate.end()).code]).toEqual([0, 0])
  return said
}

/** The last section. */
async function withDocker(page: Walk, { here, env }: Reader, rest: Terminal, startRun: string): Promise<void> {
  page.save("url: http://gate:", "config/countersign.yaml")
  page.save("COUNTERSIGN_CONFIG=", ".env")
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
  rest.save(".env", `${rest.read(".env")}${lines.join("")}`)
  await page.give("gate.env")
  await page.give("docker compose up --detach --wait redis gate")
  await page.give("docker compose run --rm bot doctor")
  await pressTestCard(here)
  await seeRunGoOn(here, () => rest.give(startRun))
  expect(here.engine.container("bot")?.out()).not.toContain('"alarm"')
  expect((await here.engine.container("bot")?.exec(["/usr/bin/env"]))?.out).not.toContain("SERVICE_UPSTREAM")
}

/** The page's way to a new JWT. */
async function withNewJwt({ here, openTerminal }: Reader, rest: Terminal): Promise<void> {
  const old = here.engine.container("gate")
  const mint = "countersign -- token mint --algorithm HS256 --key-file agentos.secret --expires-in-seconds 7776000"
  const scopes = "--scope approvals:read --scope approvals:write"
  const made = await openTerminal().give(`npm run --silent ${mint} ${scopes}`)
  rest.save("gate.env", rest.read("gate.env").replace(/TOKEN=.*/, `TOKEN=${made.out.trim()}`))

  expect(await rest.give("docker compose up --detach --wait redis gate")).toMatchObject({ code: 0 })

  expect(here.engine.container("gate")).not.toBe(old)
  expect((await playStory(here, "U-2", both)).row).toMatchObject(approved)
}

testAsRoot(
  "the quickstart for operators leads to a run that goes on behind a gate, by Node and then by Docker",
  async () => {
    const reader = await aReader()
    const { here, clone, own } = reader
    symlinkSync(join(root, "dist"), join(clone.folder, "dist"))
    onTestFinished(await putDocker(here.docker, clone.bin))
    // In a container the gate has a port 7780 of its own.
    let gatePort = String(await freePort())
    let platform = here.service.url
    const rest = reader.openTerminal()
    const page = walk("docs/quickstart-operators.md", rest, () => [
      ...own,
      ["https://agents.example.com", platform],
      ["7780", gatePort],
      ["COUNTERSIGN_KEY=…", `COUNTERSIGN_KEY=${"0123456789abcdef".repeat(4)}`],
    ])

    const { given } = await withoutDocker(page, reader, rest)
    platform = await here.platformFor("countersign_default")
    gatePort = "7780"
    await withDocker(page, reader, rest, given)
    page.end()
    await withNewJwt(reader, rest)
  },
)
