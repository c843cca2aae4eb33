// countersign hold: keeps cases and their arguments until somebody ends it; lists holds, and ends one.
import { hasVisibleText } from "../../domain/content/visible-text.ts"
import { type Hold, holdWords, maxHolds } from "../../domain/order/hold.ts"
import { ordererWords } from "../../domain/people/orderer.ts"
import type { HoldOf } from "../../domain/policy/shared-config.ts"
import { countOnHold } from "../../flow/case/holds.ts"
import { withStore } from "../installation/opened-store.ts"
import { shellOperator } from "../installation/shell-operator.ts"
import { withWatchedStore } from "../installation/watched-store.ts"
import { erasureWords, timeOf } from "../people/people-words.ts"
import { CommandError, type Terminal } from "../terminal.ts"

interface HoldOptions {
  readonly reason: string
}

/** Keeps the cases of a requester. Throws `CommandError` with nothing on hold for bad words, as the next two do. */
export function holdRequester(terminal: Terminal, value: string, options: HoldOptions): Promise<void> {
  return begin(terminal, { kind: "requester", value }, options)
}

/** Keeps the cases with a call of a tool. */
export function holdTool(terminal: Terminal, value: string, options: HoldOptions): Promise<void> {
  return begin(terminal, { kind: "tool", value }, options)
}

/** Keeps one case. */
export function holdCase(terminal: Terminal, value: string, options: HoldOptions): Promise<void> {
  return begin(terminal, { kind: "case", value }, options)
}

/** The longest name of what is on hold, as in the config. */
const longest = 200

async function begin(terminal: Terminal, of: HoldOf, { reason }: HoldOptions): Promise<void> {
  const refuse = (why: string) => new CommandError(`${why}. Nothing has changed`)
  if (!hasVisibleText(of.value)) throw refuse(`name the ${of.kind} to keep`)
  if (of.value.length > longest) throw refuse(`the name of the ${of.kind} has more than ${longest} characters`)
  if (!hasVisibleText(reason)) throw refuse("say why, by --reason: whoever may end the hold reads it")
  await withWatchedStore(terminal, async ({ context, store, keep }) => {
    const done = await store.config.orders.beginHold({ of, by: shellOperator(), reason, at: context.clock() })
    if (done.kind === "too-many")
      throw new CommandError(`${maxHolds} holds are in force already: countersign hold list has them`)
    terminal.out(`${done.kind === "again" ? "On hold already" : "On hold"}: ${holdLine(done.hold)}`)
    terminal.out("Cases under it stay with the arguments that they have now; what is gone does not come back.")
    terminal.out("What rules mask, and what people filled in, goes with the end of a case all the same.")
    terminal.out(`To end it: countersign hold end ${done.hold.id}`)
    await keep()
    terminal.out(coverWords(of, await countOnHold({ store: store.casesUnder(store.config) }, of)))
  })
}

/** How many cases a new hold covers. */
function coverWords({ kind, value }: HoldOf, count: number): string {
  if (count > 0)
    return `It covers ${count} of the cases that are there${kind === "case" ? "" : ", and those that come"}.`
  return kind === "case"
    ? `There is no case ${value}: look at its id (countersign hold end takes a hold back).`
    : `It covers none of the cases that are there, and those that come: look at the name of the ${kind} again.`
}

/** Lists what is on hold and who waits to be erased, as text or as JSON. */
export async function holdList(terminal: Terminal, { json }: { readonly json: boolean }): Promise<void> {
  const { config, holds, erasures } = await withStore(terminal, ({ store }) => store.config.orders.listHolds())
  if (json) return terminal.out(JSON.stringify({ config, holds, erasures }, null, 2))
  if (config.length + holds.length === 0) terminal.out("nothing is on hold")
  for (const of of config) terminal.out(`config    ${holdWords(of)}`)
  for (const one of holds) terminal.out(holdLine(one))
  for (const { person, by, at } of erasures)
    terminal.out(`waits     to erase what is on hold of ${person}, ordered by ${by} at ${timeOf(at)}`)
}

/** Ends a hold, and erases whom it kept. Throws `CommandError` if there is none with this id. */
export async function holdEnd(terminal: Terminal, id: string): Promise<void> {
  await withWatchedStore(terminal, async ({ context, store, keep }) => {
    const ended = await store.config.orders.endHold(id, { by: shellOperator(), at: context.clock() })
    if (ended === null) throw new CommandError(`no hold ${id} is in force: countersign hold list has those that are`)
    terminal.out(`Ended: ${holdLine(ended)}`)
    for (const { person, erasure } of await store.waitingErasures.carryOut(context.clock()))
      for (const line of erasureWords(person, erasure)) terminal.out(line)
    await keep()
  })
}

/** One hold on a line: its id, what it covers, who ordered it, since when and why. */
function holdLine({ id, of, by, at, reason }: Hold): string {
  return `${id}  ${holdWords(of)}  by ${ordererWords(by)} since ${timeOf(at)}: ${reason}`
}
