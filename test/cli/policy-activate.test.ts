// countersign activate, as a terminal runs it (R16).
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { proposeConfig } from "../../src/bot/propose.ts"
import { loadConfig } from "../../src/config.ts"
import type { SharedConfig } from "../../src/domain/policy/shared-config.ts"
import { startRedis } from "../../src/setup/redis/start-redis.mjs"
import { anInstallation, noon, openStore } from "../store/support.ts"
import { aFolder } from "../support/opened.ts"
import { aSharedConfig } from "../support/shared-config.ts"
import { command } from "./command.ts"

const key = "a key of the tests that is long enough"

const guarded = aSharedConfig("guarded", {
  rulesChange: {
    approvers: [{ kind: "group", id: "S0SECURITY" }],
    quorum: 2,
    route: { kind: "channel", id: "C0RULES" },
    expireAfterMs: 3_600_000,
  },
})

/** An installation with an active config on a Redis of its own, and a terminal. */
async function aPlace(
  active: SharedConfig,
  { file = true, at = noon }: Partial<Readonly<{ file: boolean; at: number }>> = {},
) {
  const cwd = aFolder("activate")
  const installation = file ? anInstallation() : "default"
  const env = {
    PLATFORM_URL: "http://127.0.0.1:9",
    PLATFORM_TOKEN: "cs_sa_a-token",
    COUNTERSIGN_KEY: key,
    SLACK_BOT_TOKEN: "xoxb-1-a",
    SLACK_APP_TOKEN: "xapp-1-A1-1-a",
    SLACK_API_URL: "http://127.0.0.1:9/api/",
    SLACK_SANDBOX: "true",
    APPROVALS_CHANNEL: "C0APPROVALS",
    APPROVERS: "U0ALICE",
  }
  const rule = "{name: all, routes: [C0APPROVALS], approvers: [U0ALICE], unknown_requester: allow}"
  if (file) writeFileSync(join(cwd, "countersign.yaml"), `installation: ${installation}\nrules: [${rule}]\n`)
  const redis = await startRedis({ folder: join(cwd, ".countersign", "redis"), env: process.env, log: () => {} })
  onTestFinished(() => redis.stop())
  const open = await openStore({
    url: redis.url,
    installation,
    key: Buffer.from(key),
    revision: null,
    sharedClock: () => at,
  })
  await open.store.config.activate({ shared: active, activate: false, at })
  return { ...open, cwd, env }
}

/** The config that a command finds there. */
function configIn(cwd: string, env: Readonly<Record<string, string>>) {
  return loadConfig({ env, cwd, readFile: (path) => readFileSync(path, "utf8") })
}

test("R16 a config is proposed once, with the file's hash, and again after it was rejected; the doctor says so", async () => {
  const { store, env, cwd } = await aPlace(guarded)

  const first = await command(["activate"], { env, cwd }).ended
  const again = await command(["activate"], { env, cwd }).ended
  const [proposal] = (await store.config.proposals.active()).proposals.list
  const early = await command(["activate", "--without-approval"], { env, cwd }).ended
  const seen = await command(["doctor", "--json"], { env, cwd }).ended
  const verdict = { status: "rejected", decision: "d-1", resolvedBy: "jane", data: null, at: Date.now() } as const
  await store.config.proposals.resolve(proposal?.id ?? "", verdict)
  const rejected = await command(["activate", "--without-approval"], { env, cwd }).ended
  const anew = await command(["activate"], { env, cwd }).ended

  expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`Proposed: ${proposal?.id}, revision `) })
  expect(first.out).toContain("2 of S0SECURITY are asked in C0RULES.")
  expect(proposal?.file).toMatch(/^[0-9a-f]{64}$/)
  expect(again.out).toContain(`Proposed already: ${proposal?.id}`)
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining("it may become active without approval from ") })
  expect(JSON.parse(seen.out).findings).toContainEqual(
    expect.objectContaining({
      area: "rules change",
      level: "warn",
      what: expect.stringContaining("waits for approval"),
    }),
  )
  expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining("is not proposed now, or was rejected") })
  expect(anew.out).toContain("Proposed: ")
})

test("R16 the environment's config is proposed by this command, too", async () => {
  const { store, env, cwd } = await aPlace(guarded, { file: false })

  const done = await command(["activate"], { env, cwd }).ended

  expect(done).toMatchObject({ code: 0, out: expect.stringContaining("Proposed: ") })
  expect((await store.config.proposals.active()).proposals.list).toMatchObject([{ file: null }])
})

test("R16 where nobody has to approve, the command says what to do, and changes nothing", async () => {
  const { store, env, cwd } = await aPlace(aSharedConfig("free"))

  const proposed = await command(["activate"], { env, cwd }).ended
  const without = await command(["activate", "--without-approval"], { env, cwd }).ended

  for (const done of [proposed, without])
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining("countersign run makes this config active") })
  expect((await store.config.proposals.active()).proposals.list).toEqual([])
})

test("R16 a day after its proposal a config becomes active without approval, and the command says what stays", async () => {
  const ago = Date.now() - 25 * 3_600_000
  const { store, env, cwd } = await aPlace(guarded, { at: ago })
  const proposed = await proposeConfig({ config: configIn(cwd, env), clock: () => ago }, store, true)

  const done = await command(["activate", "--without-approval"], { env, cwd }).ended
  const again = await command(["activate", "--without-approval"], { env, cwd }).ended

  expect(proposed).toMatchObject({ kind: "proposed" })
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining("An alarm stands until a later change") })
  expect((await store.config.proposals.active()).proposals.list).toMatchObject([{ end: { how: "unapproved" } }])
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining("countersign run makes this config active") })
})

test("R16 another config takes the place of the one that waits, and the command names both", async () => {
  const { store, env, cwd } = await aPlace(guarded)
  await command(["activate"], { env, cwd }).ended
  const file = join(cwd, "countersign.yaml")
  writeFileSync(file, readFileSync(file, "utf8").replace("name: all", "name: every"))

  const done = await command(["activate"], { env, cwd }).ended

  const [old, newer] = (await store.config.proposals.active()).proposals.list
  expect(done.out).toContain(`Proposed: ${newer?.id}, revision `)
  expect(done.out).toContain(`It takes the place of ${old?.id}, revision `)
  expect(done.out).toContain("votes on that are void.")
})

test("R16 a change that nobody can read is refused, and the command says to make it in smaller steps", async () => {
  const { store, env, cwd } = await aPlace(guarded)
  const identities = Array.from({ length: 4_500 }, (_, at) => `{subject: s${at}, slack: [T0A:U${at}]}`).join(", ")
  appendFileSync(join(cwd, "countersign.yaml"), `identities: [${identities}]\n`)

  const done = await command(["activate"], { env, cwd }).ended

  expect(done).toMatchObject({ code: 1, err: expect.stringContaining("make it in smaller steps") })
  expect((await store.config.proposals.active()).proposals.list).toEqual([])
})

test("R16 where Countersign never started there is nothing to propose to, and the command says so", async () => {
  const { env } = await aPlace(guarded)
  const cwd = aFolder("activate-nowhere")
  writeFileSync(join(cwd, "countersign.yaml"), "installation: nowhere\n")

  const done = await command(["activate"], { env, cwd }).ended

  expect(done.code).toBe(1)
  expect(done.err).toMatch(/is not there|there is no installation/)
})
