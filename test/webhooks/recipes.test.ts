// docs/how-to/webhooks.md, played: its receiver runs, and each recipe sends its stand-in what that system wants.
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { expect, onTestFinished, test } from "vitest"
import { readHeaders, readSecrets } from "../../src/config/parts/webhooks.ts"
import { loadConfig } from "../../src/config.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import { isWanted } from "../../src/flow/webhook/event.ts"
import { directly } from "../../src/outgoing/dispatcher.ts"
import { createWebhookSender } from "../../src/webhooks/sender.ts"
import { anEntry } from "../flow/webhook/support.ts"
import { blocksOf } from "../package/pages/blocks.ts"
import { until } from "../stories/acts.ts"
import { freePort } from "../support/free-port.ts"
import { aFolder } from "../support/opened.ts"
import { aSecret, type Received, startReceiver } from "./receiver.ts"

const page = "docs/how-to/webhooks.md"
const root = new URL("../..", import.meta.url).pathname
const secret = aSecret()

/** An event as the page shows it. */
const shown =
  blocksOf(page).find(({ language, text }) => language === "json" && text.includes("specversion"))?.text ?? ""

/** The blocks below a heading of the page. */
function blocksBelow(heading: string) {
  const [, section = ""] = readFileSync(join(root, page), "utf8").split(`\n## ${heading}\n`)
  const [own = ""] = section.split("\n## ")
  return [...own.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text = ""]) => ({ language, text }))
}

/** Sends the event of the page by the config of a recipe. Returns what the stand-in got, and the address as written. */
async function played(
  heading: string,
): Promise<{ readonly got: Received; readonly url: URL; readonly events: readonly string[] | null }> {
  const blocks = blocksBelow(heading)
  const yaml = blocks.find(({ language }) => language === "yaml")?.text ?? ""
  const headers = blocks.find(({ language }) => language === "text")?.text ?? ""
  const rules = "rules: [{name: all, routes: [C0A], approvers: [U0A], unknown_requester: allow}]"
  const env = {
    SLACK_BOT_TOKEN: "xoxb-bot",
    SLACK_APP_TOKEN: "xapp-app",
    PLATFORM_URL: "https://agents.example.com",
    WEBHOOK_SECRET: secret,
    PAGERDUTY_URL: "https://events.pagerduty.com/integration/abc/enqueue",
  }
  const readFile = (path: string) => (path.endsWith(".yaml") ? `${yaml}\n${rules}\n` : headers)
  const [webhook] = loadConfig({ env, readFile, cwd: "/" }).webhooks
  if (webhook === undefined) throw new Error(`${heading} has no webhook`)
  const read = readHeaders(headers)
  if (!read.ok) throw new Error(read.why)
  const receiver = await startReceiver(secret)
  const { pathname, search } = new URL(webhook.url)
  const keys = () => ({ secrets: [secret], headers: read.value })
  const url = receiver.url + pathname + search
  const sender = createWebhookSender({ url, way: directly, keys, clock: Date.now })
  onTestFinished(() => Promise.all([sender.close(), receiver.close()]).then(() => undefined))
  expect(await sender.send({ id: "default:1042:Jm3qk0ZxVb2a", body: shown })).toEqual({ kind: "accepted" })
  const [got] = receiver.received
  if (got === undefined) throw new Error("nothing came")
  expect(got.verified).toEqual(JSON.parse(shown))
  return { got, url: new URL(webhook.url), events: webhook.events }
}

