// A credential in a file that the platform refuses and that is replaced: people hear that it was not their press, and
// nothing is done twice.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { aFolder } from "../support/opened.ts"
import { aWorld } from "./a-world.ts"
import {
  alarms,
  announced,
  ask,
  card,
  cardSaying,
  decided,
  ledgerOf,
  placed,
  press,
  record,
  resolves,
  settled,
  told,
  until,
} from "./acts.ts"
import { sandboxCast, type World } from "./world.ts"

/** Where a credential lies. */
async function aTokenFile(token: string): Promise<string> {
  const folder = aFolder("token")
  const path = join(folder, "platform-token")
  await writeFile(path, `${token}\n`)
  return path
}

function aToken(here: World, name: string): string {
  return here.service.mintServiceAccount({ name, scopes: ["approvals:read", "approvals:write"] })
}

it("what the platform refuses is used no more once another one lies in the file; nothing else changes", async () => {
  const path = await aTokenFile("a-token-that-was-revoked")
  const here = await aWorld({ tokenFile: path })
  await until("the alarm", () => (alarms(here).includes("token-refused") ? true : undefined))
  const asked = await ask(here)

  const second = aToken(here, "second")
  await writeFile(path, `${second}\n`)
  await press(here, sandboxCast.alice, await card(here), "approve")

  expect(await decided(here, asked.id)).toMatchObject({ status: "approved" })
  await settled(here, "Approved")
  expect((await ledgerOf(here)).filter(({ kind }) => kind === "activated")).toHaveLength(1)
  expect(JSON.stringify(here.log)).not.toContain(second)
  expect(alarms(here)).toEqual(["token-refused"])
})

describe.each(["socket", "http"] as const)("in %s mode, who presses while our own credential is refused", (mode) => {
  /** An approval with its card; the platform took our token so far. */
  async function anOpenCard() {
    const path = await aTokenFile("not minted yet")
    const here = await aWorld({ mode, tokenFile: path })
    const good = aToken(here, "good")
    await writeFile(path, good)
    const { asked, open } = await announced(here)
    await placed(here)
    return { here, path, good, asked, open }
  }

  it("is told so, and the press is carried out once the token is replaced", async () => {
    const { here, path, good, asked, open } = await anOpenCard()
    const failed = () => here.log.filter(({ event }) => event === "step-failed").length
    const before = failed()
    await writeFile(path, "a-token-that-was-revoked")
    await until("a poll to fail", () => (failed() > before ? true : undefined))

    await press(here, sandboxCast.alice, open, "approve")
    await told(here, sandboxCast.alice, "Your press was fine")
    expect((await record(here, asked.id)).status).toBe("pending")
    await writeFile(path, good)

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "Approved")
    expect(resolves(here)).toBe(1)
  })

  it("is told that the vote counts where only the verdict was refused, and it is sent once it is taken", async () => {
    const { here, asked, open } = await anOpenCard()
    const fault = { kind: "answer", status: 401, body: { detail: "Invalid token: Token has expired" } } as const
    const mend = here.proxy.fail({ method: "POST", path: /\/resolve$/, fault })

    await press(here, sandboxCast.alice, open, "approve")
    await told(here, sandboxCast.alice, "Your vote counts. Your press was fine")
    await cardSaying(here, "refuses Countersign's own credential")
    expect((await record(here, asked.id)).status).toBe("pending")
    mend()

    expect(await decided(here, asked.id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
    await settled(here, "Approved")
    expect(here.sandbox.messages(sandboxCast.approvals)).toHaveLength(1)
  })
})
