// A bot in a process of its own, for stories that kill it: reads its world from the environment, says "up" when it
// runs.
import { startTestBot } from "./world.ts"

const { BOT_ENV = "{}", BOT_YAML = "", BOT_REDIS = "" } = process.env
const bot = await startTestBot({ env: JSON.parse(BOT_ENV), yaml: BOT_YAML, log: [], redisUrl: BOT_REDIS })
process.stdout.write(`up ${bot.url}\n`)
// It ends with the test that started it, whatever became of that.
process.stdin.on("end", () => process.exit(0)).resume()
