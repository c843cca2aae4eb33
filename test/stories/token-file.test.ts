// A credential in a file: it is replaced while the bot runs, which is neither a restart nor another config.
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, decided, ledgerOf, press, settled, until } from "./acts.ts"
import { CAST } from "./world.ts"

/** Where a credential lies. */
async function aTokenFile(token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-token-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, "platform-token")
  await writeFile(path, `${token}\n`)
  return path
}

it("what the platform refuses is used no more once another one lies in the file; nothing else changes", async () => {
  const path = await aTokenFile("a-token-that-was-revoked")
  const here = await aWorld({ tokenFile: path })
  await until("the alarm", () => (alarms(here).includes("token-refused") ? true : undefined))
  const asked = await ask(here)

  const second = here.service.mintServiceAccount({ name: "second", scopes: ["approvals:read", "approvals:write"] })
  await writeFile(path, `${second}\n`)
  await press(here, CAST.alice, await card(here), "approve")

  expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  await settled(here, "Approved")
  expect((await ledgerOf(here)).filter(({ kind }) => kind === "activated")).toHaveLength(1)
  expect(JSON.stringify(here.log)).not.toContain(second)
  expect(alarms(here)).toEqual(["token-refused"])
})
