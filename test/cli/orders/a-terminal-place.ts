// A terminal beside an installation on a Redis of its own, for commands that order something.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { startRedis } from "../../../src/setup/redis/start-redis.mjs"
import { anInstallation, openStore } from "../../store/support.ts"
import { aFolder } from "../../support/opened.ts"
import { command } from "../command.ts"

const key = "a key of the tests that is long enough"

/** An installation with one rule, and a terminal in the folder of its file. */
export async function aTerminalPlace() {
  const cwd = aFolder("orders")
  const installation = anInstallation()
  const env = {
    PLATFORM_URL: "http://127.0.0.1:9",
    COUNTERSIGN_KEY: key,
    SLACK_BOT_TOKEN: "xoxb-1-a",
    SLACK_APP_TOKEN: "xapp-1-A1-1-a",
    SLACK_API_URL: "http://127.0.0.1:9/api/",
    SLACK_SANDBOX: "true",
  }
  const rule = "{name: all, routes: [C0APPROVALS], approvers: [U0ALICE], unknown_requester: allow}"
  writeFileSync(join(cwd, "countersign.yaml"), `installation: ${installation}\nrules: [${rule}]\n`)
  const redis = await startRedis({ folder: join(cwd, ".countersign", "redis"), env: process.env, log: () => {} })
  onTestFinished(() => redis.stop())
  const open = await openStore({ url: redis.url, installation, key: Buffer.from(key) })
  return { ...open, countersign: (...args: readonly string[]) => command(args, { env, cwd }).ended }
}
