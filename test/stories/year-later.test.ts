// A year later: bot, platform and Redis are gone, and what is left tells the whole of a case. The ledger's export, the
// thread, the receipt.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { rulesSchema } from "../../src/config.ts"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { readAnchors } from "../../src/proof/anchors.ts"
import { verifyReceipt } from "../../src/proof/receipt.ts"
import { readKeySet, type SigningKeySet } from "../../src/proof/signed.ts"
import type { OpenedEntry } from "../../src/store/ledger/opened-entries.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createStore } from "../../src/store/store.ts"
import { startOwnRedis } from "../support/redis.ts"
import { ask, card, cardSaying, decided, giveReason, placed, press, settled, threadSays, until } from "./acts.ts"
import { sandboxCast, startWorld, type World } from "./world.ts"

const rule = `
  - name: two-eyes
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}]
    unknown_requester: allow
    quorum: 2
    require_reason: approve`

/** What an auditor was given when the case was young: the export of the ledger, and the public keys. */
interface Archive {
  readonly entries: readonly OpenedEntry[]
  readonly keys: SigningKeySet
  readonly problem: unknown
}

async function archive(here: World, redisUrl: string): Promise<Archive> {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const connection = await connectRedis({ url: redisUrl, installation: here.installation, log })
  try {
    const { installation } = here
    const key = Buffer.from(here.env["COUNTERSIGN_KEY"] ?? "")
    const seal = createSeal({ key, installation, nonce: () => Buffer.alloc(12) })
    const store = createStore({ connection, installation, seal, rulesSchema, log, sandbox: true, paceMs: 0 })
    const published = await (await fetch(`${here.bot.url}/.well-known/jwks.json`)).text()
    const keys = readKeySet(published, "the key set")
    const file = join(here.folder, "checkpoints.jsonl")
    const anchors = await until("a checkpoint", async () => {
      const found = await readFile(file, "utf8").then(
        (text) => readAnchors(text, keys),
        () => [],
      )
      return found.length > 0 ? found : undefined
    })
    const entries: OpenedEntry[] = []
    for await (const entry of store.entries(0)) entries.push(entry)
    return { entries, keys, problem: (await store.verifyLedger(anchors)).problem }
  } finally {
    await connection.close()
  }
}

async function approve(here: World, person: string, phrase: string, reason: string): Promise<void> {
  await press(here, person, await cardSaying(here, phrase), "approve")
  await giveReason(here, person, reason)
}

test("a year later a case is explained from its ledger, its thread and its receipt alone", async () => {
  const redis = await startOwnRedis()
  const more = "ledger: { checkpoint_every: 1s, checkpoint_entries: 1 }"
  const here = await startWorld({ redisUrl: redis.url, rules: rule, more })
  onTestFinished(async () => {
    await here.close()
    await redis.stop()
  })
  const asked = await ask(here)
  const hangs = await card(here)
  await placed(here)
  await approve(here, sandboxCast.alice, "must approve, nobody has yet", "The customer asked for it in writing")
  await approve(here, sandboxCast.bob, "must approve; 1 has", "Checked against the ticket")
  const record = await decided(here, asked.id)
  await settled(here, "Approved")
  const lines = await threadSays(here, hangs, "resolved by")
  const { entries, keys, problem } = await archive(here, redis.url)
  await here.bot.close()
  await here.service.close()
  await redis.stop()

  // The ledger: what happened, in order, each sealed, none missing up to the last checkpoint.
  expect(problem).toBeNull()
  const events = entries.flatMap(({ entry }) => (entry?.chain.startsWith("case:") ? [entry.event] : []))
  const kinds = events.map((event) => event["kind"])
  expect(kinds.slice(0, 5)).toEqual(["opened", "placed", "voted", "voted", "decided"])
  expect(kinds).toContain("resolved")
  const said = entries
    .flatMap(({ erasable }) => (erasable?.kind === "kept" ? [JSON.stringify(erasable)] : []))
    .join("\n")
  expect(said).toContain("The customer asked for it in writing")
  expect(said).toContain("alice@sandbox.example")

  // The receipt: verified by the public keys alone, it names who, when, under which rule, about which content.
  const data = record["resolution_data"] as { readonly countersign: { readonly receipt: string } }
  const { claims } = await verifyReceipt(data.countersign.receipt, keys)
  const opened = events.find((event) => event["kind"] === "opened")
  expect(claims).toMatchObject({ approval: asked.id, verdict: "approve", digest: opened?.["digest"], sandbox: true })
  expect(claims.rules).toMatchObject([{ name: "two-eyes", quorum: 2 }])
  expect(claims.votes.map((vote) => vote.subject)).toEqual(["alice@sandbox.example", "bob@sandbox.example"])

  // The thread: the same, in words that people read.
  const thread = lines.join("\n")
  for (const words of ["Asked: ", "The customer asked for it in writing", "Checked against the ticket", "resolved by"])
    expect(thread).toContain(words)
})
