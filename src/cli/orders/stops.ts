// countersign stop and countersign stops: stops what agents ask for, lists what is stopped, ends a stop (R21).
import { userInfo } from "node:os"
import { readStop, type StopRead } from "../../domain/order/read-stop.ts"
import { coverOf, type Stop, wordsOfStop } from "../../domain/order/stop.ts"
import { type Orderer, ordererWords } from "../../domain/people/orderer.ts"
import type { Store } from "../../store/store.ts"
import { withStore } from "../installation/opened-store.ts"
import { withWatchedStore } from "../installation/watched-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"

/** Stops what the words say, for the reason behind them. Throws `CommandError`, with nothing stopped, for bad words. */
export async function stop(
  terminal: Terminal,
  words: readonly string[],
  { for: lasting }: { readonly for?: string },
): Promise<void> {
  const read = readStop(lasting === undefined ? words : [`for:${lasting}`, ...words])
  if (read.kind !== "stop") throw new CommandError(`${whyNothing(read)}. Nothing is stopped`)
  const { match, reason, forMs } = read.stop
  await withWatchedStore(
    terminal,
    async ({ context, store, keep }) => {
      const at = context.clock()
      const until = forMs === null ? null : at + forMs
      const done = await store.config.orders.stop({ match, by: operator(), reason, at, until })
      if (done.kind === "too-many")
        throw new CommandError("50 stops are in force already: countersign stops lists them")
      terminal.out(
        done.kind === "again" ? `Stopped already: ${stopLine(done.stop)}` : `Stopped: ${stopLine(done.stop)}`,
      )
      const { all, perhaps } = await waitingUnder(store, done.stop)
      const doubt = perhaps === 0 ? "" : `, ${perhaps} of them only because the platform leaves a field null`
      terminal.out(`Open approvals under it: ${all}${doubt}.`)
      terminal.out("Calls that need no approval, and runs that the platform continues by itself, go on.")
      terminal.out(`To end it: countersign stops end ${done.stop.id}`)
      await keep()
    },
    { rolledBack: "allowed" },
  )
}

/** Lists the stops in force, as text or as JSON. */
export async function stopsList(terminal: Terminal, { json }: { readonly json: boolean }): Promise<void> {
  const { stops } = await withStore(terminal, ({ store }) => store.config.orders.list())
  if (json) return terminal.out(JSON.stringify(stops, null, 2))
  if (stops.length === 0) return terminal.out("nothing is stopped")
  for (const one of stops) terminal.out(stopLine(one))
}

/** Ends a stop. Throws `CommandError` if there is none with this id. */
export async function stopsEnd(terminal: Terminal, id: string): Promise<void> {
  await withWatchedStore(terminal, async ({ context, store, keep }) => {
    const ended = await store.config.orders.end(id, { by: operator(), at: context.clock() })
    if (ended === null) throw new CommandError(`no stop ${id} is in force: countersign stops lists those that are`)
    await keep()
    terminal.out(`Ended: ${stopLine(ended)}`)
  })
}

function whyNothing(read: Exclude<StopRead, { kind: "stop" }>): string {
  switch (read.kind) {
    case "unknown-word":
      return `there is no word ${read.word} (${read.likely}, perhaps)`
    case "no-words":
      return "say first what to stop: everything, or agent:NAME, tool:NAME, team:NAME, workflow:NAME, instance:NAME"
    case "no-reason":
      return "say why, behind what to stop: everybody who may not approve then reads it"
    case "not-alone":
      return "everything leaves nothing over: give no other word beside it"
    case "no-value":
      return `${read.word} names nothing: write the name behind it without a space`
    case "bad-time":
      return `${read.word} is no time: write a number with m, h or d, such as 2h, at most 180d`
  }
}

/** Whoever sits at this shell. */
function operator(): Orderer {
  return { kind: "operator", name: userInfo().username }
}

/** One stop on a line: its id, what it covers, who ordered it, since when, until when, and why. */
function stopLine({ id, match, by, at, until, reason }: Stop): string {
  const time = (ms: number) => new Date(ms).toISOString()
  const end = until === null ? "" : `, until ${time(until)}`
  return `${id}  ${wordsOfStop(match)}  by ${ordererWords(by)} since ${time(at)}${end}: ${reason}`
}

const pageSize = 100

/** How many open approvals a stop covers, and how many of them only because of a field that is null. */
async function waitingUnder(store: Store, made: Stop): Promise<{ readonly all: number; readonly perhaps: number }> {
  const cases = store.casesUnder(store.config)
  let [all, perhaps] = [0, 0]
  for (let offset = 0; ; offset += pageSize) {
    const page = await cases.listOpen({ offset, limit: pageSize })
    const covers = page.cases.map((one) => coverOf(made, one))
    all += covers.filter((cover) => cover !== null).length
    perhaps += covers.filter((cover) => cover === "perhaps").length
    if (page.cases.length < pageSize) return { all, perhaps }
  }
}
