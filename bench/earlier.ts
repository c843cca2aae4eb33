// Compares this checkout with an earlier one in alternating rounds: `node bench/earlier.ts FOLDER [clicks|polls]`.
// Clicks and polls of an installation that uses none of what came since.
//
// FOLDER holds the earlier checkout with its packages: `git archive COMMIT | tar -x -C FOLDER`, and a link to
// `node_modules`.
import { startOwnRedis } from "./parts/bot.ts"
import { fixOneCore } from "./parts/cores.ts"
import { alternate, median } from "./parts/rounds.ts"
import { aSide } from "./parts/side.ts"
import { measurePolls } from "./poll.ts"

/** Each round of polls starts two processes. */
const pollRounds = 7
/** Polls of a process before those that count: a bot polls each second, so nearly all its polls are warm. */
const warming = 40

const [tree, only] = process.argv.slice(2)
if (tree === undefined) {
  console.error("which checkout? node bench/earlier.ts FOLDER [clicks|polls]")
  process.exitCode = 2
} else {
  fixOneCore()
  if (only !== "polls") await compareClicks(tree)
  if (only !== "clicks") await comparePolls(tree)
}

async function compareClicks(earlier: string): Promise<void> {
  const before = await aSide({ redis: await startOwnRedis(), tree: earlier })
  const now = await aSide({ redis: await startOwnRedis() })
  const figures = await alternate([before.clicks, now.clicks])
  say("click to card, in ms", figures)
  await Promise.all([before.close(), now.close()])
}

/**
 * Each checkout polls in a process of its own. So a poll counts in times of what the same process takes, at that
 * moment, to read and parse the same pages: a machine that is busy for a while is busy for both.
 */
async function comparePolls(earlier: string): Promise<void> {
  const of = async (from: string | undefined) => {
    const { floor, product } = await measurePolls({ count: 1_000, rounds: warming + 41, block: false, tree: from })
    return median(product.map((figure, round) => figure / (floor[round] ?? Number.NaN)).slice(warming))
  }
  const figures = await alternate([() => of(earlier), () => of(undefined)], pollRounds)
  say("a poll of 1,000 known approvals, in times of its floor", figures)
}

function say(what: string, [before = [], now = []]: readonly (readonly number[])[]): void {
  const ratio = median(now.map((figure, round) => figure / (before[round] ?? Number.NaN)))
  const [old, own] = [median(before), median(now)].map((figure) => figure.toFixed(2))
  console.log(`${what}: ${own}, before ${old}, ratio ${ratio.toFixed(3)} over ${now.length} rounds`)
}