test("Splunk's collector gets JSON at its raw endpoint, with its token", async () => {
  const { got, url } = await played("Splunk")

  expect(url.port).toBe("8088")
  expect(got).toMatchObject({ method: "POST", path: "/services/collector/raw?sourcetype=_json&source=countersign" })
  expect(got.headers["authorization"]).toMatch(/^Splunk [0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/)
})

test("Datadog's intake gets a JSON object with an API key and the type that it wants", async () => {
  const { got } = await played("Datadog")

  expect(got.path).toBe("/api/v2/logs?ddsource=countersign&service=countersign")
  expect(got.headers).toMatchObject({
    "dd-api-key": expect.stringMatching(/^[0-9a-f]{32}$/),
    "content-type": "application/json",
  })
})

test("Elasticsearch gets a document for an index, and its pipeline takes id and time from the event", async () => {
  const { got } = await played("Elastic")
  const pipeline = JSON.parse(blocksBelow("Elastic").find(({ language }) => language === "json")?.text ?? "")

  expect(got.path).toBe("/countersign/_doc?op_type=index&pipeline=countersign")
  expect(got.headers).toMatchObject({
    authorization: expect.stringMatching(/^ApiKey /),
    "content-type": "application/json",
  })
  const event = JSON.parse(got.body)
  const set = pipeline.processors.map(({ set: one }: { set: { field: string; copy_from: string } }) => [
    one.field,
    event[one.copy_from],
  ])
  expect(set).toEqual([
    ["_id", "default:1042:Jm3qk0ZxVb2a"],
    ["@timestamp", "2026-11-21T12:00:00.000Z"],
  ])
})

/** What the page's transformer makes of a body. */
function transformed(body: unknown): readonly unknown[] {
  const script = blocksBelow("PagerDuty").find(({ language }) => language === "js")?.text ?? ""
  const emitted: unknown[] = []
  const emitGenericEvents = (made: readonly unknown[]) => void emitted.push(...made)
  runInNewContext(script, { PD: { inputRequest: { body }, Trigger: "trigger", emitGenericEvents } })
  return JSON.parse(JSON.stringify(emitted))
}

test("PagerDuty's transformer makes an event of it, the same for each attempt, also where there is no case", async () => {
  const { got, events } = await played("PagerDuty")
  const event = JSON.parse(got.body)
  const told = { ...event, data: { entry: { event: { kind: "frozen" } }, case: { tool: "send_payment" } } }

  expect(got.headers["content-type"]).toBe("application/json")
  expect(events).toContain("frozen")
  expect(transformed(told)).toEqual([
    {
      event_type: "trigger",
      description: "Countersign: decided of send_payment, case b3b1a5c04f2d4b7e9a10",
      incident_key: event.id,
      details: { kind: "frozen" },
    },
  ])
  expect(transformed({ ...told, data: { ...told.data, case: null } })).toMatchObject([
    { description: "Countersign: decided" },
  ])
})

test("PagerDuty is asked to wake nobody for a run that went well, and somebody for one that did not", async () => {
  const { events } = await played("PagerDuty")
  const wanted = { events: new Set(events) }
  const ended = { kind: "run-ended", end: "completed", by: "us", run: "r1", detail: null, deviations: [] }
  const steps = ["opened", "placed", "voted", "decided", "resolved", "continued", "closed"]
  const well = [...steps.map((kind) => ({ kind, at: 1 })), { ...ended, at: 1 }, { ...ended, at: 1, end: "paused" }]

  const woken = (event: { readonly kind: string } & JsonObject) =>
    isWanted(anEntry(1, "case:a", event), wanted) &&
    transformed({ id: "i", type: `countersign.${event["kind"]}`, data: { entry: { event }, case: null } }).length > 0

  expect(well.filter(woken)).toEqual([])
  expect(woken({ ...ended, at: 1, end: "failed" })).toBe(true)
  expect(woken({ ...ended, at: 1, deviations: ["send_payment ran although it was rejected"] })).toBe(true)
  expect(woken({ kind: "frozen", at: 1, why: "its record is an old one" })).toBe(true)
})

test("the page's own receiver takes what is signed, tells a double once, and refuses what is not", async () => {
  const script = blocksBelow("What a receiver gets").find(({ language }) => language === "js")?.text ?? ""
  const folder = aFolder("receiver")
  const port = await freePort()
  // Bare names are looked up from where the script stands, so it names the package's own place.
  const library = import.meta.resolve("standardwebhooks")
  writeFileSync(join(folder, "receiver.mjs"), script.replace('"standardwebhooks"', JSON.stringify(library)))
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
  const child = spawn(process.execPath, ["receiver.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill())
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
  const url = `http://127.0.0.1:${port}`
  const aSender = (own: string) => {
    const keys = () => ({ secrets: [own], headers: {} })
    const sender = createWebhookSender({ url, way: directly, keys, clock: Date.now })
    onTestFinished(() => sender.close())
    return sender
  }
  const sender = aSender(secret)
  await until("the receiver to listen", async () => ((await sender.reach()) === null ? true : undefined))
  const message = { id: "default:1042:Jm3qk0ZxVb2a", body: shown }

  expect(await aSender(aSecret("x")).send(message)).toMatchObject({ kind: "failed", why: "answered 400" })
  expect(await sender.send(message)).toEqual({ kind: "accepted" })
  expect(await sender.send(message)).toEqual({ kind: "accepted" })

  expect(out).toBe("countersign.decided b3b1a5c04f2d4b7e9a10 1042\n")
})

test("the page's way to make a secret makes one that the config takes", async () => {
  const [first] = blocksBelow("Set one up")
  const made = /="(whsec_\$\(.*\))"/.exec(first?.text ?? "")?.[1] ?? ""
  const child = spawn("sh", ["-c", `printf %s "${made}"`], { stdio: ["ignore", "pipe", "inherit"] })
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
  await new Promise((resolve) => child.once("close", resolve))

  expect(readSecrets(out)).toEqual({ ok: true, value: [out] })
})
