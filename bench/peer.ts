// Compares a click on Approve with AgentOS's own Slack interface: one AgentOS, one Postgres, one Slack, two ways to say
// yes. Their run pauses at a call that people confirm in its thread. Our run pauses at a call that leaves an approval;
// we resolve that, and then continue the run.
//
// Floor: AgentOS's interface, which is a part of the process that runs the tool. Countersign is the built program. All
// processes may use all cores, as in production.
import { fileURLToPath } from "node:url"
import { startAgentOs } from "../test/agentos/agentos.ts"
import { startPostgres } from "../test/agentos/postgres.ts"
import { installAgentOs } from "../test/tools/agentos.mjs"
import type { Measured } from "./parts/figure.ts"
import { alternate, compare } from "./parts/rounds.ts"
import { startWorld } from "./parts/world.ts"
import { startAgno } from "./peer/agno.ts"
import { createMeasure, type Side } from "./peer/measure.ts"
import { startOurs } from "./peer/ours.ts"

const version = "3.1.10"
const quick = process.env["BENCH_QUICK"] === "yes"
const rounds = quick ? 1 : 5
const clicksABlock = quick ? 5 : 15
const burst = quick ? 10 : 100
/** Clicks that each side sees before, so that what is measured is compiled code. */
const warmUp = quick ? 10 : 100
const inAll = warmUp + (clicksABlock + burst) * (rounds + 1)

/** Reports 25 to 25d. */
export async function run(report: (what: Measured) => void): Promise<void> {
  const requirements = fileURLToPath(new URL("../test/agentos/testbed/requirements.txt", import.meta.url))
  await installAgentOs({ env: { ...process.env, AGNO_VERSION: version }, requirements, log: console.error })
  const closers: (() => Promise<void>)[] = []
  const closing = <Opened extends { readonly close: () => Promise<void> }>(opened: Opened): Opened => {
    closers.push(opened.close)
    return opened
  }
  try {
    const world = closing(await startWorld())
    const { url: databaseUrl } = closing(await startPostgres())
    const os = closing(await startAgentOs(version, { db: "postgres", databaseUrl, slack: `${world.url}/api/` }))
    const ours = closing(await startOurs(os, world, inAll))
    const agno = await startAgno(os, world, inAll)
    await measure(report, createMeasure(os, world), [agno, ours])
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Clicks one by one, then many at once, on each side in turn. */
async function measure(
  report: (what: Measured) => void,
  { oneByOne, allAtOnce, last }: ReturnType<typeof createMeasure>,
  sides: readonly [Side, Side],
): Promise<void> {
  for (const side of sides) await allAtOnce(side, warmUp)
  const blocks = sides.flatMap((side) => [
    () => oneByOne(side, clicksABlock),
    () => last("card"),
    () => allAtOnce(side, burst),
    () => last("end"),
  ])
  const [tools = [], cards = [], bursts = [], ends = [], ...ours] = await alternate(blocks, rounds)
  const [ourTools = [], ourCards = [], ourBursts = [], ourEnds = []] = ours
  const row = (scenario: string, what: string, floor: readonly number[], product: readonly number[]) =>
    report(compare({ scenario, what: `${what}, against AgentOS's own Slack interface`, unit: "ms", floor, product }))
  row("25", "click to tool", tools, ourTools)
  row("25b", "click to card", cards, ourCards)
  row("25c", "the last tool of 100 clicks at once", bursts, ourBursts)
  row("25d", "all that follows 100 clicks at once", ends, ourEnds)
}
