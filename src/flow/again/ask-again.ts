// Ask Me Again: any approver of the rules ends a lasting rejection. From then on people are asked, also about the calls
// that it left undecided (R22).
import { askPeople, endLasting, lastingOf } from "../../domain/again/lasting.ts"
import type { Case, Step } from "../../domain/case/case.ts"
import { isUsed } from "../../domain/case/steps.ts"
import { personKey } from "../../domain/people/person.ts"
import { advanceCase, advanceTogether, readCase } from "../case/commit.ts"
import { judgePerson } from "../people/eligibility.ts"
import type { AskAgainInteraction } from "../ports/interaction.ts"
import type { Answer, Decided } from "../ports/reply.ts"
import type { Ports } from "../ports.ts"

/**
 * Ends a lasting rejection, if this person may. The press was made where it counts (R18). A second run of the same
 * press gives the same answer.
 */
export async function askAgain(ports: Ports, current: Case, press: AskAgainInteraction): Promise<Decided> {
  const ended: Answer = { kind: "asks-again" }
  if (isUsed(current, press.interaction)) return { answer: ended, case: current }
  const refused = await refusalOf(ports, current, press)
  if (refused !== null) return { answer: refused, case: current }
  const left = await leftBy(ports, current)
  const after = await advanceTogether(ports, [current, ...left], (cases) => endSteps(ports, cases, press))
  for (const { id } of after) await ports.jobs.present(id)
  const [first = current] = after
  return { answer: first.lasting === undefined ? ended : { kind: "not-lasting" }, case: first }
}

/** Why this press ends nothing: nothing lasts, or they may not reject it (R5); else null. */
async function refusalOf(ports: Ports, current: Case, press: AskAgainInteraction): Promise<Answer | null> {
  if (lastingOf(current, ports.clock()) === null) return { kind: "not-lasting" }
  const judged = await judgePerson(ports, current, press.person, { verb: "reject" })
  return judged.ok ? null : { kind: "refused", refusal: judged.refusal }
}

/** The cases that it left undecided, and that still are. */
async function leftBy(ports: Ports, current: Case): Promise<readonly Case[]> {
  const ids = (current.lasting?.repeats ?? []).flatMap((one) => (one.undecided === true ? [one.case] : []))
  const cases = await Promise.all(ids.map((id) => readCase(ports, id)))
  return cases.flatMap((one) => (one !== null && one !== "frozen" && one.looped?.case === current.id ? [one] : []))
}

function endSteps(ports: Ports, cases: readonly Case[], press: AskAgainInteraction): readonly (Step | null)[] {
  const [first, ...left] = cases
  const at = ports.clock()
  if (first === undefined || lastingOf(first, at) === null) return cases.map(() => null)
  const asked = left.map((one) => askPeople(one, ports.policy, personKey(press.person), at))
  return [endLasting(first, press, at), ...asked]
}

type LapsePorts = Pick<Ports, "store" | "clock" | "jobs" | "policy">

/** Ends a rejection that has lasted for its time. */
export async function lapse(ports: LapsePorts, current: Case): Promise<void> {
  await advanceCase(ports, current, (now) => {
    const at = ports.clock()
    return now.state === "settled" && now.lasting !== undefined && now.lasting.until <= at
      ? endLasting(now, null, at)
      : null
  })
  await ports.jobs.present(current.id)
}

/** Asks people about a case that was left undecided, because the rejection lasts no longer. */
export async function askInTime(ports: LapsePorts, current: Case): Promise<void> {
  await advanceCase(ports, current, (now) => {
    const at = ports.clock()
    return now.looped !== undefined && now.looped.until <= at ? askPeople(now, ports.policy, null, at) : null
  })
  await ports.jobs.present(current.id)
}
