// The commands of proof, as a terminal runs them: on a bot that decided something, after it ended, and where nothing of
// it is left.

import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ledgerExport } from "../../../src/cli/ledger/ledger-export.ts"
import { receiptVerify } from "../../../src/cli/ledger/receipt.ts"
import type { Terminal } from "../../../src/cli/terminal.ts"
import { makeKeyText, readSigningKey } from "../../../src/proof/signing-key.ts"
import { type Sandbox, startSandbox } from "../../../src/sandbox.ts"
import type { RunningService } from "../../../src/service.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { startDescribed } from "../../service/described/start-described.ts"
import { until } from "../../stories/acts.ts"
import { command, type Ended, type Running } from "../command.ts"

interface Place {
  /** Where the bot ran. */
  readonly home: string
  /** Where there is nothing of Countersign but these files. */
  readonly away: string
  readonly env: Record<string, string>
  readonly sandbox: Sandbox
  readonly service: RunningService
  readonly bot: Running
}

let place: Place

/** Before the decision's entry: installed, key, config, opened, placed, voted. */
const decidedEntry = 7
const yaml = "ledger: {checkpoint_every: 1s}\nslack: {sandbox: true, pace_ms: 1}\n"

beforeAll(async () => {
  place = await aPlace()
  const url = await startedUrl(place.bot)
  const record = await decideOne(place)
  writeFileSync(join(place.away, "record.json"), record)
  writeFileSync(join(place.away, "receipt.txt"), JSON.parse(record).resolution_data.countersign.receipt)
  const keys = await fetch(`${url}/.well-known/jwks.json`)
  writeFileSync(join(place.away, "keys.json"), await keys.text())
  await until("checkpoints over the decision", () => (signedSize(place.bot) >= decidedEntry ? true : undefined))
  const byUrl = await away("receipt", "verify", "receipt.txt", "--keys", `${url}/.well-known/jwks.json`)
  expect(byUrl).toMatchObject({ code: 0, err: "" })
  place.bot.child.kill("SIGTERM")
  await place.bot.ended
})

afterAll(async () => {
  place.bot.child.kill("SIGKILL")
  await Promise.all([place.sandbox.close(), place.service.close()])
  for (const folder of [place.home, place.away]) rmSync(folder, { recursive: true, force: true })
})

async function aPlace(): Promise<Place> {
  const [home = "", away = ""] = ["home", "away"].map((name) => mkdtempSync(join(tmpdir(), `countersign-${name}-`)))
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await startSandbox({ clock: Date.now, random, delivery: { mode: "socket" } })
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    clock: Date.now,
    random: randomBytes,
  })
  const env = {
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_API_URL: sandbox.apiUrl,
    PLATFORM_URL: service.url,
    PLATFORM_TOKEN: service.mintServiceAccount({ name: "bot", scopes: ["approvals:read", "approvals:write"] }),
    APPROVALS_CHANNEL: "C0APPROVALS",
    APPROVERS: "U0ALICE",
    PORT: "0",
  }
  writeFileSync(join(home, "countersign.yaml"), yaml)
  return { home, away, env, sandbox, service, bot: command(["run"], { env, cwd: home }) }
}

function lines(bot: Running): readonly Record<string, unknown>[] {
  const whole = bot.out().split("\n").slice(0, -1)
  return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
}

async function startedUrl(bot: Running): Promise<string> {
  const started = await until("the bot to start", () => lines(bot).find(({ event }) => event === "started"))
  return String(started["url"])
}

function signedSize(bot: Running): number {
  const sizes = lines(bot)
    .filter(({ event }) => event === "ledger-checkpoint")
    .map(({ size }) => Number(size))
  return Math.max(0, ...sizes)
}

