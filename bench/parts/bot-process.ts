// The product as it runs in production, in a process of its own: the real wiring with its own timings.
import { randomBytes } from "node:crypto"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { startBot } from "../../src/bot.ts"
import { openSigner } from "../../src/cli/installation/context.ts"
import { loadConfig } from "../../src/config.ts"
import { createLog } from "../../src/log.ts"

const { BENCH_YAML = "", BENCH_REDIS = "", COUNTERSIGN_KEY = "" } = process.env
const config = loadConfig({
  env: { ...process.env, COUNTERSIGN_CONFIG: "bench.yaml" },
  readFile: () => BENCH_YAML,
  cwd: "/",
})
const write = (line: string) => void process.stderr.write(`${line}\n`)
const log = createLog({ write, clock: Date.now, level: "error", secrets: config.secrets })
const key = Buffer.from(COUNTERSIGN_KEY)
const signer = await openSigner({ config, key })
const options = {
  config,
  key,
  signer,
  redisUrl: BENCH_REDIS,
  log,
  clock: Date.now,
  random: randomBytes,
  activate: false,
}
const bot = await startBot(options)
if (process.env["BENCH_BLOCK"] === "yes") {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on("SIGUSR2", () => {
    process.stdout.write(`block ${delay.max / 1e6}\n`)
    delay.reset()
  })
}
process.stdout.write(`up ${bot.url}\n`)
process.on("SIGTERM", () => void bot.close().then(() => process.exit(0)))
process.stdin.on("end", () => process.exit(0)).resume()
