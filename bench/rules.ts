// Measures what conditions and limits cost: the same clicks and polls, by a bot with them and by a bot without them.
//
// The limit has a sum for each currency. A click reads one sum more, and writes it in the commit that it makes anyway.
import { startOwnRedis } from "./parts/bot.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Figure } from "./parts/figure.ts"
import { alternate, compare } from "./parts/rounds.ts"
import { aSide } from "./parts/side.ts"
import { measurePolls } from "./poll.ts"

const asks = "{ quorum: 2, approvers: [U0ALICE, U0BOB] }"
const limit = `{ sum: args.amount, per: args.currency, window: 24h, above: 1000000, then: ${asks} }`
const ruled = `when: 'args.currency != "USD"', limit: ${limit}`

/** Reports 24 and 24b. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  fixOneCore()
  const plain = await aSide({ redis: await startOwnRedis() })
  const limited = await aSide({ redis: await startOwnRedis(), ruleKeys: ruled })
  const [floor = [], product = []] = await alternate([plain.clicks, limited.clicks])
  const what = "click to card under a condition and a limit, against neither"
  report(compare({ scenario: "24", what, unit: "ms", floor, product }))
  await Promise.all([plain.close(), limited.close()])
  const polls = await measurePolls({ count: 1_000, rounds: 11, block: false, against: "no-conditions" })
  report(compare({ ...polls, scenario: "24b", what: "a poll of 1,000 known under them, against neither", unit: "ms" }))
}
