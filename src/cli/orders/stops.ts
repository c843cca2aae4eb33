// countersign stop and countersign stops: stops what agents ask for, lists what is stopped, ends a stop (R21).
import { maxReason, maxValue, readStop, type StopRead } from "../../domain/order/read-stop.ts"
import { type Stop, wordsOfStop } from "../../domain/order/stop.ts"
import { ordererWords } from "../../domain/people/orderer.ts"
import { countUnder } from "../../flow/order/under.ts"
import type { NamedCase, UnderStop } from "../../flow/ports.ts"
import { withStore } from "../installation/opened-store.ts"
import { shellOperator } from "../installation/shell-operator.ts"
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
      const done = await store.config.orders.stop({ match, by: shellOperator(), reason, at, until })
      if (done.kind === "too-many")
        throw new CommandError("50 stops are in force already: end one first (countersign stops lists them)")
      terminal.out(
        done.kind === "again" ? `Stopped already: ${stopLine(done.stop)}` : `Stopped: ${stopLine(done.stop)}`,
      )
      const ports = { store: store.casesUnder(store.config), toldGates: store.toldGates, clock: context.clock }
      for (const line of underLines(await countUnder(ports, done.stop))) terminal.out(line)
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
    const ended = await store.config.orders.end(id, { by: shellOperator(), at: context.clock() })
    // Nobody is judged at a shell, so no other config is in the way.
    if (ended === null || ended === "other-config")
      throw new CommandError(`no stop ${id} is in force: countersign stops lists those that are`)
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
    case "long-reason":
      return `say why in at most ${maxReason} characters`
    case "two-times":
      return "it says twice for how long: say that once"
    case "long-value":
      return `${read.word.slice(0, 40)}… is longer than ${maxValue} characters`
    case "not-alone":
      return "everything leaves nothing over: give no other word beside it"
    case "no-value":
      return `${read.word} names nothing: write the name behind it without a space`
    case "bad-time":
      return `${read.word} is no time: write a number with m, h or d, such as 2h, at most 180d`
  }
}

/** One stop on a line: its id, what it covers, who ordered it, since when, until when, and why. */
function stopLine({ id, match, by, at, until, reason }: Stop): string {
  const time = (ms: number) => new Date(ms).toISOString()
  const end = until === null ? "" : `, until ${time(until)}`
  return `${id}  ${wordsOfStop(match)}  by ${ordererWords(by)} since ${time(at)}${end}: ${reason}`
}

/** What is under a stop that was made just now, a line each; what there is none of is left out. */
function underLines({ waiting, perhaps, runs, gates, onWay }: UnderStop): readonly string[] {
  const doubt = perhaps === 0 ? "" : `, ${perhaps} of them only because the platform leaves a field null`
  const left = onWay.map((one) => `${caseWords(one)} (decided ${new Date(one.at).toISOString()})`)
  return [
    `Open approvals under it: ${waiting}${doubt}.`,
    ...(runs.length === 0 ? [] : [`Not continued meanwhile: ${runs.map(caseWords).join(", ")}.`]),
    ...(gates === 0 ? [] : [`Approvals given before that gates at tools refuse meanwhile: ${gates}.`]),
    ...(left.length === 0 ? [] : [`On the way already, so it may have run: ${left.join(", ")}.`]),
  ]
}

function caseWords({ caseId, tool, agent }: NamedCase): string {
  return agent === null ? (tool ?? caseId) : `${tool ?? caseId} of ${agent}`
}
