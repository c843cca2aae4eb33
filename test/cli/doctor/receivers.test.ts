// The doctor on webhooks: whether their receivers answer, and what Redis says of them. It sends no event.
import { expect, onTestFinished, test } from "vitest"
import { lookAtWebhooks } from "../../../src/cli/doctor/receivers.ts"
import type { WebhookStanding } from "../../../src/flow/ports.ts"
import { aSecret, startReceiver } from "../../webhooks/receiver.ts"
import { aPatient } from "../patient.ts"

const env = { HOOK_SECRET: aSecret() }

async function aReceiver() {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  return receiver
}

test("a receiver that answers anything is well, and gets no event", async () => {
  const receiver = await aReceiver()
  receiver.answer = (response) => void response.writeHead(404).end()
  const more = `webhooks: [{name: siem, url: "${receiver.url}/in", secret: "\${HOOK_SECRET}"}]`
  const patient = await aPatient({ more, env })

  const findings = await patient.findings(/^webhook/)

  expect(findings).toEqual([
    { level: "ok", area: "webhook siem", what: `${new URL(receiver.url).host} answers; no event was sent` },
  ])
  expect(receiver.received).toMatchObject([{ method: "HEAD", path: "/in", body: "" }])
  expect(receiver.received[0]?.headers).not.toHaveProperty("webhook-signature")
})

test("a receiver that does not answer is a warning that says what to do, and the rest is looked at all the same", async () => {
  const receiver = await aReceiver()
  await receiver.close()
  const more = `webhooks: [{name: siem, url: "${receiver.url}/in?token=secret", secret: "\${HOOK_SECRET}"}]`
  const patient = await aPatient({ more, env })

  const findings = await patient.findings()

  expect(findings.filter(({ area }) => area === "webhook siem")).toEqual([
    expect.objectContaining({
      level: "warn",
      what: expect.stringContaining("was not reached: the connection was refused"),
    }),
  ])
  expect(JSON.stringify(findings)).not.toContain("token=secret")
  expect(findings.some(({ area }) => area === "slack")).toBe(true)
})

const standing: WebhookStanding = {
  webhook: "siem",
  state: "on",
  waiting: 0,
  oldestAt: null,
  dead: 0,
  cursor: 1,
  lastFailure: null,
  off: null,
}

test.each<[string, Partial<WebhookStanding>, string, string]>([
  ["is off", { state: "off" }, "warn", "it is off: its receiver answered 410"],
  ["has a foreign outbox", { state: "tampered" }, "fail", "somebody else wrote in Redis how far it is"],
  [
    "gave up entries",
    { dead: 3, lastFailure: { at: 1, why: "answered 500" } },
    "warn",
    "it gave up 3 entries; at the last failure it answered 500",
  ],
  ["has something to send", { waiting: 2 }, "note", "2 entries wait to be sent"],
])("a webhook that %s is told by the doctor", async (_what, change, level, what) => {
  const { url } = await aReceiver()
  const webhook = { name: "siem", url, secret: { kind: "given", secrets: [] }, headersFile: null } as const
  const webhooks = [{ ...webhook, events: null, withArguments: false, way: { proxy: null, ca: null } }]

  const [, ...found] = await lookAtWebhooks({ webhooks }, [{ ...standing, ...change }], Date.now)

  expect(found).toEqual([expect.objectContaining({ level, area: "webhook siem", what })])
})
