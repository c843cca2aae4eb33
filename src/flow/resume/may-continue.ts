// Whether a run that is ready may be continued now: not twice (R17), not under a stop, and not too late after it (R21).
import type { Case } from "../../domain/case/case.ts"
import { isDoubtful, isOutdated, takeBack } from "../../domain/case/resumption.ts"
import { advance, advanceCase, isTouched, underAnyConfig } from "../case/commit.ts"
import { runHeldUp, stopOf } from "../case/orders.ts"
import type { Ports } from "../ports.ts"
import type { Ready } from "./examine.ts"

/** How soon we look again at a run that waits for other approvals, or for the end of a stop, in ms. */
export const besideMs = 30_000

/** Why we do not continue a run of which Redis may have forgotten that we did. */
export const forgottenWhy = "Redis lost its last second, and nobody knows whether it was continued already"

/** Why we do not continue a run that a stop held for too long. Nobody else should: who wants it has to ask anew. */
export const lateWhy = "it was stopped for longer than its approval counts (receipt_life)"

/**
 * R17: true if Redis may have forgotten that we continued the run, in the name of any of its cases. False if all calls
 * are refused: it harms nobody to refuse them twice.
 */
export function mayRunTwice(ports: Pick<Ports, "freshness">, ready: Ready): boolean {
  return letsRun(ready) && ready.cases.some((one) => isDoubtful(one) || isTouched(ports, one))
}

/** True if a continue would let a call run, and does not only refuse. */
function letsRun({ rulings }: Ready): boolean {
  return [...rulings.values()].some(({ verb }) => verb === "approve")
}

/** A stop, as `stopOf` gives it. */
type Stop = NonNullable<ReturnType<typeof stopOf>>

/**
 * R21: the stop under which a continue would let a call run, by what this process knows now. Null if there is none, and
 * for a continue that only refuses: it goes out.
 */
export function stopUnder(ports: Pick<Ports, "orders">, ready: Ready): Stop | null {
  if (!letsRun(ready)) return null
  return ready.cases.map((one) => stopOf(ports, one)).find((stop) => stop !== null) ?? null
}

/** What a stop needs of the outside. */
type HoldingPorts = Pick<Ports, "store" | "underAny" | "jobs">

/**
 * Notes on the case which stop holds its run: the card says so. The note outlives the stop, so that `isTooLate` knows.
 * Returns when to look again. No rule is asked for that.
 */
export async function holdUp(ports: HoldingPorts, current: Case, stop: Stop): Promise<number> {
  const held = await advance(underAnyConfig(ports), current, (now) => runHeldUp(now, stop))
  if (held.kind === "committed") await ports.jobs.present(current.id)
  return besideMs
}

/**
 * A stop came before the continue left, so the run waits like one that was never continued. Returns when to look again.
 * No rule is asked for that.
 */
export async function keepHere(ports: HoldingPorts & Pick<Ports, "clock" | "orders">, current: Case, ready: Ready) {
  const kept = await advanceCase(underAnyConfig(ports), current, (now) => takeBack(now, ports.clock()))
  const stop = stopUnder(ports, ready)
  return stop === null ? besideMs : holdUp(ports, kept, stop)
}

/**
 * R21: true if a stop held the run until an approval of it counts no more: then a gate would refuse the call, and
 * without a gate nobody should let it run. `at`: epoch ms, by the clock that replicas share.
 */
export function isTooLate(ready: Ready, at: number): boolean {
  return letsRun(ready) && ready.cases.some((one) => isOutdated(one, at))
}
