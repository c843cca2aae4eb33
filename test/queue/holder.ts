// A process that writes a ticket and holds it; killed by crash.test.ts. With `carry` it dies while carrying the ticket
// out.
import { randomBytes } from "node:crypto"
import { createSeal } from "../../src/domain/proof/seal.ts"
import { createQueue } from "../../src/queue/queue.ts"
import { connectRedis } from "../../src/store/redis/connection.ts"
import { createKeys } from "../../src/store/redis/keys.ts"
import { createTickets } from "../../src/store/tickets.ts"

const [url = "", installation = "", mode = ""] = process.argv.slice(2)
const nothing = () => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const connection = await connectRedis({ url, installation, log })
const keys = createKeys(installation)
const tickets = createTickets({
  redis: connection.commands,
  keys,
  seal: createSeal({ key: Buffer.alloc(32, 7), installation, nonce: () => randomBytes(12) }),
  clock: () => Date.now(),
  era: () => 0,
  delayMs: mode === "carry" ? 1 : 300,
  holdMs: 500,
})
const queue = createQueue({
  commands: connection.commands,
  workers: connection.workers,
  ready: connection.ready,
  prefix: keys.queue,
  instances: [],
  webhooks: [],
  tickets,
  lateMs: 120_000,
  clock: () => Date.now(),
  random: () => 0,
  log,
  alarm: nothing,
  ticketLookMs: 20,
})
const press = {
  interaction: "f".repeat(64),
  person: { team: "T1", user: "U1" },
  name: "Ann",
  at: Date.now(),
  target: {
    installation,
    caseId: "c-1",
    route: "channel:C1",
    revision: 1,
    digest: "0123456789abcdef",
    bound: { era: 0, count: 1 },
  },
  on: { kind: "card", place: { channel: "C1", ts: "1.2" } },
  surface: "card",
  verb: "approve",
  reason: null,
  values: null,
  replyTo: { kind: "view", viewId: "V1", user: "U1" },
} as const

await tickets.write(press)
if (mode === "carry") {
  const ticket = () => {
    console.log("held")
    return new Promise<void>(nothing)
  }
  const idle = async () => undefined
  const cases = { present: idle, resolve: idle, resume: idle, reconcile: idle }
  await queue.startWorkers({ poll: idle, sweep: idle, webhook: idle, remind: idle, summarise: idle, ...cases, ticket })
} else {
  console.log("held")
}
setInterval(nothing, 1_000)
