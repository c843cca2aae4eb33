// Measures clicks of either side: until the run's tool began, until the clicked card changed, and until all was said.
import type { AgentOs } from "../../test/agentos/agentos.ts"
import { until } from "../parts/bot.ts"
import { quiet } from "../parts/clicker.ts"
import { median } from "../parts/rounds.ts"
import type { Arrival, World } from "../parts/world.ts"

/** A way to click. Its card counts as changed when the first of these reaches Slack, named as by `nameOf`. */
export interface Side {
  readonly click: () => { readonly sent: Promise<unknown>; readonly changes: readonly string[] }
}

/** What may change a card: its edit, or an answer to the click. */
export const edited = (ts: string): string => `chat.update ${ts}`
export const answered = (click: string): string => `response ${click}`

function nameOf({ call, id, fields }: Arrival): string {
  return call === "response" ? answered(id) : `${call} ${fields.get("ts")}`
}

/** When things were done after a click, in ms; of several clicks the last of them. */
interface Times {
  readonly tool: number
  readonly card: number
  readonly end: number
}

/** So long Slack hears nothing before the next click or burst, in ms: then all that follows a click is done. */
const quietMs = 100
/** How far the clock that tools are timed by is ahead of this process' own, in ms. */
const ahead = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Makes it for an AgentOS, and a Slack that both sides share. */
export function createMeasure(os: AgentOs, world: World) {
  const waiting = new Map<string, (at: number) => void>()
  world.onArrival = (arrival) => waiting.get(nameOf(arrival))?.(arrival.at)
  const changed = async (names: readonly string[]): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>()
    for (const name of names) waiting.set(name, resolve)
    return promise.finally(() => names.map((name) => waiting.delete(name)))
  }
  let times: readonly Times[] = []
  const clicks = async (side: Side, count: number): Promise<Times> => {
    await quiet(world, quietMs)
    world.arrivals.length = 0
    const before = os.executions().length
    const begun = performance.now()
    const cards = await Promise.all(
      Array.from({ length: count }, () => {
        const { sent, changes } = side.click()
        return Promise.all([changed(changes), sent]).then(([at]) => at)
      }),
    )
    // What has run is read when nothing is under way any more: that costs time, too.
    await quiet(world, quietMs)
    await until(`${count} tools`, () => os.executions().length >= before + count)
    const tools = os.executions().slice(before)
    if (tools.length !== count) throw new Error(`${count} tools were to run, and ${tools.length} did`)
    const tool = Math.max(...tools.map(({ monotonic }) => (monotonic ?? Number.NaN) * 1_000 - ahead)) - begun
    const end = (world.arrivals.at(-1)?.at ?? Number.NaN) - begun
    return { tool, card: Math.max(...cards) - begun, end }
  }
  const last = (what: keyof Times): number => median(times.map((one) => one[what]))
  return {
    /** One click in flight; the median time to the tool. */
    oneByOne: async (side: Side, count: number): Promise<number> => {
      const all: Times[] = []
      while (all.length < count) all.push(await clicks(side, 1))
      times = all
      return last("tool")
    },
    /** All at once; the time to the last tool. */
    allAtOnce: async (side: Side, count: number): Promise<number> => {
      times = [await clicks(side, count)]
      return last("tool")
    },
    /** The same of what was measured last, for another of its ends. */
    last,
  }
}
