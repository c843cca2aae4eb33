// Runs the service in a process of its own, so that a test can kill it: prints its address as its first line. With the
// address of a model its agent thinks.
import { randomBytes } from "node:crypto"
import { startService } from "../../src/service.ts"
import { agents, secret } from "./a-service.ts"
import { aThinkingScript, modelKey } from "./model/a-thinking-service.ts"

const [, , database = ":memory:", modelUrl] = process.argv
const service = await startService({
  database,
  script: modelUrl === undefined ? agents : aThinkingScript(modelUrl),
  environment: { TEST_KEY: modelKey },
  authorization: true,
  verificationKeys: [secret],
  algorithm: "HS256",
  clock: Date.now,
  random: randomBytes,
})
process.stdout.write(`${service.url}\n`)
