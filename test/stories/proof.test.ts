// Proof and privacy in a running bot: the receipt behind a settled card, checkpoints in an audit channel, the end of
// settled cases.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { createLog } from "../../src/log.ts"
import { readAnchors } from "../../src/proof/anchors.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { command } from "../cli/command.ts"
import { redisByAddress, testRedisUrl } from "../support/redis.ts"
import { aWorld } from "./a-world.ts"
import { alarms, ask, card, decided, ledgerOf, press, settled, until, viewSays, wordsOf } from "./acts.ts"
import { sandboxCast, startTestBot, type World } from "./world.ts"

/** An approval that Alice approved; its settled card. */
async function approved(here: World) {
  const asked = await ask(here)
  await press(here, sandboxCast.alice, await card(here), "approve")
  const row = await decided(here, asked.id)
  // Until then a card that says "Deciding" may be on its way to Slack, and take the button away once more.
  await until("the case to be closed", () => here.log.find((line) => line["kind"] === "closed"))
  const hangs = await until("the receipt's button", async () => {
    const seen = await settled(here, "delete_user_data Approved")
    return seen.buttons.includes(actionIds.receipt) ? seen : undefined
  })
  return { row, place: { channel: hangs.channel, ts: hangs.ts } }
}

it("shows the receipt that the platform got to those who may see the case, and to nobody else", async () => {
  const here = await aWorld()
  const { row, place } = await approved(here)

  await here.sandbox.click(sandboxCast.rita, place, actionIds.receipt)
  const opened = await viewSays(here, sandboxCast.rita, "✓ Verified")
  const view = here.sandbox.openView(sandboxCast.rita)?.id ?? ""
  await here.sandbox.click(sandboxCast.rita, view, actionIds.receiptText)
  const shown = await viewSays(here, sandboxCast.rita, "countersign receipt verify")
  await here.sandbox.click(sandboxCast.gus, place, actionIds.receipt)
  await viewSays(here, sandboxCast.gus, "Guests cannot open this")

  const data = row["resolution_data"] as { countersign: { receipt: string; decision_id: string } }
  const pieces = data.countersign.receipt.match(/.{1,500}/g) ?? []
  expect(pieces.filter((piece) => !shown.replaceAll(" ", "").includes(piece.slice(0, 40)))).toEqual([])
  expect(opened).toContain("delete_user_data")
  expect(opened).not.toContain(pieces[0]?.slice(0, 40))
  expect(shown).toContain("alice@sandbox.example")
  expect(shown).toContain(data.countersign.decision_id)
  expect(alarms(here)).not.toContain("receipt-broken")
})

it("R14 does not show a receipt that somebody put in its place in Redis", async () => {
  const here = await aWorld()
  const { row, place } = await approved(here)
  const { decision_id: decision } = (row["resolution_data"] as { countersign: { decision_id: string } }).countersign
  const key = createKeys(here.installation).receipt(decision)
  await inRedis((redis) => redis.hset(key, "sealed", "a.b.c"))

  await here.sandbox.click(sandboxCast.alice, place, actionIds.receipt)

  await viewSays(here, sandboxCast.alice, "was not signed by us")
  expect(alarms(here)).toContain("receipt-broken")
})

it("posts each checkpoint to the audit channel, as an anchor that verifies", async () => {
  const redisUrl = await redisByAddress()
  const more = `ledger: {checkpoint_every: 1s, checkpoint_file: none, audit_channel: ${sandboxCast.payments}}`
  const here = await aWorld({ redisUrl, more })
  await approved(here)
  const kinds = (await ledgerOf(here, redisUrl)).map((event) => event["kind"])

  const lines = () =>
    here.sandbox.messages(sandboxCast.payments).flatMap(({ text, blocks }) => [...text.split("\n"), wordsOf(blocks)])
  const anchors = async () => {
    const keys = readKeySet(await (await fetch(`${here.bot.url}/.well-known/jwks.json`)).text(), "test")
    const text = lines().filter((line) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(line))
    return readAnchors(text.join("\n"), keys)
  }
  const last = await until("a checkpoint over the decision", async () => {
    const found = (await anchors()).at(-1)
    return found !== undefined && found.size >= kinds.length ? found : undefined
  })

  expect(last.installation).toBe(here.installation)
  expect(lines().join(" ")).toContain("Ledger checkpoint: the first")
  expect(alarms(here)).not.toContain("checkpoint-not-kept")
  await writeFile(join(here.folder, "countersign.yaml"), here.yaml)
  const env = { ...here.env, REDIS_URL: redisUrl }
  const verified = await command(["ledger", "verify"], { env, cwd: here.folder }).ended
  expect(verified).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/\d+ checkpoints vouch for the first \d+/),
  })
})

it("says so when the audit channel takes no checkpoint, and keeps the others coming", async () => {
  const here = await aWorld({ more: "ledger: {checkpoint_every: 1s, audit_channel: C0NOWHERE}" })
  await approved(here)

  await until("the alarm", () => (alarms(here).includes("checkpoint-not-kept") ? true : undefined))

  expect(here.log.filter(({ event }) => event === "ledger-checkpoint").length).toBeGreaterThan(0)
})

it("removes what settled longer ago than retention says, and says what", async () => {
  const here = await aWorld({ more: "retention: 1d" })
  const { row } = await approved(here)
  const caseId = caseIdOf(here.installation, "main", row.id)
  const removed = () => here.log.find(({ event }) => event === "case-removed")
  await until("the case to be closed", async () =>
    (await ledgerOf(here)).some(({ kind }) => kind === "closed") ? true : undefined,
  )
  expect(removed()).toBeUndefined()

  await here.bot.close()
  const { env, yaml } = here
  const log: Record<string, unknown>[] = []
  const clock = () => Date.now() + 2 * 86_400_000
  const later = await startTestBot({ env, yaml, log, redisUrl: testRedisUrl(), clock })
  const line = await until("the case to be removed", () => log.find(({ event }) => event === "case-removed"))
  await later.close()

  expect(line).toMatchObject({ caseId, approval: row.id, instance: "main", receipts: 1 })
  expect((await ledgerOf(here)).at(-1)).toMatchObject({ kind: "removed", approval: row.id })
})

async function inRedis(act: (redis: Awaited<ReturnType<typeof connectRedis>>["commands"]) => Promise<unknown>) {
  const log = createLog({ write: () => undefined, clock: Date.now, level: "error", secrets: [] })
  const connection = await connectRedis({ url: testRedisUrl(), installation: "default", log })
  try {
    await act(connection.commands)
  } finally {
    await connection.close()
  }
}
