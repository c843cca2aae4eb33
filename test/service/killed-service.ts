// Runs the service in a process of its own, so that a test can kill it: prints its address as its first line.
import { randomBytes } from "node:crypto"
import { startService } from "../../src/service.ts"
import { agents, secret } from "./a-service.ts"

const [, , database = ":memory:"] = process.argv
const service = await startService({
  database,
  script: agents,
  authorization: true,
  verificationKeys: [secret],
  algorithm: "HS256",
  clock: Date.now,
  random: randomBytes,
})
process.stdout.write(`${service.url}\n`)