/** An approval, approved by a click; gives back the platform's record as it answers it. */
async function decideOne({ sandbox, service }: Place): Promise<string> {
  const scopes = ["approvals:create", "approvals:read"]
  const authorization = `Bearer ${service.mintServiceAccount({ name: "operator", scopes })}`
  const body = '{"tool_name":"send_money","tool_args":{"amount":12345678901234567890},"agent_id":"a"}'
  const headers = { authorization, "content-type": "application/json" }
  const made = await fetch(`${service.url}/approvals`, { method: "POST", headers, body })
  const { id } = (await made.json()) as { id: string }
  const [card] = await until("a card", () => {
    const found = sandbox.messages("C0APPROVALS")
    return found.length > 0 ? found : undefined
  })
  await sandbox.click("U0ALICE", { channel: "C0APPROVALS", ts: card?.ts ?? "" }, actionIds.approve)
  return until("the decision", async () => {
    const text = await (await fetch(`${service.url}/approvals/${id}`, { headers: { authorization } })).text()
    return JSON.parse(text).status === "approved" ? text : undefined
  })
}

/** What the doctor found about receipts and gates. */
function foundAbout({ out }: Ended): readonly string[] {
  const { findings } = JSON.parse(out) as { findings: { area: string; level: string; what: string }[] }
  const about = findings.filter(({ area }) => area === "receipts" || area.startsWith("gate "))
  return about.map(({ area, level, what }) => `${area} ${level}: ${what}`)
}

/** A command where the bot ran. */
function home(...args: readonly string[]): Promise<Ended> {
  return command(args, { env: place.env, cwd: place.home }).ended
}

/** A command where there is no config, no Redis and no key. */
function away(...args: readonly string[]): Promise<Ended> {
  return command(args, { cwd: place.away }).ended
}

const silent: Terminal = { out: () => undefined, err: () => undefined }

/** As `away("receipt", "verify", …)`, in this process. */
function verify(name: string, { keys }: { readonly keys: string }): Promise<void> {
  const from = keys.startsWith("http") ? keys : join(place.away, keys)
  return receiptVerify(silent, join(place.away, name), { keys: from })
}

function file(name: string): string {
  return readFileSync(join(place.away, name), "utf8")
}

describe("countersign receipt verify, away from everything", () => {
  test("holds a receipt against keys and record, and says who decided what", async () => {
    const { code, out, err } = await away(
      "receipt",
      "verify",
      "receipt.txt",
      "--keys",
      "keys.json",
      "--record",
      "record.json",
    )

    expect(err).toBe("")
    expect(code).toBe(0)
    expect(out).toMatch(/^receipt valid: approval \S+ of default \(installation default\) was approved at 20/)
    expect(out).toMatch(/approved by T\w+:U0ALICE \(alice@sandbox\.example\) on card/)
    expect(out).toContain("demo only")
    expect(out).toContain("record: holds what was decided (digest recomputed)")
  })

  test("takes the record itself, which holds its receipt", async () => {
    const { code, out } = await away("receipt", "verify", "record.json", "--keys", "keys.json")

    expect(code).toBe(0)
    expect(out).toContain("record: holds what was decided")
  })

  test("finds a record that was changed in one digit, and ends with 1", async () => {
    writeFileSync(
      join(place.away, "bent.json"),
      file("record.json").replace("12345678901234567890", "12345678901234567891"),
    )

    const { code, out } = await away("receipt", "verify", "bent.json", "--keys", "keys.json")

    expect(code).toBe(1)
    expect(out).toContain("record: DIFFERS: its content is not what was decided")
  })

  test.each([
    [
      "a receipt that was changed",
      "does not hold",
      (text: string) => text.replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
    ],
    ["what is no receipt", "no compact JWS", () => "hello"],
    ["a record without one", "holds no receipt in resolution_data.countersign.receipt", () => '{"id":"a"}'],
    ["what is no JSON", "is no JSON", () => "{cut"],
  ])("refuses %s", async (_what, words, change) => {
    writeFileSync(join(place.away, "changed.txt"), change(file("receipt.txt")))

    await expect(verify("changed.txt", { keys: "keys.json" })).rejects.toThrow(words)
  })

  test.each([["nowhere.json"], ["http://127.0.0.1:9/keys"], ["receipt.txt"]])(
    "says when %s gives no keys",
    async (keys) => {
      await expect(verify("receipt.txt", { keys })).rejects.toThrow(/cannot be read|no set of public keys/)
    },
  )

  test("says in one line what is wrong, and ends with 1", async () => {
    const { code, err } = await away("receipt", "verify", "keys.json", "--keys", "keys.json")

    expect(code).toBe(1)
    expect(err).toBe("countersign: keys.json holds no receipt in resolution_data.countersign.receipt\n")
  })
})

