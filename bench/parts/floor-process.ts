// The floors of a click and of a poll: bare servers that do only what nobody can leave out. The variable FLOOR chooses
// one.
//
// raw: checks the signature, answers 200, reads the approval, resolves it and posts to the response_url. claim: the
// same with two durable writes to Redis before the resolve. ack: checks the signature, writes to Redis once, answers
// 200. informed: raw with users.info beside the read. poll: reads the list over and over, parses it, and posts a
// message for each row that is new.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Redis } from "ioredis"
import { Pool } from "undici"

const { FLOOR = "raw", WORLD = "", SECRET = "", BENCH_REDIS = "", POLL_MS = "100" } = process.env
const pool = new Pool(WORLD, { connections: 128 })
const redis = FLOOR === "claim" || FLOOR === "ack" ? new Redis({ path: BENCH_REDIS }) : null

async function ask(
  method: "GET" | "POST",
  path: string,
  body: string | null,
  type = "application/json",
): Promise<string> {
  const headers = { authorization: "Bearer a-token-of-the-usual-length", "content-type": type }
  const response = await pool.request({ method, path, headers, body })
  return response.body.text()
}

function isSigned(request: IncomingMessage, body: string): boolean {
  const stamp = String(request.headers["x-slack-request-timestamp"])
  const said = Buffer.from(String(request.headers["x-slack-signature"]))
  const own = Buffer.from(`v0=${createHmac("sha256", SECRET).update(`v0:${stamp}:${body}`).digest("hex")}`)
  return said.length === own.length && timingSafeEqual(said, own)
}

async function onClick(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
  if (!isSigned(request, body)) return void response.writeHead(401).end()
  const payload = JSON.parse(new URLSearchParams(body).get("payload") ?? "{}")
  const id = String(payload.actions[0].value)
  if (FLOOR === "claim" || FLOOR === "ack") await redis?.set(`ticket:${payload.trigger_id}`, body, "NX")
  response.writeHead(200).end()
  if (FLOOR !== "ack") await resolve(id, payload)
}

async function resolve(id: string, payload: { readonly response_url: string; readonly user: { readonly id: string } }) {
  const asked = [ask("GET", `/approvals/${id}`, null)]
  if (FLOOR === "informed")
    asked.push(ask("POST", "/api/users.info", `user=${payload.user.id}`, "application/x-www-form-urlencoded"))
  const [row = "{}"] = await Promise.all(asked)
  if (JSON.parse(row).status !== "pending") throw new Error(`${id} is not pending`)
  if (FLOOR === "claim") await redis?.set(`commit:${id}`, row)
  const said = { status: "approved", resolved_by: "alice@sandbox.example", resolution_data: { note: "ok" } }
  await ask("POST", `/approvals/${id}/resolve`, JSON.stringify(said))
  const { pathname } = new URL(payload.response_url)
  await ask("POST", pathname, JSON.stringify({ replace_original: true, text: "approved", blocks: [] }))
}

/** Reads the list for ever; each row that is new becomes a message. */
async function pollForEver(): Promise<void> {
  const known = new Set<string>()
  for (;;) {
    const list = JSON.parse(await ask("GET", "/approvals?status=pending&limit=100&page=1", null))
    for (const { id } of list.data) {
      if (known.has(id)) continue
      known.add(id)
      const form = new URLSearchParams({ channel: "C0BENCH", text: id, blocks: JSON.stringify([{ type: "divider" }]) })
      await ask("POST", "/api/chat.postMessage", form.toString(), "application/x-www-form-urlencoded")
    }
    await new Promise((done) => setTimeout(done, Number(POLL_MS)))
  }
}

const server = createServer((request, response) => void onClick(request, response))
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`up http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
if (FLOOR === "poll") void pollForEver()
process.on("SIGTERM", () => process.exit(0))
process.stdin.on("end", () => process.exit(0)).resume()
