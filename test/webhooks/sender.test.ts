// The way to a receiver, against real HTTP servers: signed, never redirected, and bound in time and size.
import { createServer } from "node:net"
import { Webhook } from "standardwebhooks"
import { expect, onTestFinished, test } from "vitest"
import { directly } from "../../src/outgoing/dispatcher.ts"
import { createWebhookSender, type WebhookSenderOptions } from "../../src/webhooks/sender.ts"
import { anAuthority } from "../support/certificates.ts"
import { startTlsFront } from "../support/tls-front.ts"
import { aSecret, startReceiver } from "./receiver.ts"

const message = { id: "t:1:abc", body: '{"id":"t:1:abc"}' }

function aSender(url: string, options: Partial<WebhookSenderOptions> = {}) {
  const keys = () => ({ secrets: [aSecret()], headers: {} })
  const sender = createWebhookSender({ url, way: directly, keys, clock: Date.now, timeoutMs: 5_000, ...options })
  onTestFinished(() => sender.close())
  return sender
}

async function aReceiver(secret = aSecret()) {
  const receiver = await startReceiver(secret)
  onTestFinished(() => receiver.close())
  return receiver
}

test("an event arrives as a signed CloudEvent, at the path and query of the config", async () => {
  const receiver = await aReceiver()

  const delivery = await aSender(`${receiver.url}/in?sourcetype=_json`).send(message)

  expect(delivery).toEqual({ kind: "accepted" })
  expect(receiver.received).toMatchObject([
    { method: "POST", path: "/in?sourcetype=_json", body: message.body, verified: { id: "t:1:abc" } },
  ])
  expect(receiver.received[0]?.headers).toMatchObject({
    "content-type": "application/cloudevents+json; charset=utf-8",
    "webhook-id": "t:1:abc",
  })
})

test("an event with characters beyond ASCII is signed as its bytes travel", async () => {
  const receiver = await aReceiver()

  await aSender(receiver.url).send({ id: "t:2:a", body: '{"said":"überweisen 💶 \\ud800"}' })

  expect(receiver.received.at(-1)?.verified).toEqual({ said: "überweisen 💶 \ud800" })
})

test("while two secrets are in force, a receiver that knows either takes the event, and no other", async () => {
  const [old, fresh, foreign] = [await aReceiver(aSecret("o")), await aReceiver(aSecret("n")), await aReceiver()]
  const keys = () => ({ secrets: [aSecret("n"), aSecret("o")], headers: {} })

  for (const { url } of [old, fresh, foreign]) await aSender(url, { keys }).send(message)

  const verified = [old, fresh, foreign].map(({ received }) => received[0]?.verified?.id)
  expect(verified).toEqual(["t:1:abc", "t:1:abc", undefined])
})

test("a signature holds for that time alone: replayed later, the official verifier refuses it", async () => {
  const receiver = await aReceiver()
  await aSender(receiver.url, { clock: () => Date.now() - 600_000 }).send(message)

  const [{ headers, body, verified } = { headers: {}, body: "", verified: null }] = receiver.received

  expect(verified).toBeNull()
  expect(() => new Webhook(aSecret()).verify(body, headers as Record<string, string>)).toThrow("too old")
})

test("headers of the receiver's own go along, and may set the content type, but no signature", async () => {
  const receiver = await aReceiver()
  const headers = { authorization: "Splunk abc", "content-type": "application/json", "webhook-id": "forged" }

  await aSender(receiver.url, { keys: () => ({ secrets: [aSecret()], headers }) }).send(message)

  expect(receiver.received[0]).toMatchObject({
    headers: { authorization: "Splunk abc", "content-type": "application/json", "webhook-id": "t:1:abc" },
    verified: { id: "t:1:abc" },
  })
})

test("without a secret or without its headers nothing leaves, and the attempt has failed", async () => {
  const receiver = await aReceiver()

  const delivery = await aSender(receiver.url, { keys: () => null }).send(message)

  const why = "was not asked: its secret or its headers cannot be read"
  expect(delivery).toEqual({ kind: "failed", why, retryAfterMs: null })
  expect(receiver.received).toEqual([])
})

test.each([301, 302, 303, 307, 308])(
  "a redirect (%i) is not followed, and the words say where it leads",
  async (status) => {
    const [elsewhere, receiver] = [await aReceiver(), await aReceiver()]
    const location = `${elsewhere.url}/with?a=secret`
    receiver.answer = (response) => void response.writeHead(status, { location }).end()

    const delivery = await aSender(receiver.url).send(message)

    expect(delivery).toMatchObject({ kind: "failed", why: expect.stringContaining(new URL(elsewhere.url).host) })
    expect(JSON.stringify(delivery)).not.toContain("secret")
    expect(elsewhere.received).toEqual([])
  },
)

