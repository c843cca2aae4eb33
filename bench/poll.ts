// Measures polls of long lists in which nothing is new: what they take, and how long they block people who click then.
//
// Floor of 5 and 7: read and parse the same pages. Floor of 6: parse and check one page.
import { spawn } from "node:child_process"
import { z } from "zod"
import { startOwnRedis } from "./parts/bot.ts"
import { scriptIn } from "./parts/child.ts"
import { fixOneCore, onServerCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { startListServer } from "./parts/lists.ts"
import { absolute, compare } from "./parts/rounds.ts"

/** Reports 5, 6, 6b and 7. */
export async function run(report: (what: Measured) => void): Promise<void> {
  fixOneCore()
  const thousand = await measurePolls({ count: 1_000, rounds: 11, block: false })
  report(compare({ ...thousand, scenario: "5", what: "a poll of 1,000 known approvals", unit: "ms" }))
  const block = await measurePolls({ count: 100_000, rounds: 9, block: true })
  const what = "the longest block in a poll of 100,000"
  report(compare({ ...block, scenario: "6", what, unit: "ms" }))
  report(absolute({ scenario: "6b", what, unit: "ms" }, block.product))
  const tenThousand = await measurePolls({ count: 10_000, rounds: 11, block: false })
  report(compare({ ...tenThousand, scenario: "7", what: "a poll of 10,000 known approvals", unit: "ms" }))
}

const answer = z.object({ floor: z.array(z.number()), product: z.array(z.number()) })

/** Polls a list of known approvals round by round; the ms of floor and product, or, with `block`, of their blocks. */
export async function measurePolls(options: {
  readonly count: number
  readonly rounds: number
  readonly block: boolean
  /** What the floor is. Default: the pages, read and parsed. */
  readonly against?: "pages" | "no-conditions"
  /** The folder of another checkout, whose poll it is. Default: this one's. */
  readonly tree?: string | undefined
}): Promise<z.infer<typeof answer>> {
  const { count, rounds, block, against = "pages" } = options
  const redis = await startOwnRedis()
  const list = await startListServer(count)
  const script = scriptIn(options.tree, "poller-process.ts")
  const [command, ...args] = [...onServerCore, process.execPath, script]
  const env = {
    ...process.env,
    BENCH_LIST: list.url,
    BENCH_REDIS: redis.url,
    BENCH_COUNT: String(count),
    BENCH_ROUNDS: String(rounds),
    BENCH_BLOCK: block ? "yes" : "no",
    BENCH_AGAINST: against,
  }
  const child = spawn(command, args, { env, stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const told = Promise.withResolvers<unknown>()
  child.on("message", told.resolve)
  child.once("exit", (code) => told.reject(new Error(`the poller ended with ${code}`)))
  const figures = answer.parse(await told.promise)
  await Promise.all([list.close(), redis.stop()])
  return figures
}