describe("countersign ledger, after the bot ended", () => {
  test("verify tells how far the checkpoints vouch", async () => {
    const { code, out } = await home("ledger", "verify")

    expect(code).toBe(0)
    expect(out).toMatch(
      /ledger verified: \d+ entries .* \d+ checkpoints vouch for the first \d+ in this order, \d+ came after/,
    )
  })

  test("verify takes the checkpoints from the log as well", async () => {
    writeFileSync(join(place.away, "bot.log"), place.bot.out())

    const { code, out } = await home("ledger", "verify", "--anchors", join(place.away, "bot.log"))

    expect(out).toMatch(/checkpoints vouch for the first/)
    expect(code).toBe(0)
  })

  test("export writes JSON lines of one case, with every vote", async () => {
    const { id } = JSON.parse(file("record.json"))

    const { out } = await home("ledger", "export", "--case", id)

    const kinds = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).kind)
    expect(kinds).toEqual(expect.arrayContaining(["opened", "placed", "voted", "decided", "resolved"]))
    expect(kinds).not.toContain("installed")
  })

  test("export writes CSV, from one number or time to another", async () => {
    const { out } = await home("ledger", "export", "--format", "csv", "--from", "2", "--to", "3")
    const none = await home("ledger", "export", "--from", "2001-01-01", "--to", "2001-12-31")

    const [head, ...rows] = out.trimEnd().split("\r\n")
    expect(head).toMatch(/^\uFEFFnumber,time,case,event,asked,tool,agent,requester,verb,person,name,for,rule,reason,/)
    expect(rows.map((row) => row.split(",")[0])).toEqual(["2", "3"])
    expect(none).toMatchObject({ code: 0, out: "" })
  })

  test.each([
    [{ format: "xml" }, "--format must be jsonl or csv, not xml"],
    [{ from: "yesterday" }, "--from must be an entry's number or a time"],
  ])("export refuses %j", async (options, words) => {
    await expect(ledgerExport(silent, process.stdout, { format: "jsonl", ...options })).rejects.toThrow(words)
  })

  test("prove prints a proof that holds away from everything, also as the receipt's own", async () => {
    const { out: exported } = await home("ledger", "export")
    const entries = exported
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const decided = entries.find(({ kind }) => kind === "decided")
    const opened = entries.find(({ kind }) => kind === "opened")
    for (const [name, { number }] of [
      ["proof", decided],
      ["other", opened],
    ] as const) {
      writeFileSync(join(place.away, `${name}.json`), (await home("ledger", "prove", String(number))).out)
    }

    const alone = await away("receipt", "verify", "proof.json", "--keys", "keys.json")
    const both = await away("receipt", "verify", "receipt.txt", "--keys", "keys.json", "--proof", "proof.json")
    const wrong = await away("receipt", "verify", "receipt.txt", "--keys", "keys.json", "--proof", "other.json")

    expect(alone).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^proof valid: entry \d+ of installation default/),
    })
    expect(both).toMatchObject({ code: 0, out: expect.stringContaining("proof valid") })
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("does not name this receipt") })
  })

  test("a proof that was changed does not hold", async () => {
    const { out } = await home("ledger", "prove", "1")
    const proof = JSON.parse(out)
    const changes = [{ number: 2 }, { entry: { ...proof.entry, mac: "x" } }, { path: [...proof.path, "0".repeat(64)] }]

    for (const change of changes) {
      writeFileSync(join(place.away, "bent-proof.json"), JSON.stringify({ ...proof, ...change }))
      await expect(verify("bent-proof.json", { keys: "keys.json" })).rejects.toThrow(/is not among the \d+ entries/)
    }
  })

  test("prove refuses an entry that no checkpoint covers", async () => {
    const { code, err } = await home("ledger", "prove", "9999")

    expect(code).toBe(1)
    expect(err).toContain("no checkpoint covers entry 9999 yet")
  })

  test("receipt show and receipt keys hand out what was served", async () => {
    const { decision_id: decision } = JSON.parse(file("record.json")).resolution_data.countersign

    expect((await home("receipt", "show", decision)).out.trim()).toBe(file("receipt.txt"))
    expect(JSON.parse((await home("receipt", "keys")).out)).toEqual(JSON.parse(file("keys.json")))
    expect((await home("receipt", "show", "nothing")).err).toContain("there is no receipt of a decision nothing")
  })

  test("keys export hands out what a gate pins, and the key that will sign next", async () => {
    const next = makeKeyText("ES256")
    writeFileSync(join(place.home, "next.pem"), next)
    const { keys } = JSON.parse(file("keys.json"))
    const forGood = { not_before: null, not_after: null }
    const { publicKey } = await readSigningKey(next, "next.pem")

    const plain = JSON.parse((await home("keys", "export")).out)
    const whole = JSON.parse((await home("keys", "export", "--next", "next.pem", "--instance", "default")).out)

    const said = { version: 1, installation: plain.installation, sandbox: true, marks: "marks.db" }
    expect(plain).toEqual({ ...said, keys: [{ ...keys[0], ...forGood }] })
    expect(whole).toEqual({ ...plain, instance: "default", keys: [...plain.keys, { ...publicKey, ...forGood }] })
    expect((await home("keys", "export", "--instance", "no")).err).toContain("there is no instance no in the config")
  })

  test("the list of ended decisions stands in the gate's file where the bot's address is given", async () => {
    const whole = JSON.parse((await home("keys", "export", "--bot", "https://bot.example.com")).out)

    expect(whole.ended_list).toBe("https://bot.example.com/.well-known/countersign-ended")
    expect((await home("keys", "export", "--bot", "bot:80")).err).toContain("--bot takes the bot's address, such as")
  })

  test("a rotation of the signing key is told before it happens, and the old key counts until then", async () => {
    const next = makeKeyText("EdDSA")
    writeFileSync(join(place.home, "next.pem"), next)
    writeFileSync(join(place.home, "old.json"), (await home("keys", "export")).out)
    writeFileSync(join(place.home, "new.json"), (await home("keys", "export", "--next", "next.pem")).out)
    const { publicKey } = await readSigningKey(next, "next.pem")
    const rotated = { env: { ...place.env, COUNTERSIGN_RECEIPT_KEY: next }, cwd: place.home }
    const look = ["doctor", "--json", "--gate", "old.json", "new.json"]

    const before = foundAbout(await home(...look))
    const after = foundAbout(await command(look, rotated).ended)

    const first = `it knows key ${publicKey.kid}, which never signed yet: Countersign may sign with it from now on`
    expect(before).toEqual([
      expect.stringMatching(/^receipts ok: they are signed with EdDSA key /),
      "gate old.json ok: it pins 1 key, the one that signs now among them",
      "gate new.json ok: it pins 2 keys, the one that signs now among them",
      `gate new.json note: ${first}`,
    ])
    expect(after).toEqual([
      `receipts warn: the next start signs them with key ${publicKey.kid}, which never signed here`,
      `gate old.json fail: it does not pin key ${publicKey.kid}, which signs now`,
      "gate new.json ok: it pins 2 keys, the one that signs now among them",
    ])
    const { keys } = JSON.parse((await command(["keys", "export"], rotated).ended).out)
    expect(keys).toMatchObject([{ kid: publicKey.kid, not_after: null }, { not_after: null }])
  })

  test("verify of a ledger that was deleted as a whole ends with 1 and says how much is gone", async () => {
    rmSync(join(place.home, ".countersign", "redis"), { recursive: true })

    const { code, out } = await home("ledger", "verify")

    expect(code).toBe(1)
    expect(out).toMatch(/ledger BROKEN at entry 1 .*the ledger ends at entry 0, but \d+ were signed/)
  })
})