test.each([
  [200, { kind: "accepted" }],
  [299, { kind: "accepted" }],
  [400, { kind: "failed", why: "answered 400", retryAfterMs: null }],
  [410, { kind: "gone" }],
  [413, { kind: "failed", why: "answered 413", retryAfterMs: null }],
  [500, { kind: "failed", why: "answered 500", retryAfterMs: null }],
])("an answer %i means %o", async (status, expected) => {
  const receiver = await aReceiver()
  receiver.answer = (response) => void response.writeHead(status).end("whatever it says")

  expect(await aSender(receiver.url).send(message)).toEqual(expected)
})

test.each([
  ["120", 120_000],
  ["Sat, 21 Nov 2026 12:02:00 GMT", 120_000],
  ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
  ["soon", null],
  ["-5", null],
])("Retry-After: %s asks for %s ms", async (header, retryAfterMs) => {
  const receiver = await aReceiver()
  receiver.answer = (response) => void response.writeHead(429, { "retry-after": header }).end()

  const delivery = await aSender(receiver.url, { clock: () => Date.UTC(2026, 10, 21, 12) }).send(message)

  if (header === "-5") expect(delivery).toMatchObject({ kind: "failed" })
  else expect(delivery).toEqual({ kind: "failed", why: "answered 429", retryAfterMs })
})

test("a receiver that answers nothing is given up in time", async () => {
  const receiver = await aReceiver()
  receiver.answer = () => undefined

  const delivery = await aSender(receiver.url, { timeoutMs: 200 }).send(message)

  expect(delivery).toEqual({ kind: "failed", why: "was not reached: it did not answer in time", retryAfterMs: null })
})

test("a body that hangs, or never ends, holds up nothing: its status was the answer", async () => {
  const receiver = await aReceiver()
  const sender = aSender(receiver.url, { timeoutMs: 5_000 })
  receiver.answer = (response) => void response.writeHead(200).write("begins")
  // More of them than there are connections.
  for (let times = 0; times < 10; times += 1) expect(await sender.send(message)).toEqual({ kind: "accepted" })
  let sent = 0
  receiver.answer = (response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) sent += 65_536
    }
    response.on("drain", more)
    more()
  }

  expect(await sender.send(message)).toEqual({ kind: "accepted" })
  await expect.poll(() => receiver.received.length).toBe(11)
  receiver.answer = (response) => void response.writeHead(200).end()
  expect(await sender.send(message)).toEqual({ kind: "accepted" })
  expect(sent).toBeLessThan(20_000_000)
})

test("TLS: a receiver of our CA is believed; one of an unknown CA, for another name, or expired gets nothing", async () => {
  const receiver = await aReceiver()
  const authority = anAuthority()
  const front = async (names: readonly string[], days?: number) => {
    const { url, close } = await startTlsFront(authority.issue(names, days), receiver.url)
    onTestFinished(() => close())
    return url.replace(/^http:/, "https:").replace("127.0.0.1", "localhost")
  }
  const ours = { way: { proxy: null, ca: authority.cert } }
  const good = await front(["localhost"])

  expect(await aSender(good, ours).send(message)).toEqual({ kind: "accepted" })
  expect(await aSender(good).send(message)).toMatchObject({ why: expect.stringContaining("unknown CA") })
  const other = await aSender(await front(["other.example.com"]), ours).send(message)
  expect(other).toMatchObject({ why: expect.stringContaining("not for this name") })
  const expired = await aSender(await front(["localhost"], -1), ours).send(message)
  expect(expired).toMatchObject({ why: expect.stringContaining("has expired") })
  expect(receiver.received).toHaveLength(1)
})

test("a port where nobody listens, or somebody speaks no HTTP, is a failure in words", async () => {
  const mute = createServer((socket) => void socket.on("error", () => undefined).end("220 mail.example.com\r\n"))
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void mute.close())
  const address = mute.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const receiver = await startReceiver()
  await receiver.close()

  expect(await aSender(`http://127.0.0.1:${port}`).send(message)).toMatchObject({
    kind: "failed",
    why: expect.stringContaining("is not HTTP"),
  })
  expect(await aSender(receiver.url).send(message)).toMatchObject({ why: expect.stringContaining("nothing listens") })
})

test("a sender that is closed breaks off what is on its way, and sends nothing more", async () => {
  const receiver = await aReceiver()
  receiver.answer = () => undefined
  const sender = aSender(receiver.url)
  const sending = sender.send(message)
  await expect.poll(() => receiver.received.length).toBe(1)

  await sender.close()

  expect(await sending).toEqual({ kind: "unfinished" })
  expect(await sender.send(message)).toEqual({ kind: "unfinished" })
  expect(receiver.received).toHaveLength(1)
})

test("looking whether a receiver answers sends it no event, and takes any answer", async () => {
  const receiver = await aReceiver()
  receiver.answer = (response) => void response.writeHead(405).end()

  expect(await aSender(receiver.url).reach()).toBeNull()
  expect(receiver.received).toMatchObject([{ method: "HEAD", body: "" }])
  await receiver.close()
  expect(await aSender(receiver.url).reach()).toContain("nothing listens")
})
