// A megabyte of hostile text in each field of an approval: for how long the bot's loop is blocked at a time, from the
// poll to the card.
import { isCard, startOwnRedis, startProduct, until } from "./parts/bot.ts"
import type { Measured } from "./parts/figure.ts"
import { absolute, median } from "./parts/rounds.ts"
import { aRow, type Row } from "./parts/rows.ts"
import { startWorld, type World } from "./parts/world.ts"

const rounds = 5
/** In bytes of UTF-8. */
const size = 1_000_000
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
  const world = await startWorld()
  const redis = await startOwnRedis()
  const bot = await startProduct({ world, redis, pollMs: 200, paceMs: 0, mask, block: true })
  const blocks = new Map<string, number[]>()
  let made = 0
  // The first round is that of the compiler.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, field] of Object.entries(fields)) {
      for (const [at, text] of texts.entries()) {
        made += 1
        await bot.longestBlock()
        await announce(world, { ...aRow(made, Math.floor(Date.now() / 1_000)), ...field(aRow(made, 0), text) })
        const block = await bot.longestBlock()
        const key = `${name} ${at}`
        if (round > 0) blocks.set(key, [...(blocks.get(key) ?? []), block])
      }
    }
  }
  // Of each field and text the median, so that one collection of garbage does not stand for all.
  const worst = Math.max(...[...blocks.values()].map(median))
  const what = "the longest block by 1 MB of hostile text in any field"
  report({ ...absolute({ scenario: "17", what, unit: "ms" }, [worst]), rounds })
  await bot.kill()
  await Promise.all([redis.stop(), world.close()])
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
