// Measures for how long hostile approvals block the bot's loop at a time, from the poll to the card: 390 kB of hostile
// text in each field, and rows with more values than anybody can read.
import { isCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import { fixOneCore } from "./parts/cores.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute, median } from "./parts/rounds.ts"
import { aRow, type Row } from "./parts/rows.ts"
import { startWorld, type World } from "./parts/world.ts"

const rounds = 5
/** In bytes of UTF-8: with the rest of the row just below what is too large to show (`maxRow`). */
const size = 390_000
/** What rules of the field look like. */
const mask = [
  "*pass*word*",
  "*secret*",
  "/sk-[a-z0-9]{8,}/",
  "/[\\w.+-]+@[\\w.-]+\\.[a-z]{2,}/",
  "/(?:bearer|token) \\S+/",
]

/** What stalled a naive matcher, what is masked, what cannot be seen, and what grows when it is escaped. */
const texts: readonly string[] = ["a", "a@", "pass", "sk-aaaaaaaa ", "\u200b", "<", "▒"].map((part) =>
  part.repeat(Math.floor(size / Buffer.byteLength(part))),
)

/** Lists in lists. */
const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)])
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 1]))

/** Arguments of many values: far above what is shown, and just below. */
const shapes: Readonly<Record<string, unknown>> = {
  "2,000 lists nested 150 deep": { rows: Array.from({ length: 2_000 }, () => nested(149)) },
  "300,000 names": names(300_000),
  "130,000 numbers": { rows: Array.from({ length: 130_000 }, () => 1) },
  "4,800 names": names(4_800),
  "4,800 numbers": { rows: Array.from({ length: 4_800 }, () => 1) },
  "32 lists nested 150 deep": { rows: Array.from({ length: 32 }, () => nested(149)) },
}

type Part = (row: Row, text: string) => Record<string, unknown>

/** Where an agent can put a text. */
const fields: Readonly<Record<string, Part>> = {
  "an argument": (row, text) => withExecution(row, { tool_args: { note: text } }),
  "an argument's name": (row, text) => withExecution(row, { tool_args: { [text]: 1 } }),
  "sixteen arguments": (row, text) =>
    withExecution(row, {
      tool_args: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`t${at}`, part(text, at)])),
    }),
  "arguments as a text": (row, text) => withExecution(row, { tool_args: text }),
  "the call's tool": (row, text) => withExecution(row, { tool_name: text }),
  "the record's tool": (_row, text) => ({ tool_name: text }),
  "the agent's name": (_row, text) => ({ source_name: text }),
  "whoever asks": (_row, text) => ({ user_id: text }),
  "a field's description": (row, text) =>
    withExecution(row, { user_input_schema: [{ name: "to", field_type: "str", description: text, value: "x" }] }),
  "a field's value": (row, text) =>
    withExecution(row, { user_input_schema: [{ name: "to", field_type: "str", description: "x", value: text }] }),
  "what nobody knows": (row, text) => withExecution(row, { metrics: { note: text } }),
}

/** Reports 17. */
export async function run(report: (what: Measured) => void): Promise<void> {
  // Else what this process and Redis do on the bot's core would count as its blocks.
  fixOneCore()
  const world = await startWorld()
  const redis = await startOwnRedis()
  const bot = await startProduct({ world, redis, pollMs: 200, paceMs: 0, mask, block: true })
  const blocks = new Map<string, number[]>()
  let made = 0
  const look = async (key: string, round: number, part: (row: Row) => Record<string, unknown>) => {
    made += 1
    const row = aRow(made, Math.floor(Date.now() / 1_000))
    await bot.longestBlock()
    await announce(world, { ...row, ...part(row) })
    const block = await bot.longestBlock()
    if (round > 0) blocks.set(key, [...(blocks.get(key) ?? []), block])
  }
  const rows = [
    ...Object.entries(fields).flatMap(([name, field]) =>
      texts.map((text, at) => ({ key: `${name} ${at}`, part: (row: Row) => field(row, text) })),
    ),
    ...Object.entries(shapes).map(([key, args]) => ({
      key,
      part: (row: Row) => withExecution(row, { tool_args: args }),
    })),
  ]
  // The first round is that of the compiler.
  for (let round = 0; round <= rounds; round += 1)
    for (const { key, part } of inAnyOrder(rows)) await look(key, round, part)
  // Of each row the median, so that one collection of garbage does not stand for all.
  const medians = [...blocks].map(([key, times]) => ({ key, block: median(times) }))
  const [worst = { key: "none", block: 0 }] = medians.sort((one, other) => other.block - one.block)
  const what = `the longest block by a hostile row: 390 kB of text in any field, or many values (worst: ${worst.key})`
  report({ ...absolute({ scenario: "17", what, unit: "ms" }, [worst.block]), rounds })
  await bot.kill()
  await Promise.all([redis.stop(), world.close()])
}

/** In a fixed order garbage would be collected at the same rows in each round. */
function inAnyOrder<T>(all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Shows the row to the bot until its card hangs, then takes it away, as somebody who decides elsewhere would. */
async function announce(world: World, row: Row): Promise<void> {
  world.arrivals.length = 0
  world.rows.set(row.id, row)
  await until("the card", () => world.arrivals.some(isCard))
  world.rows.set(row.id, { ...row, status: "rejected" })
  await new Promise((resolve) => setTimeout(resolve, 100))
}

function withExecution(row: Row, execution: Record<string, unknown>): Record<string, unknown> {
  const base = { tool_call_id: `call of ${row.id}`, tool_name: "send_refund", tool_args: {}, approval_type: "required" }
  return { tool_args: null, requirements: [{ id: "requirement", tool_execution: { ...base, ...execution } }] }
}

function part(text: string, at: number): string {
  return `${at}${text.slice(0, Math.floor(text.length / 16) - 2)}`
}
