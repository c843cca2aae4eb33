// Walk: the cases of a summary one by one, each shown whole and voted on by itself. There is no bulk approval (R20).
import { type Case, cardOn } from "../domain/case/case.ts"
import type { SlackId } from "../domain/people/person.ts"
import { readCase } from "./access.ts"
import { freshMs } from "./identify.ts"
import type { Walked } from "./inbound.ts"
import { details, type LookPorts, waitsFor } from "./looking.ts"
import { postLanes } from "./ports/pace.ts"
import type { Ports } from "./ports.ts"
import { maySee } from "./sight.ts"

type WalkPorts = LookPorts & Pick<Ports, "summaries" | "pace" | "jobs">

/** Whose walk, on which summary, and after which case; null: from the first. */
export interface Step {
  readonly route: string
  readonly person: SlackId
  readonly after: string | null
}

/** The next case that waits for this person, as they may see it (R8); null if there is none. Opening it brings its own card forward. */
export async function walk(ports: WalkPorts, { route, person: id, after }: Step): Promise<Walked | null> {
  const named = (await ports.summaries.read(route))?.cases ?? []
  const ahead = after === null ? named : named.slice(named.indexOf(after) + 1)
  const read = await Promise.all(ahead.map((caseId) => readCase(ports, caseId)))
  const waiting = read.filter((one) => one !== null && one !== "frozen").filter((one) => one.state === "open")
  const person = await ports.people.look(id, freshMs)
  for (const [index, current] of waiting.entries()) {
    if (!(await isNext(ports, current, person))) continue
    const shown = await details(ports, current.id, id, route)
    if (shown === null) continue
    await bringForward(ports, current, route)
    return { details: shown, left: waiting.length - index - 1 }
  }
  return null
}

async function isNext(ports: WalkPorts, current: Case, person: Parameters<typeof maySee>[2]): Promise<boolean> {
  return (await maySee(ports, current, person)) && (await waitsFor(ports, current, person))
}

/** Its own card goes before those that nobody opened yet. */
async function bringForward(ports: WalkPorts, current: Case, route: string): Promise<void> {
  if (cardOn(current, route)?.summary !== true) return
  for (const lane of postLanes(route)) await ports.pace.hurry(lane, current.id)
  await ports.jobs.present(current.id)
}
