// The README, walked from its first command to its last: the demo, the way into a workspace, and the installed command.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { playStory } from "../story.ts"
import { aReader } from "./a-reader.ts"
import { openTerminal } from "./reader.ts"
import { walk } from "./walk.ts"

test("the README leads to a demo, to a bot in a workspace, and to a command that runs without the clone", async () => {
  const reader = await aReader()
  const { here, clone, own } = reader
  const prefix = join(clone.bin, "..", "global")
  const scopes = ["approvals:read", "approvals:write"]
  const token = here.service.mintServiceAccount({ name: "countersign", scopes })
  const terminal = reader.openTerminal({ npm_config_prefix: prefix })
  const page = walk("README.md", terminal, () => [
    ["https://agents.example.com  PLATFORM_TOKEN=…", `${here.service.url}  PLATFORM_TOKEN=${token}`],
    ...own,
  ])

  page.pass("──▶")
  const demo = await page.start("npm run demo", /http:\/\/127\.0\.0\.1:\d+\/\?token=/)
  const ended = await demo.end()
  const once = await page.give("npm run demo -- --once")
  page.pass("npm test")
  const doctor = await page.give("countersign -- doctor")
  const bot = await page.start("countersign -- run", /"started"/)
  const { row } = await playStory(here, "U-1")
  const stopped = await bot.end()
  await page.give("npm install --global")
  page.pass("name: payments")
  page.pass("remind_after")
  page.end()

  expect([ended.code, stopped.code]).toEqual([0, 0])
  expect(once.out).toMatch(/Ledger verified: \d+ entries/)
  expect(doctor.out).toMatch(/0 errors/)
  expect(row).toMatchObject({ status: "approved", resolved_by: "bob@sandbox.example" })

  const empty = join(clone.bin, "..", "empty")
  mkdirSync(empty)
  const elsewhere = openTerminal(empty, { ...process.env, PATH: `${join(prefix, "bin")}:${process.env["PATH"]}` })
  expect((await elsewhere.give("countersign help")).out).toContain("Usage: countersign")
  expect((await elsewhere.give("countersign demo --once")).out).toMatch(/Ledger verified: \d+ entries/)
})
